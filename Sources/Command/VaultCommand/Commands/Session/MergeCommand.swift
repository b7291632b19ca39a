import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault merge`.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge another file of this vault, such as a file syncer's conflict copy.",
    discussion: """
      FILE is the vault file of another machine, a conflict copy, or a backup; it is only read. Different \
      changes of one item are both kept. Of two values of one secret the later one is current and the other \
      one an earlier version; --resolve settles which one stays.

      \(ProgramName.current) merge secrets.sync-conflict-20261122.vault
      \(ProgramName.current) merge laptop.backup --dry-run
      \(ProgramName.current) list --conflicts
      \(ProgramName.current) merge --resolve github --take
      """)

  @Argument(
    help: ArgumentHelp("The other vault file, or a backup.", valueName: "file"),
    completion: .file())
  var file: String?

  @Option(
    help: ArgumentHelp(
      "A common ancestor of both, such as an older backup: tells what one side removed.",
      valueName: "file"), completion: .file())
  var base: String?

  @Flag(name: [.long, .customShort("n")], help: "Say what would change, and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Settle a conflict: the item's current value stays.", valueName: "name"),
    completion: .live)
  var resolve: String?

  @Flag(help: "With --resolve: the other value becomes current.")
  var take = false

  @Option(
    help: ArgumentHelp(
      "Merge FILE into this file, not into the vault: for git's merge driver.", valueName: "file"),
    completion: .file())
  var into: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func validate() throws {
    guard (file == nil) != (resolve == nil) else {
      throw ValidationError(
        file == nil ? "the other file is missing" : "FILE and --resolve cannot be combined")
    }
    if take, resolve == nil { throw ValidationError("--take needs --resolve NAME") }
    if resolve != nil, base != nil || dryRun || into != nil {
      throw ValidationError("--base, --into and --dry-run need FILE")
    }
    if into != nil, dryRun {
      throw ValidationError("--into and --dry-run cannot be combined")
    }
  }

  func run() throws {
    let settings = try common.settings()
    if let resolve { return try settle(try ItemName(resolve), settings) }
    guard let file else { return }
    guard file == SecretInput.standardInput || SecretInput.exists(file) else {
      throw CommandError(
        .fileNotFound, "\(LineValue.shown(file)) does not exist",
        hint: "name another file of the vault; what other machines wrote: "
          + "\(ProgramName.current) sync now")
    }
    let vault = try settings.locked()
    let report: MergeReport
    if let into {
      report = try vault.blocking.merge(file, into: into, base: base) { slots in
        UnlockSources(settings: settings, vault: vault, slots: slots).sources()
      }
    } else {
      let sources = UnlockSources(settings: settings, vault: vault).sources()
      report = try settings.withVault { open in
        do {
          return try open.merge(file, base: base, with: sources, isTrial: dryRun)
        } catch var error as CredentialError where [.wrongKey, .locked].contains(error.code) {
          // The vault is open: what is missing is the other file's key.
          let program = ProgramName.current
          error.hint =
            "it may be from before the key was rotated; with what opened the vault then: "
            + "\(program) unlock, and: \(EnvironmentNames.keyFile)=OLD \(program) merge "
            + Quoting.shell(file)
          error.remedies = []
          throw error
        }
      }
    }
    if settings.writesJSON {
      try StandardOutput.write(report.members)
    } else {
      try report.tell(isTrial: dryRun)
    }
  }

  private func settle(_ name: ItemName, _ settings: VaultSettings) throws {
    let item = try settings.withVault { vault in
      try vault.edit { try $0.settle(name, takesOther: take) }
    }
    try item.tellSettled(as: name, in: settings)
  }
}
