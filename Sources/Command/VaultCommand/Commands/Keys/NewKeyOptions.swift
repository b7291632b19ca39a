import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultTerminal

/// The options that name a new key.
struct NewKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A new passphrase, as --passphrase takes it.", valueName: "source"))
  var newPassphrase: String?

  @Option(
    help: ArgumentHelp("A key file, created if it is missing.", valueName: "path"),
    completion: .file())
  var newKeyFile: String?

  @Flag(help: "The desktop keyring.")
  var keyring = false

  @Flag(help: "A recovery code.")
  var recovery = false

  @Option(help: ArgumentHelp("A label for the key slot.", valueName: "text"))
  var label = ""

  @Flag(help: "Accept a passphrase that is easily guessed.")
  var allowWeak = false

  /// The number of keys on the line.
  var count: Int { [newPassphrase != nil, newKeyFile != nil, keyring, recovery].count { $0 } }

  /// The source of the new passphrase.
  ///
  /// Call it before the vault is opened: a variable that it names is then hidden from every program
  /// that opening the vault may start.
  func passphraseSource() throws -> SecretSource? {
    try newPassphrase.map { try SecretSource($0) }
  }

  /// The recovery code of the line.
  ///
  /// - Parameters:
  ///   - settings: Whether it goes into a JSON document.
  ///   - before: What is done already when it is offered, as a sentence.
  /// - Returns: The offer.
  func recoveryOffer(_ settings: VaultSettings, before: String = "") -> RecoveryOffer {
    RecoveryOffer(
      isWanted: true, label: count == 1 ? label : "", isForDocument: settings.writesJSON,
      before: before)
  }

  /// Does something with the slots of the line; a key file that was made for one goes again if it
  /// throws.
  ///
  /// - Parameters:
  ///   - source: The result of ``passphraseSource()``.
  ///   - vault: The vault, locked.
  ///   - body: What is done.
  /// - Returns: What `body` returns.
  /// - Throws: The errors of reading a key; what `body` throws.
  func withSlots<Result>(
    _ source: SecretSource?, of vault: LockedVault, _ body: ([NewKeySlot]) throws -> Result
  ) throws -> Result {
    var made: MadeKeyFile?
    do {
      return try body(slots(source, trust: vault.keyFileTrust, &made))
    } catch {
      made?.takeBack(of: vault)
      throw error
    }
  }

  /// Returns the slots of all keys on the line except the recovery code, which is shown and
  /// confirmed afterwards.
  ///
  /// Prompts for a passphrase if the line names no key.
  ///
  /// - Parameters:
  ///   - source: The result of ``passphraseSource()``.
  ///   - trust: The key files that are accepted although others may read them.
  ///   - made: The key file, where one is made.
  /// - Returns: The slots.
  /// - Throws: The errors of reading a key.
  private func slots(
    _ source: SecretSource?, trust: KeyFileTrust, _ made: inout MadeKeyFile?
  ) throws -> [NewKeySlot] {
    var slots: [NewKeySlot] = []
    if keyring { slots.append(.keyring(label: label)) }
    if let newKeyFile {
      if let key = try KeyFile.read(newKeyFile, isOptional: true, trust: trust) {
        slots.append(.keyFile(key, label: label))
      } else {
        let key = try KeyFile.create(newKeyFile, trust: trust)
        made = MadeKeyFile(path: newKeyFile, key: key)
        slots.append(.keyFile(key, label: label))
      }
    }
    if let source {
      slots.append(
        try NewPassphrase.slot(
          source.read(for: "--new-passphrase"), label: label, acceptsWeak: allowWeak))
    }
    if count == 0 {
      guard Prompt.isPossible else {
        throw CommandError(
          .noTerminal, "no key is named that is to open the vault",
          hint: "name one: --new-passphrase SOURCE, --new-key-file PATH, --keyring or --recovery")
      }
      slots.append(try NewPassphrase.ask(label: label, acceptsWeak: allowWeak))
    }
    return slots
  }
}
