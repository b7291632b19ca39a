import VaultStorage

/// The words that other programs take for a format where this one takes a file: `kubectl get -o
/// json`, `aws --output table`.
///
/// Taken as a file's name they would write a secret in plain text into the current folder, perhaps a
/// repository.
package enum FormatWord {
  private static let words: Set<String> = [
    "csv", "custom-columns", "dotenv", "env", "go-template", "html", "json", "jsonc", "jsonl",
    "jsonpath", "list", "markdown", "md", "name", "ndjson", "none", "plain", "pretty", "raw",
    "shell", "stdout", "table", "text", "toml", "tsv", "txt", "value", "wide", "xml", "yaml",
    "yamlc", "yml",
  ]

  /// Whether a word names a format: in any case, with or without a template behind it.
  package static func isOne(_ word: String) -> Bool {
    let name = word.unicodeScalars.prefix { $0 != "=" }
    return words.contains(String(name).lowercased())
  }

  /// Refuses a format in the place of a file.
  ///
  /// - Parameters:
  ///   - path: What the option was followed by.
  ///   - option: The option, such as `-o`.
  ///   - instead: What does what was wanted.
  /// - Throws: ``CommandError`` with code `usage`.
  package static func refuse(_ path: String?, option: String = "-o", instead: String) throws {
    guard let path, isOne(path) else { return }
    throw CommandError.usage(
      "\(option) takes a file, and that word is a format",
      hint: "\(instead); a file of this name: \(option) \(Quoting.typed("./\(path)"))")
  }
}
