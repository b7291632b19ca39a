import ArgumentParser
import VaultCommandCore
import VaultCompletion
import VaultProtocols

/// `vault credential`: another program writes its words, so they are passed on as they are.
struct CredentialCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential",
    abstract: "Answer other programs: a credential helper for git, docker, aws and others.",
    discussion: """
      Other programs call it, as set up by '\(ProgramName.current) connect'. Common options come before the words of the \
      protocol.

      \(ProgramName.current) credential git get|store|erase|capability
      \(ProgramName.current) credential docker get|store|erase|list|version
      \(ProgramName.current) credential aws PROFILE [get|store|erase]
      \(ProgramName.current) credential kubectl USER
      \(ProgramName.current) credential askpass PROMPT
      \(ProgramName.current) credential keyring get|set|del SERVICE USER
      """)

  @Argument(
    help: ArgumentHelp("The program's protocol.", valueName: "protocol"),
    completion: .list(CredentialProtocol.allCases.map(\.rawValue)))
  var face: String

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The words of the program.", valueName: "action"), completion: .live)
  var words: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try line().run() }

  /// Returns the line of these words.
  func line() throws -> CredentialLine {
    guard let face = CredentialProtocol(rawValue: face) else {
      throw CommandError.usage(
        "unknown protocol",
        hint: Habit.hint(for: [Self.verbName, self.face], path: [Self.verbName])
          ?? "known: \(CredentialProtocol.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let (behind, words) = CredentialLine.split(words, face)
    return CredentialLine(
      face: face,
      settings: try behind.isEmpty ? common.settings() : VaultSettings(parsing: behind),
      words: words)
  }
}
