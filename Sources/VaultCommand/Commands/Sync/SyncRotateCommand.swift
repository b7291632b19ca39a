import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// `vault sync rotate`.
struct SyncRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Seal what is written from now on with a new key.",
    discussion: """
      All machines get the key. Nobody is put out by it, and what is in the store stays as it is: 'sync remove' \
      puts a machine out and does this by itself; 'key rotate' renews the vault's own key.

      \(ProgramName.current) sync rotate
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let epoch = try settings.withSpace { try $0.rotate() }
    if settings.writesJSON { return try StandardOutput.write([("epoch", .number(Int64(epoch)))]) }
    StandardError.note("what is written from now on is sealed with a new key", hint: nil)
  }
}

extension SyncedVault {
  /// What a machine could read of a vault, as far as this machine knows: the store is not asked.
  static func itemIDs(
    exposedTo device: String, in vault: UnlockedVault.Blocking
  ) throws -> Set<String> {
    try SyncedVault(vault.unlocked, engine: FolderEngine(path: "/")).itemIDs(exposedTo: device)
  }
}
