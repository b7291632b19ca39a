public import FoundationEssentials

/// A value of a preference: anything that a property list can hold, kept exactly.
///
/// Equality is exact too: `0.0` and `-0.0` differ, `1` is neither `1.0` nor `true`.
///
/// ```swift
/// let window: PreferenceValue = ["width": 800, "title": "Notes", "ratio": 1.5]
/// ```
public enum PreferenceValue: Sendable {
  /// Text.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`; smaller ones are ``integer(_:)``.
  case unsignedInteger(UInt64)
  /// A 64-bit floating-point number.
  case real(Double)
  /// A 32-bit floating-point number, as `defaults write -float` makes.
  case float(Float)
  /// True or false; not a number.
  case boolean(Bool)
  /// A moment, to the last bit of its seconds.
  case date(Date)
  /// Values in order.
  case array([PreferenceValue])
  /// Values by name.
  case dictionary([String: PreferenceValue])
  /// A reference inside a keyed archive (`CF$UID`).
  case uid(UInt64)
}

extension PreferenceValue: Hashable {
  /// Returns whether both values are the same to the last bit.
  public static func == (left: PreferenceValue, right: PreferenceValue) -> Bool {
    switch (left, right) {
    case (.string(let a), .string(let b)):
      // Swift's == takes canonically equivalent texts as equal; a file does not.
      a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
    case (.data(let a), .data(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsignedInteger(let a), .unsignedInteger(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.boolean(let a), .boolean(let b)): a == b
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.array(let a), .array(let b)): a == b
    case (.dictionary(let a), .dictionary(let b)):
      a.count == b.count
        && a.allSatisfy { key, value in
          guard let index = b.index(forKey: key) else { return false }
          return b[index].key.utf8.elementsEqual(key.utf8) && b[index].value == value
        }
    case (.uid(let a), .uid(let b)): a == b
    default: false
    }
  }

  /// Feeds the parts that equality compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let value): value.hash(into: &hasher)
    case .data(let value): value.hash(into: &hasher)
    case .integer(let value): value.hash(into: &hasher)
    case .unsignedInteger(let value): value.hash(into: &hasher)
    case .real(let value): value.bitPattern.hash(into: &hasher)
    case .float(let value): value.bitPattern.hash(into: &hasher)
    case .boolean(let value): value.hash(into: &hasher)
    case .date(let value): value.timeIntervalSinceReferenceDate.bitPattern.hash(into: &hasher)
    case .array(let value): value.hash(into: &hasher)
    case .dictionary(let value): value.hash(into: &hasher)
    case .uid(let value): value.hash(into: &hasher)
    }
  }
}

extension PreferenceValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a 64-bit floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Makes true or false.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Makes an array.
  public init(arrayLiteral elements: PreferenceValue...) { self = .array(elements) }
  /// Makes a dictionary; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, PreferenceValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}

extension PreferenceValue {
  /// The type of a value, in the terms of `defaults read-type`.
  public enum Kind: String, Sendable {
    /// Text.
    case string
    /// Bytes.
    case data
    /// A whole number.
    case integer
    /// A floating-point number of either width.
    case float
    /// True or false.
    case boolean
    /// A moment.
    case date
    /// Values in order.
    case array
    /// Values by name, and references of keyed archives, which `defaults` shows as one.
    case dictionary
  }

  /// The type of the value.
  public var kind: Kind {
    switch self {
    case .string: .string
    case .data: .data
    case .integer, .unsignedInteger: .integer
    case .real, .float: .float
    case .boolean: .boolean
    case .date: .date
    case .array: .array
    case .dictionary, .uid: .dictionary
    }
  }

  /// The maximum number of arrays and dictionaries inside each other that can be stored.
  ///
  /// CoreFoundation reads as many. Every form that the store writes such a value in can be read
  /// again.
  package static let depthLimit = 512

  /// Throws if more arrays and dictionaries are inside each other than can be stored.
  ///
  /// - Parameter key: The key, for the message.
  /// - Throws: ``PreferenceError`` with code `.tooDeep`.
  package func checkDepth(of key: String) throws(PreferenceError) {
    guard isDeeper(than: Self.depthLimit) else { return }
    throw PreferenceError(
      .tooDeep,
      "the value of \(key) has more than \(Self.depthLimit) arrays and dictionaries inside each other"
    )
  }

  /// Whether more arrays and dictionaries are inside each other than a limit.
  package func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .array(let elements):
      limit == 0 || elements.contains { $0.isDeeper(than: limit - 1) }
    case .dictionary(let entries):
      limit == 0 || entries.values.contains { $0.isDeeper(than: limit - 1) }
    default: false
    }
  }

  /// A whole number, in the case that fits it.
  package init(unsigned value: UInt64) {
    self = Int64(exactly: value).map { .integer($0) } ?? .unsignedInteger(value)
  }
}
