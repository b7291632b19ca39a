/// The conversions of UserDefaults' getters, each decided in Documentation/preferences.md.
enum Coercion {
  /// A string as it is, a number as decimal text, `true` as "1"; `nil` for anything else.
  ///
  /// Numbers look as in NSNumber's description: 16 digits for a double, 7 for a float.
  static func string(_ value: PreferenceValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .unsignedInteger(let number): String(number)
    case .real(let number): CNumberFormat.general(number, digits: 16)
    case .float(let number): CNumberFormat.general(Double(number), digits: 7)
    case .boolean(let flag): flag ? "1" : "0"
    default: nil
    }
  }

  /// Numbers without their fraction, 1 for true, the number that begins a text, else 0.
  static func integer(_ value: PreferenceValue) -> Int {
    switch value {
    case .integer(let number): Int(number)
    case .unsignedInteger(let number): Int(clamping: number)
    case .real(let number): whole(number)
    case .float(let number): whole(Double(number))
    case .boolean(let flag): flag ? 1 : 0
    case .string(let text): Int(CNumberFormat.leadingInteger(text))
    default: 0
    }
  }

  private static func whole(_ number: Double) -> Int {
    if number.isNaN { return 0 }
    if number >= 0x1p63 { return .max }
    return number < -0x1p63 ? .min : Int(number)
  }

  /// Numbers, 1 for true, the number that begins a text, else 0.
  static func double(_ value: PreferenceValue) -> Double {
    switch value {
    case .integer(let number): Double(number)
    case .unsignedInteger(let number): Double(number)
    case .real(let number): number
    case .float(let number): Double(number)
    case .boolean(let flag): flag ? 1 : 0
    case .string(let text): CNumberFormat.leadingReal(text)
    default: 0
    }
  }

  /// Numbers but 0; texts as `NSString.boolValue` has them: blanks, a sign and zeros are skipped,
  /// then Y, T or another digit is true.
  static func bool(_ value: PreferenceValue) -> Bool {
    switch value {
    case .boolean(let flag): return flag
    case .integer(let number): return number != 0
    case .unsignedInteger(let number): return number != 0
    case .real(let number): return number != 0
    case .float(let number): return number != 0
    case .string(let text):
      var rest = text.utf8.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
      if let first = rest.first, first == 0x2b || first == 0x2d { rest = rest.dropFirst() }
      switch rest.drop(while: { $0 == 0x30 }).first ?? 0 {
      case 0x31...0x39, 0x59, 0x79, 0x54, 0x74: return true
      default: return false
      }
    default: return false
    }
  }
}
