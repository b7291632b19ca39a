package import VaultStorage

extension JSONValue {
  /// The version of the documents that the command prints.
  package static let schema: Int64 = 1

  /// A document of the command: an object with the version and `members`, indented, with a final
  /// newline.
  package static func document(_ members: [(String, JSONValue)]) -> String {
    JSONValue.object([("schema", .number(schema))] + members).text(isPretty: true) + "\n"
  }
}
