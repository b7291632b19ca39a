import VaultSealing

/// Commits changes to a vault file: under the lock, blobs first, one replace, then the record.
struct VaultWriter {
  let vault: UnlockedVault
  let slotIDs: Set<[UInt8]>

  /// Runs `change` on the file as it is now, and commits it.
  ///
  /// Whatever throws before the replace leaves everything as it was.
  ///
  /// - Parameters:
  ///   - lost: A later generation that is lost: the new file succeeds it, so that machines that saw it accept the
  ///     new file.
  ///   - change: What is to be changed.
  /// - Returns: What `change` returned, what a person should hear, and which copies wait for the keyring.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func commit<Result>(
    after lost: LastSeen? = nil, _ change: (inout VaultEdit) throws -> Result
  ) throws -> (result: Result, notices: [VaultNotice], marks: UnlockedVault.CopyMarks) {
    let (locked, vaultID) = (vault.locked, vault.vaultID)
    return try locked.folder.locked(timeout: locked.options.lockTimeout) { directory in
      let reader = VaultReader(
        vault: locked, keys: vault.keys, vaultID: vaultID, slotIDs: slotIDs)
      let (sealed, index, notices) = try reader.openForWriting()
      var edit = VaultEdit(vault: vault, file: sealed, index: index)
      edit.notices = notices
      // Before the change: records say which device wrote them.
      edit.index.device = try locked.folder.device()
      try emptyTrash(&edit)
      let result = try change(&edit)
      edit.index.noteUndo(from: index)
      edit.index.dropUnusedHistoryKeys()
      edit.index.dropOldTombstones(now: edit.now)
      try edit.header.checkPassphraseCost(before: sealed.header)

      edit.index.written = edit.now
      edit.index.ancestors.append(
        VaultIndex.Ancestor(generation: sealed.header.generation, tag: sealed.tag))
      if let lost, lost.generation > edit.header.generation {
        edit.index.ancestors.append(
          VaultIndex.Ancestor(generation: lost.generation, tag: lost.tag))
        edit.header.generation = lost.generation
      }
      edit.header.generation += 1
      edit.index.shortenAncestors()
      let (bytes, tag) = try VaultFileEncoder.compose(
        header: edit.header, index: edit.index, keys: edit.newKeys ?? vault.keys,
        sealedItems: try edit.sealedItems())

      let history = HistoryStore(location: locked.folder.location, vaultID: vaultID)
      try history.insert(edit.newBlobs, written: edit.now)
      try locked.folder.replace(bytes, in: directory, keepingPrevious: !edit.removesPrevious)
      let seen = LastSeen(vaultID: vaultID, generation: edit.header.generation, tag: tag)
      try locked.folder.record(seen, key: try (edit.newKeys ?? vault.keys).state())
      if edit.removesPrevious { try locked.folder.removePrevious(in: directory) }
      if try !history.remove(edit.retiredBlobs, erasing: edit.isPurging) {
        edit.notices.append(
          VaultNotice(
            .stillInLog,
            "sealed bytes of it are still in the log of store.sqlite, which another program is reading",
            hint: "run 'vault key rotate' when that program has ended: it makes them useless"))
      }
      let marks = UnlockedVault.CopyMarks(
        isWaiting: edit.index.hasCopyWork, names: edit.index.namesOfCopyWork(since: index))
      return (result, edit.notices, marks)
    }
  }

  /// Purges items whose time in the trash is over.
  private func emptyTrash(_ edit: inout VaultEdit) throws {
    let deadline = edit.now - Int64(vault.locked.options.trashDays) * 86_400_000
    for position in edit.index.items.indices.reversed() {
      let trashed = edit.index.items[position].trashed
      if trashed != 0, trashed < deadline { edit.purge(at: position) }
    }
  }
}
