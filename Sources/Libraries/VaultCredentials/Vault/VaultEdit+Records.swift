import VaultSealing

/// Records of items, and the one way each of them changes.
extension VaultEdit {
  /// The record at a position of the index.
  subscript(position: Int) -> ItemRecord {
    get { index.items[position] }
    _modify { yield &index.items[position] }
  }

  /// A Boolean value that says whether a secret or a name was changed, and not only other
  /// properties of items.
  var changesSecrets: Bool {
    !changedItems.isEmpty || !newBlobs.isEmpty || !copies.names.isEmpty
  }

  /// The position of the live item with a name.
  func position(of name: ItemName) -> Int? {
    index.items.position(ofLive: name.text)
  }

  /// The position of the live item with a name, which must exist.
  func requirePosition(of name: ItemName) throws -> Int {
    guard let position = position(of: name) else { throw UnlockedVault.notFound(name) }
    return position
  }

  /// Refuses items that the vault has no room for, before any of them is sealed.
  func checkRoom(for items: [ItemDraft]) throws {
    guard index.items.count + items.count > VaultIndex.maximumItems else { return }
    let new = Set(items.lazy.map(\.name).filter { position(of: $0) == nil })
    guard index.items.count + new.count <= VaultIndex.maximumItems else {
      throw VaultFileEncoder.tooMany
    }
  }

  /// Adds a live item with its first version.
  mutating func insert(
    _ name: ItemName, kind: UInt16 = Item.Kind.secret.rawValue, contents: ItemContents,
    _ describe: (inout ItemRecord) throws -> Void
  ) throws -> Int {
    guard index.items.count < VaultIndex.maximumItems else { throw VaultFileEncoder.tooMany }
    var record = ItemRecord(
      id: .random(), name: name.text, kind: kind, device: index.device,
      now: now)
    try describe(&record)
    index.items.append(record)
    let position = index.items.count - 1
    publishCopy(at: position)
    try seal(contents, at: position)
    return position
  }

  /// Adds a live item with the versions that it had elsewhere, the oldest first.
  mutating func insert(_ draft: ItemDraft, _ contents: ItemContents) throws -> Int {
    // More than what is kept would be sealed for nothing.
    let earlier = draft.earlier.suffix(historyLimit)
    guard let oldest = earlier.first else {
      return try insert(draft.name, contents: contents) { try draft.changes.apply(to: &$0) }
    }
    func former(_ version: ItemDraft.Earlier) -> ItemContents {
      ItemContents(
        main: version.main.bytes,
        fields: SecretFields((version.fields ?? draft.fields).mapValues(\.bytes)))
    }
    let now = now
    func time(_ version: ItemDraft.Earlier) -> Int64 {
      min(ItemRules.time(version.written?.milliseconds ?? now), now)
    }
    let position = try insert(draft.name, contents: former(oldest)) { record in
      try draft.changes.apply(to: &record)
      (record.created, record.modified) = (time(oldest), time(oldest))
    }
    for version in earlier.dropFirst() {
      try addVersion(at: position, former(version)) { $0.modified = time(version) }
    }
    try addVersion(at: position, contents)
    return position
  }

  /// Makes `contents` the current version of an item.
  ///
  /// Every new version of an item is made here: it gets the next number, the time, and the device
  /// that wrote it, and its copy in the keyring becomes outdated if the main secret changed.
  ///
  /// `keepsEarlier` puts the version before into the history, which is wrong where that one is
  /// damaged. `changesMain` says whether the main secret is another, of which the keyring has a
  /// copy.
  mutating func addVersion(
    at position: Int, _ contents: ItemContents, keepsEarlier: Bool = true, changesMain: Bool = true,
    _ describe: (inout ItemRecord) throws -> Void = { _ in }
  ) throws {
    if keepsEarlier { try keepAsEarlier(at: position) }
    self[position].version = ItemRules.version(after: self[position].version)
    self[position].modified = now
    self[position].device = index.device
    self[position].attributes[ItemConflict.attribute] = nil
    try describe(&self[position])
    try seal(contents, at: position)
    if changesMain { copyIsOutdated(at: position) }
  }

