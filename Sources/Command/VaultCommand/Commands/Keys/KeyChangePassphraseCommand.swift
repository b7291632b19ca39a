import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault key change-passphrase`.
struct KeyChangePassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-passphrase",
    abstract: "Change a passphrase; items are not sealed again.",
    discussion: "\(ProgramName.current) key change-passphrase")

  @Argument(
    help: "The slot's id or label, where there are several passphrases.", completion: .live)
  var slot: String?

  @Option(
    help: ArgumentHelp("The new passphrase, as --passphrase takes it.", valueName: "source"))
  var newPassphrase: String?

  @Flag(help: "Accept a passphrase that is easily guessed.")
  var allowWeak = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let source = try newPassphrase.map { try SecretSource($0) }
    try settings.withVault { vault in
      try checkSlot(in: vault)
      let passphrase: SecretBytes =
        if let source {
          try NewPassphrase.checked(
            source.read(for: "--new-passphrase"), acceptsWeak: allowWeak)
        } else {
          try NewPassphrase.typed(acceptsWeak: allowWeak, option: "--new-passphrase")
        }
      try vault.changePassphrase(of: slot, to: passphrase)
    }
    StandardError.note("changed; the old passphrase still opens older copies of the vault file")
  }

  /// Refuses a slot that is not there before anybody types; who names an item means its secret.
  private func checkSlot(in vault: UnlockedVault.Blocking) throws {
    do {
      try vault.checkPassphraseSlot(slot)
    } catch let error as CredentialError where error.code == .slotNotFound && slot != nil {
      let name = slot.flatMap { try? ItemName($0) }
      let isItem = try name.map { try vault.read(only: [$0])[$0] != nil } ?? false
      let shown = isItem ? Quoting.visible(slot ?? "") : "NAME"
      throw CommandError(
        .slotNotFound, error.message,
        hint: "an item's secret: \(ProgramName.current) set \(shown); the key slots: "
          + "\(ProgramName.current) key list")
    }
  }
}

/// `vault key upgrade`.
struct KeyUpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Strengthen passphrase slots with weak parameters.",
    discussion: "\(ProgramName.current) key upgrade")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let count = try settings.withVault { vault in
      guard let passphrase = try settings.passphrase?.read() ?? Prompt.secret("Passphrase") else {
        throw CommandError.usage(
          "the passphrase is needed, and there is no terminal to ask on",
          hint: "give a source that can be read twice: --passphrase env:NAME or file:PATH")
      }
      return try vault.upgradeSlots(passphrase: passphrase)
    }
    if settings.writesJSON {
      try StandardOutput.write([("upgraded", .number(Int64(count)))])
    } else {
      StandardError.note(count == 0 ? "nothing to upgrade" : "upgraded \(count)")
    }
  }
}
