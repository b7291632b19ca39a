import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault init`.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a vault.",
    discussion: """
      A desktop keyring opens it without asking. Without a keyring, it takes a passphrase, or a key file, \
      which is created if it is missing.

      \(ProgramName.current) init
      \(ProgramName.current) init --key-file ~/.config/vault.key
      \(ProgramName.current) init --passphrase env:PASSPHRASE
      \(ProgramName.current) init --from backup.vault
      """)

  @Option(
    help: ArgumentHelp(
      "Restore a backup instead; of a folder the newest, '-' for stdin.", valueName: "file"),
    completion: .file())
  var from: String?

  @Option(help: ArgumentHelp("A label for the first key slot.", valueName: "text"))
  var label = ""

  @Flag(
    inversion: .prefixedNo,
    help: "Create a recovery code; without a terminal, or with --json, it goes to stdout.")
  var recovery: Bool?

  @Flag(help: "Succeed if there is a vault already and the key that is named opens it.")
  var ifMissing = false

  @Flag(help: "Accept a passphrase that is easily guessed.")
  var allowWeak = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let vault = try settings.locked()
    if ifMissing, try vault.blocking.exists() { return try tellExisting(vault, settings) }
    if let from {
      var origin = ""
      if from == "-" {
        try BackupCommand.naming(from) {
          try vault.blocking.restore(BackupCommand.standardInput(settings))
        }
      } else {
        let newest = try BackupFolder.newest(in: from, ofVault: vault.name)
        try BackupCommand.naming(newest ?? from) {
          try vault.blocking.restore(from: newest ?? from)
        }
        origin = newest.map { " from \($0)" } ?? ""
      }
      return StandardError.note("restored \(vault.path)\(origin); the same keys open it as before")
    }
    let making = VaultSetup(
      settings: settings, vault: vault, label: label, acceptsWeakPassphrase: allowWeak,
      wantsRecovery: recovery, offersRecovery: true)
    let made = try making.make()
    try VaultSettings.tellingNotices(of: made.vault) { open in
      let recovery = try made.offerRecovery(after: "The vault is created.")
      guard settings.writesJSON else { return }
      try RecoveryOffer.write(recovery, in: open) {
        [
          ("path", .string(vault.path)), ("id", .string(try vault.blocking.summary().id)),
          ("isNew", .bool(true)), ("slots", .array(try open.slots().map(\.json))),
        ]
      }
    }
  }
}

extension InitCommand {
  /// Reports a vault that is there, if what the line or the environment names opens it.
  ///
  /// - Throws: `CredentialError` if it does not: a playbook must not go on with another key.
  private func tellExisting(_ vault: LockedVault, _ settings: VaultSettings) throws {
    var settings = settings
    // The session says nothing about the key that is named.
    settings.usesSession = false
    let open = try vault.blocking.unlock(
      with: UnlockSources(settings: settings, vault: vault).withoutAsking().map(\.source))
    try VaultSettings.tellingNotices(of: open) { open in
      StandardError.note("there is a vault at \(vault.path) already; the same key opens it")
      guard settings.writesJSON else { return }
      try StandardOutput.write([
        ("path", .string(vault.path)), ("id", .string(try vault.blocking.summary().id)),
        ("isNew", .bool(false)), ("slots", .array(try open.slots().map(\.json))),
      ])
    }
  }
}
