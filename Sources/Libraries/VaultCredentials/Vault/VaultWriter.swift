import VaultSealing
import VaultStorage

/// The result of a commit.
struct Commit<Result> {
  let result: Result
  let notices: [VaultNotice]
  /// Names whose copies the change made outdated.
  let names: Set<String>
  let changesSecrets: Bool
  /// Names of removed items that were to have a copy.
  let removedCopies: Set<String>
  /// The file as it was written, if copies wait for the keyring.
  let after: VaultSnapshot?
}

/// Commits changes to a vault file: under the lock, blobs first, one replace, then the record.
struct VaultWriter {
  let vault: UnlockedVault
  let slots: [SlotRecord]
  /// The file that unlocking has read, to be used if it is still in place.
  var opened: OpenedFile?

  /// Runs `change` on the file as it is now, and commits it.
  ///
  /// Whatever throws before the replace leaves everything as it was.
  ///
  /// - Parameters:
  ///   - lost: A later generation that is lost: the new file succeeds it, so that machines that saw
  ///     it accept the new file.
  ///   - branch: Another file of the vault that is merged.
  ///   - change: What is to be changed.
  /// - Returns: What `change` returned, and what is to be done after the commit.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func commit<Result>(
    after lost: LastSeen? = nil, knowing branch: VaultBranch? = nil,
    _ change: (inout VaultEdit) throws -> Result
  ) throws -> Commit<Result> {
    let (locked, vaultID) = (vault.locked, vault.vaultID)
    return try locked.folder.locked(timeout: locked.options.lockTimeout) { directory in
      let reader = VaultReader(
        vault: locked, keys: vault.keys, vaultID: vaultID, slots: slots, opened: opened,
        branch: branch)
      let (sealed, index, notices) = try reader.openForWriting()
      // What a killed purge has left goes first, so that there is never more than one mark.
      let isGone = try locked.folder.finishPurge(sealed, index, vault.history, in: directory)
      var edit = VaultEdit(vault: vault, file: sealed, index: index)
      edit.notices = isGone ? notices : notices + [.stillInLog]
      // Before the change: records say which device wrote them.
      edit.index.device = Bytes16(try locked.folder.device())
      try emptyTrash(&edit)
      let result = try change(&edit)
      let (names, changesSecrets) = (edit.copies.names, edit.changesSecrets)
      let (bytes, tag, opened) = try Self.compose(&edit, after: lost)

      let history = vault.history
      var store: Store?
      edit.history.close()
      let hasMarks = try self.store(edit, history, in: &store)
      // What goes for good goes from the store, too: or nothing does.
      if edit.isPurging, store == nil { try history.checkCanErase() }
      let goesForGood = edit.isPurging || edit.removesPrevious
      if goesForGood {
        let mark = PurgeMark(
          vaultID: vaultID,
          head: VaultIndex.Ancestor(generation: edit.header.generation, tag: tag),
          isErasing: edit.isPurging, hashes: edit.retiredBlobs)
        try locked.folder.write(mark, in: directory)
      }
      try locked.folder.replace(bytes, in: directory, keepingPrevious: !edit.removesPrevious)
      let seen = LastSeen(vaultID: vaultID, generation: edit.header.generation, tag: tag)
      let key = try (edit.newKeys ?? vault.keys).state()
      do {
        try locked.folder.record(seen, key: key)
      } catch let error as CredentialError {
        // The change is made: what else belongs to it is done, too.
        edit.notices.append(
          VaultNotice(
            .notRecorded, "this change was made, but not noted on this machine: \(error.message)",
            hint: "until it can be, an older vault file in this one's place is not noticed"))
      }
      if edit.removesPrevious { try locked.folder.removePrevious(in: directory) }
      if try !history.remove(edit.retiredBlobs, in: &store, erasing: edit.isPurging) {
        edit.notices.append(.stillInLog)
      }
      if goesForGood { try locked.folder.removePurgeMark(in: directory) }
      if edit.newKeys != nil { try forgetFormerCopies(edit) }
      var after: VaultSnapshot?
      if hasMarks || !names.isEmpty {
        let file = try VaultFile(VaultFileBytes(bytes), identity: locked.folder.identity())
        after = VaultSnapshot(
          vault: vault, file: file, index: try VaultFile.decode(opened, only: nil))
      }
      return Commit(
        result: result, notices: edit.notices, names: names, changesSecrets: changesSecrets,
        removedCopies: edit.removedCopies, after: after)
    }
  }

  /// Puts the next file together: its header and index are those of an edit.
  private static func compose(
    _ edit: inout VaultEdit, after lost: LastSeen? = nil
  ) throws -> (bytes: [UInt8], tag: Bytes16, opened: SecretBytes) {
    let former = edit.file
    edit.copies.takeOver(edit.former)
    edit.index.dropCopies()
    edit.index.noteUndo(by: edit.origin, after: edit.former, undone: edit.undoneSteps)
    edit.index.dropUnusedHistoryKeys()
    edit.index.dropOldTombstones(now: edit.now)
    try edit.header.checkPassphraseCost(before: former.header)

    edit.index.written = edit.now
    edit.index.ancestors.append(
      VaultIndex.Ancestor(generation: former.header.generation, tag: former.tag))
    if let lost, lost.generation > edit.header.generation {
      edit.index.ancestors.append(
        VaultIndex.Ancestor(generation: lost.generation, tag: lost.tag))
      edit.header.generation = lost.generation
    }
    edit.header.generation += 1
    edit.index.shortenAncestors()
    return try VaultFileEncoder.compose(
      header: edit.header, index: edit.index, keys: edit.newKeys ?? edit.keys, former: former,
      sealed: edit.changedItems)
  }

  /// Changes a file that does not lie in the vault's place.
  ///
  /// What it names outside of it is stored here; what the edit retires stays, since the file in the
  /// vault's place may name it.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - change: What is to be changed.
  /// - Returns: What `change` returned, and the bytes of the new file.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func rewrite<Result>(
    _ file: VaultFile, _ change: (inout VaultEdit) throws -> Result
  ) throws -> (result: Result, bytes: [UInt8]) {
    let locked = vault.locked
    return try locked.folder.locked(timeout: locked.options.lockTimeout) { _ in
      var edit = VaultEdit(vault: vault, file: file, index: try file.openIndex(vault.keys))
      edit.index.device = Bytes16(try locked.folder.device())
      let result = try change(&edit)
      let (bytes, _, _) = try Self.compose(&edit)
      var store: Store?
      edit.history.close()
      let history = vault.history
      _ = try self.store(edit, history, in: &store)
      vault.note(edit.notices)
      return (result, bytes)
    }
  }

  /// Stores what the new file names outside of it, and marks copies that it makes outdated.
  ///
  /// - Parameters:
  ///   - edit: The change.
  ///   - history: The blobs.
  ///   - opened: The store, if it had to be opened.
  /// - Returns: Whether copies are marked, as far as the store was opened at all.
  /// - Throws: ``CredentialError``.
  private func store(
    _ edit: VaultEdit, _ history: HistoryStore, in opened: inout Store?
  ) throws -> Bool {
    let isRotating = edit.newKeys != nil
    guard
      try !edit.newBlobs.isEmpty || !edit.copies.isEmpty || isRotating || mayHaveLeftCopies(edit)
    else { return false }
    let ledger = try vault.ledger(edit.newKeys)
    let moved = isRotating ? try vault.ledger().entries() : [:]
    // A vault without a store gets none by a rotation.
    if isRotating, edit.newBlobs.isEmpty, edit.copies.isEmpty, moved.isEmpty { return false }
    return try ledger.store.write(in: &opened) { connection in
      try history.insert(edit.newBlobs, written: edit.now, in: connection)
      for entry in moved.values { try ledger.put(entry, in: connection) }
      try edit.copies.write(to: ledger, in: connection)
      return try ledger.hasMarks(in: connection)
    }
  }

  /// Whether copies may wait to be withdrawn although the vault publishes nothing any more, and so
  /// no change marks anything: they were to be when the keyring was locked.
  private func mayHaveLeftCopies(_ edit: VaultEdit) throws -> Bool {
    guard vault.locked.options.usesKeyring, !edit.index.isPublishing else { return false }
    return try vault.ledger().count() > 0
  }

  /// Removes rows of copies that are sealed under the keys of the epoch before.
  private func forgetFormerCopies(_ edit: VaultEdit) throws {
    let ledger = try vault.ledger(edit.newKeys)
    guard try ledger.count() > 0 else { return }
    try ledger.store.write { try ledger.removeUnreadable(in: $0) }
  }

  /// Purges items whose time in the trash is over.
  private func emptyTrash(_ edit: inout VaultEdit) throws {
    let deadline = edit.now - Int64(vault.locked.options.trashDays) * 86_400_000
    for position in edit.index.items.indices.reversed() {
      let trashed = edit.index.items.trashed(at: position)
      if trashed != 0, trashed < deadline { edit.purge(at: position) }
    }
  }
}
