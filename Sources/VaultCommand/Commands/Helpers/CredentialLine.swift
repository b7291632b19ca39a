import ArgumentParser

/// `vault credential`: its words go to the helper as they are, since another program says them.
struct CredentialCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential",
    abstract: "Speak the protocol of another program: git, docker, aws, askpass, keyring.",
    discussion: """
      Other programs call it; 'vault connect' tells them to. Common options stand before the words of the \
      protocol.

      vault credential git get|store|erase|capability
      vault credential docker get|store|erase|list|version
      vault credential aws PROFILE [get|store|erase]
      vault credential askpass PROMPT
      vault credential keyring get|set|del SERVICE USER
      """)

  @Argument(
    help: "Which protocol.", completion: .list(CredentialProtocol.allCases.map(\.rawValue)))
  var face: String

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("What the program says.", valueName: "action"), completion: .live)
  var words: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try line().run() }

  /// The line that the words make.
  func line() throws -> CredentialLine {
    guard let face = CredentialProtocol(rawValue: face) else {
      throw CommandError.usage(
        "there is no such protocol",
        hint: "known: \(CredentialProtocol.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let (behind, words) = CredentialLine.split(words, face)
    return CredentialLine(
      face: face,
      settings: try behind.isEmpty ? common.settings() : VaultSettings(parsing: behind),
      words: words)
  }
}

/// A line of `vault credential`, recognised before the argument parser.
///
/// A prompt and a service may begin with a `-`: nothing of them is an option.
struct CredentialLine: Equatable {
  let face: CredentialProtocol
  let settings: VaultSettings
  let words: [String]

  init(face: CredentialProtocol, settings: VaultSettings, words: [String]) {
    self.face = face
    self.settings = settings
    self.words = words
  }

  /// The line, if its verb is `credential`; common options may stand before the verb and behind the
  /// protocol's name.
  init?(_ arguments: [String]) {
    let (before, rest) = CommandLineParsing.leadingOptions(arguments)
    guard rest.first == CredentialCommand.verbName, let word = rest.dropFirst().first,
      let face = CredentialProtocol(rawValue: word)
    else { return nil }
    let said = Array(rest.dropFirst(2))
    guard said != ["--help"], said != ["-h"] else { return nil }
    let (behind, words) = Self.split(said, face)
    let options = before + behind
    guard
      let settings = VaultSettings(plain: options) ?? (try? VaultSettings(parsing: options))
    else { return nil }
    self.init(face: face, settings: settings, words: words)
  }

  /// The common options behind the protocol's name, and what the program says.
  static func split(
    _ said: [String], _ face: CredentialProtocol
  ) -> (options: [String], words: [String]) {
    // What a person is asked may look like our options.
    guard face != .askpass else { return ([], said) }
    let (options, words) = CommandLineParsing.leadingOptions(said)
    return (options, Array(words))
  }

  func run() throws {
    switch face {
    case .git: try GitHelper(settings: settings).run(words)
    case .docker: try DockerHelper(settings: settings).run(words)
    case .aws: try AWSHelper(settings: settings).run(words)
    case .askpass: try AskpassHelper(settings: settings).run(words)
    case .keyring: try KeyringHelper(settings: settings).run(words)
    }
  }
}
