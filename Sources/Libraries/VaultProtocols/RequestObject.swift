import VaultSealing
import VaultStorage

/// The JSON object that a program says or is told.
struct RequestObject {
  /// The text is no such object, or a member has a value of another type.
  struct Mismatch: Error {}

  private let members: JSONValue

  /// Reads an object.
  ///
  /// - Parameter text: The object as a program wrote it.
  /// - Throws: ``Mismatch``.
  init(_ text: String) throws(Mismatch) { try self.init(bytes: Array(text.utf8)) }

  /// Reads an object.
  ///
  /// - Parameter input: The object as a program wrote it.
  /// - Throws: ``Mismatch``.
  init(_ input: SecretBytes) throws(Mismatch) {
    try self.init(bytes: input.withBytes { $0.array(0..<$0.byteCount) })
  }

  private init(bytes: [UInt8]) throws(Mismatch) {
    guard let members = try? JSONValue.parse(bytes), case .object = members else {
      throw Mismatch()
    }
    self.members = members
  }

  /// The object that a member is; `nil` without one.
  func objectIfAny(_ name: String) throws(Mismatch) -> RequestObject? {
    guard let member = members[name] else { return nil }
    guard case .object = member else { throw Mismatch() }
    return RequestObject(members: member)
  }

  private init(members: JSONValue) { self.members = members }

  /// The text of a member; `nil` without one, or where it is `null`.
  func textIfAny(_ name: String) throws(Mismatch) -> String? {
    switch members[name] {
    case nil: return nil
    case .string(let text): return text
    default: throw Mismatch()
    }
  }

  /// The text of a member.
  func text(_ name: String) throws(Mismatch) -> String {
    guard let text = try textIfAny(name) else { throw Mismatch() }
    return text
  }

  /// The digits of a number.
  func number(_ name: String) throws(Mismatch) -> String {
    guard case .number(let digits) = members[name] else { throw Mismatch() }
    return digits
  }

  /// A line with an object, in locked memory.
  ///
  /// - Parameter members: The members; those that are `null` are left out.
  /// - Returns: The object, its members sorted.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  static func text(_ members: [(String, JSONValue)]) throws -> SecretBytes {
    let object = JSONValue.object(members.filter { $0.1 != .null })
    return try SecretBytes(text: object.codableText + "\n")
  }
}
