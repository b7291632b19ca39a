import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// `vault sync`.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Keep the vault the same on several machines, through a folder that learns nothing.",
    discussion: """
      The folder may be a stick, a network drive, or one that Syncthing, Dropbox or rsync carries. It gets \
      sealed and signed records, no names and no items. Nothing but 'sync now' brings changes there and back; \
      two values that met are shown by 'list --conflicts'.

      \(ProgramName.current) sync init /media/stick/vault
      \(ProgramName.current) sync invite
      \(ProgramName.current) sync join /media/stick/vault
      \(ProgramName.current) sync now
      """,
    subcommands: [
      SyncInitCommand.self, SyncInviteCommand.self, SyncJoinCommand.self, SyncNowCommand.self,
      SyncStatusCommand.self, SyncDevicesCommand.self, SyncRemoveCommand.self,
      SyncRotateCommand.self, SyncLogCommand.self, SyncLeaveCommand.self,
    ])
}

/// Which store a space has, and what this machine is called in it.
enum SyncStore {
  /// The engine for a store, and its name as it is remembered.
  static func engine(_ text: String) throws -> (engine: any SyncEngine, store: String) {
    let isFolder = text.utf8.first == UInt8(ascii: "/") || !text.utf8.contains(UInt8(ascii: ":"))
    guard isFolder else {
      throw CommandError.usage(
        "the store must be a folder",
        hint: "one that a file syncer carries, a network drive or a stick")
    }
    let folder = System.linkTarget("/proc/self/cwd").map { String(decoding: $0, as: UTF8.self) }
    guard let path = text.hasPrefix("/") ? text : folder.map({ "\($0)/\(text)" }) else {
      throw CommandError.usage("the store must be a folder", hint: "give its whole path")
    }
    return (FolderEngine(path: path), path)
  }

  /// Runs `body` with the space that the vault belongs to.
  static func with<Result>(
    _ settings: VaultSettings, _ body: (SyncedVault) throws -> Result
  ) throws -> Result {
    try settings.withVault { vault in
      guard let store = try SyncedVault.store(of: vault.unlocked) else {
        throw SyncError(.notJoined, "the vault belongs to no space")
      }
      return try body(SyncedVault(vault.unlocked, engine: try engine(store).engine))
    }
  }

  /// The folder of the store, and the machine's name.
  struct Options: ParsableArguments {
    @Argument(help: "The folder with the store; it must exist.", completion: .directory)
    var folder: String

    @Option(
      help: ArgumentHelp(
        "What this machine is called; by default, its host name.", valueName: "name"))
    var label: String?

    /// The machine's name.
    func machine() -> String { label ?? MachineName.current }
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
    let (engine, store) = try SyncStore.engine(options.folder)
    let report = try settings.withVault { vault in
      try SyncedVault.create(
        vault.unlocked, in: engine, at: store, label: options.machine()
      ).synchronize()
    }
    if settings.writesJSON { return try StandardOutput.write(report.members) }
    StandardError.note(
      "this vault syncs with \(StandardOutput.shown(store)); it will see sizes and times, no names",
      hint: "let another machine in: \(ProgramName.current) sync invite")
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
      "reader, writer or admin, who may invite and remove others.", valueName: "role"))
  var role = "writer"

  @Option(
    name: .customLong("for"), help: ArgumentHelp("For how long: 15m, 1h, 7d.", valueName: "time"))
  var time = "1h"

  @Option(help: ArgumentHelp("How many machines may join by it.", valueName: "number"))
  var uses = 1

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let role = SyncRole(name: role) else {
      throw CommandError.usage("the role must be reader, writer or admin")
    }
    guard let seconds = TimeSpan.seconds(time) else {
      throw CommandError.usage("--for must be a duration", hint: "such as: --for 1h")
    }
    let invitation = try SyncStore.with(settings) {
      try $0.invite(role: role, uses: uses, seconds: seconds)
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("code", .optional(Secret(invitation.text).text)), ("role", .string(role.name)),
        ("uses", .number(Int64(uses))), ("seconds", .number(Int64(seconds))),
      ])
    }
    try StandardOutput.write(invitation.text)
    try StandardOutput.write("\n")
    StandardError.note(
      "that is an invitation for \(uses == 1 ? "one machine" : "\(uses) machines"), for \(time)",
      hint: "on the other machine: \(ProgramName.current) sync join FOLDER")
  }
}

