import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultStorage
import VaultTerminal

/// A word in the verb's place that is no verb, and what helps.
///
/// The word itself, which may be a secret, is repeated only if it is one of ``Habit``'s, or the name
/// of an item.
struct UnknownVerb {
  let word: String
  /// The verbs before it.
  let path: [String]
  /// The verbs that may stand there.
  let verbs: [String]
  /// The line as it was typed.
  let typed: [String]

  /// The error, with the line that was meant where that is known.
  var error: CommandError {
    let (options, rest) = CommandLineParsing.leadingOptions(typed)
    CommandLineParsing.adoptPlace(of: typed.prefix { $0 != "--" })
    // A word of the table is no secret.
    let isKnown = path.isEmpty && Habit.isKnown(word)
    return .usage(
      isKnown ? "unknown command '\(Sanitizer.visible(word))'" : "unknown command",
      hint: hint(options, Array(rest)))
  }

  private func hint(_ options: [String], _ rest: [String]) -> String {
    let name = ProgramName.current
    let line = ([name] + path).joined(separator: " ")
    // What is asked about is a verb, too.
    let asked = rest.first == "help" ? Array(rest.dropFirst()) : rest
    if let verb = swallowed(by: options) {
      return "after --vault comes the name of a vault: \(name) --vault NAME \(verb)"
    }
    if let hint = Habit.hint(for: asked, path: path) { return hint }
    if let near = Habit.word(for: word, among: verbs) { return "did you mean: \(line) \(near)" }
    if isAlone(asked), let item = knownItem(options) { return "did you mean: \(line) \(item)" }
    if let near = Habit.nearest(to: word, among: verbs) { return "did you mean: \(line) \(near)" }
    if !path.isEmpty { return "\(line) has: \(verbs.joined(separator: ", "))" }
    if isAlone(asked), let item = knownItem(options, isNear: true) {
      return "did you mean: \(line) \(item)"
    }
    // `envchain NAME COMMAND`, `aws-vault … -- COMMAND`: the word is a secret's, or a folder's.
    let command = rest.dropFirst().filter { $0 != "--" }
    if path.isEmpty, !command.isEmpty, rest.first == word, knownItem(options) != nil,
      let run = ForgottenSeparator(options + [RunCommand.verbName, word] + command)
    {
      return "secrets for a command: \(run.line); all commands: \(name) help all"
    }
    if let separator = rest.firstIndex(of: "--"), separator < rest.count - 1 {
      return "secrets for a command: \(name) run NAME… -- COMMAND; all commands: \(name) help all"
    }
    return "an item is read by: \(name) get NAME; all commands: \(name) help all"
  }

  /// The verb that an option before it took for its value: `vault --vault get x`.
  private func swallowed(by options: [String]) -> String? {
    guard path.isEmpty, let place = options.lastIndex(of: "--vault"),
      options.indices.contains(place + 1), verbs.contains(options[place + 1])
    else { return nil }
    return options[place + 1]
  }

  /// Whether nothing but options follows the word: what has an operand is a verb.
  private func isAlone(_ rest: [String]) -> Bool {
    path.isEmpty && rest.dropFirst().allSatisfy { $0.begins(with: "-") }
  }

  /// A shorter word is near to too much.
  private static let shortestGuess = 5

  /// The line for the item or folder that the word names, whole or by its last part, found where
  /// nothing must be asked.
  ///
  /// Only the whole name is answered with the line that shows the secret: a guess never is.
  ///
  /// - Parameters:
  ///   - options: The common options of the line.
  ///   - isNear: Whether a name will do that is nearly the word.
  /// - Returns: The verb and the name; `nil` if there is none.
  private func knownItem(_ options: [String], isNear: Bool = false) -> String? {
    guard !word.isEmpty, let vault = LiveNames.vault(of: options),
      let names = try? vault.names(beginningWith: "")
    else { return nil }
    func show(_ name: String) -> String { "show \(Quoting.visible(name))" }
    guard !isNear else {
      guard names.count <= 5000, word.utf8.count >= Self.shortestGuess else { return nil }
      let parts = names.map { String($0.lastComponent) }
      if let part = Suggestion.nearest(to: word, among: parts),
        let place = parts.firstIndex(of: part)
      {
        return show(names[place])
      }
      return Suggestion.nearest(to: word, among: names).map(show)
    }
    if names.contains(word) { return "get \(Quoting.visible(word))" }
    let ending = names.filter { $0.ends(with: "/\(word)") }
    if ending.count == 1 { return show(ending[0]) }
    let folder = word.hasSuffix("/") ? word : word + "/"
    let isFolder = names.contains { $0.utf8.starts(with: folder.utf8) }
    return isFolder ? "list \(Quoting.visible(folder))" : nil
  }
}

