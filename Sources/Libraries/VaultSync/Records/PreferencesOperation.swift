import VaultCredentials
import VaultSealing

/// Changes of one preference domain in a record.
package struct PreferencesOperation: Sendable {
  /// A key that was changed.
  package struct Change: Sendable {
    package let key: String
    /// When, by the writer's clock; milliseconds since 1970.
    package let modified: Int64
    /// A binary property list; `nil` if the key was removed.
    package let value: [UInt8]?

    package init(key: String, modified: Int64, value: [UInt8]?) {
      self.key = key
      self.modified = modified
      self.value = value
    }
  }

  package let domain: String
  /// Whether the writer keeps the domain's values sealed.
  package let isProtected: Bool
  package var changes: [Change]

  package init(domain: String, isProtected: Bool, changes: [Change]) {
    self.domain = domain
    self.isProtected = isProtected
    self.changes = changes
  }

  /// Most bytes of a value that travels; a record has its limit.
  package static let maximumLength = 4 << 20
  /// Bytes after which further changes are another operation's.
  private static let batchLength = 256 << 10

  /// Operations for changes, none of them too long for a record.
  ///
  /// - Returns: The operations, and the keys that do not fit into any.
  static func operations(
    _ domain: String, isProtected: Bool, _ changes: [Change]
  ) -> (operations: [Operation], tooLong: [String]) {
    var batches: [[Change]] = []
    var length = batchLength
    var tooLong: [String] = []
    for change in changes {
      let bytes = change.key.utf8.count + (change.value?.count ?? 0)
      guard change.key.utf8.count <= UInt16.max, bytes <= maximumLength else {
        tooLong.append(change.key)
        continue
      }
      if length + bytes > batchLength {
        batches.append([])
        length = 0
      }
      batches[batches.count - 1].append(change)
      length += bytes
    }
    return (
      batches.map {
        .preferences(
          PreferencesOperation(domain: domain, isProtected: isProtected, changes: $0))
      }, tooLong
    )
  }

  func encode(into body: inout SecretBuilder) throws {
    try body.text(domain)
    body.put(UInt8(isProtected ? 1 : 0))
    body.put(UInt32(changes.count))
    for change in changes {
      try body.text(change.key)
      body.put(change.modified)
      body.put(value: change.value)
    }
  }

  init(from reader: inout SecretReader) throws {
    domain = try reader.text()
    isProtected = try reader.number(UInt8.self) & 1 == 1
    changes = []
    for _ in 0..<(try reader.number(UInt32.self)) {
      changes.append(
        Change(
          key: try reader.text(), modified: try reader.number(), value: try reader.value()))
    }
  }
}

extension SecretBuilder {
  /// A preference's value, or that there is none.
  mutating func put(value: [UInt8]?) {
    put(UInt8(value == nil ? 0 : 1))
    guard let value else { return }
    put(UInt32(value.count))
    put(value)
  }
}

extension SecretReader {
  /// A preference's value; `nil` if there is none.
  mutating func value() throws(MalformedRecord) -> [UInt8]? {
    switch try number(UInt8.self) {
    case 0: return nil
    case 1: return try array(Int(number(UInt32.self)))
    default: throw MalformedRecord()
    }
  }
}
