package import VaultSealing

/// An item as it comes from another program: all its parts at once.
package struct ItemDraft: Sendable {
  /// What it is to be called.
  package var name: ItemName
  /// The main secret.
  package var main: SecretBytes
  /// Its further fields, which take the place of those that it has.
  package var fields: [String: SecretBytes]
  /// What else is known of it.
  package var changes: ItemChanges

  package init(
    _ name: ItemName, main: SecretBytes, fields: [String: SecretBytes] = [:],
    changes: ItemChanges = ItemChanges()
  ) {
    self.name = name
    self.main = main
    self.fields = fields
    self.changes = changes
  }
}

extension UnlockedVault.Blocking {
  /// A look into the vault as it is now, for a walk over many items: one read of the file.
  ///
  /// - Returns: What answers a name with what the item holds, and with `nil` where there is none.
  /// - Throws: ``CredentialError`` with code `.damaged`; so does what is returned.
  package func wholeItems() throws -> (ItemName) throws -> ItemWithSecrets? {
    let snapshot = try read()
    return { name in try snapshot[name].map { try snapshot.secrets(of: $0) } }
  }

  /// Stores items, with all their fields, in one write: all of them or none.
  ///
  /// One that is there already gets a new version; the version before can be restored.
  ///
  /// - Parameter items: The items; of two with one name the later is the current version.
  /// - Returns: The items as they are now, in the same order.
  /// - Throws: As ``set(_:to:field:changes:)`` does.
  @discardableResult
  package func store(_ items: [ItemDraft]) throws -> [Item] {
    guard !items.isEmpty else { return [] }
    let records = try vault.commit { draft in
      try items.enumerated().map { done, item in
        vault.locked.options.tell(.sealing, done, of: items.count)
        for name in item.fields.keys {
          guard !name.isEmpty, name.utf8.count <= ItemLimits.fieldName, ItemLimits.isPlain(name)
          else {
            throw CredentialError(
              .invalidName, "the name of a field has 1 to 255 bytes and no control character")
          }
        }
        return try Self.store(item, in: &draft)
      }
    }
    if let last = records.last { try vault.synchroniseCopies(after: last) }
    return records.map(Item.init)
  }

  private static func store(_ item: ItemDraft, in draft: inout VaultDraft) throws -> ItemRecord {
    let contents = ItemContents(main: item.main, fields: item.fields)
    if let position = draft.position(of: item.name) {
      try draft.keepAsEarlier(at: position)
      draft.index.items[position].version += 1
      draft.index.items[position].modified = draft.now
      draft.index.items[position].device = draft.index.device
      try item.changes.apply(to: &draft.index.items[position])
      try draft.seal(contents, at: position)
      draft.copyIsOutdated(at: position)
      return draft.index.items[position]
    }
    guard draft.index.items.count < VaultIndex.maximumItems else {
      throw CredentialError(
        .cannotCreate, "the vault is full: it holds at most 20,000 items",
        hint: "keep a part of it in another vault: --vault NAME")
    }
    var record = ItemRecord(
      id: RandomBytes.bytes(count: 16), name: item.name.text, kind: Item.Kind.secret.rawValue,
      device: draft.index.device, now: draft.now)
    record.copy = draft.index.isPublishing ? .pending : .none
    try item.changes.apply(to: &record)
    draft.index.items.append(record)
    let position = draft.index.items.count - 1
    try draft.seal(contents, at: position)
    return draft.index.items[position]
  }
}
