import VaultSealing
import VaultStorage

extension UnlockedVault.Blocking {
  /// Changes the vault: one lock, one write of the file, one step for ``undo(steps:of:)``.
  ///
  /// When this returns, all changes are on the disk; copies in the desktop keyring are brought up
  /// to date afterwards, as far as its time limit allows, and what is left of that is reported as a
  /// notice. If it throws, nothing has changed, except for the codes `.notDurable` and
  /// `.copyRemains`.
  ///
  /// ```swift
  /// try vault.blocking.edit { edit in
  ///   try edit.set(ItemName("api-token"), to: token)
  ///   try edit.remove(ItemName("old-token"))
  /// }
  /// ```
  ///
  /// - Parameter change: Makes the changes. It runs under the lock that all writers wait for, on a
  ///   thread that may block, and must not call the vault itself.
  /// - Returns: What `change` returns.
  /// - Throws: ``CredentialError`` with code `.rolledBack`, `.forked`, `.otherVault`, `.damaged`,
  ///   `.busy`, `.cannotCreate`, `.inputOutput`, `.changedMeanwhile`; `.notDurable` if the change
  ///   is stored but may not survive a power cut; `.copyRemains` if items are removed here and the
  ///   keyring, which could not be reached, still holds copies of them; what `change` throws.
  public func edit<Result>(_ change: (inout VaultEdit) throws -> Result) throws -> Result {
    try vault.edited(change)
  }

  /// Stores a secret: in a new item, or as a new version of the one that has the name.
  ///
  /// The version before can be restored. See ``edit(_:)`` for what is true afterwards.
  ///
  /// ```swift
  /// try vault.blocking.set(ItemName("api-token"), to: Secret("s3cr3t"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - changes: Further changes to the item.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError``: as ``VaultEdit/set(_:to:field:changes:)`` and ``edit(_:)``.
  @discardableResult
  public func set(
    _ name: ItemName, to secret: Secret, field: String? = nil, changes: ItemChanges = ItemChanges()
  ) throws -> ItemChange {
    try edit {
      try $0.set(name, to: secret, field: field, changes: changes)
    }
  }

  /// Changes an item as ``edit(_:)`` does, and writes nothing where the item is as it was to be.
  ///
  /// - Parameter change: Changes the item; what it returns says whether anything was changed.
  /// - Returns: What `change` returned.
  /// - Throws: What ``edit(_:)`` throws.
  package func change(
    _ change: (inout VaultEdit) throws -> ItemChange
  ) throws -> ItemChange {
    do {
      return try edit { edit in
        let result = try change(&edit)
        // What throws before the file is replaced leaves everything as it was.
        guard result.isChanged else { throw NothingToWrite(result: result) }
        return result
      }
    } catch let same as NothingToWrite {
      return same.result
    }
  }

  private struct NothingToWrite: Error {
    let result: ItemChange
  }

  /// Stores a secret in place of the one that was read, and of no other.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - item: The item as it was read; `nil` if there was none.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError`` with code `.changedMeanwhile`, or as the other does.
  package func set(
    _ name: ItemName, to secret: Secret, field: String?, replacing item: Item?
  ) throws -> ItemChange {
    try edit { edit in
      try Self.check(edit[name], isStill: item)
      return try edit.set(name, to: secret, field: field)
    }
  }

  /// Changes several secrets of the item that was read, and of no other.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - changes: The secrets to set and the fields to remove.
  ///   - item: The item as it was read; `nil` if there was none.
  /// - Returns: The item, as ``VaultEdit/change(_:_:changes:)`` returns it.
  /// - Throws: ``CredentialError`` with code `.changedMeanwhile`, or as that does.
  package func change(
    _ name: ItemName, _ changes: SecretChanges, replacing item: Item?
  ) throws -> ItemChange {
    try edit { edit in
      try Self.check(edit[name], isStill: item)
      return try edit.change(name, changes)
    }
  }

  private static func check(_ current: Item?, isStill item: Item?) throws {
    guard current?.id == item?.id, current?.version == item?.version else {
      throw CredentialError(
        .changedMeanwhile,
        current == nil
          ? "the item was removed in the meantime; nothing was saved"
          : "another command changed the item in the meantime; nothing was saved",
        remedies: [.showHistory])
    }
  }

  /// Stores items with all their fields in one write: all of them or none.
  ///
  /// An item whose name exists already gets a new version; the version before can be restored.
  ///
  /// - Parameter items: The items; of two with one name, the later is the current version.
  /// - Returns: The items as they are now, in the same order.
  /// - Throws: ``CredentialError``: as ``VaultEdit/store(_:)`` and ``edit(_:)``.
  @discardableResult
  public func store(_ items: [ItemDraft]) throws -> [Item] {
    guard !items.isEmpty else { return [] }
    return try edit { try $0.store(items) }
  }

  /// Plans a change from the vault as it is, and makes it, with no other writer in between.
  ///
  /// Planning may take long, so it begins before the lock is taken. If another command has written
  /// meanwhile, it begins anew under the lock.
  ///
  /// - Parameters:
  ///   - plan: Makes the plan; called once or twice.
  ///   - change: Makes the changes of the plan; `nil` if there are none, and nothing is written.
  /// - Returns: The plan that was carried out, and what `change` returned.
  /// - Throws: ``CredentialError``: what ``edit(_:)`` throws; what `plan` and `change` throw.
  package func edit<Plan, Result>(
    planning plan: (VaultSnapshot) throws -> Plan,
    _ change: (inout VaultEdit, Plan) throws -> Result?
  ) throws -> (plan: Plan, result: Result?) {
    let snapshot = try readInPlace()
    var current = try plan(snapshot)
    do {
      return try edit { edit in
        if !edit.began(with: snapshot) { current = try plan(edit.formerSnapshot) }
        guard let result = try change(&edit, current) else { throw NothingPlanned() }
        return (current, result)
      }
    } catch is NothingPlanned {
      return (current, nil)
    }
  }

