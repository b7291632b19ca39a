import VaultSealing
import VaultStorage

/// Finds the key that opens a vault file, trying one source after another.
struct VaultOpening {
  let vault: LockedVault
  let sealed: VaultFile

  /// The key that a source gave.
  private struct Found {
    var vaultKey: SecretBytes
    var slot: SlotRecord?
    var source: UnlockedVault.OpenedBy.Source
  }

  func open(with sources: [KeySource]) throws -> UnlockedVault {
    var failure: CredentialError?
    var staleSession = false
    tell(.file(vault.path, slots: sealed.header.slots.map { KeySlot.Kind(type: $0.type) }))
    for source in sources {
      do {
        guard let found = try find(source) else {
          tell(.nothing(in: source.words))
          continue
        }
        let keys = try VaultKeys(found.vaultKey)
        do {
          let open = try finish(found, keys: keys)
          tell(.opened(by: source.words))
          return open
        } catch is VaultFile.IndexRejected {
          guard found.source != .session else {
            if try belongsToThisEpoch(found) { throw VaultHeader.damaged("its index was changed") }
            staleSession = true
            tell(.failed(source.words, why: "its key is from before the key was rotated"))
            continue
          }
          throw VaultHeader.damaged("its index was changed")
        }
      } catch let error as CredentialError {
        tell(.failed(source.words, why: error.message))
        if source.isRequired || error.code == .damaged || error.code == .weakSlot { throw error }
        failure = failure ?? error
      }
    }
    if staleSession { _ = try? Session.end(vaultID: sealed.header.vaultID) }
    throw explanation(failure)
  }

  private func tell(_ step: @autoclosure () -> UnlockStep) {
    vault.options.unlockStep?(step())
  }

  private func belongsToThisEpoch(_ found: Found) throws -> Bool {
    try Session.current(vaultID: sealed.header.vaultID)?.belongs(to: sealed.header) ?? true
  }

  private func find(_ source: KeySource) throws -> Found? {
    switch source.kind {
    case .session:
      guard let session = try? Session.current(vaultID: sealed.header.vaultID) else { return nil }
      return Found(vaultKey: session.vaultKey, slot: nil, source: .session)
    case .vaultKey(let key):
      // As the session's: a key without a slot, which starts no session.
      return Found(vaultKey: key, slot: nil, source: .session)
    case .passphrase(let passphrase):
      guard let passphrase = try passphrase(),
        try isPossible(.passphrase, "passphrase", source)
      else { return nil }
      guard let (key, slot) = try KeySlotSealing.open(passphrase: passphrase, header: sealed.header)
      else {
        var error = wrong("wrong passphrase", .passphrase, isForgettable: true)
        if let odd = passphrase.oddEnd {
          error.hint = [odd, error.hint].compactMap(\.self).joined(separator: "; ")
        }
        throw error
      }
      return Found(vaultKey: key, slot: slot, source: .passphrase)
    case .keyFile(let bytes):
      guard let bytes = try bytes(vault.keyFileTrust) else {
        guard let path = source.path else { return nil }
        // Somebody named it: that it is missing is why the vault stays locked, if nothing opens it.
        let variable = KeyPlace.keyFileVariable
        throw GuardedFile.missing(
          path, as: .key,
          hint: StoreLocation.variable(variable) == path ? "\(variable) names it" : nil)
      }
      guard try isPossible(.keyFile, "key file", source) else { return nil }
      guard
        let (key, slot) = try KeySlotSealing.open(.keyFile, material: bytes, header: sealed.header)
      else { throw wrong("the key file does not unlock the vault", .keyFile) }
      return Found(vaultKey: key, slot: slot, source: .keyFile)
    case .recoveryCode(let code):
      guard let code = try code(), try isPossible(.recovery, "recovery code", source) else {
        return nil
      }
      guard let material = try RecoveryCode.key(from: code) else {
        throw CredentialError(
          .wrongKey, "the recovery code has a typing error",
          hint: "compare it with the written code, group by group")
      }
      guard
        let (key, slot) = try KeySlotSealing.open(
          .recovery, material: material, header: sealed.header)
      else { throw wrong("the recovery code does not unlock the vault", .recovery) }
      return Found(vaultKey: key, slot: slot, source: .recovery)
    case .keyring:
      return try findInKeyring()
    }
  }

