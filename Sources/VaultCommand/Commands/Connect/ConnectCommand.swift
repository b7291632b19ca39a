import ArgumentParser
import VaultStorage
import VaultTerminal

/// The arguments of `connect` and `disconnect`.
struct ConnectionOptions: ParsableArguments {
  @Argument(
    help: "git, docker, podman, aws or pip.",
    completion: .list(Connection.Program.allCases.map(\.rawValue)))
  var program: String

  @Argument(
    help: ArgumentHelp(
      "For aws the profile, 'default' if left out; for docker a registry, all if left out.",
      valueName: "profile-or-registry"))
  var part: String?

  @Flag(help: "Only say what would be written.")
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
    abstract: "Make another program take its credentials from the vault.",
    discussion: """
      Writes its configuration and says what was written; 'vault disconnect' takes back exactly that.

      vault connect git
      vault connect docker ghcr.io
      vault connect aws work --dry-run
      """)

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    try options.perform(
      try options.connection().connecting(), verbs: ("wrote to", "would write to"))
    if options.program == Connection.Program.pip.rawValue {
      StandardError.note(
        "twine does not run this command: give it the token in the environment",
        hint: "vault run --env TWINE_PASSWORD=NAME -- twine upload -u __token__ dist/*")
    }
  }
}

/// `vault disconnect`.
struct DisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect",
    abstract: "Take back what 'connect' wrote, and nothing else.",
    discussion: """
      The stored credentials stay.

      vault disconnect git
      """)

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    try options.perform(
      try options.connection().disconnecting(), verbs: ("took out of", "would take out of"))
  }
}
