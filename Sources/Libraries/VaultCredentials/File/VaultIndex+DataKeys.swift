import VaultSealing

extension VaultIndex {
  /// The purpose of a data key.
  enum Purpose: String {
    /// Earlier versions and the trash, in `store.sqlite`.
    case history
    /// Keyed hashes of what was published.
    case publishing
  }

  /// Adds a random data key; earlier ones of the same purpose are retired.
  mutating func addDataKey(purpose: String, now: Int64) throws {
    for position in dataKeys.indices where dataKeys[position].purpose == purpose {
      dataKeys[position].isRetired = true
    }
    dataKeys.append(
      DataKey(
        id: RandomBytes.bytes(count: 16), key: try SecretBytes.random(count: 32), created: now,
        isRetired: false, purpose: purpose))
  }

  mutating func addDataKey(purpose: Purpose, now: Int64) throws {
    try addDataKey(purpose: purpose.rawValue, now: now)
  }

  /// Drops retired keys of the history that seal no earlier version any more.
  mutating func dropUnusedHistoryKeys() {
    func isRetired(_ key: DataKey) -> Bool {
      key.purpose == Purpose.history.rawValue && key.isRetired
    }
    guard dataKeys.contains(where: isRetired) else { return }
    let used = items.usedDataKeys()
    dataKeys.removeAll { isRetired($0) && !used.contains($0.id) }
  }

  /// The newest key of a purpose.
  func dataKey(for purpose: Purpose) throws -> DataKey {
    guard let key = dataKeys.last(where: { $0.purpose == purpose.rawValue && !$0.isRetired }) else {
      throw VaultHeader.damaged("its key for \(purpose.rawValue) is missing")
    }
    return key
  }

  /// The key with this id.
  func dataKey(id: [UInt8]) throws -> SecretBytes {
    guard let key = dataKeys.first(where: { $0.id == id }) else {
      throw VaultHeader.damaged("one of its data keys is missing")
    }
    return key.key
  }

  /// The keyed hash by which a published copy is recognized.
  func copyHash(of secret: SecretBytes) throws -> [UInt8] {
    let key = try dataKey(for: .publishing).key
    return try secret.withBytes { try Hash.blake2b($0, count: ItemRecord.hashLength, key: key) }
  }
}
