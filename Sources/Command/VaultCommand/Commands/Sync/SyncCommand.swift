import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultDataSync
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// `vault sync`.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Keep the vault the same on several machines, through a store that learns nothing.",
    discussion: """
      The store is a folder (a stick, a network drive, one that Syncthing, Dropbox or rsync carries), any git \
      repository, an etcd, a PostgreSQL, or what a program of yours keeps. It gets sealed and signed records, no names and no items. Nothing but 'sync now' brings \
      changes there and back; two values that met are shown by 'list --conflicts'.

      \(ProgramName.current) sync init git@git.example.org:me/secrets.git
      \(ProgramName.current) sync invite
      \(ProgramName.current) sync join git@git.example.org:me/secrets.git
      \(ProgramName.current) sync now
      """,
    subcommands: [
      SyncInitCommand.self, SyncInviteCommand.self, SyncJoinCommand.self, SyncNowCommand.self,
      SyncAutoCommand.self, SyncStatusCommand.self, SyncDevicesCommand.self, SyncRemoveCommand.self,
      SyncRoleCommand.self, SyncAdmitCommand.self, SyncSubscriptionCommand.self,
      SyncMirrorCommand.self,
      SyncRotateCommand.self, SyncMoveCommand.self, SyncResolveCommand.self, SyncAddCommand.self,
      SyncDropCommand.self, SyncSchemaCommand.self, SyncWatchCommand.self,
      SyncLogCommand.self, SyncLeaveCommand.self,
    ])
}

/// Which store a space has, and what this machine is called in it.
enum SyncStore {
  /// Where the store is, and the machine's name.
  struct Options: ParsableArguments {
    @Argument(
      help: """
        A folder that exists; a git repository: its URL, host:path, or a bare one's path; etcd://, postgresql://, \
        rclone:REMOTE:path or exec:PROGRAM.
        """,
      completion: .directory)
    var store: String

    @Option(
      help: ArgumentHelp(
        "What this machine is called; by default, its host name.", valueName: "name"))
    var label: String?

    @Flag(help: "Use a folder that is in a work tree of git.")
    var inWorkTree = false

    @Option(
      help: ArgumentHelp(
        "The store's password: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.",
        valueName: "source"))
    var storePassword: String?

    /// The machine's name.
    func machine() throws -> String {
      guard let label else { return MachineName.current }
      guard Operation.isNewLabel(label) else {
        throw CommandError.usage(
          "--label has 1 to 64 letters, digits, dots, hyphens and underscores, and no hyphen in front",
          hint: "such as: --label laptop")
      }
      return label
    }
  }
}

/// `vault sync init`.
struct SyncInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Begin: from now on, the vault goes to the store.",
    discussion: "\(ProgramName.current) sync init /media/stick/vault")

  @OptionGroup var options: SyncStore.Options
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let label = try options.machine()
    let (engine, store, password) = try settings.engine(
      typed: options.store, makesFolder: true, takesWorkTree: options.inWorkTree,
      passwordSource: options.storePassword)
    let (others, (report, status)) = try settings.withVault { vault in
      // Where it was begun before and the store failed, it goes on.
      if let begun = try settings.goOnBeginning(
        vault.unlocked, in: engine, at: store, password: password)
      {
        return ([], begun)
      }
      let others = try SpaceChannels.spaces(in: engine)
      let synced = try SyncedVault.create(
        vault.unlocked, in: engine, at: store, label: label)
      if let password { try synced.keepStorePassword(password) }
      return (others, (try synced.begin(), try synced.status()))
    }
    if settings.writesJSON { return try StandardOutput.write(report.members) }
    status.tellBeginning()
    guard !others.isEmpty else { return }
    // Of a second machine of one person it is a slip.
    let shown = StandardOutput.shown(Quoting.shell(options.store))
    let name = ProgramName.current
    StandardError.note(
      (others.count == 1 ? "another vault lies" : "\(others.count) other vaults lie")
        + " in that store: this one does not get what is in "
        + (others.count == 1 ? "it" : "them"),
      hint: "if that was meant: \(name) sync leave, then, with an invitation from a machine that "
        + "has it: \(name) sync join \(shown)")
  }
}