  private func findInKeyring() throws -> Found? {
    let slots = sealed.header.slots.filter { KeySlot.Kind(type: $0.type) == .keyring }
    guard vault.options.usesKeyring, !slots.isEmpty else { return nil }
    let slotKeys = KeyringSlotKeys(keyring: vault.keyring, options: vault.options)
    for slot in slots {
      guard let material = try slotKeys.slotKey(vaultID: sealed.header.vaultID, slotID: slot.id)
      else {
        continue
      }
      guard let key = try slot.unwrap(under: material, vaultID: sealed.header.vaultID) else {
        continue
      }
      return Found(vaultKey: key, slot: slot, source: .keyring)
    }
    throw LostKeyringKey.error(
      sealed.header, provider: vault.keyring.probe(openingSession: false).owner?.provider)
  }

  /// Whether the vault has a slot of this kind; if not, a source that was named is an error.
  private func isPossible(
    _ kind: KeySlot.Kind, _ what: String, _ source: KeySource
  ) throws -> Bool {
    let kinds = Set(sealed.header.slots.map { KeySlot.Kind(type: $0.type) })
    if kinds.contains(kind) { return true }
    guard source.isRequired else { return false }
    let others = Self.words(of: kinds)
    throw CredentialError(
      .wrongKey, "no \(what) unlocks this vault",
      hint: "it is unlocked by: \(others)")
  }

  /// The error for a key that opens no slot; what can be forgotten points at the recovery code.
  private func wrong(
    _ message: String, _ kind: KeySlot.Kind, isForgettable: Bool = false
  ) -> CredentialError {
    let kinds = Set(sealed.header.slots.map { KeySlot.Kind(type: $0.type) })
    guard isForgettable, kinds.contains(.recovery) else {
      let others = Self.words(of: kinds.subtracting([kind]))
      return CredentialError(
        .wrongKey, message,
        hint: others.isEmpty ? "try again: nothing else unlocks it" : "try again, or use: \(others)"
      )
    }
    return CredentialError(.wrongKey, message, remedies: [.useRecoveryCode])
  }

  /// Kinds of key slots in words: `key file, passphrase`.
  private static func words(of kinds: Set<KeySlot.Kind>) -> String {
    kinds.map(\.words).sorted().joined(separator: ", ")
  }

  /// Why nothing opened the vault: the keyring's own words where only the keyring could have.
  private func explanation(_ failure: CredentialError?) -> CredentialError {
    let kinds = Set(sealed.header.slots.map { KeySlot.Kind(type: $0.type) })
    if let failure, !failure.code.isAboutKeyring || kinds == [.keyring] {
      return failure
    }
    let why = failure.map { ": \($0.message)" } ?? ""
    let others = Self.words(of: kinds.subtracting([.keyring]))
    return CredentialError(
      .locked, "the vault is locked\(why)",
      hint: others.isEmpty ? nil : "it is unlocked by: \(others)", remedies: [.unlock],
      underlying: failure)
  }

  private func finish(_ found: Found, keys: VaultKeys) throws -> UnlockedVault {
    let index = try sealed.openedIndex(keys)
    let label = try found.slot.map {
      try KeySlotSealing.label(of: $0, keys: keys, vaultID: sealed.header.vaultID)
    }
    let open = UnlockedVault(
      locked: vault, header: sealed.header, keys: keys,
      openedBy: UnlockedVault.OpenedBy(source: found.source, slotLabel: label ?? ""),
      opened: OpenedFile(sealed: sealed, index: index))
    open.finishWhatWasKilled(withKeyring: found.source != .session)
    if found.source != .session {
      let settings = try? VaultFile.decode(index, only: .noItems).settings
      open.beginSession(
        header: sealed.header,
        setting: settings?[VaultIndex.sessionSetting].flatMap { Int($0) })
    }
    return open
  }
}

extension SecretBytes {
  /// What nobody types, and files have at their ends: words for a hint; `nil` if there is nothing.
  fileprivate var oddEnd: String? {
    withBytes { bytes in
      guard bytes.byteCount > 0 else { return "it is empty" }
      if bytes.byteCount >= 3, bytes.byte(at: 0) == 0xEF, bytes.byte(at: 1) == 0xBB,
        bytes.byte(at: 2) == 0xBF
      {
        return "it begins with a byte order mark: save its file as UTF-8 without one"
      }
      switch bytes.byte(at: bytes.byteCount - 1) {
      case 0x0D: return "it ends in a carriage return: save its file with Unix line ends"
      case 0x0A: return "it ends in a newline, beside the one that is passed over"
      case 0x20, 0x09: return "it ends in a blank"
      default: return nil
      }
    }
  }
}
