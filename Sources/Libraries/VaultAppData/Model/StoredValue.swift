import VaultDataStore
import VaultStorage

extension _AppData {
  /// A type that has a column type of its own; everything else is kept as JSON.
  ///
  /// Named by generated code only. Do not conform types to it.
  public protocol StoredValue {
    /// Makes the value from what the file holds; `nil` if it holds something else.
    init?(slot: Slot)
    /// The value for the file.
    var slot: Slot { get }
    /// The value of a property that has none in the file.
    static var missing: Self { get }
    /// The name of the column's type.
    static var storedTypeName: String { get }
  }
}

extension _AppData.StoredValue {
  static var storedType: StoredType { StoredType(rawValue: storedTypeName) ?? .json }
}

extension _AppData.StoredValue where Self: FixedWidthInteger {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    switch slot {
    case .integer(let value): self.init(exactly: value)
    case .text(let digits): self.init(digits)
    default: return nil
    }
  }

  /// The value for the file; above `Int64.max`, twenty digits that sort as the number does.
  @inlinable public var slot: _AppData.Slot {
    if let value = Int64(exactly: self) { return .integer(value) }
    let digits = String(self)
    return .text(String(repeating: "0", count: Swift.max(0, 20 - digits.count)) + digits)
  }

  /// Zero.
  @inlinable public static var missing: Self { 0 }
  /// The name of the column's type.
  public static var storedTypeName: String {
    !isSigned && bitWidth == 64 ? "unsigned" : "integer"
  }
}

extension Int: _AppData.StoredValue {}
extension Int8: _AppData.StoredValue {}
extension Int16: _AppData.StoredValue {}
extension Int32: _AppData.StoredValue {}
extension Int64: _AppData.StoredValue {}
extension UInt: _AppData.StoredValue {}
extension UInt8: _AppData.StoredValue {}
extension UInt16: _AppData.StoredValue {}
extension UInt32: _AppData.StoredValue {}
extension UInt64: _AppData.StoredValue {}

extension Bool: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .integer(let value) = slot else { return nil }
    self = value != 0
  }

  /// 1 or 0.
  @inlinable public var slot: _AppData.Slot { .integer(self ? 1 : 0) }
  /// False.
  @inlinable public static var missing: Bool { false }
  /// The name of the column's type.
  public static var storedTypeName: String { "boolean" }
}

extension Double: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    switch slot {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    default: return nil
    }
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { .real(self) }
  /// Zero.
  @inlinable public static var missing: Double { 0 }
  /// The name of the column's type.
  public static var storedTypeName: String { "double" }
}

extension Float: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard let value = Double(slot: slot) else { return nil }
    self = Float(value)
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { .real(Double(self)) }
  /// Zero.
  @inlinable public static var missing: Float { 0 }
  /// The name of the column's type.
  public static var storedTypeName: String { "float" }
}

extension Decimal: _AppData.StoredValue {
  private static let posix = Locale(identifier: "en_US_POSIX")

  /// Makes the value from what the file holds.
  public init?(slot: _AppData.Slot) {
    // The initializer stops at what is no digit: `1,5` would be 1.
    guard case .text(let text) = slot, Self.isNumber(text) else { return nil }
    self.init(string: text, locale: Self.posix)
  }

  /// Whether a text is digits with a sign, a point and an exponent and nothing more, or `NaN`.
  private static func isNumber(_ text: String) -> Bool {
    if text == "NaN" { return true }
    var rest = text.utf8[...]
    func skipSign() { if rest.first == 0x2b || rest.first == 0x2d { rest.removeFirst() } }
    func skipDigits() -> Bool {
      let count = rest.count
      rest = rest.drop { (0x30...0x39).contains($0) }
      return rest.count < count
    }
    skipSign()
    var hasDigits = skipDigits()
    if rest.first == 0x2e {
      rest.removeFirst()
      hasDigits = skipDigits() || hasDigits
    }
    if hasDigits, let mark = rest.first, mark | 0x20 == 0x65 {
      rest.removeFirst()
      skipSign()
      hasDigits = skipDigits()
    }
    return hasDigits && rest.isEmpty
  }

  /// The number's digits.
  @inlinable public var slot: _AppData.Slot { .text(description) }
  /// Zero.
  @inlinable public static var missing: Decimal { 0 }
  /// The name of the column's type.
  public static var storedTypeName: String { "decimal" }
}

extension String: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .text(let text) = slot else { return nil }
    self = text
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { .text(self) }
  /// The empty text.
  @inlinable public static var missing: String { "" }
  /// The name of the column's type.
  public static var storedTypeName: String { "string" }
}

extension Character: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .text(let text) = slot, text.count == 1, let first = text.first else { return nil }
    self = first
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { .text(String(self)) }
  /// A space.
  @inlinable public static var missing: Character { " " }
  /// The name of the column's type.
  public static var storedTypeName: String { "character" }
}

extension Date: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard let seconds = Double(slot: slot) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }

  /// Seconds since 2001-01-01 00:00 UTC, exact.
  @inlinable public var slot: _AppData.Slot { .real(timeIntervalSinceReferenceDate) }
  /// The first moment of 2001.
  @inlinable public static var missing: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// The name of the column's type.
  public static var storedTypeName: String { "date" }
}

extension Data: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .data(let data) = slot else { return nil }
    self = data
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { .data(self) }
  /// No bytes.
  @inlinable public static var missing: Data { Data() }
  /// The name of the column's type.
  public static var storedTypeName: String { "data" }
}

extension UUID: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .text(let text) = slot else { return nil }
    self.init(uuidString: text)
  }

  /// The value for the file, in capitals.
  @inlinable public var slot: _AppData.Slot { .text(uuidString) }
  /// All bits zero.
  @inlinable public static var missing: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// The name of the column's type.
  public static var storedTypeName: String { "uuid" }
}

extension URL: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    guard case .text(let text) = slot else { return nil }
    self.init(string: text)
  }

  /// The absolute text.
  @inlinable public var slot: _AppData.Slot { .text(absoluteString) }
  /// The root of the file system.
  @inlinable public static var missing: URL { URL(fileURLWithPath: "/") }
  /// The name of the column's type.
  public static var storedTypeName: String { "url" }
}

extension Optional: _AppData.StoredValue where Wrapped: _AppData.StoredValue {
  /// Makes the value from what the file holds.
  @inlinable public init?(slot: _AppData.Slot) {
    if case .null = slot {
      self = .none
    } else {
      guard let value = Wrapped(slot: slot) else { return nil }
      self = .some(value)
    }
  }

  /// The value for the file.
  @inlinable public var slot: _AppData.Slot { self?.slot ?? .null }
  /// `nil`.
  @inlinable public static var missing: Wrapped? { nil }
  /// The name of the column's type.
  public static var storedTypeName: String { Wrapped.storedTypeName }
}

/// An optional, for code that knows its type only at run time.
protocol OptionalValue {
  static var wrappedType: any Any.Type { get }
  static var nothing: Any { get }
  var isNil: Bool { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: any Any.Type { Wrapped.self }
  static var nothing: Any { Self.none as Any }
  var isNil: Bool { if case .none = self { true } else { false } }
  var wrapped: Any? { self }
}