/// `vault sync invite`.
struct SyncInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Let another machine in: makes a code for it.",
    discussion: """
      The code is written once, and is stored nowhere. This machine need not be on when the other one joins.

      \(ProgramName.current) sync invite
      \(ProgramName.current) sync invite --role reader --for 1d --uses 5
      """)

  @Option(
    help: ArgumentHelp(
      "reader, writer, admin or owner; see 'sync role'. By default writer, and owner for the second machine.",
      valueName: "role"))
  var role: String?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("For how long: 15m, 1h, 7d.", valueName: "time"))
  var time = "1h"

  @Option(help: ArgumentHelp("How many machines may join by it.", valueName: "number"))
  var uses = 1

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let asked = try role.map { try SyncRoleCommand.role($0) }
    guard let seconds = TimeSpan.seconds(time), (1...30 * 86_400).contains(seconds) else {
      throw CommandError.usage("--for must be between 1s and 30d", hint: "such as: --for 1h")
    }
    guard (1...1000).contains(uses) else {
      throw CommandError.usage("--uses must be between 1 and 1,000", hint: "such as: --uses 5")
    }
    let (invitation, isSecond, store) = try settings.withSpace { space in
      // Whoever has one machine brings another one of his own; one that may do all it can is a way
      // back when the first one is lost.
      let isSecond = try asked == nil && uses == 1 && space.status().devices == 1
      let role = asked ?? (isSecond ? .owner : .writer)
      let invitation = try space.invite(role: role, uses: uses, seconds: seconds)
      return (invitation, isSecond, StoreAddress(remembered: try space.status().store))
    }
    let role = invitation.role
    if settings.writesJSON {
      return try StandardOutput.write([
        ("code", .optional(Secret(invitation.text).text)), ("role", .string(role.name)),
        ("uses", .number(Int64(uses))), ("seconds", .number(Int64(seconds))),
      ])
    }
    try StandardOutput.write(invitation.text)
    try StandardOutput.write("\n")
    StandardError.note(
      "that is an invitation for \(uses == 1 ? "one machine" : "\(uses) machines"), for \(time), as "
        + role.name,
      hint: "on the other machine: \(ProgramName.current) sync join "
        // A path is often another one there.
        + (store.isOfNetwork ? StandardOutput.shown(Quoting.shell(store.shown)) : "STORE"))
    guard isSecond else { return }
    StandardError.note(
      "as the second machine it may do all that this one may, for when this one is lost",
      hint: "for somebody else's machine: \(ProgramName.current) sync invite --role writer")
  }
}

