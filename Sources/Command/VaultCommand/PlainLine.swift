import VaultCommandCore
import VaultStorage
import VaultTerminal

/// A verb whose lines are read without the argument parser, and the options that are read here.
///
/// Options that are missing here, and everything that could be meant otherwise, go through the
/// parser. A test compares both ways for each verb with each of its options.
struct PlainVerb: Sendable {
  let name: String
  /// How many words that are no options a line has.
  let words: ClosedRange<Int>
  /// The options without a value.
  var flags: [String] = []
  /// The options with a value, at most once on a line.
  var options: [String] = []
  /// The options with a value that may be repeated.
  var lists: [String] = []
  /// The one-letter options with the long ones that they stand for.
  var letters: [(letter: String, option: String)] = []
  /// Whether a command follows `--`.
  var takesCommand = false
  /// What the line asks for; `nil` or an error where it is for the parser.
  let read: @Sendable (PlainLine) throws -> FastPath?

  /// All verbs that are read here, those that are used most first.
  static let all = [
    PlainVerb(
      name: "get", words: 1...1, flags: ["--qr", "--copy"],
      options: ["--field", "--revision", "--out", "--clear-after", "--clipboard"],
      letters: [("-f", "--field"), ("-o", "--out"), ("-c", "--copy")],
      read: { .get(try GetRequest($0)) }),
    PlainVerb(
      name: "run", words: 0...Int.max, flags: ["--prefix-names", "--only", "--mask", "--dry-run"],
      options: ["--to-stdin"], lists: ["--env", "--env-file", "--fd", "--as-file"],
      letters: [("-n", "--dry-run")], takesCommand: true, read: { .run(try RunRequest($0)) }),
    PlainVerb(
      name: "set", words: 1...1, flags: ["--stdin", "--exact", "--allow-empty", "--otp"],
      options: ["--file", "--note", "--expires", "--kind"],
      lists: ["--field", "--open", "--conceal", "--tag", "--untag", "--attribute"],
      letters: [("-f", "--field")], read: { .set(try SetRequest($0)) }),
    PlainVerb(
      name: "list", words: 0...1,
      flags: [
        "--long", "--tree", "--no-tree", "--expired", "--conflicts", "--trash", "--vaults",
        "--exit-code", "--no-pager",
      ], options: ["--tag", "--expiring", "--unused", "--exposed-to", "--sort"],
      lists: ["--attribute"],
      letters: [("-l", "--long")],
      read: { .list(try ListRequest($0)) }),
    PlainVerb(
      name: "show", words: 1...1, flags: ["--reveal", "--qr"],
      options: ["--copy", "--revision", "--clear-after", "--clipboard"],
      letters: [("-c", "--copy")], read: { .show(try ShowRequest($0)) }),
    PlainVerb(
      name: "read", words: 1...1,
      read: { .read(ReadRequest(reference: $0.words[0], common: try $0.common())) }),
    PlainVerb(
      name: "otp", words: 1...1, flags: ["--qr", "--copy"],
      options: ["--field", "--clear-after", "--clipboard"],
      letters: [("-f", "--field"), ("-c", "--copy")], read: { .otp(try OTPRequest($0)) }),
    PlainVerb(
      name: "status", words: 0...0,
      read: { .status(StatusRequest(common: try $0.common())) }),
    PlainVerb(
      name: "history", words: 1...1,
      read: { .history(HistoryRequest(name: $0.words[0], common: try $0.common())) }),
    PlainVerb(
      name: "rename", words: 2...2, flags: ["--dry-run", "--yes"],
      letters: [("-n", "--dry-run"), ("-y", "--yes")],
      read: { .move(try MoveRequest(.rename, $0)) }),
    PlainVerb(
      name: "copy", words: 2...2, flags: ["--dry-run", "--yes"],
      letters: [("-n", "--dry-run"), ("-y", "--yes")],
      read: { .move(try MoveRequest(.copy, $0)) }),
    PlainVerb(
      name: "remove", words: 1...Int.max, flags: ["--purge", "--dry-run", "--yes"],
      lists: ["--field"], letters: [("-n", "--dry-run"), ("-y", "--yes")],
      read: { .remove(try RemoveRequest($0)) }),
  ]

