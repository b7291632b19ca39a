package import VaultSealing

extension VaultEdit {
  /// Settles what a merge left of an item: which of two values it is to have, whether an item that
  /// met another one of the same name stays beside it, whether one that was removed for good
  /// elsewhere stays in the trash.
  ///
  /// - Parameters:
  ///   - name: The item; for two that had one name, either of them.
  ///   - takesOther: Whether the other side is taken, as a new version: the value that is not
  ///     current; the secrets of the item that got another name, which then goes to the trash; the
  ///     item out of the trash. Otherwise everything stays as it is.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`; `.versionNotFound` if there is
  ///   nothing to settle, or the other value is no longer kept; `.itemExists`, `.damaged`.
  @discardableResult
  public mutating func settle(_ name: ItemName, takesOther: Bool = false) throws -> Item {
    var settled: Item?
    for id in try unsettled(name).map({ self[$0].id }) {
      guard let position = index.items.position(of: id) else { continue }
      settled = try settle(at: position, takesOther ? .other : .asIs) { _ in takesOther }
    }
    guard let settled else { throw UnlockedVault.notFound(name) }
    return settled
  }

  /// What is to be current.
  package enum Settlement: Sendable {
    /// Everything stays as it is.
    case asIs
    /// What is not current, or not there.
    case other
    /// These secrets by their fields, the main one under an empty name; the others stay.
    case secrets([String: SecretBytes])
    /// The item that kept the name; this one becomes a version of it.
    case holder
    /// Nothing: the item was removed for good.
    case removal
  }

  /// The items that a name's conflict concerns.
  func unsettled(_ name: ItemName) throws -> [Int] {
    let live = position(of: name)
    if let live, ItemConflict.isUnsettled(self[live].attributes) { return [live] }
    let twins = index.items.indices.filter { position in
      index.items.trashed(at: position) == 0
        && self[position].attributes[ItemConflict.formerName] == name.text
    }
    if !twins.isEmpty { return twins }
    let removed = index.items.indices.filter { position in
      index.items.trashed(at: position) != 0 && self[position].name == name.text
        && self[position].attributes[ItemConflict.removal] != nil
    }
    if let newest = removed.max(by: { self[$0].trashed < self[$1].trashed }) { return [newest] }
    guard live != nil else { throw UnlockedVault.notFound(name) }
    throw CredentialError(
      .versionNotFound, "the item has no other value from a merge", remedies: [.showHistory])
  }

  /// Settles one item with all its properties; the one that has the result may be another.
  ///
  /// - Parameters:
  ///   - position: The item.
  ///   - choice: Which secrets, name or item it is to have.
  ///   - isTaken: Whether a value that lost is to be current.
  /// - Returns: The item that has it.
  /// - Throws: ``CredentialError``.
  mutating func settle(
    at position: Int, _ choice: Settlement, taking isTaken: (LostValue) -> Bool
  ) throws -> Item {
    if self[position].trashed == 0 { try settleLost(at: position, taking: isTaken) }
    return try settle(at: position, choice)
  }

  private mutating func settleLost(at position: Int, taking isTaken: (LostValue) -> Bool) throws {
    let lost = ItemConflict.lost(in: self[position].attributes)
    guard !lost.isEmpty else { return }
    ItemConflict.settle(in: &self[position].attributes)
    self[position].modified = now
    var done: [LostValue] = []
    // The latest of each property comes first.
    for value in lost where isTaken(value) {
      guard !done.contains(where: { $0.isOfSameProperty(as: value) }) else { continue }
      done.append(value)
      switch value.property {
      case .note: self[position].note = value.value
      case .attribute: self[position].attributes[value.attribute] = value.value
      case .expiry: self[position].expires = Int64(value.value) ?? 0
      case .name: try rename(at: position, to: ItemName(stored: value.value))
      }
    }
  }

  private mutating func settle(at position: Int, _ choice: Settlement) throws -> Item {
    let record = self[position]
    if record.trashed != 0 { return try settleRemoval(at: position, choice) }
    if let other = ItemConflict.version(in: record.attributes) {
      switch choice {
      case .other: try restoreVersion(other, at: position)
      case .secrets(let secrets): try take(secrets, at: position)
      case .asIs, .holder, .removal:
        self[position].attributes[ItemConflict.attribute] = nil
        self[position].modified = now
      }
      return item(self[position])
    }
    guard let former = record.attributes[ItemConflict.formerName] else { return item(record) }
    self[position].attributes[ItemConflict.formerName] = nil
    self[position].modified = now
    switch choice {
    case .asIs, .secrets, .removal: return item(self[position])
    case .other, .holder: return try unite(position, ItemName(stored: former), choice)
    }
  }

  /// Gives an item secrets, as a new version if they are others than those that it has.
  private mutating func take(_ secrets: [String: SecretBytes], at position: Int) throws {
    let present = try contents(at: position)
    var contents = present
    for (field, value) in secrets {
      if field.isEmpty { contents.main = value } else { contents.fields[field] = value }
    }
    guard !contents.isEqual(to: present) else {
      self[position].attributes[ItemConflict.attribute] = nil
      self[position].modified = now
      return
    }
    try addVersion(
      at: position, contents, changesMain: !contents.main.isEqual(to: present.main))
  }

  /// Makes two items that had one name one item, with the secrets of both in its history.
  private mutating func unite(
    _ twin: Int, _ name: ItemName, _ choice: Settlement
  ) throws -> Item {
    guard let holder = position(of: name) else {
      try rename(at: twin, to: name)
      return item(self[twin])
    }
    let kept = (try contents(at: holder), self[holder].kind)
    let kind = self[twin].kind
    try addVersion(at: holder, try contents(at: twin)) { $0.kind = kind }
    if case .holder = choice {
      let id = Hexadecimal.text(self[twin].id.bytes)
      try addVersion(at: holder, kept.0) { record in
        record.kind = kept.1
        record.attributes[ItemConflict.union] = id
      }
    }
    if self[twin].copy != .none { removedCopies.insert(self[twin].name) }
    try moveToTrash(at: twin)
    return item(self[holder])
  }

  private mutating func settleRemoval(at position: Int, _ choice: Settlement) throws -> Item {
    let record = self[position]
    switch choice {
    case .other, .secrets:
      guard self.position(of: ItemName(stored: record.name)) == nil else { throw Self.exists() }
      try takeOutOfTrash(at: position, version: nil)
    case .removal:
      purge(at: position)
      return item(record)
    case .asIs, .holder:
      self[position].attributes[ItemConflict.removal] = nil
      self[position].modified = now
    }
    return item(self[position])
  }
}
