extension LockedVault {
}

extension LockedVault.Blocking {
  /// Unlocks the vault; creates it first if there is none and that needs no decision.
  ///
  /// This is what the `vault` command does at first use, without its questions:
  ///
  /// ```swift
  /// let vault = try await LockedVault(location: StoreLocation()).unlockOrCreate()
  /// try vault.blocking.set(ItemName("api-token"), to: Secret("s3cr3t"))
  /// ```
  ///
  /// A new vault gets one key slot, for the first of `sources` that has a key file or a passphrase;
  /// if none has, for the desktop keyring, which from then on holds a copy of each item for other
  /// programs, unless ``UnlockedVault/setPublishing(_:of:)`` turns that off. The session never
  /// unlocks a new vault, and a recovery code is never asked for.
  ///
  /// Nothing is asked and nothing is printed, unless a source of the caller's does. The strength of
  /// a passphrase is not judged: `PassphraseStrength` of `VaultPasswords` does that.
  ///
  /// - Parameter sources: The sources that may unlock the vault, in their order.
  /// - Returns: The open vault.
  /// - Throws: ``CredentialError`` with code `.noVault` if there is none and nothing at hand could
  ///   unlock a new one, otherwise as ``unlock(with:)`` and ``create(slots:)``.
  public func unlockOrCreate(
    with sources: [KeySource] = KeySource.standard
  ) throws -> UnlockedVault {
    guard try !exists() else { return try unlock(with: sources) }
    do {
      return try vault.blocking.create(slots: [try firstSlot(of: sources)])
    } catch let error as CredentialError where error.code == .vaultExists {
      // Another process has created it in the meantime.
      return try unlock(with: sources)
    } catch let error as CredentialError where error.code.isAboutKeyring {
      throw noVault(because: error)
    }
  }

  /// Whether ``unlockOrCreate(with:)`` would make a vault where there is none; nothing is made.
  ///
  /// - Parameter sources: The sources that may unlock the vault, in their order.
  /// - Returns: Whether one of them, or the desktop keyring, can unlock a new vault.
  package func canCreate(with sources: [KeySource] = KeySource.standard) -> Bool {
    guard let slot = try? firstSlot(of: sources) else { return false }
    if case .keyring = slot.kind {
      return vault.keyring.probe(openingSession: false).obstacle == nil
    }
    return true
  }

  /// Returns the slot for the first source that can unlock a new vault.
  private func firstSlot(of sources: [KeySource]) throws -> NewKeySlot {
    for source in sources {
      switch source.kind {
      case .passphrase(let passphrase):
        if let passphrase = try passphrase() { return .passphrase(passphrase) }
      case .keyFile(let bytes):
        if let key = try bytes(vault.keyFileTrust) { return .keyFile(key) }
        // Whoever names a key file does not expect a vault that the keyring unlocks.
        guard let path = source.path else { continue }
        throw CredentialError(
          .noVault,
          "there is no vault at \(folder.path), and the key file \(path) that would unlock a new "
            + "one does not exist", remedies: [.makeVault])
      case .session, .vaultKey, .keyring, .recoveryCode: continue
      }
    }
    let mayUseKeyring = sources.contains { if case .keyring = $0.kind { true } else { false } }
    guard mayUseKeyring, vault.options.usesKeyring else { throw noVault(because: nil) }
    return .keyring()
  }

  private func noVault(because error: CredentialError?) -> CredentialError {
    CredentialError(
      .noVault,
      "there is no vault at \(folder.path), and nothing at hand to unlock a new one"
        + (error.map { ": \($0.message)" } ?? ""),
      hint: [
        "\(KeyPlace.keyFileVariable) may name a file of 32 random bytes, which then unlocks it",
        error?.hint,
      ]
      .compactMap(\.self).joined(separator: "; "),
      remedies: [.makeVault], underlying: error)
  }
}