/// `vault sync join`.
struct SyncJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Join the machines of a store, by an invitation or a recovery code.",
    discussion: """
      Asks for the code, or reads it with --stdin. What the vault has already is merged; a machine without a \
      vault gets one. The recovery code of an admin's vault makes this machine an admin. With --subscription the \
      address is that of a feed: https://, or a file. This machine reads then, and is none of the space.

      \(ProgramName.current) sync join /media/stick/vault
      \(ProgramName.current) sync join https://www.example.org/vault/feed --subscription file:shops.code
      """)

  @OptionGroup var options: SyncStore.Options

  @Flag(help: "Read the code from stdin.")
  var stdin = false

  @Flag(help: "Give the others what this vault has, without a question.")
  var merge = false

  @Option(
    help: ArgumentHelp(
      "Follow a feed by a subscription, whose code is there: file:PATH, env:NAME, fd:N, cmd:COMMAND, prompt, - for stdin.",
      valueName: "source"))
  var subscription: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  static let neverOnTheLine =
    "is never given on the command line: every user can read it there, and the shell keeps it in its "
    + "history"

  func run() throws {
    let settings = try common.settings()
    // In the place of the store, before anything repeats it.
    guard try RecoveryCode.key(from: SecretBytes(text: options.store)) == nil else {
      throw CommandError.usage(
        "an invitation \(Self.neverOnTheLine)",
        hint: "name the store, and leave the code out to be asked for it: "
          + "\(ProgramName.current) sync join STORE; this code was seen, so make a new one: "
          + "\(ProgramName.current) sync invite")
    }
    guard !SubscriptionCode.isOne(try SecretBytes(text: options.store)) else {
      throw CommandError.usage(
        "the code of a subscription \(Self.neverOnTheLine)",
        hint: "name the feed, and where the code comes from: \(ProgramName.current) sync join "
          + "https://HOST/feed --subscription file:PATH; this code was seen, so make another one")
    }
    if let subscription { return try follow(subscription, settings) }
    if stdin, ["stdin", "fd:0"].contains(options.storePassword) {
      throw CommandError.usage(
        "--stdin has the code, so the store's password comes from elsewhere",
        hint: "such as --store-password file:PATH")
    }
    let label = try options.machine()
    let (engine, store, password) = try settings.engine(
      typed: options.store, takesWorkTree: options.inWorkTree,
      passwordSource: options.storePassword)
    // A store that is not there is told before anybody looks for a code, and a code that is none
    // before anything is made.
    let spaces = try engine.spaces()
    // The space that the vault belongs to already lies here now.
    var typed: SecretBytes?
    let isFollowed = try settings.followStore(
      to: engine, at: store, among: spaces, password: password
    ) {
      // Of several spaces a person may mean another one; a code that was given is never passed over.
      guard stdin || spaces.count > 1 && Prompt.isPossible && !settings.isUnattended else {
        return nil
      }
      typed = try self.code()
      return typed.flatMap { $0.count > 0 ? $0 : nil }
    }
    if isFollowed { return }
    let code = try typed ?? self.code()
    let found = try SyncedVault.find(
      by: code, in: engine, progress: ProgressLine.isShown ? VaultProgressLines().show : nil)
    let (report, own) = try settings.withVaultMade { vault in
      if !merge { try settings.confirmSharing(vault, options.store) }
      let synced = try SyncedVault.join(
        vault.unlocked, in: engine, at: store, found: found, label: label)
      if let password { try synced.keepStorePassword(password) }
      let report = try synced.begin()
      return (report, try synced.devices().first { $0.isThisMachine })
    }
    if settings.writesJSON { return try StandardOutput.write(report.members) }
    try report.tell()
    StandardError.note(
      "joined as \(StandardOutput.shown(own?.label ?? MachineName.current))"
        + (own?.isAdmitted ?? true
          ? "" : "; what it changes counts as soon as an admin's machine has synchronized"))
    if let problem = report.problems.first { throw problem }
  }

  private func follow(_ source: String, _ settings: VaultSettings) throws {
    let other: String? =
      if stdin { "--stdin" } else if options.storePassword != nil {
        "--store-password"
      } else if options.inWorkTree { "--in-work-tree" } else if options.label != nil {
        "--label"
      } else { nil }
    if let other {
      throw CommandError.usage(
        "--subscription and \(other) do not go together",
        hint: "a feed needs its address and the code: \(ProgramName.current) sync join ADDRESS "
          + "--subscription file:PATH")
    }
    let code = try settings.subscriptionCode(from: source)
    let (report, status) = try settings.follow(options.store, with: code, merges: merge)
    if settings.writesJSON { return try StandardOutput.write(report.members) }
    try report.tell()
    StandardError.note(
      "follows the subscription \(StandardOutput.shown(status.subscription ?? "")): this machine reads "
        + "the space, and changes nothing in it",
      hint: "each time: \(ProgramName.current) sync now; always: \(ProgramName.current) sync watch")
    if let problem = report.problems.first { throw problem }
  }

  private func code() throws -> SecretBytes {
    if stdin { return try SecretInput.droppingNewline(SecretInput.read(0, limit: 4096)) }
    guard let typed = try Prompt.secret("Invitation") else {
      throw CommandError(
        .noTerminal, "there is no terminal to ask for the invitation on",
        hint: "pass it through stdin: \(ProgramName.current) sync join STORE --stdin")
    }
    return typed
  }
}

