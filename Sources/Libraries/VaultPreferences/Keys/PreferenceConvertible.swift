public import FoundationEssentials

/// A type that a preference can have without being coded.
///
/// Conversion is strict: text does not become a number, nor a number text. Numbers of another type
/// are taken where nothing is lost, as NSNumber has it: `2` for a Double, `1` for a Bool.
public protocol PreferenceConvertible: Sendable {
  /// Reads a value; `nil` if it is of another type.
  init?(preferenceValue: PreferenceValue)
  /// The value to be stored.
  var preferenceValue: PreferenceValue { get }
}

extension PreferenceValue: PreferenceConvertible {
  /// The value itself.
  public init?(preferenceValue: PreferenceValue) { self = preferenceValue }
  /// The value itself.
  public var preferenceValue: PreferenceValue { self }
}

extension String: PreferenceConvertible {
  /// Takes text.
  public init?(preferenceValue: PreferenceValue) {
    guard case .string(let text) = preferenceValue else { return nil }
    self = text
  }
  /// Text.
  public var preferenceValue: PreferenceValue { .string(self) }
}

extension Bool: PreferenceConvertible {
  /// Takes true and false, and the numbers 1 and 0.
  public init?(preferenceValue: PreferenceValue) {
    switch preferenceValue {
    case .boolean(let flag): self = flag
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
  /// True or false.
  public var preferenceValue: PreferenceValue { .boolean(self) }
}

extension PreferenceConvertible where Self: FixedWidthInteger {
  /// Takes whole numbers that fit.
  public init?(preferenceValue: PreferenceValue) {
    switch preferenceValue {
    case .integer(let number): self.init(exactly: number)
    case .unsignedInteger(let number): self.init(exactly: number)
    case .real(let number): self.init(exactly: number)
    case .float(let number): self.init(exactly: number)
    case .boolean(let flag): self = flag ? 1 : 0
    default: return nil
    }
  }
  /// A whole number.
  public var preferenceValue: PreferenceValue {
    Int64(exactly: self).map { .integer($0) } ?? PreferenceValue(unsigned: UInt64(self))
  }
}

extension Int: PreferenceConvertible {}
extension Int8: PreferenceConvertible {}
extension Int16: PreferenceConvertible {}
extension Int32: PreferenceConvertible {}
extension Int64: PreferenceConvertible {}
extension UInt: PreferenceConvertible {}
extension UInt8: PreferenceConvertible {}
extension UInt16: PreferenceConvertible {}
extension UInt32: PreferenceConvertible {}
extension UInt64: PreferenceConvertible {}

extension Double: PreferenceConvertible {
  /// Takes numbers that a Double holds exactly.
  public init?(preferenceValue: PreferenceValue) {
    switch preferenceValue {
    case .real(let number): self = number
    case .float(let number): self = Double(number)
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }
  /// A 64-bit floating-point number.
  public var preferenceValue: PreferenceValue { .real(self) }
}

extension Float: PreferenceConvertible {
  /// Takes numbers that a Float holds exactly.
  public init?(preferenceValue: PreferenceValue) {
    switch preferenceValue {
    case .float(let number): self = number
    case .real(let number): self.init(exactly: number)
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }
  /// A 32-bit floating-point number.
  public var preferenceValue: PreferenceValue { .float(self) }
}

extension Date: PreferenceConvertible {
  /// Takes moments.
  public init?(preferenceValue: PreferenceValue) {
    guard case .date(let date) = preferenceValue else { return nil }
    self = date
  }
  /// A moment, to the last bit.
  public var preferenceValue: PreferenceValue { .date(self) }
}

extension Array: PreferenceConvertible where Element: PreferenceConvertible {
  /// Takes arrays all of whose elements fit.
  public init?(preferenceValue: PreferenceValue) {
    guard case .array(let elements) = preferenceValue else { return nil }
    var converted: [Element] = []
    converted.reserveCapacity(elements.count)
    for element in elements {
      guard let element = Element(preferenceValue: element) else { return nil }
      converted.append(element)
    }
    self = converted
  }
  /// An array.
  public var preferenceValue: PreferenceValue { .array(map(\.preferenceValue)) }
}

extension Dictionary: PreferenceConvertible where Key == String, Value: PreferenceConvertible {
  /// Takes dictionaries all of whose values fit.
  public init?(preferenceValue: PreferenceValue) {
    guard case .dictionary(let entries) = preferenceValue else { return nil }
    var converted: [String: Value] = [:]
    for (key, value) in entries {
      guard let value = Value(preferenceValue: value) else { return nil }
      converted[key] = value
    }
    self = converted
  }
  /// A dictionary.
  public var preferenceValue: PreferenceValue { .dictionary(mapValues(\.preferenceValue)) }
}
