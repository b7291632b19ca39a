import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultTerminal

/// `vault status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the vault, what unlocks it, and the state of the keyring and its copies.",
    discussion: """
      Never prompts, starts no session and changes nothing; names no items. Ends within six seconds, even \
      if the keyring hangs.

      \(ProgramName.current) status
      \(ProgramName.current) status --json
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: StatusRequest { StatusRequest(common: common.given) }
}

/// The parsed line of `vault status`.
struct StatusRequest: Equatable, Sendable {
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    let status = try StatusReport(settings)
    if settings.writesJSON {
      try StandardOutput.write(JSONValue.document(status.members(version: VaultTool.version)))
    } else {
      let rows = status.rows
      try StandardOutput.write(
        TextTable.aligned(rows) { row, column in
          column == 0
            ? .faint : rows[row][0] == StatusReport.openingLabel ? status.opening.style : nil
        })
    }
    Notices.tell()
    guard !settings.writesJSON else { return }
    for warning in status.warnings { StandardError.note(warning.message, hint: warning.hint) }
  }
}
