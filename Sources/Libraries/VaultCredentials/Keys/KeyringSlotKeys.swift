import VaultSealing

/// The keys of keyring slots: a random key in the keyring for each.
///
/// Documentation/design/file-format.md, section 3.
struct KeyringSlotKeys {
  let keyring: any DesktopKeyring
  let options: VaultOptions

  /// The key of a slot, or `nil` if the keyring is there and does not hold it.
  ///
  /// Shows the keyring's own prompt where the options allow one and there is a display.
  func slotKey(vaultID: [UInt8], slotID: [UInt8]) throws -> SecretBytes? {
    let identity = identity(vaultID, slotID)
    do {
      return try unlockingIfAllowed(identity) {
        try Self.decoded(try keyring.secret(of: identity))
      }
    } catch let error as CredentialError {
      if (error.underlying as? KeyringError)?.state == .itemMissing { return nil }
      throw error
    }
  }

  /// Whether the keyring has the key of a slot; its secret is not read.
  func holdsSlotKey(vaultID: [UInt8], slotID: [UInt8]) throws(KeyringError) -> Bool {
    let identity = identity(vaultID, slotID)
    let found = try keyring.items(matching: identity.searched)
    return (found.unlocked + found.locked).contains(where: identity.isCarried)
  }

  /// The items of the keyring that hold the keys of a vault's slots.
  func identities(in header: VaultHeader) -> [KeyringIdentity] {
    header.slots.filter { KeySlot.Kind(type: $0.type) == .keyring }
      .map { identity(header.vaultID, $0.id) }
  }

  /// Puts the key of a new slot into the keyring.
  func storeSlotKey(_ key: SecretBytes, vaultID: [UInt8], slotID: [UInt8]) throws {
    let identity = identity(vaultID, slotID)
    let text = try Self.encoded(key)
    let label = "vault: key of \(Hexadecimal.text(Array(vaultID.prefix(4))))"
    _ = try unlockingIfAllowed(identity) {
      try keyring.create(identity, label: label, secret: text)
    }
  }

  /// Takes the key of a removed slot out of the keyring.
  ///
  /// - Returns: Whether the keyring does not hold it any more.
  @discardableResult
  func removeSlotKey(vaultID: [UInt8], slotID: [UInt8]) throws -> Bool {
    let identity = identity(vaultID, slotID)
    do {
      let found = try keyring.items(matching: identity.searched)
      for item in found.unlocked where identity.isCarried(by: item) {
        try keyring.delete(item.path, of: identity)
      }
      return !found.locked.contains(where: identity.isCarried)
    } catch {
      throw CredentialError(error)
    }
  }

  /// Runs `body`; once more after the keyring's own prompt, where that may be shown.
  private func unlockingIfAllowed<Result>(
    _ identity: KeyringIdentity, _ body: () throws -> Result
  ) throws -> Result {
    do {
      do {
        return try body()
      } catch let error as KeyringError {
        guard error.state.isLocked, options.allowsKeyringPrompt else { throw error }
        try unlockByPrompt(identity)
        return try body()
      }
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
  }

  private func unlockByPrompt(_ identity: KeyringIdentity) throws {
    guard keyring.canPrompt, let watch = options.keyringPrompt else {
      return try keyring.unlock(cancellation: nil, for: identity)
    }
    watch.began()
    defer { watch.ended() }
    try keyring.unlock(
      cancellation: PromptCancellation(watch.isGivenUp), for: identity)
  }

  private func identity(_ vaultID: [UInt8], _ slotID: [UInt8]) -> KeyringIdentity {
    KeyringIdentity(
      service: "vault-key",
      username: "\(Hexadecimal.text(vaultID)):\(Hexadecimal.text(slotID))")
  }

  /// Returns hex digits, which a keyring that stores only text keeps, too.
  private static func encoded(_ key: SecretBytes) throws -> SecretBytes {
    try Hexadecimal.encoded(key)
  }

  private static func decoded(_ text: SecretBytes) throws -> SecretBytes? {
    text.count == 64 ? try Hexadecimal.decoded(text) : nil
  }
}
