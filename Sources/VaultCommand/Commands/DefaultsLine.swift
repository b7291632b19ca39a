import ArgumentParser
import VaultStorage

/// `vault defaults`: its words go to ``DefaultsTool`` as they are, since there everything may be a value.
struct DefaultsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "defaults",
    abstract: "Keep preferences, in the grammar of macOS's defaults.",
    discussion: """
      vault defaults write com.example.tool theme -string dark
      vault defaults read com.example.tool theme
      vault defaults help
      """)

  @Argument(
    parsing: .captureForPassthrough, help: "See: vault defaults help.", completion: .live)
  var words: [String] = []

  func run() throws { try DefaultsLine(["defaults"] + words)?.run() }
}

/// A line of `vault defaults`, recognised before the argument parser.
struct DefaultsLine: Equatable {
  /// Which store; the common options that stand before the verb.
  private(set) var settings = VaultSettings()
  private let words: [String]

  /// The line, if its verb is `defaults`; common options may stand before it.
  init?(_ arguments: [String]) {
    let (leading, rest) = CommandLineParsing.leadingOptions(arguments)
    guard rest.first == DefaultsVerb.verbName else { return nil }
    words = Array(rest.dropFirst())
    guard !leading.isEmpty else { return }
    guard let parsed = try? GlobalOptions.parse(leading).settings() else { return nil }
    settings = parsed
  }

  func run() throws {
    if words == ["--help"] || words == ["-h"] { return try helpOfVerb() }
    let settings = settings
    let tool = DefaultsTool(
      location: { try settings.location() },
      streams: DefaultsTool.Streams(
        output: { bytes in try? StandardOutput.write(bytes) },
        error: { bytes in StandardError.write(bytes) },
        input: { try StandardInput.all() }))
    let status = tool.run(words)
    if status != 0 { throw ExitStatusOnly(status: ExitStatus(code: status)) }
  }

  private func helpOfVerb() throws {
    try StandardOutput.line(VaultTool.helpMessage(for: DefaultsVerb.self))
  }
}
