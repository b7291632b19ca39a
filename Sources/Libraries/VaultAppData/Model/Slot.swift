import Synchronization
package import VaultStorage

extension _AppData {
  /// A property's value as the store keeps it.
  ///
  /// Named by generated code only; its cases may change.
  public enum Slot: Sendable {
    /// Not loaded yet.
    case fault
    /// `nil`.
    case null
    /// An integer, a truth value, or the key of a related row.
    case integer(Int64)
    /// A floating-point number or a date.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case data(Data)
    /// A value with a form of its own in the file, decoded.
    case boxed(ValueBox)
    /// Related rows, in order.
    case rows(RowList)
    /// Related models, while the owner is in no context.
    case models(ModelList)
  }
}

extension _AppData.Slot {
  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  var isFault: Bool {
    if case .fault = self { true } else { false }
  }

  /// Whether it is the same value of a column as another one.
  func isStoredForm(_ other: Self) -> Bool {
    switch (self, other) {
    case (.integer(let value), .integer(let other)): value == other
    case (.real(let value), .real(let other)): value == other
    case (.text(let value), .text(let other)): value.utf8.elementsEqual(other.utf8)
    case (.data(let value), .data(let other)): value == other
    default: false
    }
  }

  /// The key of a related row.
  var key: Int64? {
    if case .integer(let key) = self { key } else { nil }
  }

  /// The value for SQLite; `nil` if a column cannot hold it.
  ///
  /// - Throws: `EncodingError`, for a value that cannot be JSON.
  package func columnValue() throws -> SQLiteValue? {
    switch self {
    case .fault, .rows, .models: nil
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .data(let value): .blob([UInt8](value))
    case .boxed(let box): try box.columnValue()
    }
  }
}

extension _AppData {
  /// A value that the file holds as JSON, kept decoded.
  public class ValueBox: @unchecked Sendable {
    // Immutable but for `prepared`; values of models are handed from thread to thread as the models
    // are.

    /// The value as the file holds it, while a save writes it.
    private let prepared = Mutex<SQLiteValue?>(nil)

    /// The value as JSON.
    func encoded() throws -> String { preconditionFailure("a box without a value") }
    var any: Any { preconditionFailure("a box without a value") }
    /// The value as bytes; `nil` where it is JSON.
    func data() throws -> Data? { nil }

    func columnValue() throws -> SQLiteValue {
      try prepared.withLock { $0 } ?? made()
    }

    /// Makes the value's form, which is the same until ``forgetPrepared()``.
    ///
    /// - Returns: Whether it was made now, and not before.
    func prepare() throws -> Bool {
      guard prepared.withLock({ $0 == nil }) else { return false }
      let value = try made()
      prepared.withLock { $0 = value }
      return true
    }

    /// Lets the form be made anew: a value may be an object that changes.
    func forgetPrepared() { prepared.withLock { $0 = nil } }

    private func made() throws -> SQLiteValue {
      if let data = try data() { return .blob([UInt8](data)) }
      return .text(try encoded())
    }
  }

  final class Box<Value>: ValueBox, @unchecked Sendable {
    let value: Value
    private let encode: (Value) throws -> String

    init(_ value: Value, _ encode: @escaping (Value) throws -> String) {
      self.value = value
      self.encode = encode
    }

    override func encoded() throws -> String { try encode(value) }
    override var any: Any { value }
  }
}

/// Codable values as JSON text.
enum ValueCoding {
  static func box<Value: Encodable>(_ value: Value) -> _AppData.Slot {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    return .boxed(_AppData.Box(value) { try encode($0) })
  }

  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .deferredToDate
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<Value: Decodable>(_ text: String, as type: Value.Type) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .deferredToDate
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try decoder.decode(type, from: Data(text.utf8))
  }
}
