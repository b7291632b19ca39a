import FoundationEssentials
package import VaultStorage

/// Values as JSON, without loss: a value of a type that JSON lacks is an object with one `$` key.
///
/// `{"$data": base64}`, `{"$date": "2025-08-25T10:16:09Z"}` or, with a fraction of a second,
/// `{"$date": seconds since 2001}`, `{"$float": 1.5}` for 32 bits, `{"$uid": 1}`, `{"$real":
/// "nan"}`. Integers have no point, reals always have one or an exponent. The store keeps arrays
/// and dictionaries in this form, so that they can be read with the `sqlite3` shell.
package enum JSONText {
  /// The maximum number of JSON's own containers inside each other.
  ///
  /// A dictionary with one key that begins with `$` takes two of them (see `$dictionary`), and a
  /// stored snapshot puts four around each value.
  private static let depthLimit = 2 * PreferenceValue.depthLimit + 8

  /// Writes a value; keys are sorted.
  ///
  /// - Parameters:
  ///   - value: What to write.
  ///   - isPretty: With line breaks and indentation of two blanks.
  /// - Returns: The text, without a final line break.
  package static func text(_ value: PreferenceValue, isPretty: Bool = false) -> String {
    var writer = JSONWriter(isPretty: isPretty)
    writer.append(value)
    return writer.text
  }

  /// Reads what ``text(_:isPretty:)`` writes, and any other JSON.
  ///
  /// - Parameter text: UTF-8, perhaps with its byte order mark. `null` is refused, since a preference without a value does not exist.
  /// - Returns: The value.
  /// - Throws: ``PreferenceError`` with code `.syntax`.
  package static func parse(_ text: some Sequence<UInt8>) throws(PreferenceError) -> PreferenceValue
  {
    var reader = JSONReader(unmarked(Array(text)), depthLimit: depthLimit)
    do {
      let value = try PreferenceValue(try reader.next(), &reader, .ours)
      try reader.end()
      return value
    } catch {
      throw PreferenceError(.syntax, error.message)
    }
  }

  /// Reads JSON of others: a key that begins with `$` is nothing but a key, and containers are as
  /// deep as JSONSerialization takes them.
  ///
  /// - Parameters:
  ///   - text: UTF-8, perhaps with its byte order mark.
  ///   - null: What stands for `null`; `nil` if it is refused.
  ///   - allowsTrailingCommas: A comma may stand before a closing bracket, as Foundation's
  ///     JSONSerialization has it and RFC 8259 does not.
  /// - Returns: The value.
  /// - Throws: ``/VaultStorage/JSONSyntaxError``.
  package static func parsePlain(
    _ text: [UInt8], null: PreferenceValue? = nil, allowsTrailingCommas: Bool = false
  ) throws(JSONSyntaxError) -> PreferenceValue {
    var reader = JSONReader(
      unmarked(text), depthLimit: PreferenceValue.depthLimit,
      allowsTrailingCommas: allowsTrailingCommas)
    let value = try PreferenceValue(try reader.next(), &reader, .others(null: null))
    try reader.end()
    return value
  }

  /// A text without the byte order mark of UTF-8.
  private static func unmarked(_ text: [UInt8]) -> [UInt8] {
    text.starts(with: [0xef, 0xbb, 0xbf]) ? Array(text.dropFirst(3)) : text
  }

  /// How objects of one `$` member and nulls are read.
  fileprivate enum Reading {
    case ours
    case others(null: PreferenceValue?)
  }

  /// The value of a table of one key that begins with `$`, as other forms write it, too.
  ///
  /// - Parameters:
  ///   - tag: The key.
  ///   - value: Its value.
  /// - Returns: The value that is meant; `nil` if the tag does not go with it.
  package static func value(tagged tag: String, _ value: PreferenceValue) -> PreferenceValue? {
    PreferenceValue.tagged(tag, value)
  }

  /// Reads an object of domains, each an object of keys; `null` stands for a key without a value.
  ///
  /// - Parameter text: UTF-8, perhaps with its byte order mark.
  /// - Returns: The domains by name.
  /// - Throws: ``PreferenceError`` with code `.syntax`, also for two members of one name.
  package static func parseDomains(
    _ text: [UInt8]
  ) throws(PreferenceError) -> [String: [String: PreferenceValue?]] {
    var reader = JSONReader(unmarked(text), depthLimit: depthLimit)
    do {
      var domains: [String: [String: PreferenceValue?]] = [:]
      try members(&reader, "an object of domains") { name, reader throws(JSONSyntaxError) in
        var entries: [String: PreferenceValue?] = [:]
        try members(&reader, "an object of keys") { key, reader throws(JSONSyntaxError) in
          let token = try reader.next()
          let value: PreferenceValue?
          if case .null = token {
            value = nil
          } else {
            value = try PreferenceValue(token, &reader, .ours)
          }
          try add(value, key, to: &entries, reader)
        }
        try add(entries, name, to: &domains, reader)
      }
      try reader.end()
      return domains
    } catch {
      throw PreferenceError(.syntax, error.message)
    }
  }

  /// Adds a member that is there once: of two nobody knows which one is meant.
  private static func add<Value>(
    _ value: Value, _ key: String, to members: inout [String: Value], _ reader: JSONReader
  ) throws(JSONSyntaxError) {
    let isTwice = members.index(forKey: key) != nil
    if let problem = members.add(value, key) ?? (isTwice ? "'\(key)' is there twice" : nil) {
      throw reader.failure(problem)
    }
  }

  /// Reads an object, and hands each member's name to `body`, which reads its value.
  private static func members(
    _ reader: inout JSONReader, _ what: String,
    _ body: (String, inout JSONReader) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    guard case .object = try reader.next() else { throw reader.failure("this is not \(what)") }
    var count = 0
    while let name = try reader.memberName(after: count) {
      try body(name, &reader)
      count += 1
    }
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ value: PreferenceValue) {
    switch value {
    case .string(let text): string(text)
    case .integer(let number): literal(String(number))
    case .unsignedInteger(let number): literal(String(number))
    case .boolean(let flag): literal(flag ? "true" : "false")
    case .real(let number):
      if number.isFinite {
        literal("\(number)")
      } else {
        tagged("$real") { $0.string(Self.name(number)) }
      }
    case .float(let number):
      tagged("$float") { writer in
        if number.isFinite {
          writer.literal("\(number)")
        } else {
          writer.string(Self.name(Double(number)))
        }
      }
    case .data(let bytes): tagged("$data") { $0.string(Base64Text.encode(bytes)) }
    case .date(let date):
      tagged("$date") { writer in
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds == seconds.rounded(.down), seconds.bitPattern != (-0.0).bitPattern,
          let time = CalendarTime(date)
        {
          writer.string(time.iso8601)
        } else if seconds.isFinite {
          writer.literal("\(seconds)")
        } else {
          writer.string(Self.name(seconds))
        }
      }
    case .uid(let number): tagged("$uid") { $0.literal(String(number)) }
    case .array(let elements): array(elements) { $0.append($1) }
    case .dictionary(let entries):
      if entries.count == 1, let (key, value) = entries.first, key.begins(with: "$") {
        // As a pair: as an object it would be read as a tagged value.
        tagged("$dictionary") { $0.append(.array([.string(key), value])) }
      } else {
        let keys = entries.keys.sorted(by: OldStyleWriter.precedes)
        object(keys) { writer, key in writer.member(key) { $0.append(entries[key] ?? "") } }
      }
    }
  }

  private static func name(_ number: Double) -> String {
    number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity"
  }
}

