package import VaultCredentials
package import VaultSealing
import VaultTerminal

/// A key file that was made for a slot which is still to be stored.
package struct MadeKeyFile {
  private let path: String
  private let key: SecretBytes

  package init(path: String, key: SecretBytes) {
    self.path = path
    self.key = key
  }

  /// Removes it, after what it was made for has failed; unless it opens the vault after all.
  package func takeBack(of vault: LockedVault) {
    vault.takeBack(keyFile: path, holding: key)
  }
}

/// Creates a vault with a given source, with the keyring, or with answers from a person.
package struct VaultSetup {
  package let settings: VaultSettings
  package let vault: LockedVault
  package var label = ""
  package var acceptsWeakPassphrase = false
  /// Whether to create a recovery code; `nil` to ask.
  package var wantsRecovery: Bool?
  /// Whether to offer a recovery code even if the keyring unlocks the vault.
  package var offersRecovery = false

  package init(
    settings: VaultSettings, vault: LockedVault, label: String = "",
    acceptsWeakPassphrase: Bool = false, wantsRecovery: Bool? = nil, offersRecovery: Bool = false
  ) {
    self.settings = settings
    self.vault = vault
    self.label = label
    self.acceptsWeakPassphrase = acceptsWeakPassphrase
    self.wantsRecovery = wantsRecovery
    self.offersRecovery = offersRecovery
  }

  /// A new vault, and what is still to be offered.
  package struct Made {
    package let vault: UnlockedVault
    fileprivate let offer: RecoveryOffer

    /// Offers a recovery code.
    ///
    /// - Parameter before: What is done already, as a sentence.
    /// - Returns: The new slot, if there is one.
    /// - Throws: ``CommandError`` with code `cancelled`; what adding a slot throws.
    @discardableResult
    package func offerRecovery(after before: String) throws -> RecoveryOffer.Made? {
      var offer = offer
      offer.before = before
      return try offer.makeSlot(in: vault.blocking)
    }
  }

  /// Creates the vault for the first secret if that needs no decision; asks on a terminal.
  ///
  /// - Throws: ``CommandError`` with code `no-vault` (78) if there is no terminal to ask on.
  package func makeForFirstSecret() throws -> Made {
    var made: MadeKeyFile?
    if let slot = try givenSlot(mayCreateKeyFile: false, &made) { return try create(slot) }
    let obstacle: CredentialError
    switch try createByKeyring() {
    case .success(let made): return made
    case .failure(let error): obstacle = error
    }
    guard Prompt.isPossible,
      try Prompt.confirm("There is no vault yet. Create one with a passphrase?", default: true)
        == true
    else { throw noVault(obstacle) }
    return try createByPassphrase()
  }

  /// Creates the vault for `vault init`.
  ///
  /// - Throws: ``CommandError`` with code `no-vault` (78) if there is no terminal to ask on.
  package func make() throws -> Made {
    var made: MadeKeyFile?
    if let slot = try givenSlot(mayCreateKeyFile: true, &made) {
      do {
        return try create(slot)
      } catch {
        made?.takeBack(of: vault)
        throw error
      }
    }
    switch try createByKeyring() {
    case .success(let made): return made
    case .failure(let obstacle):
      guard Prompt.isPossible else { throw noVault(obstacle) }
      Prompt.tell("A passphrase will unlock the vault: \(obstacle.message).")
      return try createByPassphrase()
    }
  }

  /// Creates a vault that the desktop keyring unlocks, without a prompt.
  private func createByKeyring() throws -> Result<Made, CredentialError> {
    guard try !vault.blocking.exists() else { throw Self.exists(vault) }
    guard settings.usesKeyring else {
      return .failure(CredentialError(.keyringUnavailable, "the keyring is switched off"))
    }
    do {
      return .success(try create(.keyring(label: label)))
    } catch let error as CredentialError where error.code.isAboutKeyring {
      return .failure(error)
    }
  }

  /// A slot for the source that the line or the environment names.
  ///
  /// - Parameters:
  ///   - mayCreateKeyFile: Whether a key file that is missing is made.
  ///   - made: That file.
  /// - Returns: The slot; `nil` if nothing is named.
  /// - Throws: The errors of reading a key.
  private func givenSlot(mayCreateKeyFile: Bool, _ made: inout MadeKeyFile?) throws -> NewKeySlot? {
    if let source = settings.passphrase {
      return try NewPassphrase.slot(source.read(), label: label, acceptsWeak: acceptsWeakPassphrase)
    }
    if let path = settings.keyFile {
      return try keyFileSlot(path, mayCreate: mayCreateKeyFile, &made)
    }
    for place in KeyPlace.all(environment: ProcessState.variable) {
      switch place {
      case .session, .keyring: continue
      case .keyFile(let path, let origin):
        if origin == .credential, !SecretInput.exists(path) { continue }
        return try keyFileSlot(
          path, mayCreate: mayCreateKeyFile && origin == .variable, &made)
      case .environmentPassphrase:
        return try NewPassphrase.slot(
          SecretSource.environment(EnvironmentNames.passphrase).read(), label: label,
          acceptsWeak: acceptsWeakPassphrase)
      case .passphraseFile(let path, let origin):
        guard
          let passphrase = try PassphraseFile.read(path, isOptional: origin == .credential)
        else { continue }
        return try NewPassphrase.slot(
          passphrase, label: label, acceptsWeak: acceptsWeakPassphrase)
      }
    }
    return nil
  }

  private func keyFileSlot(
    _ path: String, mayCreate: Bool, _ made: inout MadeKeyFile?
  ) throws -> NewKeySlot? {
    if path == SecretInput.standardInput {
      return .keyFile(try KeyFileInput.readStandardInput(), label: label)
    }
    if let key = try KeyFile.read(path, isOptional: true, trust: vault.keyFileTrust) {
      return .keyFile(key, label: label)
    }
    guard mayCreate else {
      throw CommandError(
        .noVault, "there is no vault, and the key file that is named does not exist",
        hint: "create both: \(ProgramName.current) init --key-file PATH")
    }
    // Creating the vault may still fail, and a key file that unlocks nothing would be left behind.
    guard try !vault.blocking.exists() else { throw Self.exists(vault) }
    let key = try KeyFile.create(path, trust: vault.keyFileTrust)
    made = MadeKeyFile(path: path, key: key)
    // What is not read here would never open the vault.
    guard let again = try KeyFile.read(path, trust: vault.keyFileTrust), again.isEqual(to: key)
    else {
      throw CommandError(
        .unexpected, "the new key file \(path) does not hold what was written to it",
        hint: "look at the disk, and name another file")
    }
    return .keyFile(key, label: label)
  }

  private func createByPassphrase() throws -> Made {
    guard try !vault.blocking.exists() else { throw Self.exists(vault) }
    return try create(
      NewPassphrase.ask(
        VaultQuestion.text("New passphrase", for: vault), label: label,
        acceptsWeak: acceptsWeakPassphrase), isTyped: true)
  }

  /// Creates the vault.
  ///
  /// - Parameters:
  ///   - slot: What opens it.
  ///   - isTyped: Whether a person was asked for it; a source on the line or in the environment
  ///     means that nobody is asked anything.
  /// - Returns: The vault, and the offer of a recovery code.
  /// - Throws: What creating a vault throws.
  private func create(_ slot: NewKeySlot, isTyped: Bool = false) throws -> Made {
    let open = try vault.blocking.create(slots: [slot])
    let isOpenedByKeyring = open.openedBy.source == .keyring
    let way =
      switch open.openedBy.source {
      case .keyring:
        "the desktop keyring and nothing else; the keyring gets a copy of each item for other "
          + "programs"
      case .keyFile: "the key file"
      default: "the passphrase"
      }
    // If the keyring unlocks it, `set` asks nothing: it says how to get a code, for a keyring that
    // is reset takes the vault with it.
    let isAskedAnyway = isTyped || (isOpenedByKeyring && offersRecovery)
    let isInClear =
      isOpenedByKeyring && vault.blocking.keyringStatus().keepsInClear == true
    if isInClear, let clear = ClearKeyring(opensVault: true, hasCopies: true) {
      StandardError.warning(clear.message, hint: clear.hint)
    }
    // A keyring without a password is lost with one broken file: who can be asked is offered a code.
    let isAsked = isAskedAnyway || (isInClear && Prompt.isPossible)
    let asksNothing = !isAsked || OutputOptions.isQuiet || settings.writesJSON
    let wants = wantsRecovery ?? (asksNothing ? false : nil)
    let remedies: [Remedy] =
      (isOpenedByKeyring ? [.stopPublishing] : [])
      + (wantsRecovery == nil && asksNothing && (offersRecovery || isOpenedByKeyring)
        ? [.addRecoveryCode] : [])
    StandardError.note(
      "created \(vault.path), unlocked by \(way)", hint: Advice.text(nil, remedies))
    return Made(
      vault: open, offer: RecoveryOffer(isWanted: wants, isForDocument: settings.writesJSON))
  }

  private static func exists(_ vault: LockedVault) -> CommandError {
    CommandError(
      .vaultExists, "there is a vault at \(vault.path) already",
      hint: "use it, or make another one: --vault NAME")
  }

  private func noVault(_ obstacle: CredentialError) -> CommandError {
    CommandError(
      .noVault,
      "there is no vault at \(vault.path), and no keyring to unlock one: \(obstacle.message)",
      hint:
        "create one: \(ProgramName.current) init --passphrase SOURCE, or \(ProgramName.current) init --key-file PATH"
    )
  }
}
