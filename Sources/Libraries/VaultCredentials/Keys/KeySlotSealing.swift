import VaultSealing

/// Makes slot records and opens them.
///
/// Documentation/design/file-format.md, section 3.
enum KeySlotSealing {
  /// Labels are sealed in 64-byte steps and at most this long.
  static let maximumLabel = 255
  private static let maximumPassphrase = 4096

  /// A record that wraps `keys`' vault key.
  static func record(
    for slot: NewKeySlot, id: [UInt8], keys: VaultKeys, vaultID: [UInt8], secret: SecretBytes,
    cost: PasswordHash.Cost?
  ) throws -> SlotRecord {
    let salt =
      cost == nil
      ? [UInt8](repeating: 0, count: SlotRecord.saltLength)
      : RandomBytes.bytes(count: SlotRecord.saltLength)
    var record = SlotRecord(
      type: slot.type, id: id, kdf: cost == nil ? 0 : 1,
      cost: cost ?? PasswordHash.Cost(memoryKiB: 0, passes: 0), salt: salt)
    let material =
      try cost.map { try PasswordHash.derive(from: secret, salt: salt, cost: $0) } ?? secret
    try record.wrap(keys.vaultKey, under: material, vaultID: vaultID)
    record.label = try sealedLabel(slot.label, id: id, keys: keys, vaultID: vaultID)
    return record
  }

  /// The vault key, if `passphrase` opens one of `slots`.
  ///
  /// Slots are tried in their order; each costs one password hash. A file that asks for more than
  /// all of them may cost is refused before the first.
  static func open(
    passphrase: SecretBytes, header: VaultHeader
  ) throws -> (vaultKey: SecretBytes, slot: SlotRecord)? {
    guard (1...maximumPassphrase).contains(passphrase.count) else { return nil }
    let normal = try UnicodeNormalization.nfc(passphrase)
    guard header.hasAcceptedPassphraseCost else {
      throw CredentialError(
        .weakSlot, "the passphrase slots together cost too much",
        hint:
          "open the vault by a key slot of another kind, and remove passphrases that are not needed"
      )
    }
    var isWeak = false
    for slot in header.slots where KeySlot.Kind(type: slot.type) == .passphrase {
      guard slot.kdf == 1, slot.cost.isAboveFloor, slot.cost.isBelowCap else {
        isWeak = true
        continue
      }
      let material = try PasswordHash.derive(from: normal, salt: slot.salt, cost: slot.cost)
      if let key = try slot.unwrap(under: material, vaultID: header.vaultID) { return (key, slot) }
    }
    if isWeak {
      throw CredentialError(
        .weakSlot, "the cost of a passphrase slot is not accepted",
        hint: "open the vault by another slot", remedies: [.upgradeKeys])
    }
    return nil
  }

  /// The vault key, if `material` opens one of the slots of this kind.
  static func open(
    _ kind: KeySlot.Kind, material: SecretBytes, header: VaultHeader
  ) throws -> (vaultKey: SecretBytes, slot: SlotRecord)? {
    for slot in header.slots where slot.type == kind.type && slot.kdf == 0 {
      if let key = try slot.unwrap(under: material, vaultID: header.vaultID) { return (key, slot) }
    }
    return nil
  }

  /// The label of a slot, once the vault is open; empty if there is none.
  static func label(of slot: SlotRecord, keys: VaultKeys, vaultID: [UInt8]) throws -> String {
    guard !slot.label.isEmpty else { return "" }
    let context = Array("VLT1/label".utf8) + vaultID + slot.id
    let padded = try AuthenticatedEncryption.open(slot.label, key: keys.index, context: context)
    return padded.withBytes { bytes in
      Padding.unpaddedLength(bytes).flatMap { bytes.text(0..<$0) } ?? ""
    }
  }

  static func sealedLabel(
    _ label: String, id: [UInt8], keys: VaultKeys, vaultID: [UInt8]
  ) throws -> [UInt8] {
    guard !label.isEmpty else { return [] }
    guard label.utf8.count <= maximumLabel else {
      throw CredentialError(.invalidValue, "the label of a slot has at most 255 bytes")
    }
    guard ItemLimits.isPlain(label) else {
      throw CredentialError(
        .invalidValue, "the label of a slot cannot hold a control character", hint: "leave it out")
    }
    let context = Array("VLT1/label".utf8) + vaultID + id
    var composer = SecretBuilder()
    composer.put(Array(label.utf8))
    let padded = try composer.padded(to: (composer.count + 64) & ~63)
    return try padded.withBytes {
      try AuthenticatedEncryption.seal($0, key: keys.index, context: context)
    }
  }

  /// The bytes that a new slot is opened by, and the cost of stretching them.
  static func secret(
    of slot: NewKeySlot, keyringKey: SecretBytes?
  ) throws -> (secret: SecretBytes, cost: PasswordHash.Cost?) {
    switch slot.kind {
    case .passphrase(let passphrase, let cost):
      guard (1...maximumPassphrase).contains(passphrase.count) else {
        throw CredentialError(.invalidValue, "a passphrase must have 1 byte to 4 KiB")
      }
      return (try UnicodeNormalization.nfc(passphrase), try cost ?? PasswordHash.calibrate())
    case .keyFile(let key):
      guard key.count == KeyFile.length else {
        throw CredentialError(.invalidValue, "a key file must have exactly 32 bytes")
      }
      return (key, nil)
    case .recovery(let key): return (key, nil)
    case .keyring:
      guard let keyringKey else {
        throw CredentialError(.keyringUnavailable, "there is no keyring to hold the key")
      }
      return (keyringKey, nil)
    }
  }
}

extension NewKeySlot {
  var type: UInt16 {
    switch kind {
    case .passphrase: KeySlot.Kind.passphrase.type
    case .keyFile: KeySlot.Kind.keyFile.type
    case .keyring: KeySlot.Kind.keyring.type
    case .recovery: KeySlot.Kind.recovery.type
    }
  }
}