  /// Seals the current contents again, after a change of what the seal is bound to.
  mutating func resealed(
    at position: Int, _ change: (inout ItemRecord) throws -> Void
  ) throws {
    let contents = try contents(at: position)
    try change(&self[position])
    try seal(contents, at: position)
  }

  /// Moves a live item to the trash: its secret becomes the first of its earlier versions.
  ///
  /// Whether it had a copy in the keyring is kept, so that the copy comes back with it.
  mutating func moveToTrash(at position: Int) throws {
    withdrawCopy(at: position)
    try keepAsEarlier(at: position)
    self[position].trashed = now
    if self[position].copy != .none { self[position].copy = .pending }
    self[position].copyHash = .zero
    self[position].length = 0
    self[position].offset = 0
    self[position].hash = .zero
  }

  /// Takes an item out of the trash, with the secret that it had last or with an earlier one.
  mutating func takeOutOfTrash(at position: Int, version: UInt64?) throws {
    let record = self[position]
    let number =
      if let version { record.earlier.firstIndex { $0.version == version } } else { 0 as Int? }
    guard let number, number < record.earlier.count else {
      throw CredentialError(
        .versionNotFound, "the item in the trash has no such version",
        remedies: [.restoreNewest])
    }
    let earlier = record.earlier[number]
    let contents = try earlierContents(of: record, earlier)
    self[position].trashed = 0
    self[position].attributes[ItemConflict.removal] = nil
    self[position].kind = earlier.kind
    if number == 0 {
      // The current secret when it was removed: it is the current version again.
      retireEarlier(0, at: position)
    } else {
      self[position].version = ItemRules.version(after: self[position].version)
      self[position].attributes[ItemConflict.attribute] = nil
    }
    self[position].modified = now
    self[position].device = index.device
    publishCopy(at: position)
    try seal(contents, at: position)
  }

  /// Makes an earlier version of a live item the current one, as a new version.
  mutating func restoreVersion(_ version: UInt64?, at position: Int) throws {
    let record = self[position]
    if version == record.version {
      throw CredentialError(
        .versionNotFound, "version \(record.version) is the current one",
        remedies: [.showHistory])
    }
    let wanted = version ?? record.earlier.first?.version
    guard wanted != record.version else {
      throw CredentialError(
        .versionNotFound, "version \(record.version) is the current one",
        remedies: [.showHistory])
    }
    guard let wanted, let earlier = record.earlier.first(where: { $0.version == wanted }) else {
      throw CredentialError(
        .versionNotFound,
        version == nil
          ? "the item has no earlier version, and none of its name is in the trash"
          : "the item has no such version that is still kept",
        remedies: [.showHistory])
    }
    let contents = try earlierContents(of: record, earlier)
    try addVersion(at: position, contents) { $0.kind = earlier.kind }
  }

  /// The current contents of an item, also those that this edit has sealed.
  func contents(at position: Int) throws -> ItemContents {
    let record = self[position]
    if let bytes = changedItems[record.id] {
      return try VaultFile.open(
        bytes, record: record, version: record.version, kind: record.kind,
        vaultID: header.vaultID, parent: keys.item)
    }
    return try file.contents(of: record, keys: keys)
  }

  /// The contents of an earlier version, also of one that this edit has made.
  func earlierContents(
    of record: ItemRecord, _ earlier: ItemRecord.Earlier
  ) throws -> ItemContents {
    guard let blob = newBlobs.first(where: { $0.hash == earlier.hash }) else {
      return try vault.contents(of: record, earlier: earlier, index: index, history)
    }
    return try VaultFile.open(
      blob.sealed, record: record, version: earlier.version, kind: earlier.kind,
      vaultID: header.vaultID, parent: try index.dataKey(id: earlier.dataKey))
  }

