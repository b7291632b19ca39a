import VaultSealing

/// Finds the key that opens a vault file, door by door.
struct VaultOpening {
  let vault: LockedVault
  let sealed: SealedFile

  /// What a door gave.
  private struct Found {
    var vaultKey: SecretBytes
    var slot: SlotRecord?
    var source: UnlockedVault.OpenedBy.Source
  }

  func open(with sources: [KeySource]) throws -> UnlockedVault {
    var failure: CredentialError?
    var staleSession = false
    for source in sources {
      do {
        guard let found = try find(source) else { continue }
        let keys = try VaultKeys(found.vaultKey)
        do {
          return try finish(found, keys: keys)
        } catch is SealedFile.IndexRejected {
          guard found.source != .session else {
            if try belongsToThisEpoch(found) { throw VaultHeader.damaged("its index was changed") }
            staleSession = true
            continue
          }
          throw VaultHeader.damaged("its index was changed")
        }
      } catch let error as CredentialError {
        if source.isRequired || error.code == .damaged || error.code == .weakSlot { throw error }
        failure = failure ?? error
      }
    }
    if staleSession { _ = try? Session.end(vaultID: sealed.header.vaultID) }
    throw failure ?? locked()
  }

  private func belongsToThisEpoch(_ found: Found) throws -> Bool {
    try Session.current(vaultID: sealed.header.vaultID)?.belongs(to: sealed.header) ?? true
  }

  private func find(_ source: KeySource) throws -> Found? {
    switch source.kind {
    case .session:
      guard let session = try? Session.current(vaultID: sealed.header.vaultID) else { return nil }
      return Found(vaultKey: session.vaultKey, slot: nil, source: .session)
    case .passphrase(let passphrase):
      guard let passphrase = try passphrase() else { return nil }
      try require(.passphrase, "passphrase")
      guard let (key, slot) = try SlotMaker.open(passphrase: passphrase, header: sealed.header)
      else { throw wrong("the passphrase does not open the vault") }
      return Found(vaultKey: key, slot: slot, source: .passphrase)
    case .keyFile(let bytes):
      guard let bytes = try bytes() else { return nil }
      try require(.keyFile, "key-file")
      guard let (key, slot) = try SlotMaker.open(.keyFile, material: bytes, header: sealed.header)
      else { throw wrong("the key-file does not open the vault") }
      return Found(vaultKey: key, slot: slot, source: .keyFile)
    case .recoveryCode(let code):
      guard let code = try code() else { return nil }
      try require(.recovery, "recovery code")
      guard let material = try RecoveryCode.key(from: code) else {
        throw CredentialError(
          .wrongKey, "the recovery code has a mistake in it",
          hint: "compare it with the paper, group by group")
      }
      guard
        let (key, slot) = try SlotMaker.open(.recovery, material: material, header: sealed.header)
      else { throw wrong("the recovery code does not open the vault") }
      return Found(vaultKey: key, slot: slot, source: .recovery)
    case .keyring:
      return try findInKeyring()
    }
  }

  private func findInKeyring() throws -> Found? {
    let slots = sealed.header.slots.filter { KeySlot.Kind(type: $0.type) == .keyring }
    guard vault.options.usesKeyring, !slots.isEmpty else { return nil }
    let door = KeyringDoor(options: vault.options)
    for slot in slots {
      guard let material = try door.slotKey(vaultID: sealed.header.vaultID, slotID: slot.id) else {
        continue
      }
      guard let key = try slot.unwrap(under: material, vaultID: sealed.header.vaultID) else {
        continue
      }
      return Found(vaultKey: key, slot: slot, source: .keyring)
    }
    throw CredentialError(
      .locked, "the keyring does not hold the key of this vault",
      hint: "open the vault with its passphrase, key-file or recovery code")
  }

  private func require(_ kind: KeySlot.Kind, _ what: String) throws {
    let kinds = sealed.header.slots.map { KeySlot.Kind(type: $0.type) }
    guard !kinds.contains(kind) else { return }
    let others = Set(kinds.map(\.name)).sorted().joined(separator: ", ")
    throw CredentialError(
      .wrongKey, "no \(what) opens this vault",
      hint: "it is opened by: \(others)")
  }

  private func wrong(_ message: String) -> CredentialError {
    CredentialError(.wrongKey, message, hint: "try again, or open it by another key slot")
  }

  private func locked() -> CredentialError {
    let kinds = Set(sealed.header.slots.map { KeySlot.Kind(type: $0.type).name }).sorted()
    return CredentialError(
      .locked, "the vault is locked",
      hint: "open it with 'vault unlock'; its key slots: \(kinds.joined(separator: ", "))")
  }

  private func finish(_ found: Found, keys: VaultKeys) throws -> UnlockedVault {
    // The empty list of names: authenticated and decoded, but for the items.
    _ = try sealed.openIndex(keys, onlyItemsNamed: [])
    let label = try found.slot.map {
      try SlotMaker.label(of: $0, keys: keys, vaultID: sealed.header.vaultID)
    }
    let open = UnlockedVault(
      vault: vault, vaultID: sealed.header.vaultID, keys: keys,
      openedBy: UnlockedVault.OpenedBy(source: found.source, slotLabel: label ?? ""))
    if found.source != .session { open.beginSession(header: sealed.header) }
    return open
  }
}
