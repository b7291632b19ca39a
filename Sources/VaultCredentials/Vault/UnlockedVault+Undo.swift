extension UnlockedVault {
  /// Takes back the last change of items, whichever it was.
  ///
  /// A secret that was set becomes an earlier version, and the one before it is current again;
  /// removed items come out of the trash; new ones go there; names, tags, notes and attributes are
  /// as they were. Called again, it takes itself back. What was removed for good stays gone.
  ///
  /// - Returns: The effects, by name.
  /// - Throws: ``CredentialError`` with code `.versionNotFound` if there is nothing to take back,
  ///   `.itemExists` if a name has been given to another item, `.damaged`, or what ``edit(_:)``
  ///   throws.
  @discardableResult
  public func undo() async throws -> [UndoneChange] { try await waiting { try $0.undo() } }
}

extension VaultEdit {
  /// Takes back the last change, as the index recorded it.
  mutating func undo() throws -> [UndoneChange] {
    guard let record = UndoRecord(in: index) else {
      throw CredentialError(
        .versionNotFound, "there is no change to undo",
        remedies: [.showHistory, .listTrash])
    }
    var undone: [UndoneChange] = []
    for (id, former) in record.before {
      guard let position = index.items.position(of: id) else {
        throw UnlockedVault.notFound()
      }
      undone.append(try undo(at: position, to: former))
    }
    return undone.sorted { $0.name < $1.name }
  }

  private mutating func undo(at position: Int, to former: UndoRecord.Before) throws -> UndoneChange
  {
    var before = self[position]
    switch former {
    case .absent: before.trashed = now
    case .notTrashed: before.trashed = 0
    case .record(let record): before = record
    }
    guard before.trashed == 0 else {
      // The change made the item, or took it out of the trash.
      if self[position].trashed == 0 { try moveToTrash(at: position) }
      return UndoneChange(name: ItemName(stored: self[position].name), kind: .removed)
    }
    let name = ItemName(stored: before.name)
    if let other = self.position(of: name), other != position { throw Self.exists() }
    let wasTrashed = self[position].trashed != 0
    if wasTrashed {
      try takeOutOfTrash(at: position, version: before.version)
    } else if self[position].version != before.version {
      try restoreVersion(before.version, at: position)
    }
    if self[position].name != before.name { try rename(at: position, to: name) }
    func describe(_ record: inout ItemRecord) {
      record.kind = before.kind
      record.note = before.note
      record.tags = before.tags
      record.attributes = before.attributes
      record.expires = before.expires
    }
    // The kind is part of what a sealed item is bound to.
    if self[position].kind == before.kind {
      describe(&self[position])
    } else {
      try resealed(at: position) { describe(&$0) }
    }
    self[position].modified = now
    return UndoneChange(name: name, kind: wasTrashed ? .restored : .changedBack)
  }
}
