import VaultCommandCore
import VaultStorage

/// The words that people type by habit, from other programs of the kind, and what they mean here.
///
/// A word whose meaning is clear and safe stands for a line of ours. The others are answered with
/// the line that does what was probably wanted; never with the name that happens to look alike.
package enum Habit: Equatable, Sendable {
  /// The word stands for these words.
  case line([String])
  /// What helps, where `{}` is the program's name.
  case answer(String)

  private static func means(_ words: String...) -> Habit { .line(words) }

  /// Every word, in alphabetical order.
  package static let table: KeyValuePairs<String, Habit> = [
    "add": means("set"),
    "agent": .answer("no agent is needed, a session keeps the vault open: {} unlock --for 8h"),
    "app": .answer("see all commands: {} help all"),
    "cat": means("get"),
    "change-passphrase": .answer("{} key change-passphrase"),
    "clip": .answer("{} get NAME --copy"),
    "close": .answer("{} lock"),
    "config": .answer("{} settings"),
    "copy-to-clipboard": .answer("{} get NAME --copy"),
    "cp": means("copy"),
    "create": .answer("a vault: {} init; an item: {} set NAME"),
    "data-fetch": .answer("{} data fetch STORE ENTITY"),
    "default": means("defaults"),
    "del": means("remove"),
    "delete": means("remove"),
    "doctor": means("check"),
    "duplicate": means("copy"),
    "dump": .answer("{} export json"),
    "env": means("run"),
    "exec": means("run"),
    "fields": .answer("{} show NAME"),
    "find": means("list"),
    "gen": means("generate"),
    "gen-pass": means("generate"),
    "get-all": .answer("into a process: {} run FOLDER/ -- COMMAND; as a file: {} export json"),
    "gpg": .answer("it needs no GPG; a key is stored with: {} set NAME --file PATH"),
    "grep": .answer("names are found by: {} list PATTERN; secrets are not searched"),
    "info": .answer("of an item: {} show NAME; of the vault: {} status"),
    "insert": means("set"),
    "item": .answer("{} list, {} get NAME, {} set NAME, {} remove NAME"),
    "items": means("list"),
    "log": .answer("the versions of an item: {} history NAME; the last change: {} undo"),
    "login": .answer("{} unlock"),
    "logout": .answer("{} lock"),
    "ls": means("list"),
    "man": .answer("man {}; or: {} help VERB"),
    "mv": means("rename"),
    "new": .answer("a vault: {} init; an item: {} set NAME"),
    "note": .answer("{} set NAME --note TEXT"),
    "open": .answer("{} unlock"),
    "passwd": .answer("{} key change-passphrase"),
    "password": .answer(
      "read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase"),
    "preferences": means("defaults"),
    "prefs": means("defaults"),
    "push": .answer("a sealed copy elsewhere: {} backup FILE; the keyring: {} keyring sync"),
    "put": means("set"),
    "pw": .answer(
      "read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase"),
    "rm": means("remove"),
    "rotate": .answer("the vault key: {} key rotate; a secret: {} set NAME --generate"),
    "seal": .answer("{} lock"),
    "search": means("list"),
    "serve": .answer("it needs no server: every command opens the vault file itself"),
    "signin": .answer("{} unlock"),
    "snapshot": .answer("{} backup FILE"),
    "ssh": .answer("a passphrase for ssh-add: {} help credential"),
    "sync": .answer("the keyring's copies: {} keyring sync; a sealed copy: {} backup FILE"),
    "tag": .answer("{} set NAME --tag TAG"),
    "totp": means("otp"),
    "trash": means("list", "--trash"),
    "tui": .answer("see all commands: {} help all"),
    "ui": .answer("see all commands: {} help all"),
    "unseal": .answer("{} unlock"),
    "update": .answer("a new version of a secret: {} set NAME"),
    "upgrade": .answer("weak key slots: {} key upgrade"),
    "vault": .answer("your vaults: {} list --vaults; another one: {} --vault NAME list"),
    "vaults": means("list", "--vaults"),
    "verify": means("check"),
    "version": means("--version"),
    "view": .answer("the secret: {} get NAME; everything else: {} show NAME"),
    "web": .answer("see all commands: {} help all"),
    "whoami": .answer("{} status"),
    "write": .answer("a secret: {} set NAME; a preference: {} defaults write DOMAIN KEY VALUE"),
  ]

  /// Words of the verbs below a verb, such as `key rm`.
  private static let below = [
    "add": ["new", "create"], "list": ["ls"], "remove": ["rm", "del", "delete"],
    "unlock": ["open"], "change-passphrase": ["passwd"],
  ]

  /// Replaces the words of habit on a line.
  ///
  /// - Parameters:
  ///   - arguments: The line.
  ///   - start: How many common options stand before the verb.
  /// - Returns: The line in our words.
  package static func resolving(_ arguments: [String], from start: Int) -> [String] {
    guard arguments.indices.contains(start) else { return arguments }
    var arguments = arguments
    if arguments[start] == "-V" { arguments[start] = "--version" }
    let place = arguments[start] == "help" ? start + 1 : start
    guard arguments.indices.contains(place) else { return arguments }
    if case .line(let words) = meaning(of: arguments[place]) {
      // Help is there for verbs only.
      let words = place == start ? words : words.filter { !$0.hasPrefix("-") }
      arguments.replaceSubrange(place...place, with: words)
    }
    return arguments
  }

  /// Returns our word for one below a verb, such as `rm` in `key rm`.
  static func word(for typed: String, among verbs: [String]) -> String? {
    verbs.first { below[$0]?.contains(typed) ?? false }
  }

  /// The answer to a word that stands for no line of ours; `nil` if there is none.
  static func answer(to word: String) -> String? {
    guard case .answer(let text) = meaning(of: word) else { return nil }
    return text.substituting("{}", with: ProgramName.current)
  }

  // The table is asked once a line: a dictionary of it takes longer to make than to search this.
  private static func meaning(of word: String) -> Habit? {
    table.first { $0.key == word }?.value
  }
}
