import ArgumentParser
import VaultCommandCore
import VaultCompletion
import VaultStorage
import VaultTerminal

/// From words to a verb, and from the parser's errors to ours.
package enum CommandLineParsing {
  /// The verb that `arguments` ask for, ready to run.
  static func command(for arguments: [String]) throws -> any ParsableCommand {
    let arguments = namingRevision(namingCommand(movingGlobalOptions(arguments)))
    try checkVerbs(of: arguments)
    return try VaultTool.parsed(arguments)
  }

  /// The line with our words for those that people type by habit.
  static func resolvingHabits(_ arguments: [String]) -> [String] {
    Habit.resolving(arguments, from: arguments.count - leadingOptions(arguments).rest.count)
  }

  /// Every verb on the line is one; the parser would take a misspelled one for a word too many.
  private static func checkVerbs(of arguments: [String]) throws {
    var commands = VaultTool.configuration.allVerbs
    var path: [String] = []
    var rest = arguments[...]
    while !commands.isEmpty {
      rest = leadingOptions(Array(rest)).rest
      guard let word = rest.popFirst(), !word.begins(with: "-") else { return }
      // What it is asked about is a verb, too.
      if word == "help", path.isEmpty { continue }
      guard let found = commands.first(where: { $0.verbName == word }) else {
        throw unknownVerb(
          among: commands.map { $0.verbName } + (path.isEmpty ? ["help"] : []), near: word,
          after: path)
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
  private static func tooManyWords(for verb: String) -> CommandError? {
    let name = ProgramName.current
    switch verb {
    case OTPCommand.verbName:
      return .usage(
        "one item at a time", hint: "a seed is stored by: \(name) set NAME --otp")
    case RestoreCommand.verbName:
      return .usage(
        "one item at a time", hint: "a backup becomes a vault by: \(name) init --from FILE")
    case GetCommand.verbName, EditCommand.verbName, ShowCommand.verbName,
      HistoryCommand.verbName:
      return .usage("one item at a time", hint: "see: \(name) help \(verb)")
    case ReadCommand.verbName:
      return .usage("one reference at a time", hint: "several in a text: \(name) inject")
    case ListCommand.verbName, ExportCommand.verbName:
      return .usage(
        "one pattern at a time",
        hint: "put it between quotes, so that the shell leaves it alone: "
          + "\(name) \(verb == ListCommand.verbName ? verb : "\(verb) json") 'work/*'")
    case RenameCommand.verbName, CopyCommand.verbName:
      return .usage(
        "one item or folder at a time, and its new name",
        hint: "a whole folder: \(name) \(verb) web/ old/")
    default: return nil
    }
  }

  /// The parser's complaint without what was typed.
  static func usage(for error: any Error, in arguments: [String]) -> CommandError {
    let message = VaultTool.message(for: error)
    // What our own verbs complain of is in their words.
    let text = error is ValidationError ? message : ParserMessage(message, for: arguments).text
    let verb = arguments.first { name in
      VaultTool.configuration.allVerbs.contains { $0.verbName == name }
    }
    if text.contains(bytes: "nexpected argument"), let verb, let error = tooManyWords(for: verb) {
      return error
    }
    if let verb, let hint = Habit.hint(for: text, verb: verb, arguments) {
      return .usage(text.lowercasedFirst, hint: hint)
    }
    return .usage(
      text.lowercasedFirst,
      hint: "see: \(ProgramName.current) \(verb.map { "help \($0)" } ?? "--help")")
  }

  /// Lets the common options stand before the verb, too: `vault --home X list`.
  package static func movingGlobalOptions(_ arguments: [String]) -> [String] {
    var (leading, rest) = leadingOptions(arguments)
    guard !leading.isEmpty else { return arguments }
    var verbs: [String] = []
    var commands = VaultTool.configuration.allVerbs
    while let word = rest.first, let found = commands.first(where: { $0.verbName == word }) {
      verbs.append(word)
      rest = rest.dropFirst()
      commands = found.configuration.allVerbs
    }
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

  /// Whether a line runs another program, which follows `--`: `run`, `keyring serve`.
  private static func runsProgram(_ arguments: ArraySlice<String>) -> Bool {
    guard arguments.first == KeyringCommand.verbName else {
      return arguments.first == RunCommand.verbName
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

  /// Whether every verb takes an option of this name.
  static func isCommonOption(_ name: String) -> Bool {
    (PlainVerb.common.flags + PlainVerb.common.options).contains("--\(name)")
  }

  /// Says that a word is no verb; the word itself, which may be a secret, is not repeated.
  private static func unknownVerb(
    among verbs: [String], near word: String, after path: [String]
  ) -> CommandError {
    let line = ([ProgramName.current] + path).joined(separator: " ")
    // A word of the table is no secret.
    if path.isEmpty, let answer = Habit.answer(to: word) {
      return .usage("unknown command '\(word)'", hint: answer)
    }
    return .usage(
      "unknown command",
      hint: (Habit.word(for: word, among: verbs) ?? Suggestion.nearest(to: word, among: verbs))
        .map { "did you mean: \(line) \($0)" }
        ?? (path.isEmpty ? "all commands: \(line) help all" : "see: \(line) --help"))
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
