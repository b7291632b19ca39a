import FoundationEssentials

extension PreferenceValue {
  /// The value in Foundation's types.
  package var foundationValue: Any {
    switch self {
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .integer(let number): Int(number)
    case .unsignedInteger(let number): number
    case .real(let number): number
    case .float(let number): number
    case .boolean(let flag): flag
    case .date(let date): date
    case .array(let elements): elements.map(\.foundationValue)
    case .dictionary(let entries): entries.mapValues(\.foundationValue)
    case .uid(let number): ["CF$UID": PreferenceValue(unsigned: number).foundationValue]
    }
  }

  /// Converts a value of Foundation's or Swift's types; `nil` if a property list cannot hold it.
  package init?(foundation value: Any) { self.init(foundation: value, inside: 0) }

  /// - Parameters:
  ///   - value: The value.
  ///   - depth: The number of containers around it; one that is inside itself must end, too.
  private init?(foundation value: Any, inside depth: Int) {
    guard depth <= Self.depthLimit else { return nil }
    if let boxed = Self.boxedNumber(value) {
      guard let boxed else { return nil }
      self = boxed
      return
    }
    switch value {
    case let value as PreferenceValue: self = value
    case let value as String: self = .string(value)
    case let value as Bool: self = .boolean(value)
    case let value as Double: self = .real(value)
    case let value as Float: self = .float(value)
    case let value as any FixedWidthInteger:
      guard let number = Self.integer(value) else { return nil }
      self = number
    case let value as FoundationEssentials.Decimal:
      guard let number = Double(value.description) else { return nil }
      self = .real(number)
    case let value as Data: self = .data([UInt8](value))
    case let value as Date: self = .date(value)
    case let value as URL: self = .string(value.preferenceText)
    case let value as [String: Any]:
      var entries: [String: PreferenceValue] = [:]
      for (key, element) in value {
        guard let element = PreferenceValue(foundation: element, inside: depth + 1) else {
          return nil
        }
        entries[key] = element
      }
      self = .dictionary(entries)
    case let value as [Any]:
      var elements: [PreferenceValue] = []
      for element in value {
        guard let element = PreferenceValue(foundation: element, inside: depth + 1) else {
          return nil
        }
        elements.append(element)
      }
      self = .array(elements)
    // CGFloat, which only corelibs' Foundation has, and any other floating-point type.
    case let value as any BinaryFloatingPoint: self = .real(Double(value))
    default: return nil
    }
  }

  private static func integer(_ value: some FixedWidthInteger) -> PreferenceValue? {
    Int64(exactly: value).map { .integer($0) }
      ?? UInt64(exactly: value).map { .unsignedInteger($0) }
  }

  /// The value of an NSNumber; `nil` for anything else, `.some(nil)` if a property list cannot hold
  /// it.
  ///
  /// Casts do not help: they turn an NSNumber of 1 into a Bool, an Int and a Double alike.
  /// Foundation's NSNumber cannot be named here (it would bring ICU into the command), so its class
  /// and its text decide: booleans have a class of their own, and where a number has a point, its
  /// text has one too.
  private static func boxedNumber(_ value: Any) -> PreferenceValue?? {
    guard type(of: value) is AnyClass else { return nil }
    switch String(reflecting: type(of: value)) {
    case "Foundation.__NSCFBoolean": return .some((value as? Bool).map { .boolean($0) })
    case "Foundation.NSNumber", "Foundation.NSDecimalNumber": break
    default: return nil
    }
    let text = "\(value)"
    let digits = text.utf8.first == 0x2d ? text.utf8.dropFirst() : text.utf8[...]
    if digits.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let number = Int64(text) { return .some(.integer(number)) }
      if let number = UInt64(text) { return .some(.unsignedInteger(number)) }
    }
    return .some((value as? Double ?? Double(text)).map { .real($0) })
  }
}
