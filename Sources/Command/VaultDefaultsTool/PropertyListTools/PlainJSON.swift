import VaultPreferences
import VaultStorage

/// JSON as JSONSerialization writes it, which `plutil` prints: keys sorted, slashes escaped, and in
/// the readable form a blank before each colon.
enum PlainJSON {
  /// What stands for `null`, which no property list can hold: a uid of Apple's has 32 bits.
  static let null = PreferenceValue.uid(.max)

  /// Reads JSON as JSONSerialization does, which takes a comma before a closing bracket.
  static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> PreferenceValue {
    try JSONText.parsePlain(bytes, null: null, allowsTrailingCommas: true)
  }

  /// The text in UTF-8; `nil` if it is in no wider encoding.
  ///
  /// As JSONSerialization: a byte order mark tells, or which of the first bytes are 0, since JSON
  /// begins with ASCII (RFC 4627, section 3).
  static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    let zeros = bytes.prefix(4).map { $0 == 0 }
    let (width, isLittle, mark): (Int, Bool, Int) =
      switch bytes.prefix(4) {
      case [0xff, 0xfe, 0, 0]: (4, true, 1)
      case [0, 0, 0xfe, 0xff]: (4, false, 1)
      case _ where bytes.starts(with: [0xff, 0xfe]): (2, true, 1)
      case _ where bytes.starts(with: [0xfe, 0xff]): (2, false, 1)
      case _ where zeros == [true, true, true, false]: (4, false, 0)
      case _ where zeros == [false, true, true, true]: (4, true, 0)
      case _ where zeros.starts(with: [true, false]): (2, false, 0)
      case _ where zeros.starts(with: [false, true]): (2, true, 0)
      default: (1, true, 0)
      }
    guard width > 1, bytes.count % width == 0 else { return nil }
    let units = stride(from: mark * width, to: bytes.count, by: width).map { start in
      let unit = bytes[start..<(start + width)]
      return (isLittle ? unit.reversed() : Array(unit)).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    if width == 2 {
      return String(validating: units.map { UInt16($0) }, as: UTF16.self).map { Array($0.utf8) }
    }
    return String(validating: units, as: UTF32.self).map { Array($0.utf8) }
  }

  /// Whether a `null` is somewhere in a value.
  static func hasNull(_ value: PreferenceValue) -> Bool {
    switch value {
    case null: true
    case .array(let elements): elements.contains(where: hasNull)
    case .dictionary(let entries): entries.values.contains(where: hasNull)
    default: false
    }
  }

  /// What JSONSerialization says of an error, as far as it tells kinds apart.
  static func problem(_ error: JSONSyntaxError, in bytes: [UInt8]) -> String {
    let place = error.position
    switch error.problem {
    case _ where place >= bytes.count: return "Unexpected end of file during JSON parse."
    case "too deep": return "Too many nested arrays or dictionaries around character \(place)."
    case "a control character in a string":
      return "Unescaped control character around character \(place - 1)."
    case "invalid number"
    where place > 0 && bytes[place - 1] == 0x30
      && (0x30...0x39).contains(bytes[place]):
      return "Number with leading zero around character \(place)."
    case "unexpected character", "unexpected text", "missing :", "missing ]", "missing }",
      "missing a key", "invalid number":
      return "Invalid value around character \(place)."
    default: return "\(error.problem) around character \(place)."
    }
  }

  /// The text of a value; `nil` for one that JSON has no form for.
  static func text(_ value: PreferenceValue, isReadable: Bool) -> String? {
    switch value {
    // JSONSerialization takes no fragment here.
    case .array, .dictionary: text(value, isReadable: isReadable, indent: "")
    default: nil
    }
  }

  private static func text(
    _ value: PreferenceValue, isReadable: Bool, indent: String
  ) -> String? {
    switch value {
    case .string(let text): return quoted(text)
    case .integer(let number): return String(number)
    case .unsignedInteger(let number): return String(number)
    case .boolean(let flag): return flag ? "true" : "false"
    case .real(let number): return real(number)
    case .float(let number): return real(Double(number))
    case null: return "null"
    case .data, .date, .uid: return nil
    case .array(let elements):
      var parts: [String] = []
      for element in elements {
        guard let part = text(element, isReadable: isReadable, indent: indent + "  ") else {
          return nil
        }
        parts.append(part)
      }
      return joined(parts, "[", "]", isReadable: isReadable, indent: indent)
    case .dictionary(let entries):
      var parts: [String] = []
      for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
        guard
          let part = text(entries[key] ?? "", isReadable: isReadable, indent: indent + "  ")
        else { return nil }
        parts.append("\(quoted(key))\(isReadable ? " : " : ":")\(part)")
      }
      return joined(parts, "{", "}", isReadable: isReadable, indent: indent)
    }
  }

  private static func joined(
    _ parts: [String], _ open: String, _ close: String, isReadable: Bool, indent: String
  ) -> String {
    guard isReadable else { return open + parts.joined(separator: ",") + close }
    let inner = parts.map { "\(indent)  \($0)" }.joined(separator: ",\n")
    return "\(open)\n\(inner)\n\(indent)\(close)"
  }

  private static func quoted(_ text: String) -> String {
    Quoting.json(text).substituting("/", with: "\\/")
  }

  private static func real(_ number: Double) -> String? {
    number.isFinite ? digits(of: number) : nil
  }

  /// A number without a fraction of zero: `12` for 12.0.
  static func digits(of number: Double) -> String {
    let text = "\(number)"
    return text.ends(with: ".0") ? String(text.dropLast(2)) : text
  }
}