  private struct NothingPlanned: Error {}

  /// Replaces a secret without making a new version, with no other writer in between.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - change: Makes the new secret from the current one.
  /// - Returns: What `change` returns beside the secret.
  /// - Throws: ``CredentialError``: as ``VaultEdit/revise(_:field:_:)`` and ``edit(_:)``.
  @discardableResult
  public func revise<Result>(
    _ name: ItemName, field: String? = nil, _ change: (Secret) throws -> (Secret, Result)
  ) throws -> Result {
    try edit { try $0.revise(name, field: field, change) }
  }

  /// Changes what is known of an item besides its secrets.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - changes: The changes.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/update(_:_:)`` and ``edit(_:)``.
  @discardableResult
  public func update(_ name: ItemName, _ changes: ItemChanges) throws -> Item {
    try edit { try $0.update(name, changes) }
  }

  /// Renames an item.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The new name, which no other live item may have.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/rename(_:to:)`` and ``edit(_:)``.
  @discardableResult
  public func rename(_ name: ItemName, to new: ItemName) throws -> Item {
    try edit { try $0.rename(name, to: new) }
  }

  /// Makes a second item with the same secret, fields, note, tags and attributes.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The name of the second item, which no live item may have.
  /// - Returns: The second item.
  /// - Throws: ``CredentialError``: as ``VaultEdit/copy(_:to:)`` and ``edit(_:)``.
  @discardableResult
  public func copy(_ name: ItemName, to new: ItemName) throws -> Item {
    try edit { try $0.copy(name, to: new) }
  }

  /// Removes an item: to the trash, or for good.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - purge: Whether it and its earlier versions go for good, from every file of the vault.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.copyRemains`, or what ``edit(_:)``
  ///   throws.
  public func remove(_ name: ItemName, purge: Bool = false) throws {
    try edit { edit in
      if purge { try edit.purge(name) } else { try edit.remove(name) }
    }
  }

  /// Removes several items in one change: one ``undo(steps:of:)`` brings all of them back.
  ///
  /// - Parameters:
  ///   - names: The items; one that is named twice is removed once.
  ///   - purge: Whether they and their earlier versions go for good, and with them the items of
  ///     these names in the trash.
  /// - Throws: ``CredentialError`` with code `.itemNotFound` if there is no such item, nor one in
  ///   the trash if `purge` is set; `.copyRemains`, or what ``edit(_:)`` throws.
  public func remove(_ names: [ItemName], purge: Bool = false) throws {
    guard !names.isEmpty else { return }
    try edit { edit in
      for name in Set(names) {
        guard purge else {
          try edit.remove(name)
          continue
        }
        if edit.emptyTrash(of: name) > 0, edit[name] == nil { continue }
        try edit.purge(name)
      }
    }
  }

  /// Removes items in the trash for good.
  ///
  /// - Parameter name: Only items of this name; `nil` for all.
  /// - Returns: The number of items removed.
  /// - Throws: ``CredentialError``: what ``edit(_:)`` throws.
  @discardableResult
  public func emptyTrash(of name: ItemName? = nil) throws -> Int {
    try edit { $0.emptyTrash(of: name) }
  }

  /// Makes an earlier version of an item current, or takes an item out of the trash.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - version: The version to restore; `nil` for the version before the current one or, if no
  ///     live item has the name, for the item in the trash that was removed last.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/restore(_:version:)`` and ``edit(_:)``.
  @discardableResult
  public func restore(_ name: ItemName, version: UInt64? = nil) throws -> Item {
    try edit { try $0.restore(name, version: version) }
  }

  /// Takes one of several items of a name out of the trash, also where a live item has the name.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - number: Which of that name: 1 for the one that was removed last.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/restoreFromTrash(_:number:)`` and ``edit(_:)``.
  @discardableResult
  public func restoreFromTrash(_ name: ItemName, number: Int = 1) throws -> Item {
    try edit { try $0.restoreFromTrash(name, number: number) }
  }
}

extension UnlockedVault {
  /// Commits an edit, then brings the copies of what it touched up to date.
  ///
  /// - Parameters:
  ///   - branch: Another file of the vault that the edit merges.
  ///   - change: The edit.
  /// - Returns: What `change` returns.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func edited<Result>(
    knowing branch: VaultBranch? = nil, _ change: (inout VaultEdit) throws -> Result
  ) throws -> Result {
    let commit = try write(knowing: branch, change)
    guard commit.changesSecrets, let after = commit.after else { return commit.result }
    let reason = try synchronizeCopies(
      own: commit.names, from: after, withoutTelling: commit.removedCopies)
    try checkWithdrawn(commit.removedCopies, reason)
    return commit.result
  }

  /// Fails if the keyring still holds a copy of an item that was removed.
  private func checkWithdrawn(_ names: Set<String>, _ reason: String?) throws {
    guard !names.isEmpty else { return }
    let marked = try ledger().entries(onlyMarked: true)
    let count = names.count { marked[$0]?.hashes.isEmpty == false }
    guard count > 0 else { return }
    let reason = reason.map { ": \($0)" } ?? ""
    throw CredentialError(
      .copyRemains,
      names.count == 1
        ? "removed here; the keyring still holds its copy\(reason)"
        : "removed here; the keyring still holds \(Plural.of(count, "copy", "copies")) of them\(reason)",
      hint: "the next change that finds the keyring removes it, too",
      remedies: [.synchronizeCopies])
  }
}
