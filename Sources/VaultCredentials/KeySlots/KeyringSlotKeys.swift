import VaultSealing

/// The keyring as a door: one random key per keyring slot.
///
/// Documentation/file-format.md, section 3.
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
  func removeSlotKey(vaultID: [UInt8], slotID: [UInt8]) throws {
    let identity = identity(vaultID, slotID)
    do {
      let found = try keyring.items(matching: identity.searched)
      for item in found.unlocked where identity.isCarried(by: item) {
        try keyring.delete(item.path, of: identity)
      }
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

  /// Hex digits, so that a keyring that keeps text alone keeps it too.
  private static func encoded(_ key: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: key.count * 2) { output in
      key.withBytes { key in
        for offset in 0..<key.byteCount {
          let byte = key.byte(at: offset)
          output.write(byte: Hexadecimal.digit(byte >> 4), at: offset * 2)
          output.write(byte: Hexadecimal.digit(byte & 15), at: offset * 2 + 1)
        }
      }
      return key.count * 2
    }
  }

  private static func decoded(_ text: SecretBytes) throws -> SecretBytes? {
    guard text.count == 64 else { return nil }
    var isValid = true
    let key = try SecretBytes(capacity: 32) { output in
      text.withBytes { text in
        for offset in 0..<32 {
          guard let high = Hexadecimal.value(of: text.byte(at: offset * 2)),
            let low = Hexadecimal.value(of: text.byte(at: offset * 2 + 1))
          else {
            isValid = false
            return
          }
          output.write(byte: high << 4 | low, at: offset)
        }
      }
      return 32
    }
    return isValid ? key : nil
  }
}