  /// Seals `contents` as the current version of the item at `position`.
  mutating func seal(_ contents: ItemContents, at position: Int) throws {
    let record = self[position]
    let sealed = try contents.sealed(as: record, vaultID: header.vaultID, parent: keys.item)
    changedItems[record.id] = sealed
    self[position].hash = Bytes16(try Hash.blake2b(sealed, count: ItemRecord.hashLength))
  }

  /// Puts the current secret of an item into its history, sealed under the history's data key.
  ///
  /// A secret that can no longer be read is left out, with a notice.
  mutating func keepAsEarlier(at position: Int) throws {
    let record = self[position]
    do {
      let contents = try contents(at: position)
      let dataKey = try index.dataKey(for: .history)
      let sealed = try contents.sealed(
        as: record, vaultID: header.vaultID, parent: dataKey.key)
      let hash = try Hash.blake2b(sealed, count: ItemRecord.hashLength)
      newBlobs.append(HistoryBlob(hash: hash, sealed: sealed))
      self[position].earlier.insert(
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

  /// Seals secrets as an earlier version of an item, which is not in its list yet.
  mutating func earlier(
    _ contents: ItemContents, _ number: UInt64, _ kind: UInt16, written: Int64, at position: Int
  ) throws -> ItemRecord.Earlier {
    var record = self[position]
    record.version = number
    record.kind = kind
    let key = try index.dataKey(for: .history)
    let sealed = try contents.sealed(as: record, vaultID: header.vaultID, parent: key.key)
    let hash = try Hash.blake2b(sealed, count: ItemRecord.hashLength)
    newBlobs.append(HistoryBlob(hash: hash, sealed: sealed))
    return ItemRecord.Earlier(
      version: number, kind: kind, written: written, dataKey: key.id,
      length: UInt32(sealed.count), hash: hash)
  }

  /// Drops the oldest earlier versions, beyond those that are kept.
  mutating func trimHistory(at position: Int) {
    let keep = historyLimit + (self[position].trashed == 0 ? 0 : 1)
    while self[position].earlier.count > keep {
      retiredBlobs.append(self[position].earlier.removeLast().hash)
    }
  }

  /// Takes an earlier version out of an item's list; its blob is removed after the commit.
  mutating func retireEarlier(_ number: Int, at position: Int) {
    retiredBlobs.append(self[position].earlier.remove(at: number).hash)
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

  /// Counts the secrets that are set while one slot alone opens the vault; every tenth time that is
  /// told.
  mutating func countTowardsReminder() {
    let count = (index.settings[VaultIndex.reminderSetting].flatMap { Int($0) } ?? 0) + 1
    let isDue = header.slots.count == 1 && count >= 10
    if isDue { notices.append(.singleSlot) }
    let isCounting = header.slots.count == 1 && !isDue
    index.settings[VaultIndex.reminderSetting] = isCounting ? String(count) : nil
  }

  /// Asks for a copy of an item that is new, or back from the trash: if publishing is on, or it had
  /// one before.
  mutating func publishCopy(at position: Int) {
    if index.isPublishing { self[position].copy = .pending }
    copyIsOutdated(at: position)
  }

  /// Marks the copy of an item in the keyring as outdated, if it is to have one.
  mutating func copyIsOutdated(at position: Int) {
    if self[position].copy != .none { copies.mark(self[position].name) }
  }

  /// Asks for the copy under an item's name to be removed from the keyring.
  mutating func withdrawCopy(at position: Int) {
    // Also where none was noted yet: another command may be writing it now.
    if self[position].copy != .none { copies.mark(self[position].name) }
  }

  /// Makes what the keyring holds under a name the item's copy, to be looked at once more: another
  /// copy beside it goes.
  mutating func adoptCopy(at position: Int, hash: [UInt8]) {
    self[position].copy = .pending
    copies.mark(self[position].name, hash: hash)
  }
}
