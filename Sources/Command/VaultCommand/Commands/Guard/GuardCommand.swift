import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault guard`.
struct GuardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guard",
    abstract: "Run a command that sees no secret but what it uses: an agent, an installer.",
    usage:
      "\(ProgramName.current) guard [--only GLOB…] [--rw PATH…] [--ro PATH…] [<options>] -- COMMAND [ARG…]",
    discussion: """
      Behind the wall are the system's programs, the working folder, and what --rw and --ro name. The home is \
      empty; there is no other process, no session bus, no agent, no key of the kernel, and no vault. git, docker, aws, \
      pip and uv get the items that --only names, by their own protocols; with --ssh, its keys of ssh sign.

      \(ProgramName.current) guard --only 'git/github.com/*' -- git pull
      \(ProgramName.current) guard --only 'git/*' --confirm -- ./agent
      \(ProgramName.current) guard --net none -- make test
      \(ProgramName.current) guard --rw ~/.cache/pip --ro ~/.gitconfig -- pip install -r requirements.txt
      """)

  @Option(
    help: ArgumentHelp(
      "Let git, docker, aws, pip and uv use the items that match; repeatable. No session is started.",
      valueName: "glob"))
  var only: [String] = []

  @Flag(help: "Let git, docker and aws also store and forget items that match --only.")
  var store = false

  @Flag(help: "Let ssh and git sign with the keys that match --only; no key is seen.")
  var ssh = false

  @Option(
    help: ArgumentHelp(
      "Ask before an item is used, in approve --watch or by VAULT_ASKPASS (also --confirm alone: about "
        + "each one); repeatable.", valueName: "glob"))
  var confirm: [String] = []

  @Option(
    help: ArgumentHelp("How long a person has for an answer; 2m if omitted.", valueName: "time"))
  var answerWithin: String?

  @Option(
    help: ArgumentHelp(
      "Show a folder or file besides the working folder; repeatable.", valueName: "path"),
    completion: .file())
  var rw: [String] = []

  @Option(
    help: ArgumentHelp("Show a folder or file, to be read alone; repeatable.", valueName: "path"),
    completion: .file())
  var ro: [String] = []

  @Option(
    help: ArgumentHelp(
      "The network: 'host' as it is, or 'none'; host if omitted.", valueName: "net"),
    completion: .list(["host", "none"]))
  var net: String?

  @Option(
    help: ArgumentHelp(
      "Pass a variable of the environment on; repeatable.", valueName: "name"))
  var env: [String] = []

  /// The pattern that `--confirm` alone stands for.
  static let everyItem = "*"

  // The words after `--`: see RunCommand.
  @Option(name: .customLong(RunCommand.commandOption), parsing: .remaining, help: .hidden)
  var command: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    // bubblewrap would take the next file that it opens for a stream that is closed.
    ProcessState.emptyClosedStreams()
    var settings = try common.settings()
    guard !command.isEmpty else {
      throw CommandError.usage(
        "there is no command to run", hint: "\(ProgramName.current) guard -- COMMAND ARGUMENT…")
    }
    guard !store || !only.isEmpty else {
      throw CommandError.usage(
        "--store needs --only, which names what may be stored",
        hint: "\(ProgramName.current) guard --only 'git/github.com/*' --store -- COMMAND")
    }
    guard !ssh || !only.isEmpty else {
      throw CommandError.usage(
        "--ssh needs --only, which names the keys that sign",
        hint: "\(ProgramName.current) guard --only 'ssh/github' --ssh -- git pull")
    }
    guard confirm.isEmpty || !only.isEmpty else {
      throw CommandError.usage(
        "--confirm needs --only, which names what may be let out",
        hint: "\(ProgramName.current) guard --only 'git/github.com/*' --confirm -- COMMAND")
    }
    guard answerWithin == nil || !confirm.isEmpty else {
      throw CommandError.usage(
        "--answer-within needs --confirm",
        hint: "\(ProgramName.current) guard --only 'git/github.com/*' --confirm -- COMMAND")
    }
    guard net.map(["host", "none"].contains) ?? true else {
      throw CommandError.usage("the network is 'host' or 'none'", hint: "--net none")
    }
    // All of the wall before anyone is asked for a passphrase.
    let places = try GuardPlaces(location: settings.location(), keys: settings.keyFiles)
    let folders = try GuardedFolders(writable: rw, readable: ro, places: places)
    var wall = try GuardWall(folders, without: places, variables: env)
    wall.hasNetwork = net != "none"
    let program = try Bubblewrap(withNetwork: wall.hasNetwork)
    for folder in places.searched(within: folders.working) {
      StandardError.note(
        "PATH leads into the working folder: the command may change programs in "
          + Sanitizer.visible(folder))
    }
    if only.isEmpty {
      StandardError.note("nothing of the vault is let out: there is no --only")
    } else {
      _ = try HelperProgram.path()
      // A session would let every program of the user read the whole vault.
      settings.sessionSeconds = 0
      let patterns = only.map { NamePattern($0) }
      let (key, names, hasKeyring) = try settings.withVault { vault in
        let snapshot = try vault.readInPlace()
        func isMeant(_ name: String) -> Bool { patterns.contains { $0.matches(name) } }
        return (
          vault.vaultKey, snapshot.names(matching: .all).filter(isMeant),
          KeyringRequest.items(in: snapshot).contains { isMeant($0.name.text) }
        )
      }
      (wall.hasKeyring, wall.hasAgent) = (hasKeyring, ssh)
      if names.isEmpty {
        StandardError.note(
          store
            ? "no item matches --only yet: what git stores there is let out"
            : "no item matches --only: nothing is let out")
      }
      wall.profiles = GuardWall.profiles(in: names)
      var order = KeyringServingOrder(settings)
      order.patterns = only
      order.isReadOnly = !store
      order.servesKeys = ssh
      order.writable = folders.all.filter(\.isWritable).map(\.path)
      order.confirmed = confirm
      if let answerWithin { try order.setPatience(answerWithin) }
      if !order.confirmed.isEmpty { try folders.checkAskpass() }
      wall.socket = try order.startHelper(.guardCommand, [key])
    }
    Notices.tell(isAtEnd: true)
    // The parser's words are text; these are the bytes that were typed.
    try wall.replaceProcess(RawArguments.last(command.count), by: program)
  }
}
