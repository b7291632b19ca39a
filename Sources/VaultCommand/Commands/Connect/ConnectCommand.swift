import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultTerminal

/// The arguments of `connect` and `disconnect`.
struct ConnectionOptions: ParsableArguments {
  @Argument(
    help: "git, docker, podman, aws, pip, keyring or sync.",
    completion: .list(Connection.Program.allCases.map(\.rawValue)))
  var program: String

  @Argument(
    help: ArgumentHelp(
      """
      The profile for aws, 'default' if omitted; a registry for docker, all if omitted; 'socket' for keyring, \
      for a bus of its own.
      """,
      valueName: "part"))
  var part: String?

  @Flag(name: [.long, .customShort("n")], help: "Only show what would be written.")
  var dryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func connection() throws -> Connection {
    try Connection(program, part: part, settings: common.settings())
  }

  /// Makes the changes, unless this is a dry run, and prints them.
  func perform(_ changes: [Connection.Change], verbs: (done: String, planned: String)) throws {
    if !dryRun { for change in changes { try change.perform() } }
    if common.json {
      return try StandardOutput.write([
        ("program", .string(program)), ("isDryRun", .bool(dryRun)),
        (
          "changes",
          .array(
            changes.map {
              .object([("path", .string($0.path)), ("lines", .strings($0.lines))])
            })
        ),
      ])
    }
    for change in changes {
      try StandardOutput.line(
        "\(dryRun ? verbs.planned : verbs.done) \(StandardOutput.shown(change.path)):")
      for line in change.lines { try StandardOutput.line("  \(StandardOutput.shown(line))") }
    }
    if changes.isEmpty { StandardError.note("there is nothing to do") }
  }
}

/// `vault connect`.
struct ConnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Have another program get its credentials from the vault.",
    discussion: """
      Changes its configuration and reports the change; '\(ProgramName.current) disconnect' undoes exactly \
      that.

      \(ProgramName.current) connect git
      \(ProgramName.current) connect docker ghcr.io
      \(ProgramName.current) connect aws work --dry-run
      \(ProgramName.current) connect keyring --key-file ~/.config/vault.key
      \(ProgramName.current) connect keyring socket --key-file ~/.config/vault.key
      \(ProgramName.current) connect sync
      """)

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    let connection = try options.connection()
    try options.perform(try connection.connecting(), verbs: ("wrote to", "would write to"))
    for step in try connection.nextSteps() { StandardError.note(step.text, hint: step.hint) }
  }
}

/// `vault disconnect`.
struct DisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect",
    abstract: "Undo what 'connect' wrote, and nothing else.",
    discussion: """
      The stored credentials stay.

      \(ProgramName.current) disconnect git
      """)

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    try options.perform(
      try options.connection().disconnecting(), verbs: ("took out of", "would take out of"))
  }
}
