import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault keyring`.
struct KeyringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyring",
    abstract: "Inspect and unlock the desktop keyring, and manage the copies in it.",
    discussion: """
      \(ProgramName.current) keyring status
      \(ProgramName.current) keyring sync
      """,
    subcommands: [
      KeyringStatusCommand.self, KeyringUnlockCommand.self, KeyringSyncCommand.self,
      KeyringPublishCommand.self, KeyringListCommand.self, KeyringAdoptCommand.self,
      KeyringServeCommand.self,
    ])
}

/// `vault keyring status`.
struct KeyringStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the desktop keyring.",
    discussion: """
      Nothing is unlocked and no prompt is shown.

      \(ProgramName.current) keyring status
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let status = try settings.locked().blocking.keyringStatus()
    if settings.writesJSON {
      return try StandardOutput.write(status.members)
    }
    var rows = [["state", status.state]]
    if let program = status.program, let process = status.process {
      rows.append(["program", "\(StandardOutput.shown(program)) (process \(process))"])
    }
    if let isEncrypted = status.isEncrypted {
      rows.append(["connection", isEncrypted ? "encrypted" : "not encrypted"])
    }
    if let collection = status.collection {
      rows.append(["collection", StandardOutput.shown(collection)])
    }
    if let keepsInClear = status.keepsInClear {
      rows.append([
        "on the disk",
        keepsInClear ? "in clear: the keyring has no password" : "encrypted",
      ])
    }
    rows.append(["prompt", status.canPrompt ? "can be shown on the display" : "cannot be shown"])
    try StandardOutput.write(TextTable.aligned(rows))
    if let message = status.message { StandardError.note(message, hint: status.advice) }
  }
}

/// `vault keyring unlock`.
struct KeyringUnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Unlock the desktop keyring from here, with its own password.",
    discussion: """
      On a desktop that is the login password. It works over SSH and without a display, where the keyring is \
      gnome-keyring. Here --passphrase is the keyring's password.

      \(ProgramName.current) keyring unlock
      \(ProgramName.current) keyring unlock --keyring-password file:/run/secrets/login
      """)

  @Option(
    help: ArgumentHelp(
      "The keyring's password: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.",
      valueName: "source"))
  var keyringPassword: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard try settings.locked().blocking.keyringNeedsPassword() else {
      return StandardError.note("the keyring was already unlocked")
    }
    let option = "--keyring-password"
    // --passphrase was its name, and still is.
    let source = try keyringPassword.map { try SecretSource($0) } ?? settings.passphrase
    let password =
      try source?.read(for: keyringPassword == nil ? "--passphrase" : option)
      ?? Prompt.secret("Password of the keyring")
    guard let password else {
      throw CommandError(
        .noTerminal, "the keyring's password is needed, and there is no terminal to ask on",
        hint: "give a source: \(option) env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND")
    }
    switch try settings.locked().blocking.unlockKeyring(password: password) {
    case .wasUnlocked: StandardError.note("the keyring was already unlocked")
    case .unlocked: StandardError.note("the keyring is unlocked")
    case .unlockedWithNewline:
      StandardError.note(
        "the keyring is unlocked; its password ends in a newline, which 'echo' once made part of it",
        hint: "change it in Seahorse, and use printf in place of echo")
    }
  }
}

/// `vault keyring sync`.
struct KeyringSyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Bring the copies in the keyring up to date, and report those that others changed.",
    discussion: """
      \(ProgramName.current) keyring sync
      \(ProgramName.current) keyring sync --take         what others changed becomes a new version here
      \(ProgramName.current) keyring sync --overwrite    what others changed is replaced by what is here
      """)

  @Flag(
    help: "Take what other programs changed, or keep under the same name, as new versions.")
  var take = false

  @Flag(
    help: "Replace what other programs changed by what the vault holds; remove copies left behind.")
  var overwrite = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func validate() throws {
    if take, overwrite { throw ValidationError("--take and --overwrite cannot be combined") }
  }

  func run() throws {
    let settings = try common.settings()
    let report = try settings.withVault { vault in
      if take { try vault.takeChangedCopies() }
      return try vault.synchronizeCopies(overwriting: overwrite)
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("current", .number(Int64(report.current))), ("pending", .number(Int64(report.pending))),
        ("changedByOthers", .array(report.changedByOthers.map { .string($0.text) })),
        ("missing", .array(report.missing.map { .string($0.text) })),
        ("foreign", .array(report.foreign.map { .string($0) })),
        ("leftovers", .array(report.leftovers.map { .string($0) })),
      ])
    }
    try StandardOutput.write(
      TextTable.aligned([
        ["current", String(report.current)], ["pending", String(report.pending)],
        ["changed by others", String(report.changedByOthers.count)],
        ["missing", String(report.missing.count)], ["of others", String(report.foreign.count)],
        ["left behind", String(report.leftovers.count)],
      ]))
    Self.tell(
      "changed by another program", report.changedByOthers.map(\.text),
      hint: "take it, or overwrite it: --take, or --overwrite")
    Self.tell(
      "gone from the keyring", report.missing.map(\.text), hint: "make it again: --overwrite")
    Self.tell(
      "another program's item of the same name", report.foreign,
      hint:
        "take it in: --take where the vault has that item, else \(ProgramName.current) keyring adopt"
    )
    Self.tell(
      "a copy of an item that this vault does not publish", report.leftovers,
      hint:
        "take it, or remove it from the keyring: \(ProgramName.current) keyring adopt, or --overwrite"
    )
  }

  private static func tell(_ what: String, _ names: [String], hint: String) {
    for name in names {
      StandardError.note("\(what): \(name)", hint: name == names.last ? hint : nil)
    }
  }
}

/// `vault keyring publish`.
struct KeyringPublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Turn copies for other programs on or off.",
    discussion: """
      \(ProgramName.current) keyring publish off             no copies, of anything
      \(ProgramName.current) keyring publish on api-token    a copy of this item
      """)

  /// On or off.
  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  @Argument(help: "on or off.")
  var state: Switch

  @Argument(help: "Items; all present and future ones if omitted.", completion: .live)
  var names: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let names = try names.map { try ItemName($0) }
    let (isPublishing, copies) = try settings.withVault { vault in
      try vault.setPublishing(state == .on, of: names.isEmpty ? nil : names)
      return (try vault.isPublishing(), try vault.items().map(\.publishedCopy))
    }
    if state == .on, let clear = ClearKeyring(opensVault: false, hasCopies: true),
      try settings.locked(asksNobody: true).blocking.keyringStatus().keepsInClear == true
    {
      StandardError.warning(clear.message, hint: Advice.text(clear.hint, clear.remedies))
    }
    guard settings.writesJSON else { return }
    try StandardOutput.write([
      ("publishing", .bool(isPublishing)),
      ("published", .number(Int64(copies.count { $0 == .published }))),
      ("pending", .number(Int64(copies.count { $0 == .pending }))),
    ])
  }
}
