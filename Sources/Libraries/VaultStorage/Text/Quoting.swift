/// Quoting for other languages: SQL, the shell, CSV, JSON, git's settings, a terminal.
///
/// Everything here works on bytes or Unicode scalars, as the readers of these languages do. A Swift
/// `Character` may be a quote with a combining mark, or `"\r\n"`; comparing `Character`s would miss
/// the quote and the line break.
package enum Quoting {
  private static let double = UInt8(ascii: "\"")
  private static let single = UInt8(ascii: "'")
  private static let backslash = UInt8(ascii: "\\")

  // MARK: SQL

  /// A name in SQL: sqlite.org/lang_keywords.html.
  package static func sqlName(_ text: String) -> String {
    enclosed(text, in: double) { $0 == double ? "\"\"" : nil }
  }

  /// A text in SQL: sqlite.org/lang_expr.html#literal_values_constants_.
  package static func sqlLiteral(_ text: String) -> String {
    enclosed(text, in: single) { $0 == single ? "''" : nil }
  }

  // MARK: Shell

  /// A word of a POSIX shell, in single quotes unless it needs none.
  ///
  /// IEEE Std 1003.1, "Shell Command Language", 2.2.2.
  package static func shell(_ text: String) -> String {
    isPlainWord(text) ? text : enclosed(text, in: single) { $0 == single ? "'\\''" : nil }
  }

  /// A word of a POSIX shell as a person types it: paths and assignments, too, need no quotes.
  package static func typed(_ text: String) -> String {
    let rest = text.unicodeScalars.filter { !"/:@=+,%".unicodeScalars.contains($0) }
    let isPlain = rest.isEmpty ? !text.isEmpty : isPlainWord(String(rest))
    return isPlain ? text : shell(visible(text))
  }

  /// Returns whether every shell reads the text as one word, without quotes.
  package static func isPlainWord(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  // MARK: CSV

  /// A field of a CSV file: RFC 4180.
  package static func csv(_ text: String) -> String {
    let isPlain = !text.utf8.contains { [double, 0x2C, 0x0A, 0x0D].contains($0) }
    return isPlain ? text : enclosed(text, in: double) { $0 == double ? "\"\"" : nil }
  }

  // MARK: git's settings

  /// A value in git's settings: git-config(1), "Values".
  package static func gitSetting(_ text: String) -> String {
    enclosed(text, in: double) { byte in
      switch byte {
      case double: "\\\""
      case backslash: "\\\\"
      case 0x0A: "\\n"
      case 0x09: "\\t"
      default: nil
      }
    }
  }

  // MARK: JSON

  /// A string of JSON with its quotes: RFC 8259, section 7.
  ///
  /// Scalars that a terminal would act on are escaped, too.
  package static func json(_ text: String) -> String {
    var output: [UInt8] = []
    appendJSON(text, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends a string of JSON with its quotes; see ``json(_:)``.
  package static func appendJSON(_ text: String, to output: inout [UInt8]) {
    output.append(double)
    let bytes = text.utf8.span
    // What needs no escape is appended in runs.
    var (start, next) = (0, 0)
    while next < bytes.count {
      let byte = bytes[next]
      guard isEscaped(byte) else {
        // Most bytes end here.
        guard byte >= 0xC2, let length = lengthOfControl(bytes, at: next) else {
          next += 1
          continue
        }
        appendRun(bytes, start..<next, to: &output)
        appendEscape(scalar(bytes, next..<next + length), to: &output)
        next += length
        start = next
        continue
      }
      appendRun(bytes, start..<next, to: &output)
      switch byte {
      case double, backslash: output += [backslash, byte]
      case 0x0A: output += [backslash, UInt8(ascii: "n")]
      case 0x0D: output += [backslash, UInt8(ascii: "r")]
      case 0x09: output += [backslash, UInt8(ascii: "t")]
      default: appendEscape(UInt32(byte), to: &output)
      }
      next += 1
      start = next
    }
    if start == 0 { output += text.utf8 } else { appendRun(bytes, start..<next, to: &output) }
    output.append(double)
  }

  /// Whether a byte of a string of JSON stands for itself, whatever is around it: ASCII without
  /// what needs an escape.
  static func isPlainInJSON(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != double && byte != backslash
  }

  /// Whether each of eight bytes is plain by ``isPlainInJSON(_:)``.
  static func isPlainInJSON(_ word: UInt64) -> Bool {
    // The high bit of a byte is set where it is below 0x20, above 0x7E, or one of the two others:
    // "Determine if a word has a byte less than n", Bit Twiddling Hacks.
    func hasZero(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
    let found =
      (word &- 0x2020_2020_2020_2020) | word | (word &+ 0x0101_0101_0101_0101)
      | hasZero(word ^ 0x2222_2222_2222_2222) | hasZero(word ^ 0x5C5C_5C5C_5C5C_5C5C)
    return found & 0x8080_8080_8080_8080 == 0
  }

  /// Whether JSON or a terminal needs an escape for an ASCII character.
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == double || byte == backslash || byte == 0x7F
  }

  /// The length of a scalar beyond ASCII that a terminal would act on; `nil` for any other byte.
  private static func lengthOfControl(_ bytes: Span<UInt8>, at place: Int) -> Int? {
    let length: Int
    // The first bytes of the scalars of ``isActedOn(_:)``.
    switch bytes[place] {
    case 0xC2, 0xD8: length = 2
    case 0xE2, 0xEF: length = 3
    default: return nil
    }
    guard let scalar = Unicode.Scalar(scalar(bytes, place..<place + length)) else { return nil }
    return isActedOn(scalar) ? length : nil
  }

  /// The scalar of two or three bytes: RFC 3629, section 3.
  private static func scalar(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    let last = range.upperBound - 1
    let low = UInt32(bytes[last] & 0x3F) | UInt32(bytes[last - 1] & 0x3F) << 6
    return range.count == 2
      ? UInt32(bytes[last] & 0x3F) | UInt32(bytes[last - 1] & 0x1F) << 6
      : low | UInt32(bytes[last - 2] & 0x0F) << 12
  }

  private static func appendRun(
    _ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
  ) {
    for place in range { output.append(bytes[place]) }
  }

  private static func appendEscape(_ scalar: UInt32, to output: inout [UInt8]) {
    let digits = String(scalar, radix: 16)
    output += [backslash, UInt8(ascii: "u")]
    output += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
    output += digits.utf8
  }

  // MARK: Terminal

  /// `text` with every scalar escaped that a terminal would act on instead of showing it, or that
  /// nobody would see, as `\u{1b}`.
  package static func visible(_ text: String) -> String {
    guard !isVisible(text) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isActedOn(scalar) || isUnseen(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns whether a terminal only shows the text, all of it, and acts on nothing in it.
  package static func isVisible(_ text: String) -> Bool {
    !text.unicodeScalars.contains { isActedOn($0) || isUnseen($0) }
  }

  /// C0, DEL, C1, and what reorders text: Unicode Technical Report 36, section 2.
  private static func isActedOn(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF:
      true
    default: false
    }
  }

  /// What nobody sees: two texts with and without it look alike.
  ///
  /// The two joiners stay, which words of Persian and pictures of several parts are written with.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xAD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x2060...0x2064, 0x3164,
      0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  // MARK: Bytes

  /// Returns `text` between two quotes, with bytes replaced by what `substitute` returns for them.
  static func enclosed(
    _ text: String, in quote: UInt8, _ substitute: (UInt8) -> StaticString?
  ) -> String {
    var output = [quote]
    output.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      if let replacement = substitute(byte) {
        output += "\(replacement)".utf8
      } else {
        output.append(byte)
      }
    }
    output.append(quote)
    return String(decoding: output, as: UTF8.self)
  }
}
