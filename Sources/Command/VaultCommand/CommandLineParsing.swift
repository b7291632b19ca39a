import ArgumentParser
import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultStorage
import VaultTerminal

/// From words to a verb, and from the parser's errors to ours.
package enum CommandLineParsing {
  /// The verb that `arguments` ask for, ready to run.
  ///
  /// - Parameters:
  ///   - arguments: The line in our words.
  ///   - typed: The line as it was typed.
  /// - Returns: The verb.
  /// - Throws: ``CommandError`` with code `usage` for a word that is no verb; what the parser throws.
  static func command(
    for arguments: [String], typed: [String]
  ) throws -> any ParsableCommand {
    if ForgottenSeparator.hasForeignLetters(arguments) { throw RunRequest.NoCommand() }
    let arguments = joiningValues(namingRevision(namingCommand(movingGlobalOptions(arguments))))
    try checkVerbs(of: arguments, typed)
    return try VaultTool.parsed(arguments)
  }

  /// The line with our words for those that people type by habit.
  static func resolvingHabits(_ arguments: [String]) -> [String] {
    Habit.resolving(arguments, from: arguments.count - leadingOptions(arguments).rest.count)
  }

  /// Every verb on the line is one; the parser would take a misspelled one for a word too many.
  private static func checkVerbs(of arguments: [String], _ typed: [String]) throws {
    var commands = VaultTool.configuration.allVerbs
    var path: [String] = []
    var rest = arguments[...]
    while !commands.isEmpty {
      rest = leadingOptions(Array(rest)).rest
      guard let word = rest.popFirst(), !word.begins(with: "-") else { return }
      // What it is asked about is a verb, too.
      if word == "help", path.isEmpty { continue }
      guard let found = commands.first(where: { $0.verbName == word }) else {
        throw UnknownVerb(
          word: word, path: path,
          verbs: commands.filter { $0.configuration.shouldDisplay }.map { $0.verbName }
            + (path.isEmpty ? ["help"] : []), typed: typed
        ).error
      }
      path.append(word)
      commands = found.configuration.allVerbs
    }
  }

  /// Whether ArgumentParser threw it, rather than one of our verbs.
  static func isFromParser(_ error: any Error) -> Bool {
    switch error {
    case is CommandError, is TerminalError: false
    case is CleanExit, is ValidationError, is ExitCode: true
    default: String(reflecting: type(of: error)).begins(with: "ArgumentParser")
    }
  }

  /// Whether it is no error, but help or a version that was asked for.
  static func isAnswer(_ error: any Error) -> Bool {
    VaultTool.exitCode(for: error) == .success
  }

  /// What a verb says of a word too many; `nil` where the parser's words will do.
  private static func tooManyWords(
    _ message: String, _ path: [String], _ arguments: [String]
  ) -> CommandError? {
    guard message.contains(bytes: "nexpected argument") else { return nil }
    if let known = wordBelow(path) { return known }
    guard path.count == 1 else { return nil }
    let verb = path[0]
    let name = ProgramName.current
    switch verb {
    case OTPCommand.verbName:
      return .usage(
        "one item at a time", hint: "a seed is stored by: \(name) set NAME --otp")
    case RestoreCommand.verbName:
      return .usage(
        "one item at a time", hint: "a backup becomes a vault by: \(name) init --from FILE")
    case GetCommand.verbName:
      return .usage(
        "one item at a time",
        hint: "several for a program: \(name) run NAME… -- COMMAND; a field: \(name) get NAME "
          + "--field user; whose items: \(name) list bob")
    case EditCommand.verbName:
      return .usage(
        "one item at a time", hint: "the items of a folder in one file: \(name) edit work/")
    case ShowCommand.verbName, HistoryCommand.verbName:
      return .usage(
        "one item at a time", hint: "of several: \(name) list work/ --long")
    case ReadCommand.verbName:
      return .usage("one reference at a time", hint: "several in a text: \(name) inject")
    case ListCommand.verbName where severalWords(arguments) != nil:
      return .usage(
        "several words are looked for between quotes",
        hint: "\(name) \(verb) \(Quoting.typed(severalWords(arguments) ?? ""))")
    case ListCommand.verbName, ExportCommand.verbName:
      return .usage(
        "one pattern at a time",
        hint: "put it between quotes, so that the shell leaves it alone: "
          + "\(name) \(verb == ListCommand.verbName ? verb : "\(verb) json") 'work/*'")
    case RenameCommand.verbName, CopyCommand.verbName:
      return .usage(
        "one item or folder at a time, and its new name",
        hint: "a whole folder: \(name) \(verb) web/ old/")
    case InitCommand.verbName:
      return .usage(
        "'init' takes no folder and no name",
        hint: "in a folder of its own: \(name) --home FOLDER init; another vault: "
          + "\(name) --vault NAME init")
    default: return nil
    }
  }

  /// The words of a line that looks for several: none is a pattern, nor a file that the shell has put
  /// for one.
  private static func severalWords(_ arguments: [String]) -> String? {
    let words = leadingOptions(Array(leadingOptions(arguments).rest.dropFirst())).rest
    let areWords = words.allSatisfy { word in
      !word.isEmpty && !word.begins(with: "-") && !SecretInput.exists(word)
        && !word.unicodeScalars.contains { "*?[/ ".unicodeScalars.contains($0) }
    }
    return areWords ? words.joined(separator: " ") : nil
  }

  /// What `unlock` and the words for it say of a name: of a vault, an item or a folder that is there.
  ///
  /// Any other word may be the passphrase, and is not repeated.
  private static func unlockedName(_ typed: [String], _ path: [String]) -> CommandError? {
    let (options, rest) = leadingOptions(typed)
    guard path == [UnlockCommand.verbName], let verb = rest.first,
      let word = rest.dropFirst().first, !word.begins(with: "-")
    else { return nil }
    let (name, quoted) = (ProgramName.current, Quoting.typed(word))
    let vaults = (try? VaultList(VaultSettings()).vaults) ?? []
    if options.isEmpty, vaults.contains(where: { $0.name == word }) {
      return .usage(
        "the name of a vault stands behind --vault",
        hint: "\(name) --vault \(quoted) \(UnlockCommand.verbName)")
    }
    let names = (try? LiveNames.vault(of: options)?.names(beginningWith: word)) ?? []
    if names.contains(word) {
      return .usage("a vault is unlocked whole", hint: "the item: \(name) get \(quoted)")
    }
    if names.contains(where: { $0.utf8.starts(with: "\(word)/".utf8) }) {
      return .usage(
        "a vault is unlocked whole", hint: "the folder: \(name) list \(Quoting.typed(word + "/"))")
    }
    // Only `unlock` itself is behind a person who types a passphrase.
    return verb == "open" ? .usage("'open' unlocks the vault, and takes no name") : nil
  }

  /// What a verb says that asks for a secret, where it stands on the line; and an invitation for
  /// somebody.
  private static func wordBelow(_ path: [String]) -> CommandError? {
    let name = ProgramName.current
    let sources = "env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND"
    return switch path.joined(separator: " ") {
    case "sync join":
      .usage(
        "an invitation \(SyncJoinCommand.neverOnTheLine)",
        hint:
          "leave it out to be asked for it, or use --stdin; this one was seen, so make a new one: "
          + "\(name) sync invite")
    case "sync invite":
      .usage(
        "an invitation names nobody: its code lets in whoever has it",
        hint: "make it: \(name) sync invite; the other machine says what it is called: "
          + "\(name) sync join STORE --label NAME")
    case "keyring unlock":
      .usage(
        "a password \(SyncJoinCommand.neverOnTheLine)",
        hint: "leave it out to be asked for it, or say where it comes from: --keyring-password "
          + "SOURCE: \(sources)")
    case "unlock":
      .usage(
        "a passphrase \(SyncJoinCommand.neverOnTheLine)",
        hint: "leave it out to be asked for it, or say where it comes from: --passphrase SOURCE: "
          + "\(sources); another vault: \(name) --vault NAME unlock")
    case "key add", "key change-passphrase", "key rotate", "key upgrade":
      .usage(
        "a passphrase \(SyncJoinCommand.neverOnTheLine)",
        hint: "leave it out to be asked for it, or say where it comes from: "
          + "\(path[1] == "upgrade" ? "--passphrase" : "--new-passphrase") SOURCE: \(sources)")
    default: nil
    }
  }

  /// The parser's complaint without what was typed.
  ///
  /// - Parameters:
  ///   - error: What the parser threw.
  ///   - arguments: The line in our words.
  ///   - typed: The line as it was typed.
  /// - Returns: The error, with what helps.
  static func usage(
    for error: any Error, in arguments: [String], typed: [String]
  ) -> CommandError {
    let message = VaultTool.message(for: error)
    // What our own verbs complain of is in their words.
    let text = error is ValidationError ? message : ParserMessage(message, for: arguments).text
    let path = verbs(on: arguments)
    let unlocked =
      text.contains(bytes: "nexpected argument") ? unlockedName(typed, path) : nil
    let known = unlocked ?? tooManyWords(text, path, arguments)
    return .usage(
      known?.message ?? text.lowercasedFirst,
      hint: forgottenSeparator(in: arguments, path) ?? unlocked?.hint
        ?? Habit.hint(
          for: Array(leadingOptions(typed).rest), path: path,
          complaint: text.begins(with: "Missing expected argument")
            ? .missing : text.contains(bytes: " is invalid for '<") ? .value : .other)
        ?? known?.hint ?? UsageHint(text, path: path, line: arguments).text)
  }

  /// Says that `run` has nothing to run, with the line that was meant.
  static func missingCommand(in arguments: [String]) -> CommandError {
    let name = ProgramName.current
    return .usage(
      "there is no command to run",
      hint: forgottenSeparator(in: arguments, verbs(on: arguments))
        ?? "\(name) run NAME… -- COMMAND ARGUMENT…")
  }

  private static func forgottenSeparator(in arguments: [String], _ path: [String]) -> String? {
    guard path == [RunCommand.verbName] else { return nil }
    return ForgottenSeparator(arguments)?.line
  }

  /// Our verbs on a line, one below the other.
  private static func verbs(on arguments: [String]) -> [String] {
    var path: [String] = []
    var commands = VaultTool.configuration.allVerbs
    for word in arguments.prefix(while: { $0 != "--" }) {
      guard let found = commands.first(where: { $0.verbName == word }) else { continue }
      path.append(word)
      commands = found.configuration.allVerbs
      if commands.isEmpty { break }
    }
    return path
  }

  /// Joins values that begin with a hyphen to their options, as `--columns -,name,secret`: the parser
  /// takes such a word for options.
  ///
  /// One that the verb knows as an option stays one, and a word with two hyphens always.
  private static func joiningValues(_ arguments: [String]) -> [String] {
    func isShort(_ word: String) -> Bool {
      word.begins(with: "-") && !word.begins(with: "--") && word.utf8.count > 1
    }
    let end = arguments.firstIndex { $0 == "--" || $0 == "--\(RunCommand.commandOption)" }
    let own = arguments[..<(end ?? arguments.endIndex)]
    // Most lines have none.
    guard own.dropFirst().contains(where: isShort) else { return arguments }
    let known = ParserMessage.grammars(of: Array(own)).flatMap(\.arguments)
    let short = Set(known.flatMap(\.names).filter { $0.utf8.count == 2 }.compactMap(\.utf8.last))
    func takesValue(_ word: String) -> Bool {
      known.contains { $0.kind == .option && $0.names.contains(word) }
    }
    var joined: [String] = []
    var isPending = false
    for word in own {
      if isPending, isShort(word), !word.utf8.dropFirst().allSatisfy(short.contains) {
        joined[joined.count - 1] += (joined[joined.count - 1].begins(with: "--") ? "=" : "") + word
        isPending = false
      } else {
        // A value is none, whatever it looks like.
        isPending = !isPending && takesValue(word)
        joined.append(word)
      }
    }
    return joined + arguments[own.endIndex...]
  }

  /// Lets the common options stand before the verb, too: `vault --home X list`, `vault key -q list`.
  package static func movingGlobalOptions(_ arguments: [String]) -> [String] {
    var (leading, rest) = leadingOptions(arguments)
    var verbs: [String] = []
    var commands = VaultTool.configuration.allVerbs
    while let word = rest.first, let found = commands.first(where: { $0.verbName == word }) {
      verbs.append(word)
      rest = rest.dropFirst()
      commands = found.configuration.allVerbs
      let between = leadingOptions(Array(rest))
      if commands.contains(where: { $0.verbName == between.rest.first }) {
        leading += between.options
        rest = between.rest
      }
    }
    guard !leading.isEmpty else { return arguments }
    // A group of verbs alone shows its help, whichever vault is meant.
    if !commands.isEmpty, !verbs.isEmpty, rest.isEmpty { return verbs }
    return verbs + leading + rest
  }

  /// The common options at the beginning of a line, with their values, and what follows.
  static func leadingOptions(
    _ arguments: [String]
  ) -> (options: [String], rest: ArraySlice<String>) {
    var leading: [String] = []
    var rest = arguments[...]
    while let word = rest.first, word == "-q" || word.begins(with: "--") && word != "--" {
      let name = String(word.unicodeScalars.prefix { $0 != "=" })
      if word == "-q" || PlainVerb.common.flags.contains(name) {
        leading.append(word)
      } else if PlainVerb.common.options.contains(name) {
        leading.append(word)
        if !word.unicodeScalars.contains("="), let value = rest.dropFirst().first {
          leading.append(value)
          rest = rest.dropFirst()
        }
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    return (leading, rest)
  }

  /// Whether a line runs another program, which follows `--`: `run`, `keyring serve`, `ssh-agent`, `guard`.
  private static func runsProgram(_ arguments: ArraySlice<String>) -> Bool {
    guard arguments.first == KeyringCommand.verbName else {
      return [RunCommand.verbName, SSHAgentCommand.verbName, GuardCommand.verbName]
        .contains(arguments.first)
    }
    return leadingOptions(Array(arguments.dropFirst())).rest.first == KeyringServeCommand.verbName
  }

  /// Names the command of a line that runs one, which follows `--`.
  private static func namingCommand(_ arguments: [String]) -> [String] {
    guard runsProgram(arguments[...]), let separator = arguments.firstIndex(of: "--") else {
      return arguments
    }
    var arguments = arguments
    arguments[separator] = "--\(RunCommand.commandOption)"
    // The parser has no option whose value may be left out.
    if let watch = arguments[..<separator].firstIndex(of: "--watch") {
      arguments[watch] = "--watch=\(RunWatch.Action.restart.rawValue)"
    }
    if arguments.first == GuardCommand.verbName,
      let confirm = arguments[..<separator].firstIndex(of: "--confirm")
    {
      arguments[confirm] = "--confirm=\(GuardCommand.everyItem)"
    }
    return arguments
  }

  /// Keeps the older form of `--revision N` working: `--version` with a number behind it.
  ///
  /// Alone it asks for the version of the program, as everywhere.
  private static func namingRevision(_ arguments: [String]) -> [String] {
    guard [GetCommand.verbName, RestoreCommand.verbName].contains(arguments.first) else {
      return arguments
    }
    var arguments = arguments
    for (index, word) in arguments.enumerated() {
      let hasValue =
        arguments.indices.contains(index + 1) && !arguments[index + 1].begins(with: "-")
      if word == "--version", hasValue {
        arguments[index] = "--revision"
      } else if word.begins(with: "--version=") {
        arguments[index] = "--revision=" + word.dropFirst("--version=".count)
      }
    }
    return arguments
  }

  /// The words of a line that are read here, as bytes: what follows the `--` of a line that runs
  /// another program is that program's.
  package static func ownWords(of words: [[UInt8]]) -> ArraySlice<[UInt8]> {
    let texts = words.dropFirst().map(RawArguments.shown)
    guard runsProgram(leadingOptions(resolvingHabits(texts)).rest),
      let separator = texts.firstIndex(of: "--")
    else { return words[...] }
    return words[...separator]
  }

  /// Has hints name the vault of a line that no verb has read.
  ///
  /// Only what is there is repeated: a word out of place may be a secret.
  static func adoptPlace(of words: ArraySlice<String>) {
    var settings = VaultSettings()
    settings.home = value(of: "--home", on: words).flatMap { home in
      (try? Directory(home)) == nil ? nil : home
    }
    let name = value(of: "--vault", on: words)
    let vaults = name == nil ? [] : (try? VaultList(settings).vaults) ?? []
    HintLine.adopt(
      vault: vaults.contains { $0.name == name } ? name : nil, home: settings.home)
  }

  /// The value of a common option, wherever it stands on the line.
  private static func value(of option: String, on words: ArraySlice<String>) -> String? {
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if word == option, !next.isEmpty { return next }
      if word.begins(with: "\(option)=") { return String(word.dropFirst(option.count + 1)) }
    }
    return nil
  }

  /// Whether every verb takes an option of this name.
  static func isCommonOption(_ name: String) -> Bool {
    (PlainVerb.common.flags + PlainVerb.common.options).contains("--\(name)")
  }
}

extension CommandConfiguration {
  /// The verbs of a command, grouped ones too.
  var allVerbs: [any ParsableCommand.Type] { subcommands }
}

extension ParsableCommand {
  /// The word that stands for the command on a line.
  static var verbName: String { configuration.commandName ?? "" }
}
