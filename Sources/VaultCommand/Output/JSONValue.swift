/// A value as JSON writes it, members in the order they were given.
///
/// RFC 8259.
enum JSONValue {
  case null
  case bool(Bool)
  case number(Int64)
  /// Finite.
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  /// The version of all documents that the command prints.
  static let schema: Int64 = 1

  /// An object that says which version of the command's documents it is.
  static func document(_ members: [(String, JSONValue)]) -> JSONValue {
    .object([("schema", .number(schema))] + members)
  }

  static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }

  static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

  /// The document with its final newline.
  var text: String {
    var output = ""
    write(to: &output, indent: "")
    return output + "\n"
  }

  private func write(to output: inout String, indent: String) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .number(let value): output += String(value)
    case .real(let value): output += value.description
    case .string(let value): Self.quote(value, to: &output)
    case .array(let values):
      Self.list(values, brackets: ("[", "]"), to: &output, indent: indent) {
        value, output, deeper in
        value.write(to: &output, indent: deeper)
      }
    case .object(let members):
      Self.list(members, brackets: ("{", "}"), to: &output, indent: indent) {
        member, output, deeper in
        Self.quote(member.0, to: &output)
        output += ": "
        member.1.write(to: &output, indent: deeper)
      }
    }
  }

  private static func list<Element>(
    _ elements: [Element], brackets: (String, String), to output: inout String, indent: String,
    _ write: (Element, inout String, String) -> Void
  ) {
    guard !elements.isEmpty else {
      output += brackets.0 + brackets.1
      return
    }
    output += brackets.0
    for (number, element) in elements.enumerated() {
      output += number == 0 ? "\n\(indent)  " : ",\n\(indent)  "
      write(element, &output, indent + "  ")
    }
    output += "\n\(indent)\(brackets.1)"
  }

  /// A text in quotes.
  static func quoted(_ text: String) -> String {
    var output = ""
    quote(text, to: &output)
    return output
  }

  private static func quote(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }
}
