import ArgumentParser
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace the vault key and seal everything anew; old keys stop working.",
    discussion: """
      The only way to shut out somebody who once held a key. Name every key that opens the vault from now \
      on; without an option, it asks for a passphrase.

      \(ProgramName.current) key rotate --keyring --recovery
      """)

  @OptionGroup(title: "The new keys") var new: NewKeyOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard !(new.recovery && new.count == 1) else {
      throw CommandError.usage(
        "a recovery code cannot be the only key",
        hint: "also name a key for daily use")
    }
    let source = try new.passphraseSource()
    let rotated = try settings.withVault { try $0.rotate(to: new.slots(source)) }
    try VaultSettings.tellingNotices(of: rotated) { vault in
      if new.recovery { try RecoveryOffer(isWanted: true).makeSlot(in: vault) }
      let slots = try vault.slots()
      if settings.writesJSON {
        try StandardOutput.write([("slots", .array(slots.map(\.json)))])
      } else {
        StandardError.note("a new key; opened by: \(slots.map(\.words).joined(separator: ", "))")
      }
    }
  }
}