  /// The options of every verb, which may stand before it, too.
  static let common = PlainVerb(
    name: "", words: 0...0,
    flags: [
      "--json", "--quiet", "--accept-rollback", "--no-session", "--no-keyring",
      "--require-encrypted-session", "--trust-key-file",
    ],
    options: ["--home", "--vault", "--color", "--passphrase", "--key-file", "--keyring-timeout"],
    letters: [("-q", "--quiet")], read: { _ in nil })
}

/// The words of a line of a ``PlainVerb``, taken apart.
struct PlainLine {
  /// Thrown for a line that the parser has to judge.
  struct ForParser: Error {}

  /// The words that are neither options nor their values.
  private(set) var words: [String] = []
  /// What follows `--`.
  private(set) var command: [String] = []
  private var flags: [String] = []
  private var values: [(option: String, value: String)] = []

  /// Takes a line apart; `nil` where it is for the parser.
  static func read(_ arguments: [String]) -> FastPath? {
    var line = PlainLine()
    var rest = arguments[...]
    while let word = rest.first, word.begins(with: "-") {
      guard line.takeOption(&rest, of: .common) else { return nil }
    }
    guard let name = rest.popFirst(), let verb = PlainVerb.all.first(where: { $0.name == name })
    else { return nil }
    while let word = rest.first {
      if word == "--", verb.takesCommand {
        line.command = Array(rest.dropFirst())
        // The parser sees a difference between no command and an empty one.
        guard !line.command.isEmpty else { return nil }
        break
      }
      if word.begins(with: "-") {
        guard line.takeOption(&rest, of: verb) || line.takeOption(&rest, of: .common) else {
          return nil
        }
      } else {
        guard !word.isEmpty, line.words.count < verb.words.upperBound else { return nil }
        line.words.append(word)
        rest.removeFirst()
      }
    }
    guard line.words.count >= verb.words.lowerBound else { return nil }
    return try? verb.read(line)
  }

  /// Takes a line of common options apart; `nil` where it is for the parser.
  fileprivate static func common(_ options: [String]) throws -> CommonOptions? {
    var line = PlainLine()
    var rest = options[...]
    while !rest.isEmpty { guard line.takeOption(&rest, of: .common) else { return nil } }
    return try line.common()
  }

  /// Takes an option with its value from the rest of the line.
  ///
  /// - Returns: Whether it is an option of the verb, and written in a form that has one meaning.
  private mutating func takeOption(_ rest: inout ArraySlice<String>, of verb: PlainVerb) -> Bool {
    guard let word = rest.first else { return false }
    if let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), word.begins(with: "--") {
      let value = String(word[word.index(after: equals)...])
      guard !value.isEmpty, take(value, for: String(word[..<equals]), of: verb) else {
        return false
      }
      rest.removeFirst()
      return true
    }
    let option = verb.letters.first { $0.letter == word }?.option ?? word
    if verb.flags.contains(option) {
      flags.append(option)
      rest.removeFirst()
      return true
    }
    // A lone hyphen is a value: stdin or stdout.
    guard let value = rest.dropFirst().first, !value.isEmpty,
      !value.begins(with: "-") || value == "-", take(value, for: option, of: verb)
    else { return false }
    rest.removeFirst(2)
    return true
  }

  private mutating func take(_ value: String, for option: String, of verb: PlainVerb) -> Bool {
    let isKnown =
      verb.lists.contains(option)
      || verb.options.contains(option) && !values.contains { $0.option == option }
    if isKnown { values.append((option, value)) }
    return isKnown
  }

  /// Whether the line has a flag.
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The value of an option.
  func value(_ option: String) -> String? { values.first { $0.option == option }?.value }

  /// The values of an option that may be repeated.
  func list(_ option: String) -> [String] {
    values.filter { $0.option == option }.map(\.value)
  }

  /// The value of an option, as the type that it has in the request.
  func value<Value>(_ option: String, as make: (String) -> Value?) throws -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = make(text) else { throw ForParser() }
    return value
  }

  /// The options of every verb.
  func common() throws -> CommonOptions {
    CommonOptions(
      home: value("--home"), vaultName: value("--vault"), json: has("--json"),
      quiet: has("--quiet"), color: try value("--color", as: ColorChoice.init) ?? .auto,
      passphrase: value("--passphrase"), keyFile: value("--key-file"),
      trustKeyFile: has("--trust-key-file"), keyringTimeout: value("--keyring-timeout"),
      acceptRollback: has("--accept-rollback"),
      noSession: has("--no-session"), noKeyring: has("--no-keyring"),
      requireEncryptedSession: has("--require-encrypted-session"))
  }

  /// The options of the clipboard.
  fileprivate var clipboard: ClipboardLine {
    ClipboardLine(
      copy: has("--copy"), clearAfter: value("--clear-after"), clipboard: value("--clipboard"))
  }
}

