import VaultSealing

/// What taking back a change did to one item.
public struct UndoneChange: Sendable, Equatable {
  /// What happened to it.
  public enum Kind: String, Sendable {
    /// The change had made it: it went to the trash.
    case removed
    /// The change had removed it: it is back.
    case restored
    /// It is as it was before the change.
    case changedBack = "changed-back"
  }

  /// The item's name, as it is now.
  public let name: ItemName
  /// What happened to it.
  public let kind: Kind

  package init(name: ItemName, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

extension UnlockedVault.Blocking {
  /// Takes back the last change of items, whichever it was.
  ///
  /// A secret that was set becomes an earlier version and the one before it current again; what was removed
  /// comes out of the trash; what was made goes there; names, tags, notes and attributes are as they were.
  /// Called again, it takes itself back. What was removed for good stays gone.
  ///
  /// - Returns: What happened, by name.
  /// - Throws: ``CredentialError`` with code `.versionNotFound` if there is nothing to take back, `.itemExists` if
  ///   a name is taken by now, `.damaged`, or what writing throws.
  @discardableResult
  public func undo() throws -> [UndoneChange] {
    let undone = try vault.commit { draft in
      guard let record = UndoRecord(in: draft.index) else {
        throw CredentialError(
          .versionNotFound, "there is no change that could be taken back",
          hint: "'vault history NAME' and 'vault list --trash' show what can be restored")
      }
      return try record.before.map { id, before in
        guard let position = draft.index.items.firstIndex(where: { $0.id == id }) else {
          throw UnlockedVault.notFound()
        }
        return try undo(position, to: before, in: &draft)
      }
    }
    try vault.synchroniseCopies()
    return undone.sorted { $0.name < $1.name }
  }

  private func undo(
    _ position: Int, to former: UndoRecord.Before, in draft: inout VaultDraft
  ) throws -> UndoneChange {
    var before = draft.index.items[position]
    switch former {
    case .absent: before.trashed = draft.now
    case .notTrashed: before.trashed = 0
    case .record(let record): before = record
    }
    guard before.trashed == 0 else {
      // It was made by the change, or taken out of the trash by it.
      if draft.index.items[position].trashed == 0 { try moveToTrash(position, in: &draft) }
      return UndoneChange(name: ItemName(stored: draft.index.items[position].name), kind: .removed)
    }
    if let other = draft.position(of: ItemName(stored: before.name)), other != position {
      throw Self.exists()
    }
    let wasTrashed = draft.index.items[position].trashed != 0
    if wasTrashed {
      _ = try takeOutOfTrash(at: position, version: before.version, in: &draft)
    } else if draft.index.items[position].version != before.version {
      _ = try restoreVersion(before.version, at: position, in: &draft)
    }
    if draft.index.items[position].name != before.name {
      draft.withdrawCopy(at: position)
      draft.index.items[position].name = before.name
      draft.copyIsOutdated(at: position)
    }
    let kind = draft.index.items[position].kind
    let contents = kind == before.kind ? nil : try draft.contents(at: position)
    draft.index.items[position].kind = before.kind
    draft.index.items[position].note = before.note
    draft.index.items[position].tags = before.tags
    draft.index.items[position].attributes = before.attributes
    draft.index.items[position].expires = before.expires
    draft.index.items[position].modified = draft.now
    // The kind is part of what a sealed item is bound to.
    if let contents { try draft.seal(contents, at: position) }
    return UndoneChange(
      name: ItemName(stored: before.name), kind: wasTrashed ? .restored : .changedBack)
  }
}