/// `vault sync join`.
struct SyncJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Join the machines of a store, by an invitation.",
    discussion: """
      Asks for the code, or reads it with --stdin. What the vault has already is merged; a machine without a \
      vault gets one.

      \(ProgramName.current) sync join /media/stick/vault
      """)

  @OptionGroup var options: SyncStore.Options

  @Flag(help: "Read the code from stdin.")
  var stdin = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let (engine, store) = try SyncStore.engine(options.folder)
    let code = try code()
    let report = try settings.withVaultMade { vault in
      try SyncedVault.join(
        vault.unlocked, in: engine, at: store, invitation: code, label: options.machine()
      ).synchronize()
    }
    if settings.writesJSON { return try StandardOutput.write(report.members) }
    try report.tell()
    StandardError.note("joined as \(options.machine())")
    if let problem = report.problems.first { throw problem }
  }

  private func code() throws -> SecretBytes {
    if stdin { return try SecretInput.droppingNewline(SecretInput.read(0, limit: 4096)) }
    guard let typed = try Prompt.secret("Invitation") else {
      throw CommandError(
        .noTerminal, "there is no terminal to ask for the invitation on",
        hint: "pass it through stdin: \(ProgramName.current) sync join FOLDER --stdin")
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

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let report = try SyncStore.with(settings) {
      try $0.synchronize(acceptingRollback: settings.acceptsRollback)
    }
    if settings.writesJSON {
      try StandardOutput.write(report.members)
    } else {
      try report.tell()
    }
    if !settings.acceptsRollback, let problem = report.problems.first { throw problem }
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
    let status = try SyncStore.with(settings) { try $0.status() }
    let contact = status.lastContact
    if settings.writesJSON {
      return try StandardOutput.write([
        ("store", .string(status.store)), ("space", .string(status.space)),
        ("label", .string(status.label)), ("role", .optional(status.role?.name)),
        ("devices", .number(Int64(status.devices))), ("unsent", .number(Int64(status.unsent))),
        ("lastContact", .optional(contact.map { Timestamp.text($0) })),
      ])
    }
    try StandardOutput.write(
      TextTable.aligned([
        ["store", StandardOutput.shown(status.store)],
        [
          "this machine", "\(StandardOutput.shown(status.label)), \(status.role?.name ?? "not in")",
        ],
        ["machines", String(status.devices)],
        ["last contact", contact?.relative(to: Date()) ?? "never"],
        ["not sent yet", String(status.unsent)],
      ]))
  }
}

/// `vault sync devices`.
struct SyncDevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the machines.",
    discussion: "\(ProgramName.current) sync devices")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let devices = try SyncStore.with(settings) { try $0.devices() }
    if settings.writesJSON {
      return try StandardOutput.write([("devices", .array(devices.map(\.json)))])
    }
    let now = Date()
    let rows = devices.map { device in
      [
        StandardOutput.shown(device.label), device.isRemoved ? "removed" : device.role.name,
        String(device.id.prefix(8)),
        device.isThisMachine ? "this machine" : "heard \(device.lastHeard.relative(to: now))",
      ]
    }
    try StandardOutput.write(TextTable.aligned(rows))
  }
}

/// `vault sync remove`.
struct SyncRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a machine: it reads nothing that is written from now on.",
    discussion: """
      What it has read it has read: 'list --exposed-to' names what to change.

      \(ProgramName.current) sync remove desktop
      """)

  @Argument(help: "Its name, or the beginning of its id.")
  var device: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let label = try SyncStore.with(settings) { try $0.remove(device) }
    StandardError.note(
      "\(StandardOutput.shown(label)) is out: it can read nothing that is written from now on",
      hint: "what it could read and should be changed: \(ProgramName.current) list --exposed-to "
        + StandardOutput.shown(label))
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
    let entries = try SyncStore.with(settings) { try $0.log() }
    if settings.writesJSON {
      return try StandardOutput.write([
        (
          "entries",
          .array(
            entries.map {
              .object([
                ("time", .string(Timestamp.text($0.time))), ("device", .string($0.device)),
                ("action", .string($0.action.rawValue)), ("subject", .optional($0.subject)),
              ])
            })
        )
      ])
    }
    let rows = entries.reversed().map {
      [
        Timestamp.text($0.time), StandardOutput.shown($0.device), $0.action.rawValue,
        StandardOutput.shown($0.subject ?? ""),
      ]
    }
    try Pager.write(TextTable.aligned(rows), isAllowed: !noPager)
  }
}

/// `vault sync leave`.
struct SyncLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Stop: the vault stays as it is, and goes to no store.",
    discussion: "\(ProgramName.current) sync leave")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let isTold = try settings.withVault { vault in
      // What this machine remembers may be what is wrong.
      let store = try? SyncedVault.store(of: vault.unlocked)
      let engine = try SyncStore.engine(store ?? "/").engine
      return try SyncedVault.leave(vault.unlocked, in: engine)
    }
    StandardError.note(
      "left: the vault goes to no store any longer",
      hint: isTold
        ? nil : "the others could not be told: have this machine removed by one of them")
  }
}