extension VaultSettings {
  /// Reads common options without the parser, and applies those for output; `nil` where they are
  /// for the parser.
  package init?(plain options: [String]) {
    guard let settings = try? PlainLine.common(options)?.settings() else { return nil }
    self = settings
  }
}

extension GetRequest {
  fileprivate init(_ line: PlainLine) throws {
    try self.init(
      name: line.words[0], field: line.value("--field"),
      version: line.value("--revision", as: { UInt64($0) }), out: line.value("--out"),
      drawsCode: line.has("--qr"), clipboard: line.clipboard, common: line.common())
  }
}

extension RunRequest {
  fileprivate init(_ line: PlainLine) throws {
    self.init(
      names: line.words, prefixNames: line.has("--prefix-names"), env: line.list("--env"),
      envFile: line.list("--env-file"), fd: line.list("--fd"), asFile: line.list("--as-file"),
      toStdin: line.value("--to-stdin"), only: line.has("--only"), mask: line.has("--mask"),
      dryRun: line.has("--dry-run"), command: line.command, common: try line.common())
  }
}

extension SetRequest {
  fileprivate init(_ line: PlainLine) throws {
    let isFromStdin = line.has("--stdin")
    // The parser's side says that they cannot be combined.
    guard !isFromStdin || line.value("--file") == nil else { throw PlainLine.ForParser() }
    self.init(
      name: line.words[0], stdin: isFromStdin, file: line.value("--file"),
      exact: line.has("--exact"), allowEmpty: line.has("--allow-empty"), otp: line.has("--otp"),
      fields: FieldLine(
        field: line.list("--field"), open: line.list("--open"), conceal: line.list("--conceal")),
      details: ItemDetailLine(
        tag: line.list("--tag"), untag: line.list("--untag"), note: line.value("--note"),
        expires: line.value("--expires"), attribute: line.list("--attribute"),
        kind: line.value("--kind")),
      common: try line.common())
  }
}

extension ListRequest {
  fileprivate init(_ line: PlainLine) throws {
    guard !(line.has("--tree") && line.has("--no-tree")) else { throw PlainLine.ForParser() }
    self.init(
      pattern: line.words.first, long: line.has("--long"),
      tree: line.has("--tree") ? true : line.has("--no-tree") ? false : nil,
      tag: line.value("--tag"), attribute: line.list("--attribute"), expired: line.has("--expired"),
      conflicts: line.has("--conflicts"), expiring: line.value("--expiring"),
      unused: line.value("--unused"), exposedTo: line.value("--exposed-to"),
      trash: line.has("--trash"), vaults: line.has("--vaults"),
      sort: try line.value("--sort", as: Order.init) ?? .name, exitCode: line.has("--exit-code"),
      noPager: line.has("--no-pager"), common: try line.common())
  }
}

extension ShowRequest {
  fileprivate init(_ line: PlainLine) throws {
    // --copy has a value here.
    var clipboard = line.clipboard
    clipboard.copy = false
    self.init(
      name: line.words[0], reveal: line.has("--reveal"), copy: line.value("--copy"),
      qr: line.has("--qr"), revision: try line.value("--revision", as: { UInt64($0) }),
      clipboard: clipboard, common: try line.common())
  }
}

extension OTPRequest {
  fileprivate init(_ line: PlainLine) throws {
    self.init(
      name: line.words[0], field: line.value("--field"), qr: line.has("--qr"),
      clipboard: line.clipboard, common: try line.common())
  }
}

extension MoveRequest {
  fileprivate init(_ verb: Verb, _ line: PlainLine) throws {
    self.init(
      verb: verb, name: line.words[0], newName: line.words[1], dryRun: line.has("--dry-run"),
      yes: line.has("--yes"), common: try line.common())
  }
}

extension RemoveRequest {
  fileprivate init(_ line: PlainLine) throws {
    self.init(
      names: line.words, purge: line.has("--purge"), dryRun: line.has("--dry-run"),
      yes: line.has("--yes"), field: line.list("--field"), common: try line.common())
  }
}
