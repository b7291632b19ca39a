extension UnlockedVault {
}

extension VaultEdit {
  /// Takes back the last changes of somebody, as the index recorded them.
  mutating func undo(steps: Int?, of origin: ChangeOrigin) throws -> [UndoneChange] {
    let setting = UndoStep.Setting(origin)
    let last = setting.flatMap { UndoStep($0, in: index) }
    let older = origin == .person ? UndoStep.older(in: index) : []
    var taken: [UndoStep]
    if let steps {
      // What was taken back is not taken back once more.
      taken = Array(((last.map { $0.isUndo ? [] : [$0] } ?? []) + older).prefix(max(steps, 1)))
    } else {
      taken = last.map { [$0] } ?? []
    }
    guard !taken.isEmpty else {
      if let setting, index.text(of: setting.before) == UndoStep.Setting.tooLarge {
        throw CredentialError(
          .versionNotFound, "the last change was too large to be undone as a whole",
          remedies: [.showHistory, .listTrash])
      }
      throw CredentialError(
        .versionNotFound, "there is no change to undo", remedies: [.showHistory, .listTrash])
    }
    let isRedo = taken[0].isUndo
    var undone: [Bytes16: UndoneChange] = [:]
    for step in taken {
      for (id, former) in step.record.before {
        guard let position = index.items.position(of: id) else { continue }
        var change = try undo(at: position, to: former, from: step.after[id])
        change.isRedone = isRedo
        change.kept = Array(Set(change.kept + (undone[id]?.kept ?? []))).sorted()
        undone[id] = change
      }
    }
    var changes = undone.values.filter { $0.kind != .unchanged || !$0.kept.isEmpty }
    if changes.isEmpty, !undone.isEmpty {
      // Nothing stands in the way: everything is so already.
      changes = undone.values.map {
        UndoneChange(name: $0.name, kind: .changedBack, isRedone: $0.isRedone)
      }
    }
    guard changes.contains(where: { $0.kind != .unchanged }) else {
      var error = CredentialError(
        .changedMeanwhile,
        "what that change made was changed since: nothing was undone",
        remedies: [.showHistory])
      error.keptChanges = changes.sorted { $0.name < $1.name }
      throw error
    }
    self.origin = origin
    if !isRedo {
      let isLastTaken = last.map { !$0.isUndo } ?? false
      undoneSteps = taken.count - (isLastTaken ? 1 : 0)
    }
    return changes.sorted { $0.name < $1.name }
  }

  /// Takes back what a step did to one item.
  ///
  /// - Parameters:
  ///   - position: The item.
  ///   - former: How it was.
  ///   - after: What the step made it; `nil` if that is not known, and it is taken for what it is.
  /// - Returns: The effect.
  /// - Throws: ``CredentialError`` with code `.itemExists`, `.damaged`.
  private mutating func undo(
    at position: Int, to former: UndoRecord.Before, from after: ItemRecord?
  ) throws -> UndoneChange {
    let current = self[position]
    var after = after ?? current
    if case .changed(let difference) = former { after = difference.after(current) }
    var before = after
    switch former {
    case .absent: before.trashed = after.trashed == 0 ? now : after.trashed
    case .notTrashed: before.trashed = 0
    case .record(let record): before = record
    case .changed(let difference): before = difference.before(after)
    }
    var kept: [String] = []
    guard before.trashed == 0 else {
      return try undoMaking(at: position, after, formerName: before.name, &kept)
    }
    var kind = UndoneChange.Kind.unchanged
    if after.trashed != 0, current.trashed != 0 {
      let name = ItemName(stored: before.name)
      if let other = self.position(of: name), other != position { throw Self.exists() }
      try takeOutOfTrash(at: position, version: before.version)
      kind = .restored
    } else if after.trashed != 0 {
      kept.append("trash")
    }
    if self[position].trashed == 0 {
      try undoSecrets(at: position, before, after, current, &kept)
      try undoDescription(at: position, before, after, current, &kept)
    }
    if kind == .unchanged, !self[position].saysTheSame(as: current) { kind = .changedBack }
    // A mark that comes back names a version by its number, which may be another one's by now.
    if ItemConflict.version(in: current.attributes) == nil,
      let former = ItemConflict.version(in: self[position].attributes)
    {
      if self[position].version != current.version, let newest = self[position].earlier.first {
        ItemConflict.mark(&self[position], newest.version)
        if let machine = ItemConflict.machines(in: self[position].attributes)[former] {
          ItemConflict.note(machine, wrote: newest.version, in: &self[position])
        }
      } else {
        ItemConflict.check(&self[position])
      }
    }
    if kind != .unchanged { self[position].modified = now }
    return UndoneChange(name: ItemName(stored: self[position].name), kind: kind, kept: kept)
  }

