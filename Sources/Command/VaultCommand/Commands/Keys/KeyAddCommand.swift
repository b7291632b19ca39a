import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultTerminal

/// `vault key add`.
struct KeyAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a key slot.",
    discussion: """
      A passphrase is asked for, unless one of the options says otherwise.

      \(ProgramName.current) key add --label laptop
      \(ProgramName.current) key add --new-key-file /etc/app/vault.key
      \(ProgramName.current) key add --recovery
      """)

  @OptionGroup(title: "The new key") var new: NewKeyOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard new.count <= 1 else {
      throw CommandError.usage(
        "only one key can be added at a time", hint: "add them one after the other")
    }
    let source = try new.passphraseSource()
    try settings.withVault { vault in
      if new.recovery {
        let made = try new.recoveryOffer(settings).makeSlot(in: vault)
        guard settings.writesJSON, let made else { return }
        return try RecoveryOffer.write(made, in: vault) { [("slot", made.slot.json)] }
      }
      for slot in try new.slots(source, trust: vault.keyFileTrust).map(vault.addSlot) {
        if settings.writesJSON {
          try StandardOutput.write([("slot", slot.json)])
        } else {
          StandardError.note("added \(slot.kind.name) \(slot.id.prefix(8))")
        }
      }
    }
  }
}
