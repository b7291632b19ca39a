/// A JSON document: numbers by their digits, members in their order and as often as they were
/// written.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number as it stands in the text.
  case number(digits: String)
  case string(String)
  case array([JSONValue])
  /// The name and value of each member.
  case object([(String, JSONValue)])

  /// A whole number.
  package static func number(_ value: Int64) -> JSONValue { .number(digits: String(value)) }

  /// A finite number, by the shortest digits that read as the same one.
  package static func real(_ value: Double) -> JSONValue { .number(digits: value.description) }

  /// An array of strings.
  package static func strings(_ values: [String]) -> JSONValue {
    .array(values.map(JSONValue.string))
  }

  /// A string, or `null` in the place of `nil`.
  package static func optional(_ value: String?) -> JSONValue {
    value.map(JSONValue.string) ?? .null
  }

  /// Writes the document.
  ///
  /// - Parameter isPretty: Whether to break lines and to indent by two blanks.
  /// - Returns: The text, without a final line break.
  package func text(isPretty: Bool = false) -> String {
    var writer = JSONWriter(isPretty: isPretty)
    write(to: &writer)
    return writer.text
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.literal("null")
    case .bool(let flag): writer.literal(flag ? "true" : "false")
    case .number(let digits): writer.literal(digits)
    case .string(let text): writer.string(text)
    case .array(let elements): writer.array(elements) { $1.write(to: &$0) }
    case .object(let members):
      writer.object(members) { writer, member in
        writer.member(member.0) { member.1.write(to: &$0) }
      }
    }
  }
}

extension JSONValue {
  /// Reads a document; a byte order mark before it is skipped.
  ///
  /// - Parameter bytes: UTF-8.
  /// - Returns: The document.
  /// - Throws: ``JSONSyntaxError``.
  package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var reader = JSONReader(isMarked ? Array(bytes.dropFirst(3)) : bytes)
    let value = try JSONValue(&reader)
    try reader.end()
    return value
  }

  private init(_ reader: inout JSONReader) throws(JSONSyntaxError) {
    switch try reader.next() {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .string(let text): self = .string(text)
    case .number(let digits, _): self = .number(digits: digits)
    case .array:
      var elements: [JSONValue] = []
      while try reader.hasElement(after: elements.count) {
        elements.append(try JSONValue(&reader))
      }
      self = .array(elements)
    case .object:
      var members: [(String, JSONValue)] = []
      while let name = try reader.memberName(after: members.count) {
        members.append((name, try JSONValue(&reader)))
      }
      self = .object(members)
    }
  }
}
