import FoundationEssentials
package import VaultStorage

/// A value as two columns, its type and its contents.
///
/// Scalars have SQLite's own types. Arrays and dictionaries are JSON (see ``JSONText``). Values
/// that SQLite would change are text or bytes: integers above `Int64.max`, and NaN, which it turns
/// into NULL.
package struct StoredValue: Sendable, Equatable {
  package let type: String
  package let value: SQLiteValue

  package init(type: String, value: SQLiteValue) {
    self.type = type
    self.value = value
  }

  /// Returns whether both are the same to the last bit.
  ///
  /// SQLite, and Swift, find 0.0 and -0.0 equal, and Swift texts of two normalizations, too.
  package static func == (left: StoredValue, right: StoredValue) -> Bool {
    guard left.type == right.type else { return false }
    switch (left.value, right.value) {
    case (.real(let a), .real(let b)): return a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): return a.isSame(as: b)
    default: return left.value == right.value
    }
  }

  package init(_ preference: PreferenceValue) {
    switch preference {
    case .string(let text): self.init(type: "string", value: .text(text))
    case .data(let bytes): self.init(type: "data", value: .blob(bytes))
    case .integer(let number): self.init(type: "integer", value: .integer(number))
    case .unsignedInteger(let number):
      self.init(type: "unsigned", value: .text(String(number)))
    case .real(let number): self.init(type: "real", value: Self.real(number))
    case .float(let number): self.init(type: "float", value: Self.real(Double(number)))
    case .boolean(let flag): self.init(type: "boolean", value: .integer(flag ? 1 : 0))
    case .date(let date):
      self.init(type: "date", value: Self.real(date.timeIntervalSinceReferenceDate))
    case .array: self.init(type: "array", value: .text(JSONText.text(preference)))
    case .dictionary: self.init(type: "dictionary", value: .text(JSONText.text(preference)))
    case .uid(let number): self.init(type: "uid", value: .text(String(number)))
    }
  }

  /// The id of the key that sealed this value, or that protects the domain of this journal entry.
  var keyID: [UInt8]? {
    guard case .blob(let bytes) = value else { return nil }
    switch type {
    case Self.sealedType: return bytes.count > 16 ? Array(bytes[..<16]) : nil
    case Self.domainType: return bytes
    default: return nil
    }
  }

  /// The bytes that the journal keeps of it, about.
  var size: Int {
    switch value {
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    case .integer, .real, .null: 8
    }
  }

  static let domainType = "domain"
  static let sealedType = "sealed"

  /// The mark of a domain in the journal, in the place of a value, with the key that protects it.
  static func domain(protectedBy keyID: [UInt8]?) -> StoredValue {
    StoredValue(type: domainType, value: keyID.map { .blob($0) } ?? .null)
  }

  private static func real(_ number: Double) -> SQLiteValue {
    guard number.isNaN else { return .real(number) }
    return .blob((0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (56 - 8 * $0)) })
  }

  /// The value; an error with code `.damaged` if the columns do not make one.
  package func preference() throws(PreferenceError) -> PreferenceValue {
    switch (type, value) {
    case ("string", .text(let text)): return .string(text)
    case ("data", .blob(let bytes)): return .data(bytes)
    case ("integer", .integer(let number)): return .integer(number)
    case ("unsigned", .text(let text)):
      if let number = UInt64(text) { return .unsignedInteger(number) }
    case ("real", _): if let number = number { return .real(number) }
    case ("float", _): if let number = number { return .float(Float(number)) }
    case ("boolean", .integer(let number)): return .boolean(number != 0)
    case ("date", _):
      if let number = number { return .date(Date(timeIntervalSinceReferenceDate: number)) }
    case ("array", .text(let text)), ("dictionary", .text(let text)):
      // One written by hand in the sqlite3 shell may be wrong.
      if let value = try? JSONText.parse(text.utf8) { return value }
    case ("uid", .text(let text)): if let number = UInt64(text) { return .uid(number) }
    default: break
    }
    throw PreferenceError(.damaged, "a stored preference of type '\(type)' is damaged")
  }

  private var number: Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .blob(let bytes) where bytes.count == 8:
      Double(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    default: nil
    }
  }
}

extension SQLiteStatement {
  /// The two columns from `column` on; `nil` if the first is NULL.
  func stored(at column: Int) -> StoredValue? {
    isNull(at: column)
      ? nil : StoredValue(type: string(at: column), value: value(at: column + 1))
  }

  /// Binds the two columns from `parameter` on.
  func bind(_ stored: StoredValue?, at parameter: Int) throws(StorageError) {
    guard let stored else {
      try bindNull(at: parameter)
      return try bindNull(at: parameter + 1)
    }
    try bind(stored.type, at: parameter)
    try bind(stored.value, at: parameter + 1)
  }
}
