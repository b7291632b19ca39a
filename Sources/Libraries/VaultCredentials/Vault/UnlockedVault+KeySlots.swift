public import VaultSealing

extension UnlockedVault.Blocking {
  /// The vault's key slots, with their labels.
  ///
  /// - Returns: The slots in the order they were made.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func slots() throws -> [KeySlot] {
    let sealed = try vault.snapshot(only: .noItems).file
    return try sealed.header.slots.map { try vault.describe($0) }
  }

  /// Adds a slot; no item is sealed again.
  ///
  /// - Parameter slot: What is to open the vault from now on, beside the others.
  /// - Returns: The new slot.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` if there are 32 already,
  ///   `.invalidValue`, a keyring's code, or what writing throws.
  @discardableResult
  public func addSlot(_ slot: NewKeySlot) throws -> KeySlot {
    let marks = KeyringSlotMarks(vault.locked, vaultID: vault.vaultID)
    // Without the vault's slot, the keyring's key goes, too.
    defer { marks.settle() }
    let addition = SlotAddition(
      vault: vault.locked, vaultID: vault.vaultID, keys: vault.keys, marks: marks)
    let record = try addition.record(for: slot)
    try vault.commit { edit in
      guard edit.header.slots.count < VaultHeader.maximumSlots else {
        throw CredentialError(.cannotCreate, "a vault has at most 32 key slots")
      }
      edit.header.slots.append(record)
      try edit.index.keepRecoveryKeys(
        of: [(slot, record)], all: edit.header.slots, now: edit.now)
    }
    return try vault.describe(record)
  }

  /// Removes a slot; the last one cannot be removed.
  ///
  /// The generation before, which it opens, is removed. Who held the vault key, or has a copy of
  /// the file from before elsewhere, can still open that: only a rotation of the vault key ends it.
  ///
  /// - Parameter id: The slot's id, or the beginning of it or its label if only one slot has it.
  /// - Throws: ``CredentialError`` with code `.slotNotFound`, `.lastSlot`, or what writing throws.
  public func removeSlot(_ id: String) throws {
    let marks = KeyringSlotMarks(vault.locked, vaultID: vault.vaultID)
    // What the keyring still holds opens nothing any more.
    defer { marks.settle() }
    try vault.commit { edit in
      let position = try vault.slotPosition(id, in: edit.header)
      guard edit.header.slots.count > 1 else {
        throw CredentialError(
          .lastSlot, "this is the only key slot: without it nothing would open the vault",
          remedies: [.addKey])
      }
      // The generation before is still opened by it.
      edit.removesPrevious = true
      let removed = edit.header.slots.remove(at: position)
      RecoveryKeys.forget(in: &edit.index, except: edit.header.slots)
      marks.holdKeyringSlots(of: [removed])
    }
  }

  /// Replaces the passphrase of a slot and calibrates its cost again.
  ///
  /// - Parameters:
  ///   - id: The slot, as ``removeSlot(_:)`` takes it; `nil` if there is only one passphrase slot.
  ///   - passphrase: The new passphrase; 1 byte to 4 KiB.
  /// - Throws: ``CredentialError`` with code `.slotNotFound`, `.invalidValue`, or what writing
  ///   throws.
  public func changePassphrase(of id: String? = nil, to passphrase: SecretBytes) throws {
    let (secret, cost) = try KeySlotSealing.secret(of: .passphrase(passphrase), keyringKey: nil)
    try vault.commit { edit in
      let position = try vault.passphrasePosition(id, in: edit.header)
      let old = edit.header.slots[position]
      let label = try KeySlotSealing.label(of: old, keys: vault.keys, vaultID: vault.vaultID)
      edit.header.slots[position] = try KeySlotSealing.record(
        for: .passphrase(passphrase, label: label), id: RandomBytes.bytes(count: 16),
        keys: vault.keys, vaultID: vault.vaultID, secret: secret, cost: cost)
      // The generation before still opens by the old passphrase.
      edit.removesPrevious = true
    }
  }
}

extension UnlockedVault.Blocking {
  /// Checks that ``changePassphrase(of:to:)`` would find the slot, before anybody types.
  ///
  /// - Parameter id: As there.
  /// - Throws: As there.
  package func checkPassphraseSlot(_ id: String?) throws {
    _ = try vault.passphrasePosition(id, in: vault.snapshot(only: .noItems).file.header)
  }
}

extension UnlockedVault {
  func describe(_ slot: SlotRecord) throws -> KeySlot {
    KeySlot(slot, label: try KeySlotSealing.label(of: slot, keys: keys, vaultID: vaultID))
  }

  func slotPosition(_ id: String, in header: VaultHeader) throws -> Int {
    let positions = try header.slots.indices.filter { position in
      let slot = try describe(header.slots[position])
      return slot.label == id || (id.count >= 4 && slot.id.hasPrefix(id))
    }
    guard let position = positions.first, positions.count == 1 else {
      throw CredentialError(
        .slotNotFound,
        positions.isEmpty
          ? "no key slot has this id or label" : "several key slots have this id or label",
        remedies: [.listKeys])
    }
    return position
  }

  func passphrasePosition(_ id: String?, in header: VaultHeader) throws -> Int {
    let positions = header.slots.indices.filter {
      KeySlot.Kind(type: header.slots[$0].type) == .passphrase
    }
    if let id {
      let position = try slotPosition(id, in: header)
      guard positions.contains(position) else {
        throw CredentialError(.slotNotFound, "this key slot has no passphrase")
      }
      return position
    }
    guard let position = positions.first, positions.count == 1 else {
      throw CredentialError(
        .slotNotFound,
        positions.isEmpty
          ? "no passphrase opens this vault" : "several passphrases open this vault",
        remedies: [positions.isEmpty ? .addPassphrase : .listKeys])
    }
    return position
  }
}
