import ArgumentParser
import Synchronization

/// The name that the command was installed under, such as `lvault` beside HashiCorp's `vault`.
///
/// Messages say `vault`; a command line in them is printed with the installed name.
package enum ProgramName {
  static let standard = "vault"

  private static let called = Mutex(standard)

  static var current: String { called.withLock { $0 } }

  /// Sets the name from the path that the program was started by.
  static func adopt(_ path: String) {
    let name = name(calledAs: path)
    called.withLock { $0 = name }
  }

  /// The last component of the path; of a link for another program, the part that names the
  /// command.
  package static func name(calledAs path: String) -> String {
    var name = path.split(separator: "/").last ?? ""
    for prefix in ["git-credential-", "docker-credential-"] where name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
    }
    if name.hasSuffix("-askpass") { name = name.dropLast("-askpass".count) }
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d
    }
    // Links for other programs that do not name the command.
    let isOther = name == DefaultsCommand.verbName || name == "keyring"
    return name.isEmpty || !isPlain || isOther ? standard : String(name)
  }

  static func spelt(_ text: String) -> String { spelt(text, as: current) }

  /// The text with `name` in place of `vault` where that is a command to be typed, or begins the
  /// line.
  package static func spelt(_ text: String, as name: String) -> String {
    guard name != standard, text.contains(standard) else { return text }
    let verbs = Set(VaultTool.configuration.allVerbs.map { $0.verbName } + ["help"])
    var result = ""
    var rest = text[...]
    while let found = rest.firstRange(of: standard) {
      let before =
        found.lowerBound == text.startIndex ? nil : text[text.index(before: found.lowerBound)]
      let after = rest[found.upperBound...]
      result += rest[..<found.lowerBound]
      result += isCommand(before: before, after: after, verbs) ? name : standard
      rest = after
    }
    return result + rest
  }

  private static func isCommand(
    before: Character?, after: Substring, _ verbs: Set<String>
  ) -> Bool {
    if let before, !before.isWhitespace, !"'\"`(|".contains(before) { return false }
    if before == nil, after.hasPrefix(": ") { return true }
    guard after.first == " " else { return false }
    let word = after.dropFirst().prefix { $0.isLetter || $0 == "-" }
    return verbs.contains(String(word)) || word.hasPrefix("--") || after.hasPrefix(" <")
  }
}
