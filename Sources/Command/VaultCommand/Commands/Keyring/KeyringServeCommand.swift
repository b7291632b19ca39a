import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultTerminal

/// `vault keyring serve`.
struct KeyringServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run a command that finds the vault as its desktop keyring.",
    usage:
      "\(ProgramName.current) keyring serve [--only GLOB…] [<options>] (--bus | --socket | -- COMMAND [ARG…])",
    discussion: """
      For machines without a keyring: the command gets a session bus of its own, on which programs \
      such as gh, docker and git keep and find their secrets in the vault. Neither dbus-daemon nor \
      libsecret is needed. The bus is there for as long as the command runs. As by run, the command \
      replaces this program: same process, terminal, signals and exit status.

      \(ProgramName.current) keyring serve -- gh auth login
      \(ProgramName.current) keyring serve --only 'gh:*' -- ./agent
      \(ProgramName.current) keyring serve --confirm -- ./agent
      \(ProgramName.current) keyring serve --read-only -- bash

      With --bus, it is the keyring of the session bus that there is, until it is ended:

      \(ProgramName.current) keyring serve --bus
      """)

  @Option(
    help: ArgumentHelp(
      "Serve only items whose name, service or server matches; repeatable. No session is started.",
      valueName: "glob"))
  var only: [String] = []

  @Flag(help: "Let no program store, change or remove anything.")
  var readOnly = false

  @Flag(
    help: """
      Ask in approve --watch, here, or by VAULT_ASKPASS, before a program may use an item. No session is started.
      """)
  var confirm = false

  @Option(
    help: ArgumentHelp(
      "Serve another vault as a further collection; repeatable.", valueName: "name=vault"))
  var collection: [String] = []

  @Option(
    help: ArgumentHelp("How long a person has for an answer; 2m if omitted.", valueName: "time"))
  var answerWithin: String?

  @Flag(help: "Serve the session bus that there is, in the place of a desktop keyring.")
  var bus = false

  @Flag(help: "Serve the socket that systemd passes, as a bus of its own.")
  var socket = false

  @Flag(help: "With --bus, take the place of the keyring that is there.")
  var replace = false

  // The words after `--`: see RunCommand.
  @Option(name: .customLong(RunCommand.commandOption), parsing: .remaining, help: .hidden)
  var command: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    do {
      try serve()
    } catch {
      if socket { ActivatedSocket.refuseWaiting() }
      throw error
    }
  }

  private func serve() throws {
    var settings = try common.settings()
    guard bus || socket || !command.isEmpty else {
      throw CommandError.usage(
        "there is no command to run",
        hint: "\(ProgramName.current) keyring serve -- COMMAND ARGUMENT…")
    }
    guard !(bus || socket) || command.isEmpty, !bus || !socket else {
      throw CommandError.usage(
        "--bus, --socket and a command exclude each other",
        hint: "\(ProgramName.current) keyring serve --bus")
    }
    guard bus || !replace else {
      throw CommandError.usage(
        "--replace belongs to --bus", hint: "\(ProgramName.current) keyring serve --bus --replace")
    }
    // Before anyone is asked for a passphrase.
    _ = try HelperProgram.path()
    guard
      !confirm || Prompt.isPossible || AskpassProgram.configured != nil || ApprovalPlace.isPossible
    else {
      throw CommandError(
        .noTerminal, "there is neither a terminal nor an askpass program to ask with",
        hint: "name a program that asks: \(AskpassProgram.variable)=/path/to/program")
    }
    // A session would let every program of the user read the whole vault.
    if !only.isEmpty || confirm { settings.sessionSeconds = 0 }
    // Where a bus or its socket starts this, the keyring that would be asked is this one.
    if bus && !replace || socket { settings.usesKeyring = false }
    var order = KeyringServingOrder(settings)
    (order.patterns, order.isReadOnly, order.confirms) = (only, readOnly, confirm)
    order.replaces = replace
    if let answerWithin { try order.setPatience(answerWithin) }
    for text in collection { try order.addCollection(text) }
    let keys = try order.open()
    if socket { try order.serveSocket(.keyringSocket, keys) }
    if bus { try order.serve(.keyringBus, keys) }
    let address = try order.startHelper(.keyringCommand, keys)
    Notices.tell(isAtEnd: true)
    try Execution(
      // The parser's words are text; these are the bytes that were typed.
      command: RawArguments.last(command.count),
      secrets: [("DBUS_SESSION_BUS_ADDRESS", SecretBytes(copying: Array(address.utf8)))],
      removedVariables: PrivateVariables.all.union(Self.otherBus), keepsLittle: false, files: []
    ).replaceProcess()
  }

  /// Variables that lead to another bus, or to another keyring.
  private static let otherBus: Set<String> = [
    "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID", "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE", "GNOME_KEYRING_CONTROL",
  ]
}
