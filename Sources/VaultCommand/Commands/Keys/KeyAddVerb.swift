import ArgumentParser
import VaultCredentials
import VaultSealing

/// `vault key add`.
struct KeyAddVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add something that opens the vault.",
    discussion: """
      A passphrase is asked for, unless one of the options says otherwise. A key-file is made if it is missing.

      vault key add --label laptop
      vault key add --new-key-file /etc/app/vault.key
      vault key add --recovery
      """)

  @Option(
    help: ArgumentHelp("The new passphrase, as --passphrase takes it.", valueName: "source"))
  var newPassphrase: String?

  @Option(help: ArgumentHelp("The new key-file.", valueName: "path"), completion: .file())
  var newKeyFile: String?

  @Flag(help: "The desktop keyring.")
  var keyring = false

  @Flag(help: "A recovery code.")
  var recovery = false

  @Option(help: ArgumentHelp("What to call the slot.", valueName: "text"))
  var label = ""

  @Flag(help: "Accept a passphrase that is too short.")
  var allowWeak = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let count = [newPassphrase != nil, newKeyFile != nil, keyring, recovery].count { $0 }
    guard count <= 1 else {
      throw CommandError.usage("several new keys at once", hint: "add one after the other")
    }
    let source = try newPassphrase.map { try SecretSource($0) }
    try settings.withVault { vault in
      if recovery { return try RecoveryOffer(isWanted: true).makeSlot(in: vault) }
      let slot = try vault.addSlot(try newSlot(source))
      if settings.writesJSON {
        try StandardOutput.write([("slot", slot.json)])
      } else {
        StandardError.note("added \(slot.kind.name) \(slot.id.prefix(8))")
      }
    }
  }

  private func newSlot(_ source: SecretSource?) throws -> NewKeySlot {
    if keyring { return .keyring(label: label) }
    if let newKeyFile {
      let key = try KeyFile.read(newKeyFile, isOptional: true) ?? KeyFile.create(newKeyFile)
      return .keyFile(key, label: label)
    }
    guard let source else { return try NewPassphrase.ask(label: label, acceptsWeak: allowWeak) }
    return try NewPassphrase.slot(source.read(), label: label, acceptsWeak: allowWeak)
  }
}

/// `vault key change-passphrase`.
struct KeyChangePassphraseVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-passphrase",
    abstract: "Replace a passphrase; no item is sealed again.",
    discussion: "vault key change-passphrase")

  @Argument(
    help: "The slot's id or label, where there are several passphrases.", completion: .slots)
  var slot: String?

  @Option(
    help: ArgumentHelp("The new passphrase, as --passphrase takes it.", valueName: "source"))
  var newPassphrase: String?

  @Flag(help: "Accept a passphrase that is too short.")
  var allowWeak = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let source = try newPassphrase.map { try SecretSource($0) }
    try settings.withVault { vault in
      let passphrase: SecretBytes =
        if let source {
          try NewPassphrase.checked(source.read(), acceptsWeak: allowWeak)
        } else {
          try NewPassphrase.typed(acceptsWeak: allowWeak)
        }
      try vault.changePassphrase(of: slot, to: passphrase)
    }
    StandardError.note("changed; older copies of the vault file are still opened by the old one")
  }
}
