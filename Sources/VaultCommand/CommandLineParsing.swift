import ArgumentParser

/// From words to a verb, and from the parser's errors to ours.
package enum CommandLineParsing {
  /// The verb that `arguments` ask for, ready to run.
  static func command(for arguments: [String]) throws -> any ParsableCommand {
    let arguments = namingCommand(movingGlobalOptions(arguments))
    if let verb = arguments.first, !verb.hasPrefix("-") {
      let verbs = VaultTool.configuration.allVerbs.map { $0.verbName } + ["help"]
      guard verbs.contains(verb) else { throw unknownVerb(verb, among: verbs) }
    }
    return try VaultTool.parseAsRoot(arguments)
  }

  /// Whether ArgumentParser threw it, rather than one of our verbs.
  static func isFromParser(_ error: any Error) -> Bool {
    switch error {
    case is CommandError: false
    case is CleanExit, is ValidationError, is ExitCode: true
    default: String(reflecting: type(of: error)).hasPrefix("ArgumentParser")
    }
  }

  /// Whether it is no error, but help or a version that was asked for.
  static func isAnswer(_ error: any Error) -> Bool {
    VaultTool.exitCode(for: error) == .success
  }

  /// The parser's complaint without what was typed: a word out of place may be a secret.
  static func usage(for error: any Error, in arguments: [String]) -> CommandError {
    var message = VaultTool.message(for: error)
    for argument in arguments where !argument.isEmpty {
      if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
        message = message.replacing("'\(argument)'", with: "'\(argument[..<equals])'")
      } else if !argument.hasPrefix("-") {
        message = message.replacing("'\(argument)'", with: "'…'")
      }
    }
    let first = message.split(separator: "\n").first.map(String.init) ?? "the line is not complete"
    let verb = arguments.first { name in
      VaultTool.configuration.allVerbs.contains { $0.verbName == name }
    }
    return .usage(
      first.lowercasedFirst, hint: "see: vault \(verb.map { "help \($0)" } ?? "--help")")
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
    while let word = rest.first, word.hasPrefix("--"), word != "--" {
      let name = String(word.dropFirst(2).prefix { $0 != "=" })
      if flags.contains(name) {
        leading.append(word)
      } else if options.contains(name) {
        leading.append(word)
        if !word.contains("="), let value = rest.dropFirst().first {
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

  /// Names the command of `vault run`, which follows `--`.
  private static func namingCommand(_ arguments: [String]) -> [String] {
    guard arguments.first == RunVerb.verbName, let separator = arguments.firstIndex(of: "--") else {
      return arguments
    }
    var arguments = arguments
    arguments[separator] = "--\(RunVerb.commandOption)"
    return arguments
  }

  private static let flags: Set<String> = [
    "json", "accept-rollback", "no-session", "no-keyring", "require-encrypted-session",
  ]
  private static let options: Set<String> = [
    "home", "vault", "passphrase", "key-file", "keyring-timeout",
  ]

  private static func unknownVerb(_ word: String, among verbs: [String]) -> CommandError {
    let near = verbs.map { (verb: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= max(1, $0.verb.count / 3) }
      .min { $0.distance < $1.distance }
    return .usage(
      "there is no such command",
      hint: near.map { "did you mean: vault \($0.verb)" } ?? "all commands: vault --help")
  }

  /// How many letters are to be changed, added, left out or exchanged with their neighbour.
  ///
  /// Damerau, "A technique for computer detection and correction of spelling errors", 1964.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count <= 32, !left.isEmpty else { return .max }
    var rows = [Array(0...right.count)]
    for i in 1...left.count {
      var row = [i]
      for j in 1...right.count {
        let cost = left[i - 1] == right[j - 1] ? 0 : 1
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}

extension CommandConfiguration {
  /// The verbs of a command, grouped ones too.
  var allVerbs: [any ParsableCommand.Type] {
    subcommands + groupedSubcommands.flatMap { $0.subcommands }
  }
}

extension ParsableCommand {
  /// The word that stands for the command on a line.
  static var verbName: String { configuration.commandName ?? "" }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
