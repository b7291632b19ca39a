extension VaultEdit {
  /// Leaves an import's mark in a live item, which is no change of it that a person made.
  mutating func mark(_ name: ItemName, _ mark: String) {
    guard let position = position(of: name) else { return }
    self[position].attributes[ImportMark.attribute] = mark
  }

  /// Stores items, and in the same change the import marks of others.
  ///
  /// - Parameters:
  ///   - items: The items; of two with one name, the later is the current version.
  ///   - marks: The marks, see `Item.importMark`, by the names of live items.
  /// - Returns: The items as they are now, in the same order.
  /// - Throws: What ``store(_:)`` of each throws, before any of them is stored where there is no room.
  package mutating func store(
    _ items: [ItemDraft], marking marks: [ItemName: String] = [:]
  ) throws -> [Item] {
    try checkRoom(for: items)
    for (name, mark) in marks { self.mark(name, mark) }
    let options = vault.locked.options
    var stored: [Item] = []
    for item in items {
      options.tell(.sealing, stored.count, of: items.count)
      stored.append(try store(item).item)
    }
    return stored
  }
}
