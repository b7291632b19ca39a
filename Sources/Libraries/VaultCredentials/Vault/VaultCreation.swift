import VaultSealing

/// Makes a vault's first file.
struct VaultCreation {
  let vault: LockedVault

  func create(slots: [NewKeySlot]) throws -> UnlockedVault {
    guard !slots.isEmpty else {
      throw CredentialError(.invalidValue, "a vault needs at least one key slot")
    }
    guard slots.count <= VaultHeader.maximumSlots else {
      throw CredentialError(.cannotCreate, "a vault has at most 32 key slots")
    }
    let keys = try VaultKeys(try SecretBytes.random(count: 32))
    let vaultID = RandomBytes.bytes(count: 16)
    let addition = SlotAddition(vault: vault, vaultID: vaultID, keys: keys)
    var records: [SlotRecord] = []
    do {
      for slot in slots { records.append(try addition.record(for: slot)) }
      return try create(slots: slots, records: records, keys: keys, vaultID: vaultID)
    } catch {
      for record in records where !Self.isStored(record, in: vault) { addition.undo(record) }
      throw error
    }
  }

  /// Whether the vault file is there after all, and this slot opens it.
  private static func isStored(_ record: SlotRecord, in vault: LockedVault) -> Bool {
    do {
      return try vault.folder.read()?.header.slots.contains { $0.id == record.id } == true
    } catch {
      return true
    }
  }

  private func create(
    slots: [NewKeySlot], records: [SlotRecord], keys: VaultKeys, vaultID: [UInt8]
  ) throws -> UnlockedVault {
    let header = VaultHeader(vaultID: vaultID, generation: 1, slots: records)
    try header.checkPassphraseCost(
      before: VaultHeader(vaultID: vaultID, generation: 0, slots: []))
    let device = try vault.folder.device()
    var index = VaultIndex(
      device: Bytes16(device), written: vault.options.now(),
      isPublishing: records.contains { KeySlot.Kind(type: $0.type) == .keyring })
    try index.addDataKey(purpose: .history, now: index.written)
    try index.addDataKey(purpose: .publishing, now: index.written)
    try index.keepRecoveryKeys(
      of: Array(zip(slots, records)), all: records, now: index.written)
    let (bytes, tag, _) = try VaultFileEncoder.compose(
      header: header, index: index, keys: keys, former: nil, sealed: [:])
    try vault.folder.locked(timeout: vault.options.lockTimeout) { directory in
      guard try !vault.folder.exists() else {
        throw CredentialError(
          .vaultExists, "there is a vault at \(vault.folder.path) already",
          remedies: [.chooseOtherVault])
      }
      try vault.folder.replace(bytes, in: directory, keepingPrevious: false)
    }
    let seen = LastSeen(vaultID: vaultID, generation: 1, tag: tag)
    try vault.folder.record(seen, key: try keys.state())
    let source: UnlockedVault.OpenedBy.Source =
      switch KeySlot.Kind(type: records[0].type) {
      case .passphrase: .passphrase
      case .keyFile: .keyFile
      case .recovery: .recovery
      default: .keyring
      }
    let open = UnlockedVault(
      locked: vault, header: header, keys: keys,
      openedBy: UnlockedVault.OpenedBy(source: source, slotLabel: slots[0].label))
    open.beginSession(header: header)
    return open
  }
}

/// Makes a slot's record, and the keyring's item where the slot needs one.
struct SlotAddition {
  let vault: LockedVault
  let vaultID: [UInt8]
  let keys: VaultKeys
  /// Where the slots are noted, of a vault that is there.
  var marks: KeyringSlotMarks?

  func record(for slot: NewKeySlot) throws -> SlotRecord {
    let id = RandomBytes.bytes(count: 16)
    var keyringKey: SecretBytes?
    if case .keyring = slot.kind {
      let key = try SecretBytes.random(count: 32)
      marks?.hold(id)
      try KeyringSlotKeys(keyring: vault.keyring, options: vault.options).storeSlotKey(
        key, vaultID: vaultID, slotID: id)
      keyringKey = key
    }
    do {
      let (secret, cost) = try KeySlotSealing.secret(of: slot, keyringKey: keyringKey)
      return try KeySlotSealing.record(
        for: slot, id: id, keys: keys, vaultID: vaultID, secret: secret, cost: cost)
    } catch {
      if keyringKey != nil { removeKey(slotID: id) }
      throw error
    }
  }

  /// Takes out of the keyring what was put there for a slot that was not stored after all.
  func undo(_ record: SlotRecord) {
    if KeySlot.Kind(type: record.type) == .keyring { removeKey(slotID: record.id) }
  }

  private func removeKey(slotID: [UInt8]) {
    // What ended the creation is what matters; a key that stays opens nothing.
    _ = try? KeyringSlotKeys(keyring: vault.keyring, options: vault.options)
      .removeSlotKey(vaultID: vaultID, slotID: slotID)
  }
}
