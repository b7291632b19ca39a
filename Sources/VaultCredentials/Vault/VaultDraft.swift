import VaultSealing

/// A change to a vault in the making: the index to be, and the sealed bytes that go with it.
///
/// Nothing is on disk before ``VaultWriter`` has committed it, blobs first.
struct VaultDraft {
  /// A sealed blob for `store.sqlite`.
  struct Blob {
    var hash: [UInt8]
    var sealed: [UInt8]
  }

  let sealed: VaultFile
  let keys: VaultKeys
  let now: Int64
  let historyLimit: Int
  var header: VaultHeader
  var index: VaultIndex
  /// Sealed bytes of items that this change sealed.
  private(set) var changedItems: [[UInt8]: [UInt8]] = [:]
  /// Blobs to be stored before the file that names them.
  private(set) var newBlobs: [Blob] = []
  /// Hashes of blobs that the new index no longer names, to be removed after.
  private(set) var retiredBlobs: [[UInt8]] = []
  /// The keys of a new epoch, once ``rotate(to:slots:)`` has sealed everything under them.
  private(set) var newKeys: VaultKeys?
  /// The generation before must not stay: it holds what was purged.
  var removesPrevious = false
  /// Something goes for good, and from every file.
  private(set) var isPurging = false
  var notices: [VaultNotice] = []

  init(sealed: VaultFile, keys: VaultKeys, index: VaultIndex, now: Int64, historyLimit: Int) {
    self.sealed = sealed
    self.keys = keys
    self.now = now
    self.historyLimit = historyLimit
    self.index = index
    header = sealed.header
  }

  /// Where the live item of this name stands in the index.
  func position(of name: ItemName) -> Int? {
    index.items.firstIndex { $0.trashed == 0 && $0.name == name.text }
  }

  /// Where the live item of this name stands in the index, or an error that says there is none.
  func requirePosition(of name: ItemName) throws -> Int {
    guard let position = position(of: name) else { throw UnlockedVault.notFound(name) }
    return position
  }

  /// Seals everything under new keys, opened by `slots` alone.
  ///
  /// Earlier versions stay as they are: their data keys are in the index. What lies outside the file is sealed under
  /// new data keys from now on: somebody who held the old vault key has the old ones.
  mutating func rotate(
    to newKeys: VaultKeys, slots: [SlotRecord], progress: (_ done: Int, _ total: Int) -> Void
  ) throws {
    for position in index.items.indices where index.items[position].trashed == 0 {
      progress(position, index.items.count)
      let contents = try contents(at: position)
      let record = index.items[position]
      let sealed = try contents.sealed(
        key: try VaultKeys.key(of: record.id, from: newKeys.item),
        context: ItemContents.associatedData(
          vaultID: header.vaultID, itemID: record.id, version: record.version, kind: record.kind))
      changedItems[record.id] = sealed
      index.items[position].hash = try Hash.blake2b(sealed, count: ItemRecord.hashLength)
    }
    index.formerKeys.append(
      VaultIndex.FormerKeys(
        lastGeneration: header.generation, blind: try keys.blind(), state: try keys.state()))
    if index.formerKeys.count > 8 { index.formerKeys.removeFirst() }
    // Not the one for publishing: nothing that it makes leaves the index.
    for purpose in Set(index.dataKeys.map(\.purpose)).sorted()
    where purpose != VaultIndex.Purpose.publishing.rawValue {
      try index.addDataKey(purpose: purpose, now: now)
    }
    header.slots = slots
    self.newKeys = newKeys
    removesPrevious = true
  }

  /// The current secret of an item, also one that this change has sealed.
  func contents(at position: Int) throws -> ItemContents {
    let record = index.items[position]
    if let bytes = changedItems[record.id] {
      return try VaultFile.open(
        bytes, record: record, version: record.version, kind: record.kind,
        vaultID: header.vaultID, parent: keys.item)
    }
    return try sealed.contents(of: record, keys: keys)
  }

  /// Seals `contents` as the current version of the item at `position`.
  mutating func seal(_ contents: ItemContents, at position: Int) throws {
    let record = index.items[position]
    let sealed = try contents.sealed(
      key: try VaultKeys.key(of: record.id, from: keys.item),
      context: ItemContents.associatedData(
        vaultID: header.vaultID, itemID: record.id, version: record.version, kind: record.kind))
    changedItems[record.id] = sealed
    index.items[position].hash = try Hash.blake2b(sealed, count: ItemRecord.hashLength)
  }

