import FoundationEssentials

/// Values as JSON, without loss: what JSON has no type for is an object with one `$` key.
///
/// `{"$data": base64}`, `{"$date": "2025-08-25T10:16:09Z"}` or, with a fraction of a second,
/// `{"$date": seconds since 2001}`, `{"$float": 1.5}` for 32 bits, `{"$uid": 1}`, `{"$real": "nan"}`.
/// Whole numbers have no point, reals always have one or an exponent. The store keeps arrays and
/// dictionaries in this form, so that they can be read with the `sqlite3` shell.
package enum JSONText {
  /// Writes a value; keys are sorted.
  ///
  /// - Parameters:
  ///   - value: What to write.
  ///   - isPretty: With line breaks and indentation of two blanks.
  /// - Returns: The text, without a final line break.
  package static func text(_ value: PreferenceValue, isPretty: Bool = false) -> String {
    var writer = JSONWriter(isPretty: isPretty)
    writer.append(value, level: 0)
    return String(decoding: writer.output, as: UTF8.self)
  }

  /// Reads what ``text(_:isPretty:)`` writes, and any other JSON.
  ///
  /// - Parameter text: UTF-8. `null` is refused: a preference has a value or is not there.
  /// - Returns: The value.
  /// - Throws: ``PreferenceError`` with code `.syntax`.
  package static func parse(_ text: some Sequence<UInt8>) throws(PreferenceError) -> PreferenceValue
  {
    var parser = JSONParser(Array(text))
    return try parser.document()
  }

  /// A text as a JSON string, with its quotes.
  package static func quoted(_ text: String) -> String {
    var writer = JSONWriter(isPretty: false)
    writer.append(text)
    return String(decoding: writer.output, as: UTF8.self)
  }
}

private struct JSONWriter {
  let isPretty: Bool
  var output: [UInt8] = []

  init(isPretty: Bool) { self.isPretty = isPretty }

  mutating func append(_ value: PreferenceValue, level: Int) {
    switch value {
    case .string(let text): append(text)
    case .integer(let number): output += String(number).utf8
    case .unsignedInteger(let number): output += String(number).utf8
    case .boolean(let flag): output += (flag ? "true" : "false").utf8
    case .real(let number):
      if number.isFinite {
        output += "\(number)".utf8
      } else {
        tagged("real") { $0.append(Self.name(number)) }
      }
    case .float(let number):
      tagged("float") { writer in
        if number.isFinite {
          writer.output += "\(number)".utf8
        } else {
          writer.append(Self.name(Double(number)))
        }
      }
    case .data(let bytes): tagged("data") { $0.append(Base64.encode(bytes)) }
    case .date(let date):
      tagged("date") { writer in
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds == seconds.rounded(.down), seconds.bitPattern != (-0.0).bitPattern,
          let time = CalendarTime(date)
        {
          writer.append(time.iso8601)
        } else if seconds.isFinite {
          writer.output += "\(seconds)".utf8
        } else {
          writer.append(Self.name(seconds))
        }
      }
    case .uid(let number): tagged("uid") { $0.output += String(number).utf8 }
    case .array(let elements):
      list("[", "]", elements, level) { $0.append($1, level: level + 1) }
    case .dictionary(let entries):
      if entries.count == 1, entries.keys.first?.hasPrefix("$") == true {
        // As a pair: as an object it would be read as what its key says.
        tagged("dictionary") { writer in
          writer.append(.array(entries.flatMap { [.string($0.key), $0.value] }), level: level)
        }
      } else {
        append(entries, level: level)
      }
    }
  }

  private static func name(_ number: Double) -> String {
    number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity"
  }

  private mutating func append(_ entries: [String: PreferenceValue], level: Int) {
    let keys = entries.keys.sorted(by: OldStyleWriter.precedes)
    list("{", "}", keys, level) { writer, key in
      writer.append(key)
      writer.output += (writer.isPretty ? ": " : ":").utf8
      writer.append(entries[key] ?? "", level: level + 1)
    }
  }

  private mutating func tagged(_ tag: String, _ body: (inout JSONWriter) -> Void) {
    output += "{\"$\(tag)\":\(isPretty ? " " : "")".utf8
    body(&self)
    output.append(0x7d)
  }

