import ArgumentParser
import VaultCommandCore
import VaultDefaultsTool

/// `vault defaults`: its words go to ``DefaultsTool`` as they are, since there everything may be a
/// value.
struct DefaultsCommand: ParsableCommand {
  /// The verb, which every line is compared with: asking `configuration` for it would put the whole
  /// help together at each start.
  static let verbName = "defaults"

  static let configuration = CommandConfiguration(
    commandName: verbName,
    abstract: "Keep preferences, in the grammar of macOS's defaults.",
    discussion: """
      \(ProgramName.current) defaults write com.example.tool theme -string dark
      \(ProgramName.current) defaults read com.example.tool theme
      \(ProgramName.current) defaults help

      \(DefaultsHelp.text)
      """)

  @Argument(
    parsing: .captureForPassthrough, help: "A line as above.",
    completion: .live)
  var words: [String] = []

  func run() throws { try line()?.run() }

  /// The line that the words make.
  func line() -> DefaultsLine? { DefaultsLine([Self.verbName] + words) }

  /// The help of the verb, with the name that this program was called by.
  static var help: String { VaultTool.helpMessage(for: DefaultsCommand.self) }
}
