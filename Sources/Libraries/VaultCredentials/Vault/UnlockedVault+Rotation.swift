public import VaultSealing

extension UnlockedVault.Blocking {
  /// Makes a new vault key and seals everything under it, in one replace of the file.
  ///
  /// The only thing that ends the access of somebody who once held the vault key. Old slots and the
  /// generation before open nothing new, neither current secrets nor what the history keeps from
  /// now on; earlier versions from before stay readable. The session ends, and a new one begins as
  /// the options say. If it throws, the vault is as it was.
  ///
  /// - Parameter slots: What is to open the vault from now on; all old slots go.
  /// - Returns: The vault, open under its new key; this one is of no more use.
  /// - Throws: ``CredentialError`` with code `.damaged` if an item cannot be read, `.invalidValue`,
  ///   a keyring's code, or what writing throws.
  public func rotate(to slots: [NewKeySlot]) throws -> UnlockedVault {
    guard (1...VaultHeader.maximumSlots).contains(slots.count) else {
      throw CredentialError(.invalidValue, "a vault must have 1 to 32 key slots")
    }
    let newKeys = try VaultKeys(try SecretBytes.random(count: 32))
    let marks = KeyringSlotMarks(vault.locked, vaultID: vault.vaultID)
    // The keys of old slots go from the keyring; or those of the new ones, if it fails.
    defer { marks.settle() }
    let addition = SlotAddition(
      vault: vault.locked, vaultID: vault.vaultID, keys: newKeys, marks: marks)
    let records = try slots.map { try addition.record(for: $0) }
    let (header, setting) = try vault.commit { edit in
      marks.holdKeyringSlots(of: edit.header.slots)
      try edit.rotate(to: newKeys, slots: records) { done, total in
        vault.locked.options.tell(.sealing, done, of: total)
      }
      try edit.index.keepRecoveryKeys(
        of: Array(zip(slots, records)), all: records, now: edit.now)
      return (edit.header, edit.index.sessionSeconds)
    }
    _ = try? Session.end(vaultID: vault.vaultID)
    let rotated = UnlockedVault(
      locked: vault.locked, header: header, keys: newKeys, openedBy: vault.openedBy)
    rotated.beginSession(header: header, setting: setting)
    return rotated
  }

  /// Gives passphrase slots of an old, cheap cost a new one, calibrated on this machine.
  ///
  /// - Parameter passphrase: The passphrase of the slots to be upgraded.
  /// - Returns: How many slots were upgraded.
  /// - Throws: ``CredentialError`` with code `.wrongKey`, or what writing throws.
  @discardableResult
  public func upgradeSlots(passphrase: SecretBytes) throws -> Int {
    let normal = try UnicodeNormalization.nfc(passphrase)
    let cost = try PasswordHash.calibrate()
    return try vault.commit { edit in
      var count = 0
      var isKnown = false
      for position in edit.header.slots.indices {
        let slot = edit.header.slots[position]
        guard KeySlot.Kind(type: slot.type) == .passphrase, slot.kdf == 1, slot.cost.isBelowCap
        else { continue }
        // A slot below the floor is opened here alone, by somebody who has the vault open.
        let material = try PasswordHash.hash(normal, salt: slot.salt, cost: slot.cost, count: 32)
        guard try slot.unwrap(under: material, vaultID: edit.header.vaultID) != nil else {
          continue
        }
        isKnown = true
        guard
          slot.cost.memoryKiB < cost.memoryKiB || slot.cost.passes < cost.passes
        else { continue }
        let label = try KeySlotSealing.label(of: slot, keys: vault.keys, vaultID: vault.vaultID)
        edit.header.slots[position] = try KeySlotSealing.record(
          for: .passphrase(passphrase, label: label), id: RandomBytes.bytes(count: 16),
          keys: vault.keys, vaultID: vault.vaultID, secret: normal, cost: cost)
        count += 1
      }
      guard isKnown else {
        throw CredentialError(.wrongKey, "the passphrase does not open any slot of this vault")
      }
      if count > 0 { edit.removesPrevious = true }
      return count
    }
  }
}
