import FoundationEssentials
import VaultSealing

/// The old-style text of property lists, as `defaults read` prints it.
///
/// Inferred from printed output of macOS: NSDictionary's `descriptionWithLocale:indent:`, where
/// each nested container begins with the indentation of its level, also after `=`.
package struct OldStyleWriter: Sendable {
  /// The form of bytes.
  package enum DataForm: Sendable {
    /// `<626f6f6b ec020000>`: all of them, and readable again.
    case full
    /// `{length = 592, bytes = 0x626f6f6b 50020000 … }`: as macOS 10.15 and later, shortened.
    case summary
  }

  private let dataForm: DataForm
  private let isASCII: Bool

  /// - Parameters:
  ///   - dataForm: How bytes are shown.
  ///   - isASCII: Whether to print as macOS does for a program that reads ASCII: `\Uxxxx`, and
  ///     backslashes doubled.
  package init(dataForm: DataForm = .full, isASCII: Bool = false) {
    self.dataForm = dataForm
    self.isASCII = isASCII
  }

  /// The text of a value; a scalar bare, without quotes.
  package func text(_ value: PreferenceValue) -> String {
    var output = ""
    switch value {
    case .array, .dictionary, .uid: append(value, level: 0, to: &output)
    case .string(let text): output = text
    default: output = scalar(value)
    }
    return isASCII ? Self.nonLossyASCII(output) : output
  }

  private func append(_ value: PreferenceValue, level: Int, to output: inout String) {
    switch value {
    case .array(let elements):
      let (indent, inner) = Self.indents(level)
      output += "\(indent)("
      for (index, element) in elements.enumerated() {
        output += index == 0 ? "\n\(inner)" : ",\n\(inner)"
        append(element, level: level + 1, to: &output)
      }
      output += "\n\(indent))"
    case .dictionary(let entries):
      let (indent, inner) = Self.indents(level)
      output += "\(indent){\n"
      for key in entries.keys.sorted(by: Self.precedes) {
        output += inner
        append(quoting: key, to: &output)
        output += " = "
        append(entries[key] ?? "", level: level + 1, to: &output)
        output += ";\n"
      }
      output += "\(indent)}"
    case .uid(let number):
      append(.dictionary(["CF$UID": PreferenceValue(unsigned: number)]), level: level, to: &output)
    case .data(let bytes): output += dataText(bytes)
    default: append(quoting: scalar(value), to: &output)
    }
  }

  private static func indents(_ level: Int) -> (own: String, inner: String) {
    (String(repeating: " ", count: 4 * level), String(repeating: " ", count: 4 * (level + 1)))
  }

  /// By UTF-16 units, as `compare:` without options does.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8.span, right.utf8.span)
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      let (byte, other) = (left[index], right[index])
      // UTF-8 has the same order, but for characters beyond U+FFFF: their surrogates are below
      // U+E000.
      let isOneBeyond = (byte >= 0xf0) != (other >= 0xf0) && min(byte, other) >= 0xee
      return isOneBeyond ? byte > other : byte < other
    }
    return left.count < right.count
  }

  private func scalar(_ value: PreferenceValue) -> String {
    switch value {
    case .date(let date): CalendarTime(date)?.description ?? "\(date.timeIntervalSince1970)"
    case .data(let bytes): dataText(bytes)
    default: Coercion.string(value) ?? ""
    }
  }

  private func dataText(_ bytes: [UInt8]) -> String {
    switch dataForm {
    case .full: return "<\(Self.hexGroups(bytes))>"
    case .summary:
      guard bytes.count > 24 else {
        return "{length = \(bytes.count), bytes = 0x\(Hexadecimal.text(bytes))}"
      }
      let head = Self.hexGroups(Array(bytes.prefix(16)))
      let tail = Self.hexGroups(Array(bytes.suffix(8)))
      return "{length = \(bytes.count), bytes = 0x\(head) ... \(tail) }"
    }
  }

  private static func hexGroups(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 4)
      .map { Hexadecimal.text(Array(bytes[$0..<min($0 + 4, bytes.count)])) }.joined(separator: " ")
  }

  /// Bare only if there is something and all of it is ASCII letters and digits.
  private func append(quoting text: String, to output: inout String) {
    let isBare =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
      }
    if isBare { return output += text }
    output += "\""
    defer { output += "\"" }
    let isPlain = text.utf8.allSatisfy {
      (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c
    }
    if isPlain { return output += text }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\u{7}": output += "\\a"
      case "\u{8}": output += "\\b"
      case "\u{b}": output += "\\v"
      case "\u{c}": output += "\\f"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7f {
          output += "\\" + Self.octal(scalar.value)
        } else if scalar.value > 0x7f, isASCII {
          for unit in String(scalar).utf16 { output += "\\U" + Self.hex4(unit) }
        } else {
          output.unicodeScalars.append(scalar)
        }
      }
    }
  }

  private static func octal(_ value: UInt32) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: max(0, 3 - text.count)) + text
  }

  private static func hex4(_ unit: UInt16) -> String {
    let text = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  /// NSNonLossyASCIIStringEncoding: Latin-1 in octal, the rest `\uxxxx`, a backslash doubled.
  private static func nonLossyASCII(_ text: String) -> String {
    var output = ""
    for unit in text.utf16 {
      switch unit {
      case 0x5c: output += "\\\\"
      case 0x0a, 0x0d, 0x09, 0x20...0x7e: output.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      case 0...0xff: output += "\\" + octal(UInt32(unit))
      default: output += "\\u" + hex4(unit)
      }
    }
    return output
  }
}
