import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault ssh-agent`.
struct SSHAgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh-agent",
    abstract: "Run a command whose ssh and git sign with the keys of the vault.",
    usage:
      "\(ProgramName.current) ssh-agent [--only GLOB…] [<options>] (--foreground [--at PATH] | --socket | -- COMMAND [ARG…])",
    discussion: """
      The private keys stay where they are: programs get signatures. The agent is there for as long as the \
      command runs, which as by run replaces this program.

      \(ProgramName.current) ssh-agent -- ssh git@github.com
      \(ProgramName.current) ssh-agent --confirm -- git rebase -i main
      \(ProgramName.current) ssh-agent --only 'work/*' -- bash

      With --foreground, it serves until it is ended, and prints the line that leads to it:

      \(ProgramName.current) ssh-agent --foreground
      """)

  @Option(
    help: ArgumentHelp(
      "Serve only the keys whose item matches; repeatable. No session is started.",
      valueName: "glob"))
  var only: [String] = []

  @Flag(help: "Let no program add or remove keys, which are kept in memory alone.")
  var readOnly = false

  @Flag(
    help: """
      Ask in approve --watch, here, or by VAULT_ASKPASS, before a key signs: for which program, host or commit. No session is started.
      """)
  var confirm = false

  @Option(
    help: ArgumentHelp("How long a person has for an answer; 2m if omitted.", valueName: "time"))
  var answerWithin: String?

  @Flag(help: "Serve here until it is ended, for programs that SSH_AUTH_SOCK leads to it.")
  var foreground = false

  @Option(
    help: ArgumentHelp(
      "With --foreground, the socket; $XDG_RUNTIME_DIR/vault-ssh/agent if omitted.",
      valueName: "path"), completion: .file())
  var at: String?

  @Flag(help: "Serve the socket that systemd passes.")
  var socket = false

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
    guard foreground || socket || !command.isEmpty else {
      throw CommandError.usage(
        "there is no command to run",
        hint: "\(ProgramName.current) ssh-agent -- COMMAND ARGUMENT…, or --foreground")
    }
    guard [foreground, socket, !command.isEmpty].filter(\.self).count == 1 else {
      throw CommandError.usage(
        "--foreground, --socket and a command exclude each other",
        hint: "\(ProgramName.current) ssh-agent --foreground")
    }
    guard foreground || at == nil else {
      throw CommandError.usage(
        "--at belongs to --foreground",
        hint: "\(ProgramName.current) ssh-agent --foreground --at PATH")
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
    var order = KeyringServingOrder(settings)
    (order.patterns, order.isReadOnly, order.confirms) = (only, readOnly, confirm)
    if let answerWithin { try order.setPatience(answerWithin) }
    if foreground { order.path = try path() }
    let keys = try order.open()
    if socket { try order.serveSocket(.agentSocket, keys) }
    if foreground { try order.serve(.agentPath, keys) }
    let path = try order.startHelper(.agentCommand, keys)
    Notices.tell(isAtEnd: true)
    try Execution(
      // The parser's words are text; these are the bytes that were typed.
      command: RawArguments.last(command.count),
      secrets: [
        ("SSH_AUTH_SOCK", SecretBytes(copying: Array(path.utf8))),
        (SSHAgentUnit.variable, SecretBytes(copying: [UInt8(ascii: "1")])),
      ],
      removedVariables: PrivateVariables.all.union(["SSH_AGENT_PID"]), keepsLittle: false,
      files: []
    ).replaceProcess()
  }

  /// Where it listens: a whole path, since programs in other folders look for it.
  private func path() throws -> String {
    if let at { return try Self.checked(at) }
    guard let folder = ProcessState.variable("XDG_RUNTIME_DIR"), folder.utf8.first == 0x2F else {
      throw CommandError.usage(
        "XDG_RUNTIME_DIR is not set", hint: "say where to listen: --at PATH")
    }
    return "\(folder)/\(SSHAgentUnit.socketFile)"
  }

  /// A path of `--at` at which nobody else can put a socket of his own.
  private static func checked(_ at: String) throws -> String {
    let hint = "name a place in a folder of your own: --at PATH"
    guard !at.isEmpty else { throw CommandError.usage("--at takes a path", hint: hint) }
    let path = at.utf8.first == 0x2F ? at : "\(UserFile.workingDirectory)/\(at)"
    // sockaddr_un of unix(7).
    guard path.utf8.count < 108 else {
      throw CommandError(.cannotCreate, "the path of a socket has at most 107 bytes", hint: hint)
    }
    if let status = try? System.targetStatus(of: HelperProgram.parent(of: path), in: AT_FDCWD) {
      let isSticky = status.permissions & 0o1000 != 0
      guard status.permissions & 0o002 == 0 || isSticky else {
        throw CommandError(
          .notAllowed, "others may write the folder of '\(at)', and put a socket of theirs there",
          hint: hint)
      }
    }
    if let status = try? System.status(of: path, in: AT_FDCWD),
      status.isRegular || status.isDirectory || status.isCharacterDevice
    {
      throw CommandError(.cannotCreate, "'\(at)' is there already, and is no socket", hint: hint)
    }
    return path
  }
}
