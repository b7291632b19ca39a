/// Attributes as a line gives them: `--attribute server=example.com`.
package enum AttributeList {
  /// Reads the values of the option.
  ///
  /// - Parameter texts: `NAME=VALUE`, one for each; of one name the last counts.
  /// - Returns: The values by their names.
  /// - Throws: ``CommandError`` with code `usage` for a text without a name.
  package static func attributes(_ texts: [String]) throws -> [String: String] {
    var result: [String: String] = [:]
    for text in texts {
      guard let equals = text.unicodeScalars.firstIndex(of: "="), equals > text.startIndex else {
        throw CommandError.usage(
          "--attribute takes a name and a value", hint: "such as: --attribute server=example.com")
      }
      result[String(text[..<equals])] = String(text[text.unicodeScalars.index(after: equals)...])
    }
    return result
  }
}
