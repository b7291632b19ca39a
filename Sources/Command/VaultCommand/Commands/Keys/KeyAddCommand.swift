import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
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
    if new.count == 0, let path = settings.keyFile, path != "-", !UserFile.exists(path) {
      throw CommandError.usage(
        "there is no key file \(StandardOutput.shown(path)) that could open the vault",
        hint: "a new one: \(ProgramName.current) key add --new-key-file "
          + StandardOutput.shown(Quoting.shell(path)))
    }
    let source = try new.passphraseSource()
    try settings.withVault { vault in
      if new.recovery {
        let made = try new.recoveryOffer(settings).makeSlot(in: vault)
        guard settings.writesJSON, let made else { return }
        return try RecoveryOffer.write(made, in: vault) { [("slot", made.slot.json)] }
      }
      let slots = try new.withSlots(source, of: settings.locked()) { try $0.map(vault.addSlot) }
      for slot in slots {
        if settings.writesJSON {
          try StandardOutput.write([("slot", slot.json)])
        } else {
          StandardError.note("added \(slot.kind.name) \(slot.id.prefix(8))")
        }
      }
    }
  }
}
