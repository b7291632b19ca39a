/// Preferences on the command line: `-key value` pairs.
enum ArgumentDomain {
  /// The pairs among a program's arguments, without the program's name.
  ///
  /// A value that begins with `{`, `[`, `(`, `<` or `"` is read as a property list if it is one;
  /// any other value is text. A word that begins with `-` and a letter is the next key.
  static func parse(_ arguments: [String]) -> [String: PreferenceValue] {
    var entries: [String: PreferenceValue] = [:]
    var index = 0
    while index + 1 < arguments.count {
      let word = arguments[index]
      let next = arguments[index + 1]
      guard word.hasPrefix("-"), word.count > 1, !word.hasPrefix("--"), !isKey(next) else {
        if word == "--" { break }
        index += 1
        continue
      }
      entries[String(word.dropFirst())] = value(next)
      index += 2
    }
    return entries
  }

  private static func isKey(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
    return !second.isNumber && second != "."
  }

  private static func value(_ text: String) -> PreferenceValue {
    guard let first = text.first, "{[(<\"".contains(first) else { return .string(text) }
    return (try? PropertyList.parse(Array(text.utf8))) ?? .string(text)
  }
}