  /// Puts the current secret of an item into its history, sealed under the history's data key.
  ///
  /// A secret that can no longer be read is left out, and that is told.
  mutating func keepAsEarlier(at position: Int) throws {
    let record = index.items[position]
    do {
      let contents = try contents(at: position)
      let dataKey = try index.dataKey(for: .history)
      let sealed = try contents.sealed(
        key: try VaultKeys.key(of: record.id, from: dataKey.key),
        context: ItemContents.associatedData(
          vaultID: header.vaultID, itemID: record.id, version: record.version, kind: record.kind))
      let hash = try Hash.blake2b(sealed, count: ItemRecord.hashLength)
      newBlobs.append(Blob(hash: hash, sealed: sealed))
      index.items[position].earlier.insert(
        ItemRecord.Earlier(
          version: record.version, kind: record.kind, written: record.modified, dataKey: dataKey.id,
          length: UInt32(sealed.count), hash: hash), at: 0)
    } catch let error as CredentialError where error.code == .damaged {
      notices.append(
        VaultNotice(
          .historyLost, "the secret that was replaced was damaged and is not in the history"))
    }
    trimHistory(at: position)
  }

  private mutating func trimHistory(at position: Int) {
    let keep = historyLimit + (index.items[position].trashed == 0 ? 0 : 1)
    while index.items[position].earlier.count > keep {
      retiredBlobs.append(index.items[position].earlier.removeLast().hash)
    }
  }

  /// Takes an earlier version out of an item's list; its blob is removed after the commit.
  mutating func retireEarlier(_ number: Int, at position: Int) {
    retiredBlobs.append(index.items[position].earlier.remove(at: number).hash)
  }

  /// Removes an item for good: record, blobs, and the generation before, which still holds it.
  mutating func purge(at position: Int) {
    let record = index.items.remove(at: position)
    retiredBlobs += record.earlier.map(\.hash)
    changedItems[record.id] = nil
    isPurging = true
    index.tombstones.append(
      VaultIndex.Tombstone(itemID: record.id, removed: now, device: index.device))
    removesPrevious = true
  }

  /// Removes items in the trash for good: those of this name, or all; says how many.
  mutating func purgeTrash(of name: ItemName?) -> Int {
    let before = index.items.count
    for position in index.items.indices.reversed() {
      let record = index.items[position]
      guard record.trashed != 0, name == nil || record.name == name?.text else { continue }
      purge(at: position)
    }
    return before - index.items.count
  }

  /// Counts the secrets that are set while one slot alone opens the vault; every tenth time that is told.
  mutating func countTowardsReminder() {
    let count = (index.settings[VaultIndex.reminderSetting].flatMap { Int($0) } ?? 0) + 1
    let isDue = header.slots.count == 1 && count >= 10
    if isDue { notices.append(.singleSlot) }
    let isCounting = header.slots.count == 1 && !isDue
    index.settings[VaultIndex.reminderSetting] = isCounting ? String(count) : nil
  }

  /// Marks the copy of an item in the keyring as gone stale, where one is to be kept.
  mutating func copyIsOutdated(at position: Int) {
    if index.items[position].copy == .published { index.items[position].copy = .pending }
  }

  /// Asks for the copy under `name` to be removed from the keyring.
  mutating func withdrawCopy(at position: Int) {
    let record = index.items[position]
    // Also where none was noted yet: another command may be writing it now.
    if record.copy != .none {
      index.withdrawals.append(
        VaultIndex.Withdrawal(name: record.name, copyHash: record.copyHash))
    }
    index.items[position].copyHash = [UInt8](repeating: 0, count: ItemRecord.hashLength)
  }

  /// The sealed bytes of every item that stays in the file.
  func sealedItems() throws -> [[UInt8]: [UInt8]] {
    var result = changedItems
    for item in index.items where item.trashed == 0 && result[item.id] == nil {
      result[item.id] = try sealed.sealedBytes(of: item)
    }
    return result
  }
}