extension PreferenceValue {
  /// Reads the value that begins with a token; an object of one `$` member is the value that its
  /// tag names, unless the text is plain JSON.
  fileprivate init(
    _ token: JSONReader.Token, _ reader: inout JSONReader, _ reading: JSONText.Reading
  ) throws(JSONSyntaxError) {
    switch token {
    case .null:
      if case .others(let value?) = reading {
        self = value
        return
      }
      throw reader.failure("null, which no preference can be (a key without a value is removed)")
    case .bool(let flag): self = .boolean(flag)
    case .string(let text): self = .string(text)
    case .number(let text, let isWhole):
      guard let number = Self.number(text, isWhole: isWhole) else {
        throw reader.failure("invalid number")
      }
      self = number
    case .array:
      var elements: [PreferenceValue] = []
      while try reader.hasElement(after: elements.count) {
        elements.append(try PreferenceValue(try reader.next(), &reader, reading))
      }
      self = .array(elements)
    case .object:
      var entries: [String: PreferenceValue] = [:]
      var count = 0
      while let name = try reader.memberName(after: count) {
        let value = try PreferenceValue(try reader.next(), &reader, reading)
        // Of others' JSON the last of several members of one name wins; of ours nobody knows which
        // one is meant.
        if case .ours = reading, entries.index(forKey: name) != nil {
          throw reader.failure(entries.add(value, name) ?? "'\(name)' is there twice")
        }
        if let problem = entries.add(value, name) { throw reader.failure(problem) }
        count += 1
      }
      guard case .ours = reading, entries.count == 1, let (tag, value) = entries.first,
        tag.begins(with: "$")
      else {
        self = .dictionary(entries)
        return
      }
      guard let tagged = Self.tagged(tag, value) else {
        throw reader.failure("\(tag) with another value")
      }
      self = tagged
    }
  }

  private static func number(_ text: String, isWhole: Bool) -> PreferenceValue? {
    if isWhole {
      if let number = Int64(text) { return .integer(number) }
      if let number = UInt64(text) { return .unsignedInteger(number) }
    }
    // One that is too large would be infinity, which JSON does not have.
    return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
  }

  /// The value of an object of one `$` member; `nil` if its tag does not go with its value.
  fileprivate static func tagged(_ tag: String, _ value: PreferenceValue) -> PreferenceValue? {
    switch (tag, value) {
    case ("$data", .string(let text)): return Base64Text.decode(text.utf8).map { .data($0) }
    case ("$date", .string(let text)):
      if let number = named(text) { return .date(Date(timeIntervalSinceReferenceDate: number)) }
      return DateText.iso8601(text).map { .date($0) }
    case ("$date", .real(let number)): return .date(Date(timeIntervalSinceReferenceDate: number))
    case ("$date", .integer(let number)):
      return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case ("$date", _): return nil
    case ("$float", .string(let text)): return named(text).map { .float(Float($0)) }
    case ("$float", .real(let number)):
      // One that is too large would be infinity, which has a name of its own.
      return Float(number).isFinite || !number.isFinite ? .float(Float(number)) : nil
    case ("$float", .integer(let number)): return .float(Float(number))
    case ("$real", .string(let text)): return named(text).map { .real($0) }
    case ("$uid", .integer(let number)) where number >= 0: return .uid(UInt64(number))
    case ("$uid", .unsignedInteger(let number)): return .uid(number)
    case ("$unsigned", .string(let text)): return UInt64(text).map { PreferenceValue(unsigned: $0) }
    case ("$dictionary", .array(let pair)):
      guard pair.count == 2, case .string(let key) = pair[0] else { return nil }
      return .dictionary([key: pair[1]])
    // A dictionary whose one key begins with "$" by chance.
    default: return .dictionary([tag: value])
    }
  }

  private static func named(_ text: String) -> Double? {
    ["nan": .nan, "infinity": .infinity, "-infinity": -.infinity][text]
  }
}
