import VaultPreferences
import VaultStorage

/// JSON as JSONSerialization writes it, which `plutil` prints: keys sorted, slashes escaped, and in
/// the readable form a blank before each colon.
enum PlainJSON {
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
    guard number.isFinite else { return nil }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    return "\(number)"
  }
}
