import Synchronization

/// The schemas that this process read or checked last: opening the same store again, or another one
/// with the same schema, does neither once more.
final class KnownSchemas: Sendable {
  static let shared = KnownSchemas()

  /// More stores than most programs have, and longer texts than their schemas.
  private static let limits = (schemas: 8, bytes: 1 << 20)

  private struct Lists {
    var read: [(text: [UInt8], schema: StoredSchema)] = []
    var valid: [StoredSchema] = []
  }

  private let lists = Mutex(Lists())

  /// The schema that a text gave; `nil` if it is to be read.
  func schema(readFrom text: [UInt8]) -> StoredSchema? {
    lists.withLock { lists in lists.read.first { $0.text == text }?.schema }
  }

  /// Keeps what a text gave.
  func note(_ schema: StoredSchema, readFrom text: [UInt8]) {
    guard text.count <= Self.limits.bytes else { return }
    lists.withLock { lists in
      if lists.read.count == Self.limits.schemas { lists.read.removeFirst() }
      lists.read.append((text, schema))
    }
  }

  /// Whether a schema was found to meet all rules.
  func isValid(_ schema: StoredSchema) -> Bool {
    lists.withLock { $0.valid.contains(schema) }
  }

  /// Keeps that a schema meets all rules.
  func noteValid(_ schema: StoredSchema) {
    lists.withLock { lists in
      if lists.valid.count == Self.limits.schemas { lists.valid.removeFirst() }
      lists.valid.append(schema)
    }
  }
}
