import VaultStorage

/// A value on one line of YAML, as Go's programs write it.
///
/// yaml.org/spec/1.2.2, section 7.3. This is no YAML: a value of another form is not read.
enum YAMLScalar {
  /// What a value says.
  ///
  /// - Parameter text: What stands behind the colon or the hyphen.
  /// - Returns: Its text without quotes and the comment behind it; `nil` for one that goes on in other
  ///   lines, has escapes, or is no text.
  static func value(_ text: String) -> String? {
    let text = text.trimmingBlanks
    guard let first = text.utf8.first else { return nil }
    switch first {
    case UInt8(ascii: "\""):
      // Its escapes are not read.
      guard let (inner, rest) = text.dropFirst().halves(at: "\""), isNothing(rest),
        !inner.contains(bytes: "\\")
      else { return nil }
      return String(inner)
    case UInt8(ascii: "'"):
      let bytes = Array(text.utf8.dropFirst())
      var (inner, place) = ([UInt8](), 0)
      while place < bytes.count, bytes[place] != first || bytes.dropFirst(place + 1).first == first
      {
        // A quote within is written twice.
        if bytes[place] == first { place += 1 }
        inner.append(bytes[place])
        place += 1
      }
      guard place < bytes.count,
        isNothing(String(decoding: bytes[(place + 1)...], as: UTF8.self)[...])
      else { return nil }
      return String(decoding: inner, as: UTF8.self)
    default:
      let plain = text.firstRange(ofBytes: " #").map { String(text[..<$0.lowerBound]) } ?? text
      let isOther = "|>&*{}[]!%@`#,".utf8.contains(first) || plain.contains(bytes: ": ")
      let isNothing = ["~", "null", "Null", "NULL"].contains(plain.trimmingBlanks)
      return isOther || isNothing || plain.ends(with: ":") ? nil : plain.trimmingBlanks
    }
  }

  /// Whether nothing but a comment stands behind a value.
  private static func isNothing(_ rest: Substring) -> Bool {
    let rest = rest.trimmingBlanks
    return rest.isEmpty || rest.begins(with: "#")
  }

  /// A text as a value: with quotes where it could be read as something else.
  ///
  /// - Parameter text: The text, on one line.
  /// - Returns: It, or it in single quotes.
  static func written(_ text: String) -> String {
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    let isWord =
      text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "/") } ?? false
      && text.utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || "/@:+.-_".utf8.contains($0)
      }
      && !text.ends(with: ":")
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    return isWord ? text : "'\(text.substituting("'", with: "''"))'"
  }
}