  private mutating func list<Element>(
    _ open: String, _ close: String, _ elements: [Element], _ level: Int,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    output += open.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(0x2c) }
      newline(level + 1)
      body(&self, element)
    }
    if !elements.isEmpty { newline(level) }
    output += close.utf8
  }

  private mutating func newline(_ level: Int) {
    guard isPretty else { return }
    output.append(0x0a)
    output += repeatElement(0x20, count: 2 * level)
  }

  mutating func append(_ text: String) {
    output.append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22: output += "\\\"".utf8
      case 0x5c: output += "\\\\".utf8
      case 0x0a: output += "\\n".utf8
      case 0x0d: output += "\\r".utf8
      case 0x09: output += "\\t".utf8
      case 0..<0x20, 0x7f:
        output += "\\u00".utf8
        output += OldStyleWriter.hex([byte]).utf8
      default: output.append(byte)
      }
    }
    output.append(0x22)
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var position = 0
  var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func failure(_ what: String) -> PreferenceError {
    PreferenceError(.syntax, "\(what) at byte \(position) of the JSON text")
  }

  mutating func document() throws(PreferenceError) -> PreferenceValue {
    let value = try value()
    skipBlanks()
    guard position == bytes.count else { throw failure("unexpected text") }
    return value
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  mutating func value() throws(PreferenceError) -> PreferenceValue {
    skipBlanks()
    guard let byte = current else { throw failure("unexpected end") }
    switch byte {
    case 0x22: return .string(try string())
    case 0x5b:
      try enter()
      var elements: [PreferenceValue] = []
      if !take(0x5d) {
        repeat { elements.append(try value()) } while take(0x2c)
        guard take(0x5d) else { throw failure("missing ]") }
      }
      depth -= 1
      return .array(elements)
    case 0x7b:
      try enter()
      var entries: [String: PreferenceValue] = [:]
      if !take(0x7d) {
        repeat {
          skipBlanks()
          guard current == 0x22 else { throw failure("missing a key") }
          let key = try string()
          guard take(0x3a) else { throw failure("missing :") }
          entries[key] = try value()
        } while take(0x2c)
        guard take(0x7d) else { throw failure("missing }") }
      }
      depth -= 1
      return try untagged(entries)
    case 0x74 where word("true"): return .boolean(true)
    case 0x66 where word("false"): return .boolean(false)
    case 0x2d, 0x30...0x39: return try number()
    case 0x6e where word("null"):
      throw failure("null, which no preference can be (a key without a value is removed)")
    default: throw failure("unexpected character")
    }
  }

  private mutating func enter() throws(PreferenceError) {
    position += 1
    depth += 1
    guard depth <= OldStyleParser.depthLimit else { throw failure("too deep") }
  }

  private func untagged(
    _ entries: [String: PreferenceValue]
  ) throws(PreferenceError) -> PreferenceValue {
    guard entries.count == 1, let (tag, value) = entries.first, tag.hasPrefix("$") else {
      return .dictionary(entries)
    }
    switch (tag, value) {
    case ("$data", .string(let text)):
      if let bytes = Base64.decode(text.utf8) { return .data(bytes) }
    case ("$date", .string(let text)):
      if let number = Self.named(text) {
        return .date(Date(timeIntervalSinceReferenceDate: number))
      }
      if let date = DateText.iso8601(text) { return .date(date) }
    case ("$date", _):
      if let number = Self.number(value) {
        return .date(Date(timeIntervalSinceReferenceDate: number))
      }
    case ("$float", .string(let text)):
      if let number = Self.named(text) { return .float(Float(number)) }
    case ("$float", .real(let number)): return .float(Float(number))
    case ("$float", .integer(let number)): return .float(Float(number))
    case ("$real", .string(let text)):
      if let number = Self.named(text) { return .real(number) }
    case ("$uid", .integer(let number)) where number >= 0: return .uid(UInt64(number))
    case ("$uid", .unsignedInteger(let number)): return .uid(number)
    case ("$dictionary", .array(let pair)):
      if pair.count == 2, case .string(let key) = pair[0] { return .dictionary([key: pair[1]]) }
    default: return .dictionary(entries)
    }
    throw failure("\(tag) with another value")
  }

  private static func named(_ text: String) -> Double? {
    ["nan": .nan, "infinity": .infinity, "-infinity": -.infinity][text]
  }

  private static func number(_ value: PreferenceValue) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  private mutating func number() throws(PreferenceError) -> PreferenceValue {
    let start = position
    var isWhole = true
    while let byte = current {
      switch byte {
      case 0x30...0x39, 0x2d, 0x2b: break
      case 0x2e, 0x65, 0x45: isWhole = false
      default:
        return try number(String(decoding: bytes[start..<position], as: UTF8.self), isWhole)
      }
      position += 1
    }
    return try number(String(decoding: bytes[start..<position], as: UTF8.self), isWhole)
  }

  private func number(
    _ text: String, _ isWhole: Bool
  ) throws(PreferenceError) -> PreferenceValue {
    if isWhole {
      if let number = Int64(text) { return .integer(number) }
      if let number = UInt64(text) { return .unsignedInteger(number) }
    }
    guard let number = Double(text) else { throw failure("a number makes no sense") }
    return .real(number)
  }

  private mutating func string() throws(PreferenceError) -> String {
    position += 1
    var output: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case 0x22: return String(decoding: output, as: UTF8.self)
      case 0x5c: try escape(&output)
      case 0..<0x20: throw failure("a control character in a string")
      default: output.append(byte)
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape(_ output: inout [UInt8]) throws(PreferenceError) {
    guard let byte = current else { throw failure("a string does not end") }
    position += 1
    switch byte {
    case 0x22, 0x5c, 0x2f: output.append(byte)
    case 0x62: output.append(0x08)
    case 0x66: output.append(0x0c)
    case 0x6e: output.append(0x0a)
    case 0x72: output.append(0x0d)
    case 0x74: output.append(0x09)
    case 0x75:
      var units = [try unit()]
      if units[0] & 0xfc00 == 0xd800, bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try unit())
      }
      output += String(decoding: units, as: UTF16.self).utf8
    default: throw failure("an unknown escape")
    }
  }

  private mutating func unit() throws(PreferenceError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = OldStyleParser.hexDigit(byte) else {
        throw failure("an escape of less than four digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
