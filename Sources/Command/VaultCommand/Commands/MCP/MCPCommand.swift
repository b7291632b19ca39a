import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultTerminal

/// `vault mcp`.
struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Let a coding agent run commands with secrets that it does not see (MCP).",
    usage: "\(ProgramName.current) mcp [--only GLOB…] [--no-confirm GLOB…] [<options>]",
    discussion: """
      A client of the Model Context Protocol starts this line and speaks to it on stdin and stdout. It gets the names \
      of items and the masked output of commands, and no value. A person allows each use, in approve --watch, by \
      VAULT_ASKPASS or on the desktop. A vault that is locked is served once it is unlocked.

      claude mcp add vault -- \(ProgramName.current) mcp --only 'work/*'
      \(ProgramName.current) mcp --only 'work/*' --no-confirm work/ci-token
      """)

  @Option(
    help: ArgumentHelp(
      "Let the agent use only the items that match; repeatable, all of them if omitted.",
      valueName: "glob"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Ask nobody about the items that match; repeatable. A person is asked about all others.",
      valueName: "glob"))
  var noConfirm: [String] = []

  @Option(
    help: ArgumentHelp("How long a person has for an answer; 2m if omitted.", valueName: "time"))
  var answerWithin: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    // A client waits for an answer on stdout: nobody is asked, and stdin is the client's.
    var settings = try common.settings().openingAgain()
    // A session would let every program of the user read the whole vault.
    settings.sessionSeconds = 0
    var order = KeyringServingOrder(settings)
    (order.patterns, order.unconfirmed) = (only, noConfirm)
    if let answerWithin { try order.setPatience(answerWithin) }
    (order.hidden, order.version) = (PrivateVariables.all, VaultTool.version)
    if ProcessState.isTerminal(0) {
      StandardError.note(
        "a client of MCP starts this line, and speaks on stdin; Ctrl-D ends it",
        hint: "for example: claude mcp add vault -- \(ProgramName.current) mcp")
    }
    try order.serve(.agentTools, try keys(order))
  }

  /// The vault key; none while the vault is locked: a client starts this before a person unlocks it.
  private func keys(_ order: KeyringServingOrder) throws -> [SecretBytes] {
    do {
      return try order.open()
    } catch let error as CredentialError where [.locked, .fileNotFound].contains(error.code) {
      // Also a key file on a stick that is not there yet.
      return []
    }
  }
}
