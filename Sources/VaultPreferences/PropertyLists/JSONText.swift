import FoundationEssentials
import VaultStorage

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
    try JSONParser<PreferenceBuilder>.document(Array(text))
  }

  /// A text as a JSON string, with its quotes.
  package static func quoted(_ text: String) -> String {
    Quoting.json(text)
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
      if entries.count == 1, entries.keys.first?.begins(with: "$") == true {
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

  mutating func append(_ text: String) { Quoting.appendJSON(text, to: &output) }
}

/// Makes preferences of JSON: objects with one `$` key are what the key says.
private enum PreferenceBuilder: JSONBuilder {
  static func null(at position: Int) throws(PreferenceError) -> PreferenceValue {
    throw JSONSyntax.failure(
      "null, which no preference can be (a key without a value is removed)", at: position)
  }

  static func bool(_ flag: Bool) -> PreferenceValue { .boolean(flag) }

  static func string(_ text: String) -> PreferenceValue { .string(text) }

  static func array(_ elements: [PreferenceValue]) -> PreferenceValue { .array(elements) }

  static func number(
    _ text: String, isWhole: Bool, at position: Int
  ) throws(PreferenceError) -> PreferenceValue {
    if isWhole {
      if let number = Int64(text) { return .integer(number) }
      if let number = UInt64(text) { return .unsignedInteger(number) }
    }
    guard let number = Double(text) else {
      throw JSONSyntax.failure("a number makes no sense", at: position)
    }
    return .real(number)
  }

  static func object(
    _ members: [(name: String, value: PreferenceValue)], at position: Int
  ) throws(PreferenceError) -> PreferenceValue {
    var entries: [String: PreferenceValue] = [:]
    for (name, value) in members { entries[name] = value }
    guard entries.count == 1, let (tag, value) = entries.first, tag.begins(with: "$") else {
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
    throw JSONSyntax.failure("\(tag) with another value", at: position)
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
}
