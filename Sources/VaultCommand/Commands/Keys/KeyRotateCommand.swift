import ArgumentParser
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Make a new vault key and seal everything anew; all old keys go.",
    discussion: """
      The only thing that shuts out somebody who once held a key. Name everything that is to open the vault \
      from now on; without an option, a passphrase is asked for.

      vault key rotate --keyring --recovery
      """)

  @OptionGroup(title: "The new keys") var new: NewKeyOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard !(new.recovery && new.count == 1) else {
      throw CommandError.usage(
        "a recovery code alone is for the drawer",
        hint: "name what opens the vault every day, too")
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