  /// The change made the item, or took it out of the trash: it goes there, if nobody has changed it.
  private mutating func undoMaking(
    at position: Int, _ after: ItemRecord, formerName: String, _ kept: inout [String]
  ) throws -> UndoneChange {
    let current = self[position]
    let name = ItemName(stored: current.name)
    guard current.trashed == 0 else { return UndoneChange(name: name, kind: .removed) }
    // An undo brought its secret back under another number.
    var same = current
    if try has(position, version: after.version) { same.version = after.version }
    guard same.saysTheSame(as: after) else {
      return UndoneChange(name: name, kind: .unchanged, kept: ["item"])
    }
    try moveToTrash(at: position)
    self[position].name = formerName
    return UndoneChange(name: ItemName(stored: formerName), kind: .removed)
  }

  private mutating func undoSecrets(
    at position: Int, _ before: ItemRecord, _ after: ItemRecord, _ current: ItemRecord,
    _ kept: inout [String]
  ) throws {
    guard before.version != after.version, self[position].version != before.version else { return }
    guard try current.trashed != 0 || has(position, version: after.version),
      self[position].earlier.contains(where: { $0.version == before.version })
    else { return kept.append("secret") }
    try restoreVersion(before.version, at: position)
  }

  /// Whether an item's secret is the one of a version, perhaps brought back under another number.
  private func has(_ position: Int, version: UInt64) throws -> Bool {
    let record = self[position]
    if record.version == version { return true }
    guard let earlier = record.earlier.first(where: { $0.version == version }) else { return false }
    return try earlierContents(of: record, earlier).isEqual(to: contents(at: position))
  }

  private mutating func undoDescription(
    at position: Int, _ before: ItemRecord, _ after: ItemRecord, _ current: ItemRecord,
    _ kept: inout [String]
  ) throws {
    if before.name != after.name, self[position].name != before.name {
      if current.name == after.name {
        let name = ItemName(stored: before.name)
        if let other = self.position(of: name), other != position { throw Self.exists() }
        try rename(at: position, to: name)
      } else {
        kept.append("name")
      }
    }
    var wanted = self[position]
    func take<Value: Equatable>(_ property: WritableKeyPath<ItemRecord, Value>, _ word: String) {
      guard before[keyPath: property] != after[keyPath: property],
        wanted[keyPath: property] != before[keyPath: property]
      else { return }
      // In the trash nothing of it was changed by hand.
      if current[keyPath: property] == after[keyPath: property] {
        wanted[keyPath: property] = before[keyPath: property]
      } else {
        kept.append(word)
      }
    }
    take(\.kind, "kind")
    take(\.note, "note")
    take(\.expires, "expiry")
    let added = Set(after.tags).subtracting(before.tags)
    let removed = Set(before.tags).subtracting(after.tags)
    if !added.isEmpty || !removed.isEmpty {
      wanted.tags = Set(wanted.tags).subtracting(added).union(removed).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      }
    }
    let names = Set(before.attributes.all.map(\.name)).union(after.attributes.all.map(\.name))
    let hasSameLost = ItemConflict.haveSameLost(current.attributes, after.attributes)
    for name in names where before.attributes[name] != after.attributes[name] {
      guard wanted.attributes[name] != before.attributes[name] else { continue }
      if current.attributes[name] == after.attributes[name]
        || ItemConflict.isOfLost(name) && hasSameLost
      {
        wanted.attributes[name] = before.attributes[name]
      } else if !ItemConflict.isOfOneFile(name) {
        // What met is noted by the vault itself: nobody changed it who could be asked.
        kept.append("attribute")
      }
    }
    // The kind is part of what a sealed item is bound to.
    if self[position].kind == wanted.kind {
      self[position] = wanted
    } else {
      try resealed(at: position) {
        $0.kind = wanted.kind
        $0.note = wanted.note
        $0.tags = wanted.tags
        $0.attributes = wanted.attributes
        $0.expires = wanted.expires
      }
    }
  }
}
