/// Text as XML 1.0's character data.
package enum XMLText {
  /// Escapes a text for the inside of an element.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - substitute: Returns what stands for a character that XML 1.0 has no form for (section
  ///     2.2).
  /// - Returns: The text; `nil` if `substitute` has nothing for a character.
  package static func escaped(
    _ text: String, orElse substitute: (Unicode.Scalar) -> Unicode.Scalar? = { _ in nil }
  ) -> String? {
    // U+FFFE and U+FFFF begin with 0xef.
    let isPlain = text.utf8.allSatisfy { byte in
      byte >= 0x20 && byte != 0x26 && byte != 0x3c && byte != 0x3e && byte != 0xef
    }
    if isPlain { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      // A parser turns a bare one into a line feed: XML 1.0, 2.11.
      case "\r": escaped += "&#13;".unicodeScalars
      case "\t", "\n": escaped.append(scalar)
      case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}":
        guard let other = substitute(scalar) else { return nil }
        escaped.append(other)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
