import FoundationEssentials
import VaultStorage

/// Writes XML property lists, in CoreFoundation's layout.
struct XMLWriter {
  private var output: [UInt8] = []
  /// What XML could not hold, by path: see ``XMLWriter/losses(in:)``.
  private(set) var losses: [String] = []
  /// Numbers that keep their value and lose their width.
  private var widened: [String] = []
  private var path: [String] = []

  /// The document, and what it does not hold.
  static func document(
    _ value: PreferenceValue
  ) -> (bytes: [UInt8], losses: [String], widened: [String]) {
    var writer = XMLWriter()
    writer.output +=
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """.utf8
    writer.append(value, indent: 0)
    writer.output += "</plist>\n".utf8
    return (writer.output, writer.losses, writer.widened)
  }

  private mutating func lose(_ what: String) { losses.append(atPath(what)) }

  private func atPath(_ what: String) -> String {
    path.isEmpty ? what : "\(path.joined(separator: ".")): \(what)"
  }

  private mutating func append(_ value: PreferenceValue, indent: Int) {
    switch value {
    case .string(let text): line(indent, "string", escaped(text))
    case .integer(let number): line(indent, "integer", String(number))
    case .unsignedInteger(let number): line(indent, "integer", String(number))
    case .real(let number): line(indent, "real", real(number))
    case .float(let number):
      widened.append(atPath("a 32-bit number becomes a 64-bit one"))
      line(indent, "real", real(Double(number)))
    case .boolean(let flag): raw(indent, flag ? "<true/>" : "<false/>")
    case .date(let date): line(indent, "date", dateText(date))
    case .data(let bytes): append(bytes, indent: indent)
    case .uid(let number):
      append(.dictionary(["CF$UID": PreferenceValue(unsigned: number)]), indent: indent)
    case .array(let elements):
      if elements.isEmpty { return raw(indent, "<array/>") }
      raw(indent, "<array>")
      for (index, element) in elements.enumerated() {
        path.append(String(index))
        append(element, indent: indent + 1)
        path.removeLast()
      }
      raw(indent, "</array>")
    case .dictionary(let entries):
      if entries.isEmpty { return raw(indent, "<dict/>") }
      raw(indent, "<dict>")
      for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
        path.append(key)
        line(indent + 1, "key", escaped(key))
        append(entries[key] ?? "", indent: indent + 1)
        path.removeLast()
      }
      raw(indent, "</dict>")
    }
  }

  private mutating func raw(_ indent: Int, _ text: String) {
    output += repeatElement(0x09, count: indent)
    output += text.utf8
    output.append(0x0a)
  }

  private mutating func line(_ indent: Int, _ tag: String, _ text: String) {
    output += repeatElement(0x09, count: indent)
    output.append(0x3c)
    output += tag.utf8
    output.append(0x3e)
    output += text.utf8
    output += "</".utf8
    output += tag.utf8
    output += ">\n".utf8
  }

  /// CoreFoundation's words, and 17 digits: enough for every double.
  private func real(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
    return CNumberFormat.general(number, digits: 17)
  }

  private mutating func dateText(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let time = CalendarTime(date) else {
      lose("a date outside the years 1 to 9999")
      return CalendarTime(year: seconds < 0 ? 1 : 9_999, month: 1, day: 1)?.iso8601 ?? ""
    }
    if seconds != seconds.rounded(.down) { lose("a date's fraction of a second") }
    return time.iso8601
  }

  private mutating func append(_ bytes: [UInt8], indent: Int) {
    raw(indent, "<data>")
    // CoreFoundation's width: 76 columns, a tab counted as 8.
    let width = max(4, (76 - 8 * min(indent, 8)) / 4 * 4)
    let text = Array(Base64Text.encode(bytes).utf8)
    for start in stride(from: 0, to: text.count, by: width) {
      raw(indent, String(decoding: text[start..<min(start + width, text.count)], as: UTF8.self))
    }
    raw(indent, "</data>")
  }

  private mutating func escaped(_ text: String) -> String {
    var isTold = false
    return XMLText.escaped(text) { _ in
      if !isTold { lose("a control character, which XML 1.0 has no form for") }
      isTold = true
      return "\u{fffd}"
    } ?? ""
  }
}