/// What helps on a line that a verb does not take, where no row of ``Habit`` is about it.
struct UsageHint {
  let text: String

  /// - Parameters:
  ///   - message: The parser's complaint.
  ///   - path: Our verbs on the line.
  ///   - line: The line.
  init(_ message: String, path: [String], line: [String]) {
    let name = ProgramName.current
    guard !path.isEmpty else {
      text = Self.ofLeadingOption(line, name)
      return
    }
    let verb = path.joined(separator: " ")
    let help = "\(name) help \(verb)"
    let grammar = CommandGrammar.all.first { $0.path == verb }
    let words = grammar?.positionals.filter(\.isVisible).map { argument in
      (argument.valueName ?? "").uppercased() + (argument.isRepeating ? "…" : "")
    }
    let usage = ([name, verb] + (words ?? [])).joined(separator: " ")
    if message.begins(with: "Missing expected argument"), grammar != nil {
      text = "\(usage); \(Self.whereToLook(message, verb, name) ?? "more: \(help)")"
    } else if message.contains(bytes: "nexpected argument"), grammar != nil {
      text = "it takes no more than: \(usage); more: \(help)"
    } else if message.begins(with: "Missing value for '"), let option = Self.option(of: message),
      zip(line, line.dropFirst()).contains(where: { $0 == option && $1.begins(with: "-") })
    {
      text = "a value that begins with a hyphen: \(option)=VALUE; see: \(help)"
    } else if message.begins(with: "Missing value for '"), let option = Self.option(of: message),
      let argument = grammar?.arguments.first(where: { $0.names.contains(option) })
    {
      let value = (argument.valueName ?? "value").uppercased()
      let explanation = argument.explanation
      let sentence = explanation.ends(with: ".") ? String(explanation.dropLast()) : explanation
      text = "\(option) \(value): \(sentence); see: \(help)"
    } else if message.begins(with: "Unknown option"), let verbs = grammar?.verbs, !verbs.isEmpty {
      text = "\(name) \(verb) has: \(verbs.map(\.name).joined(separator: ", "))"
    } else if message.begins(with: "Unknown option"), let grammar {
      let options = grammar.arguments.filter { $0.isVisible && $0.kind != .positional }
        .compactMap { argument in argument.names.first { $0.begins(with: "--") } }
        .filter {
          !CommandLineParsing.isCommonOption(String($0.dropFirst(2)))
            && !["--help", "--trust-key-file"].contains($0)
        }
      let shown = options.prefix(6).joined(separator: ", ")
      text =
        options.isEmpty
        ? "it takes no more than: \(usage), for programs with --json; more: \(help)"
        : "it has \(shown)\(options.count > 6 ? " …" : ""); see: \(help)"
    } else {
      text = "see: \(help)"
    }
  }

  /// Where the names are shown of what is missing.
  private static func whereToLook(_ message: String, _ verb: String, _ name: String) -> String? {
    if verb.begins(with: "data "), message.contains(bytes: "<store>") {
      return "the stores: \(name) data stores"
    }
    if verb.begins(with: "data "), message.contains(bytes: "<entity>") {
      return "the entities: \(name) data schema STORE"
    }
    if ["sync init", "sync join", "sync move"].contains(verb), message.contains(bytes: "<store>") {
      return
        "STORE is a folder that the machines share, or the address of a git repository; others: "
        + "\(name) help \(verb)"
    }
    return nil
  }

  /// The option that lacks a value.
  private static func option(of message: String) -> String? {
    message.parts(at: "'").dropFirst().first
      .map { String($0.unicodeScalars.prefix { $0 != " " }) }
  }

  /// What helps where an option stands in the verb's place: `--list`, `-c NAME`.
  private static func ofLeadingOption(_ line: [String], _ name: String) -> String {
    guard
      let option = CommandLineParsing.leadingOptions(line).rest.first, option.begins(with: "-")
    else { return "see: \(name) --help" }
    let taking = CommandGrammar.root.verbs.filter { verb in
      verb.arguments.contains { $0.isVisible && $0.names.contains(option) }
    }.map(\.name)
    if taking.contains(GetCommand.verbName) {
      return "the verb comes first: \(name) \(GetCommand.verbName) \(option) NAME"
    }
    let word = String(option.unicodeScalars.drop { $0 == "-" }).lowercased()
    if CommandGrammar.root.verbs.contains(where: { $0.name == word }) {
      return "without the hyphens: \(name) \(word)"
    }
    guard let verb = taking.first else {
      return "the verb comes first: \(name) get NAME; see: \(name) --help"
    }
    return "the verb comes first: \(name) \(verb) \(option) NAME"
  }
}
