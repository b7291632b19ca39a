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
    "app": .answer("it has no window; pick from a menu of the desktop: {} menu"),
    "cat": means("get"),
    "change-passphrase": means("key", "change-passphrase"),
    "clip": means("get", "--copy"),
    "close": means("lock"),
    "config": means("settings"),
    "copy-to-clipboard": means("get", "--copy"),
    "cp": means("copy"),
    "configure": .answer("create a vault: {} init; its settings: {} settings"),
    "create": .answer("create a vault: {} init; store an item: {} set NAME"),
    "data-fetch": means("data", "fetch"),
    "decrypt": .answer("a file that was stored: {} get NAME --out PATH"),
    "default": means("defaults"),
    "del": means("remove"),
    "delete": means("remove"),
    "doctor": means("check"),
    "duplicate": means("copy"),
    "dump": .answer("all secrets in plain text: {} export json; encrypted: {} backup FILE"),
    "encrypt": .answer("store a file: {} set NAME --file PATH"),
    "env": means("run"),
    "eval": .answer("into a process: {} run FOLDER/ -- COMMAND"),
    "exec": means("run"),
    "exit": .answer("nothing keeps running; to forget the key: {} lock"),
    "fetch": means("get"),
    "fields": means("show"),
    "find": means("list"),
    "gen": means("generate"),
    "gen-pass": means("generate"),
    "get-all": .answer("into a process: {} run FOLDER/ -- COMMAND; as a file: {} export json"),
    "git": .answer("let git ask the vault: {} connect git"),
    "gpg": .answer("it needs no GPG; a key is stored with: {} set NAME --file PATH"),
    "grep": .answer("names are found by: {} list PATTERN; secrets are not searched"),
    "info": .answer("an item's details: {} show NAME; the vault's state: {} status"),
    "insert": means("set"),
    "install": .answer("let a program ask the vault: {} connect PROGRAM"),
    "item": .answer("without that word: {} list, {} get NAME, {} set NAME, {} remove NAME"),
    "items": means("list"),
    "keychain": .answer("the desktop keyring: {} keyring status; its items: {} keyring list"),
    "keys": means("key", "list"),
    "login": means("unlock"),
    "logout": means("lock"),
    "lookup": means("get"),
    "ls": means("list"),
    "man": .answer("the manual page: man {}; here: {} help VERB"),
    "move": means("rename"),
    "mv": means("rename"),
    "new": .answer("create a vault: {} init; store an item: {} set NAME"),
    "note": .answer("change an item's note: {} set NAME --note TEXT"),
    "open": means("unlock"),
    "passwd": means("key", "change-passphrase"),
    "password": .answer(
      "read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase"),
    "preferences": means("defaults"),
    "prefs": means("defaults"),
    "push": .answer("to other machines: {} sync now; an encrypted copy: {} backup FILE"),
    "put": means("set"),
    "pw": .answer(
      "read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase"),
    "rm": means("remove"),
    "rotate": .answer("a secret: {} set NAME --generate; the vault's key: {} key rotate"),
    "save": means("set"),
    "seal": means("lock"),
    "search": means("list"),
    "secrets": means("list"),
    "serve": .answer("it needs no server: every command opens the vault file itself"),
    "setup": .answer("create a vault: {} init"),
    "share": .answer("an encrypted copy: {} backup FILE; who opens it: {} key add"),
    "signin": means("unlock"),
    "slots": means("key", "list"),
    "snapshot": means("backup"),
    "ssh": .answer("a passphrase for ssh-add: {} help credential"),
    "store": means("set"),
    "tag": .answer("add a tag to an item: {} set NAME --tag TAG; find it: {} list --tag TAG"),
    "totp": means("otp"),
    "trash": means("list", "--trash"),
    "tui": .answer("pick from a list: {} get; from a menu of the desktop: {} menu"),
    "ui": .answer("pick from a list: {} get; from a menu of the desktop: {} menu"),
    "unseal": means("unlock"),
    "update": .answer("a new version of a secret: {} set NAME"),
    "upgrade": .answer("stronger passphrase slots: {} key upgrade"),
    "vault": .answer("your vaults: {} list --vaults; another one: {} --vault NAME list"),
    "vaults": means("list", "--vaults"),
    "verify": means("check"),
    "version": means("--version"),
    "view": .answer("the secret: {} get NAME; everything else: {} show NAME"),
    "web": .answer("it has no web page; pick from a menu of the desktop: {} menu"),
    "whoami": means("status"),
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
      let habit = arguments[place]
      arguments.replaceSubrange(place...place, with: words)
      if ["rm", "mv", "cp", "del", "delete", "move"].contains(habit) {
        arguments = Array(arguments[...place]) + arguments[(place + 1)...].flatMap(option)
      }
    }
    return arguments
  }

  /// Options of habit behind verbs that change items: `rm -rf web/`.
  private static func option(_ word: String) -> [String] {
    switch word {
    case "-r", "-R", "--recursive": []
    case "-f", "-rf", "-fr", "-Rf", "--force": ["-y"]
    default: [word]
    }
  }

  /// What helps where the options or arguments of another program were typed.
  ///
  /// - Parameters:
  ///   - message: The parser's complaint, without what was typed.
  ///   - verb: Our verb.
  ///   - arguments: The line.
  /// - Returns: The hint; `nil` where the help of the verb is the best one.
  package static func hint(for message: String, verb: String, _ arguments: [String]) -> String? {
    let name = ProgramName.current
    switch verb {
    case "copy" where message.begins(with: "Missing expected argument"):
      return "\(name) copy NAME NEWNAME; to the clipboard: \(name) get NAME --copy"
    case "generate" where message.contains(bytes: "'<characters>'"):
      return "\(name) generate 32; stored: \(name) set NAME --generate --length 32"
    case "set" where message.begins(with: "Unknown option"):
      let fields = [
        "--user", "--username", "--login", "--url", "--password", "--email", "--title", "--notes",
      ]
      guard let field = arguments.first(where: { fields.contains($0) }) else { return nil }
      return field == "--password" || field == "--title"
        ? "\(name) set NAME asks for the secret; more of it: --field user=bob --field url=…"
        : "as a field: \(name) set NAME --field \(field.dropFirst(2))=…"
    default: return nil
    }
  }

  /// Returns our word for one below a verb, such as `rm` in `key rm`.
  package static func word(for typed: String, among verbs: [String]) -> String? {
    verbs.first { below[$0]?.contains(typed) ?? false }
  }

  /// The answer to a word that stands for no line of ours; `nil` if there is none.
  package static func answer(to word: String) -> String? {
    guard case .answer(let text) = meaning(of: word) else { return nil }
    return text.substituting("{}", with: ProgramName.current)
  }

  // The table is asked once a line: a dictionary of it takes longer to make than to search this.
  private static func meaning(of word: String) -> Habit? {
    table.first { $0.key == word }?.value
  }
}
