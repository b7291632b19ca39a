import VaultSealing

/// Commits changes to a vault file: under the lock, blobs first, one replace, then the record.
struct VaultWriter {
  let vault: LockedVault
  let keys: VaultKeys
  let vaultID: [UInt8]
  let slotIDs: Set<[UInt8]>

  /// Runs `change` on a draft of the file as it is now, and commits it.
  ///
  /// Whatever throws before the replace leaves everything as it was.
  ///
  /// - Parameters:
  ///   - lost: A later generation that is lost: the new file succeeds it, so that who has seen it takes this for
  ///     neither a rollback nor a fork.
  ///   - change: What is to be changed.
  /// - Returns: What `change` returned, what a person should hear, and which copies wait for the keyring.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func commit<Result>(
    after lost: LastSeen? = nil, _ change: (inout VaultDraft) throws -> Result
  ) throws -> (result: Result, notices: [VaultNotice], marks: UnlockedVault.CopyMarks) {
    try vault.folder.locked(timeout: vault.options.lockTimeout) { directory in
      let reader = VaultReader(vault: vault, keys: keys, vaultID: vaultID, slotIDs: slotIDs)
      let (sealed, index, notices) = try reader.openForWriting()
      var draft = VaultDraft(
        sealed: sealed, keys: keys, index: index, now: vault.options.now(),
        historyLimit: vault.options.historyLimit)
      draft.notices = notices
      try emptyTrash(&draft)
      let result = try change(&draft)
      draft.index.noteUndo(from: index)
      draft.index.dropUnusedHistoryKeys()
      draft.index.dropOldTombstones(now: draft.now)
      try draft.header.checkPassphraseCost(before: sealed.header)

      draft.index.device = try vault.folder.device()
      draft.index.written = draft.now
      draft.index.ancestors.append(
        VaultIndex.Ancestor(generation: sealed.header.generation, tag: sealed.tag))
      if let lost, lost.generation > draft.header.generation {
        draft.index.ancestors.append(
          VaultIndex.Ancestor(generation: lost.generation, tag: lost.tag))
        draft.header.generation = lost.generation
      }
      draft.header.generation += 1
      draft.index.shortenAncestors()
      let (bytes, tag) = try VaultFileEncoder.compose(
        header: draft.header, index: draft.index, keys: draft.newKeys ?? keys,
        sealedItems: try draft.sealedItems())

      let history = HistoryStore(location: vault.folder.location, vaultID: vaultID)
      try history.insert(draft.newBlobs, written: draft.now)
      try vault.folder.replace(bytes, in: directory, keepingPrevious: !draft.removesPrevious)
      let seen = LastSeen(vaultID: vaultID, generation: draft.header.generation, tag: tag)
      try vault.folder.record(seen, key: try (draft.newKeys ?? keys).state())
      if draft.removesPrevious { try vault.folder.removePrevious(in: directory) }
      if try !history.remove(draft.retiredBlobs, erasing: draft.isPurging) {
        draft.notices.append(
          VaultNotice(
            .stillInLog,
            "sealed bytes of it are still in the log of store.sqlite, which another program is reading",
            hint: "run 'vault key rotate' when that program has ended: it makes them useless"))
      }
      let marks = UnlockedVault.CopyMarks(
        isWaiting: draft.index.hasCopyWork, names: draft.index.namesOfCopyWork(since: index))
      return (result, draft.notices, marks)
    }
  }

  /// What has been in the trash for longer than it is kept goes for good.
  private func emptyTrash(_ draft: inout VaultDraft) throws {
    let deadline = draft.now - Int64(vault.options.trashDays) * 86_400_000
    for position in draft.index.items.indices.reversed() {
      let trashed = draft.index.items[position].trashed
      if trashed != 0, trashed < deadline { draft.purge(at: position) }
    }
  }
}
