import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// A line of `run` without the `--` before the command, and the same line with it.
///
/// The items end at the first word that is none. Where the vault can be looked into without a
/// question, it says which words are items; else the first one is, unless an option has named some.
struct ForgottenSeparator {
  /// The line, to be typed.
  let line: String
  /// Whether a line of `run` without `--` has letters behind one hyphen, as no option of ours has
  /// them: the parser would look for ours among them, and `-phunter2` would ask for help.
  ///
  /// So would the `-h` of `psql -h HOST`, and the `--version` of any program: behind an item and a
  /// word more these are the command's.
  static func hasForeignLetters(_ arguments: [String]) -> Bool {
    let rest = CommandLineParsing.leadingOptions(arguments).rest
    guard !arguments.contains("--"), rest.first == RunCommand.verbName else { return false }
    return asksBehindWords(rest.dropFirst())
      || arguments.contains { word in
        word.begins(with: "-") && !word.begins(with: "--") && word.utf8.count > 2
      }
  }

  /// Whether help or a version is asked for behind two words that are no options, nor their values.
  private static func asksBehindWords(_ words: ArraySlice<String>) -> Bool {
    guard let verb = PlainVerb.all.first(where: { $0.name == RunCommand.verbName }) else {
      return false
    }
    var (count, rest) = (0, words)
    while let word = rest.popFirst() {
      if ["-h", "--help", "--version"].contains(word) { return count > 1 }
      let long = verb.letters.first { $0.letter == word }?.option ?? word
      if (verb.options + verb.lists + PlainVerb.common.options).contains(long) {
        _ = rest.popFirst()
        // An option that names a secret stands for an item.
        if (verb.options + verb.lists).contains(long) { count = max(count, 1) }
      } else if !word.begins(with: "-") {
        count += 1
      }
    }
    return false
  }

  /// Reads a line; `nil` where it has a `--` already.
  ///
  /// - Parameter arguments: The line in our words.
  init?(_ arguments: [String]) {
    var arguments = arguments
    if let separator = arguments.firstIndex(of: "--") {
      // No program has such a name: the `--` is the program's own.
      guard arguments.indices.contains(separator + 1), arguments[separator + 1].begins(with: "-")
      else { return nil }
      arguments.remove(at: separator)
    }
    let (options, rest) = CommandLineParsing.leadingOptions(arguments)
    guard rest.first == RunCommand.verbName,
      let verb = PlainVerb.all.first(where: { $0.name == RunCommand.verbName })
    else { return nil }
    let known = KnownNames(options + rest)
    var words: [String] = []
    var isNamed = false
    var command = rest.dropFirst()
    while let word = command.first {
      let option = String(word.unicodeScalars.prefix { $0 != "=" })
      let long = verb.letters.first { $0.letter == option }?.option ?? option
      if verb.flags.contains(long) || PlainVerb.common.flags.contains(long) || long == "-q" {
        words.append(word)
        command = command.dropFirst()
      } else if (verb.options + verb.lists + PlainVerb.common.options).contains(long) {
        let taken = word == option ? Array(command.prefix(2)) : [word]
        command = command.dropFirst(taken.count)
        isNamed = isNamed || (verb.options + verb.lists).contains(long)
        // Where the vault lies is said with every hint.
        if !["--home", "--vault"].contains(long) { words += taken.map(Quoting.typed) }
      } else if let item = known.item(word, isFirst: !isNamed) {
        words.append(Quoting.typed(item))
        isNamed = true
        command = command.dropFirst()
      } else {
        break
      }
    }
    // Behind our own names an unknown option is a mistake in ours.
    guard command.first?.begins(with: "-") != true else { return nil }
    let program = command.isEmpty ? "COMMAND" : Self.shownCommand(Array(command))
    line =
      ([ProgramName.current, RunCommand.verbName] + words + (isNamed ? [] : ["NAME…"])
      + ["--", program]).joined(separator: " ")
  }

  /// The command's words up to its first option: behind that there may be a secret.
  private static func shownCommand(_ words: [String]) -> String {
    let plain = words.prefix { word in
      !word.begins(with: "-")
        && word.unicodeScalars.allSatisfy {
          ("a"..."z").contains($0) || ("A"..."Z").contains($0)
            || "./_-:".unicodeScalars.contains($0)
        }
    }
    return (plain.map(Quoting.typed) + (plain.count < words.count ? ["…"] : [])).joined(
      separator: " ")
  }
}

/// The names of a vault, as far as it opens without a question.
private struct KnownNames {
  private let names: [String]?

  init(_ words: [String]) {
    names = try? LiveNames.vault(of: words)?.names(beginningWith: "")
  }

  /// The item, folder or pattern that a word is; a folder that lacks its slash gets it.
  func item(_ word: String, isFirst: Bool) -> String? {
    guard !word.begins(with: "-") else { return nil }
    if word.hasSuffix("/") || word.begins(with: SecretReference.scheme) { return word }
    if word.unicodeScalars.contains(where: { "*?[".unicodeScalars.contains($0) }) { return word }
    guard let names else { return isFirst ? word : nil }
    if names.contains(word) { return word }
    return names.contains { $0.utf8.starts(with: "\(word)/".utf8) } ? "\(word)/" : nil
  }
}
