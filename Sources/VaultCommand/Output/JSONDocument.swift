import VaultStorage

extension JSONValue {
  /// The version of the documents that the command prints.
  static let schema: Int64 = 1

  /// A document of the command: an object with the version and `members`, indented, with a final
  /// newline.
  static func document(_ members: [(String, JSONValue)]) -> String {
    JSONValue.object([("schema", .number(schema))] + members).text(isPretty: true) + "\n"
  }
}
