import VaultSealing

extension VaultEdit {
  /// Seals everything under new keys, opened by `slots` alone.
  ///
  /// Earlier versions stay as they are: their data keys are in the index. What lies outside the
  /// file is sealed under new data keys from now on: somebody who held the old vault key has the
  /// old ones.
  mutating func rotate(
    to newKeys: VaultKeys, slots: [SlotRecord], progress: (_ done: Int, _ total: Int) -> Void
  ) throws {
    for position in index.items.indices where index.items.trashed(at: position) == 0 {
      progress(position, index.items.count)
      let contents = try contents(at: position)
      let record = self[position]
      let sealed = try contents.sealed(
        as: record, vaultID: header.vaultID, parent: newKeys.item)
      changedItems[record.id] = sealed
      self[position].hash = Bytes16(try Hash.blake2b(sealed, count: ItemRecord.hashLength))
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
}
