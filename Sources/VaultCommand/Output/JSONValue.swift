import VaultStorage

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
    case .string(let value): output += Quoting.json(value)
    case .array(let values):
      Self.list(values, brackets: ("[", "]"), to: &output, indent: indent) {
        value, output, deeper in
        value.write(to: &output, indent: deeper)
      }
    case .object(let members):
      Self.list(members, brackets: ("{", "}"), to: &output, indent: indent) {
        member, output, deeper in
        output += Quoting.json(member.0)
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
  static func quoted(_ text: String) -> String { Quoting.json(text) }
}
