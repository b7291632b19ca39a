/// Makes names and labels harmless for a terminal.
package enum Sanitizer {
  /// `text` with every character escaped that a terminal would act on instead of showing it.
  ///
  /// C0, DEL, C1, and what reorders text (bidirectional controls), as `\u{1b}`. Unicode Technical
  /// Report 36, section 2.
  package static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF:
      true
    default: false
    }
  }
}
