extension VaultEdit {
  /// Leaves an import's mark in a live item, which is no change of it that a person made.
  mutating func mark(_ name: ItemName, _ mark: String) {
    guard let position = position(of: name) else { return }
    self[position].attributes[ImportMark.attribute] = mark
  }
}
