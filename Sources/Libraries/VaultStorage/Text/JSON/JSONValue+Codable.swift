extension JSONValue {
  /// The text that Foundation's `JSONEncoder` writes for the same value, with sorted keys and
  /// slashes as they are.
  ///
  /// For text that is compared with what an encoder wrote; ``text(isPretty:)`` escapes more, so
  /// that a terminal may show it.
  package var codableText: String {
    var output: [UInt8] = []
    appendCodable(to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func appendCodable(to output: inout [UInt8]) {
    func list<Element>(
      _ open: UInt8, _ elements: [Element], _ close: UInt8,
      _ body: (Element, inout [UInt8]) -> Void
    ) {
      output.append(open)
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        body(element, &output)
      }
      output.append(close)
    }
    switch self {
    case .null: output += "null".utf8
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .number(let digits):
      // An encoder writes 3.0 as 3.
      output += digits.hasSuffix(".0") ? digits.utf8.dropLast(2) : digits.utf8[...]
    case .string(let text): Self.appendCodable(text, to: &output)
    case .array(let elements):
      list(UInt8(ascii: "["), elements, UInt8(ascii: "]")) { $0.appendCodable(to: &$1) }
    case .object:
      list(UInt8(ascii: "{"), sortedMembers, UInt8(ascii: "}")) { member, output in
        Self.appendCodable(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.appendCodable(to: &output)
      }
    }
  }

  private static func appendCodable(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): output += "\\\"".utf8
      case UInt8(ascii: "\\"): output += "\\\\".utf8
      case 0x08: output += "\\b".utf8
      case 0x09: output += "\\t".utf8
      case 0x0A: output += "\\n".utf8
      case 0x0C: output += "\\f".utf8
      case 0x0D: output += "\\r".utf8
      case 0..<0x20: output += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
