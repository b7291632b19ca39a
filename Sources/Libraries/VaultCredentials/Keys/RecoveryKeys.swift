package import VaultSealing

/// What a vault keeps of a recovery code, so that the code opens the space of the vault, too.
///
/// Public keys, and the key that seals what the owner of the code and this vault read; not the
/// code, nor what signs or opens in its name. Documentation/design/file-format.md, section 4.
package struct RecoveryKeys: Sendable {
  package let publicKeys: PublicKeys
  /// 32 bytes.
  package let own: SecretBytes

  private static let setting = "sync.recovery."
  private static let purpose = "sync-recovery/"

  private init(publicKeys: PublicKeys, own: SecretBytes) {
    self.publicKeys = publicKeys
    self.own = own
  }

  /// Derives the keys of a code.
  init(of code: SecretBytes) throws {
    let pairs = try KeyPairs(seed: RecoveryCode.spaceSeed(of: code))
    self.init(publicKeys: pairs.publicKeys, own: pairs.own)
  }

  /// The keys that an index has of a slot; `nil` if it was made by a version without them.
  init?(of slot: SlotRecord, in index: VaultIndex) {
    let id = Hexadecimal.text(slot.id)
    guard let bytes = index.settings[Self.setting + id].flatMap(Hexadecimal.bytes),
      bytes.count == 64,
      let own = index.dataKeys.first(where: { $0.purpose == Self.purpose + id })
    else { return nil }
    self.init(
      publicKeys: PublicKeys(signing: Array(bytes[..<32]), sealing: Array(bytes[32...])),
      own: own.key)
  }

  /// Puts the keys into an index.
  func keep(of slot: SlotRecord, in index: inout VaultIndex, now: Int64) {
    let id = Hexadecimal.text(slot.id)
    index.settings[Self.setting + id] = Hexadecimal.text(publicKeys.signing + publicKeys.sealing)
    index.dataKeys.append(
      VaultIndex.DataKey(
        id: RandomBytes.bytes(count: 16), key: own, created: now, isRetired: false,
        purpose: Self.purpose + id))
  }

  /// Takes the keys of slots out that are not there any longer.
  static func forget(in index: inout VaultIndex, except slots: [SlotRecord]) {
    let ids = Set(slots.map { Hexadecimal.text($0.id) })
    index.dataKeys.removeAll {
      $0.purpose.hasPrefix(purpose) && !ids.contains(String($0.purpose.dropFirst(purpose.count)))
    }
    for name in index.settings.all.map(\.name)
    where name.hasPrefix(setting) && !ids.contains(String(name.dropFirst(setting.count))) {
      index.settings[name] = nil
    }
  }
}

extension VaultIndex {
  /// Keeps what opens a space by the recovery codes among new slots, and forgets what is of none.
  ///
  /// - Parameters:
  ///   - new: New slots with their records.
  ///   - all: All slots that the vault has with them.
  ///   - now: The time, milliseconds since 1970.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  mutating func keepRecoveryKeys(
    of new: [(NewKeySlot, SlotRecord)], all: [SlotRecord], now: Int64
  ) throws {
    RecoveryKeys.forget(in: &self, except: all)
    for (slot, record) in new {
      guard case .recovery(let code) = slot.kind else { continue }
      try RecoveryKeys(of: code).keep(of: record, in: &self, now: now)
    }
  }
}