/// `vault sync now`.
struct SyncNowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "now", abstract: "Bring changes to the store, and take those of others.",
    discussion: """
      It may be ended at any moment, and run again.

      \(ProgramName.current) sync now
      """)

  @Flag(help: "Ask nobody; wait a second for further changes; leave it to a run that waits.")
  var unattended = false

  @Flag(help: "On a machine that only reads: undo what was changed here.")
  var discardLocal = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found =
      unattended
      ? try settings.synchronizeUnattended { DesktopCopies($0) }
      : try settings.withSpace { space in
        if discardLocal { try Self.discard(in: space) }
        let run = try SpaceRun(
          space, beside: DesktopCopies(settings), acceptingRollback: settings.acceptsRollback)
        if run.report.successor != nil { try SpaceKnown.tellWaysBack(of: space) }
        return run
      }
    guard let run = found else {
      return StandardError.note("another run does it", hint: nil)
    }
    try run.tell(asJSON: settings.writesJSON)
    if !settings.acceptsRollback, let problem = run.report.problems.first { throw problem }
    if let problem = run.data.compactMap(\.problem).first { throw problem }
  }

  private static func discard(in space: SyncedVault) throws {
    let (items, preferences) = try space.discardLocalChanges()
    if items == 0, preferences == 0 { StandardError.note("nothing was changed here") }
    if items > 0 {
      StandardError.note("\(items == 1 ? "1 item is" : "\(items) items are") as in the space")
    }
    if preferences > 0 {
      StandardError.note(
        "\(preferences == 1 ? "1 preference is" : "\(preferences) preferences are") "
          + "as in the space")
    }
  }
}

/// `vault sync status`.
struct SyncStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the vault stands to the store, without asking it.",
    discussion: "\(ProgramName.current) sync status")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let (status, data) = try settings.withSpace { (try $0.status(), try DataSync($0).status()) }
    if settings.writesJSON {
      return try StandardOutput.write(
        status.members + [("data", .array(data.map(\.json)))])
    }
    let now = Date()
    try StandardOutput.write(
      TextTable.aligned(status.rows(at: now) + data.map { $0.row(at: now) }))
  }
}

/// `vault sync auto`.
struct SyncAutoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auto", abstract: "Bring each change to the store by itself: on or off.",
    discussion: """
      Without a word, shows which it is. A change made by this command starts 'sync now' and does not wait for \
      it; '\(ProgramName.current) connect sync' has systemd do it every ten minutes, for the others' changes.

      \(ProgramName.current) sync auto on
      """)

  @Argument(help: "on or off.", completion: .list(["on", "off"]))
  var state: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let isOn = try settings.automaticSync(state)
    if settings.writesJSON { return try StandardOutput.write([("auto", .bool(isOn))]) }
    guard state == nil else { return }
    try StandardOutput.line(isOn ? "on" : "off")
  }
}

/// `vault sync devices`.
struct SyncDevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the machines, and the subscriptions.",
    discussion: "\(ProgramName.current) sync devices")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let (devices, asking, subscriptions) = try settings.withSpace {
      (try $0.devices(), try $0.asking(), try $0.subscriptions().filter { !$0.isEnded })
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("devices", .array(devices.map(\.json))), ("asking", .strings(asking)),
        ("subscriptions", .array(subscriptions.map(\.json))),
      ])
    }
    let now = Date()
    try StandardOutput.write(
      TextTable.aligned(devices.map { $0.row(at: now) } + subscriptions.map { $0.row(at: now) }))
    SyncReport.tellAsking(asking)
  }
}

/// `vault sync log`.
struct SyncLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show which machine changed which item, and when.",
    discussion: "\(ProgramName.current) sync log")

  @Flag(help: "Show a long log at once, not a page at a time.")
  var noPager = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let entries = try settings.withSpace { try $0.log() }
    if settings.writesJSON {
      return try StandardOutput.write([("entries", .array(entries.map(\.json)))])
    }
    let rows = entries.reversed().map(\.row)
    try Pager.write(TextTable.aligned(rows), isAllowed: !noPager)
  }
}

/// `vault sync leave`.
struct SyncLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Stop: the vault stays as it is, and goes to no store.",
    discussion: "\(ProgramName.current) sync leave")

  @Flag(help: "Leave also as the only owner: nobody can invite or remove machines any more.")
  var force = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    try common.settings().leaveSpace(force: force)
  }
}
