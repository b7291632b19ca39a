import VaultSealing

extension UnlockedVault.Blocking {
  /// Removes an item: to the trash, or for good.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - purge: Whether it and its earlier versions go for good, from every file of the vault.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`; `.copyRemains` if it is removed here and the
  ///   keyring, which could not be reached, still holds its copy; or what writing throws.
  public func remove(_ name: ItemName, purge: Bool = false) throws {
    let hasCopy = try vault.commit { try remove(name, purge: purge, in: &$0) }
    try withdrawCopies(of: hasCopy ? [name] : [])
  }

  /// Removes several items in one change: all of them or none, and one ``undo()`` brings all of them back.
  ///
  /// - Parameters:
  ///   - names: The items; one that is named twice is removed once.
  ///   - purge: Whether they and their earlier versions go for good, with what is in the trash under these names.
  /// - Throws: ``CredentialError`` with code `.itemNotFound` if one of them is not there, nor in the trash where
  ///   that counts; `.copyRemains` if they are removed here and the keyring, which could not be reached, still
  ///   holds copies; or what writing throws.
  public func remove(_ names: [ItemName], purge: Bool = false) throws {
    guard !names.isEmpty else { return }
    let copied = try vault.commit { draft in
      try Set(names).filter { name in
        let trashed = purge ? draft.purgeTrash(of: name) : 0
        if trashed > 0, draft.position(of: name) == nil { return false }
        return try remove(name, purge: purge, in: &draft)
      }
    }
    try withdrawCopies(of: copied)
  }

  /// Removes an item from a draft; says whether the keyring holds a copy of it.
  private func remove(
    _ name: ItemName, purge: Bool, in draft: inout VaultDraft
  ) throws -> Bool {
    let position = try draft.requirePosition(of: name)
    let hasCopy = draft.index.items[position].copy == .published
    if purge {
      draft.withdrawCopy(at: position)
      draft.purge(at: position)
    } else {
      try moveToTrash(position, in: &draft)
    }
    return hasCopy
  }

  /// Does what is marked in the keyring; of `names` it holds copies for certain, which must be gone.
  private func withdrawCopies(of names: Set<ItemName>) throws {
    guard vault.hasCopyWork else { return }
    let texts = Set(names.map(\.text))
    let reason = try vault.synchroniseCopies(withoutTelling: texts).map { ": \($0)" } ?? ""
    let count = try vault.snapshot().index.withdrawals.count { texts.contains($0.name) }
    guard count > 0 else { return }
    throw CredentialError(
      .copyRemains,
      names.count == 1
        ? "removed here; the keyring still holds its copy\(reason)"
        : "removed here; the keyring still holds \(count) of their copies\(reason)",
      hint: "withdrawn as soon as the keyring is there: vault keyring sync")
  }

  /// Puts a live item into the trash: its secret becomes the first of its earlier versions.
  func moveToTrash(_ position: Int, in draft: inout VaultDraft) throws {
    draft.withdrawCopy(at: position)
    try draft.keepAsEarlier(at: position)
    draft.index.items[position].trashed = draft.now
    draft.index.items[position].copy = .none
    draft.index.items[position].length = 0
    draft.index.items[position].offset = 0
    draft.index.items[position].hash = [UInt8](repeating: 0, count: ItemRecord.hashLength)
  }

  /// Removes items in the trash for good.
  ///
  /// - Parameter name: Only those of this name; `nil` for all.
  /// - Returns: How many there were.
  /// - Throws: ``CredentialError``: what writing throws.
  @discardableResult
  public func emptyTrash(of name: ItemName? = nil) throws -> Int {
    try vault.commit { $0.purgeTrash(of: name) }
  }

  /// Makes an earlier version the current one, or takes an item out of the trash.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - version: Which version; `nil` for the item in the trash that was removed last, or else for the
  ///     version before the current one.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.versionNotFound`, `.itemExists`,
  ///   `.damaged`, or what writing throws.
  @discardableResult
  public func restore(_ name: ItemName, version: UInt64? = nil) throws -> Item {
    let record = try vault.commit { draft in
      if let position = draft.position(of: name) {
        return try restoreVersion(version, at: position, in: &draft)
      }
      return try takeOutOfTrash(name, version: version, in: &draft)
    }
    return Item(try vault.synchroniseCopies(after: record))
  }

  func restoreVersion(
    _ version: UInt64?, at position: Int, in draft: inout VaultDraft
  ) throws -> ItemRecord {
    let record = draft.index.items[position]
    let wanted = version ?? record.earlier.first?.version
    guard let wanted, let earlier = record.earlier.first(where: { $0.version == wanted }) else {
      throw CredentialError(
        .versionNotFound,
        version == nil
          ? "the item has no earlier version, and none of its name is in the trash"
          : "the item has no such version that is still kept",
        hint: "'vault history' lists the versions that are")
    }
    let contents = try vault.contents(of: record, earlier: earlier, index: draft.index)
    try draft.keepAsEarlier(at: position)
    draft.index.items[position].version += 1
    draft.index.items[position].modified = draft.now
    draft.index.items[position].kind = earlier.kind
    try draft.seal(contents, at: position)
    draft.copyIsOutdated(at: position)
    return draft.index.items[position]
  }

  private func takeOutOfTrash(
    _ name: ItemName, version: UInt64?, in draft: inout VaultDraft
  ) throws -> ItemRecord {
    let candidates = draft.index.items.indices.filter {
      draft.index.items[$0].trashed != 0 && draft.index.items[$0].name == name.text
    }
    guard
      let position = candidates.max(by: {
        draft.index.items[$0].trashed < draft.index.items[$1].trashed
      })
    else { throw UnlockedVault.notFound(name) }
    return try takeOutOfTrash(at: position, version: version, in: &draft)
  }

  func takeOutOfTrash(
    at position: Int, version: UInt64?, in draft: inout VaultDraft
  ) throws -> ItemRecord {
    let record = draft.index.items[position]
    let number =
      if let version { record.earlier.firstIndex { $0.version == version } } else { 0 as Int? }
    guard let number, number < record.earlier.count else {
      throw CredentialError(
        .versionNotFound, "the item in the trash has no such version",
        hint: "restore it without --version")
    }
    let earlier = record.earlier[number]
    let contents = try vault.contents(of: record, earlier: earlier, index: draft.index)
    draft.index.items[position].trashed = 0
    draft.index.items[position].kind = earlier.kind
    if number == 0 {
      // The current secret when it was removed: it is the current version again.
      draft.retireEarlier(0, at: position)
    } else {
      draft.index.items[position].version += 1
    }
    draft.index.items[position].modified = draft.now
    draft.index.items[position].copy = draft.index.isPublishing ? .pending : .none
    try draft.seal(contents, at: position)
    return draft.index.items[position]
  }
}
