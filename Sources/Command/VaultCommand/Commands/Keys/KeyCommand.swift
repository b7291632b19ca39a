import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault key`.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Manage the key slots, which open the vault.",
    discussion: """
      \(ProgramName.current) key list
      \(ProgramName.current) key add --recovery
      """,
    subcommands: [
      KeyListCommand.self, KeyAddCommand.self, KeyRemoveCommand.self,
      KeyChangePassphraseCommand.self,
      KeyRotateCommand.self, KeyUpgradeCommand.self,
    ])
}

/// `vault key list`.
struct KeyListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the key slots: any one of them opens the vault.",
    discussion: "\(ProgramName.current) key list")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let slots = try settings.withVault { try $0.slots() }
    if settings.writesJSON {
      return try StandardOutput.write([("slots", .array(slots.map(\.json)))])
    }
    let rows = slots.map { slot in
      [
        String(slot.id.prefix(8)), slot.kind.name,
        slot.label.isEmpty ? "-" : StandardOutput.shown(slot.label),
      ] + (slot.passes > 0 ? ["Argon2id, \(slot.memoryMiB) MiB, \(slot.passes) passes"] : [])
    }
    try StandardOutput.write(TextTable.aligned(rows))
  }
}

/// `vault key remove`.
struct KeyRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a key slot; the last one cannot be removed.",
    discussion: """
      The old key still opens older copies of the vault file. A recovery code that opens the vault's space, \
      too, is closed there at once; without the store it opens the space until the next 'sync now'.

      \(ProgramName.current) key remove laptop
      """)

  @Argument(help: "Its id, the beginning of it, or its label.", completion: .live)
  var slot: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let closing = try settings.withVault { vault in
      let before = try vault.recoveryKeys().count
      try vault.removeSlot(slot)
      return try vault.recoveryKeys().count < before
        && SpaceKnown.hasRecoveryCodes(of: vault)
    }
    StandardError.note("removed; it still opens older copies of the vault file")
    if closing { try settings.closeRecoveryCode() }
  }
}
