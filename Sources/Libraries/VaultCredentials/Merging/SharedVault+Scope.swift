import VaultSealing

/// Which items a merge has to look at: with ten thousand of them, mostly one.
extension SharedVault {
  /// The items that are not as they were in another generation of the vault.
  ///
  /// Only indexes are compared, by their bytes.
  ///
  /// - Parameter mark: The generation, as ``VaultFileMark/bytes`` has it.
  /// - Returns: The ids of the items that were added, changed or removed since; `nil` where that
  ///   generation is neither this one nor the one before, or something was changed in this edit.
  package func itemsChanged(since mark: [UInt8]) -> Set<[UInt8]>? {
    guard edit.index.items.changes.isEmpty, !edit.index.items.hasRemoved else { return nil }
    if mark == fileMark.bytes { return [] }
    guard let file = try? edit.vault.locked.folder.readPrevious(),
      file.header.vaultID == edit.header.vaultID, VaultFileMark(file).bytes == mark,
      let former = try? file.openIndex(edit.keys), former.items.changes.isEmpty
    else { return nil }
    let differences = edit.index.items.differences(from: former.items)
    return Set(
      differences.map { before, after in
        after.map { edit.index.items.id(at: $0).bytes }
          ?? before.map { former.items.id(at: $0).bytes } ?? []
      })
  }

  /// Whether items may differ from those of the space though nobody has changed them since: some
  /// had no room, or one has a name only until another one gets its own.
  package var hasLooseEnds: Bool {
    certainRemovals != nil
      || edit.index.items.contain(Array(ItemConflict.formerName.utf8))
  }

  /// The id of the live item with a name.
  package func id(ofLive name: String) -> [UInt8]? {
    edit.index.items.position(ofLive: name).map { edit.index.items.id(at: $0).bytes }
  }
}
