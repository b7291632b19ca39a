extension VaultEdit {
  /// Settles which of two values that met in a merge an item is to have.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - takesOther: Whether the other value becomes current, as a new version; otherwise the
  ///     current value stays.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`; `.versionNotFound` if no two values met,
  ///   or the other one is no longer kept; `.damaged`.
  @discardableResult
  public mutating func settle(_ name: ItemName, takesOther: Bool = false) throws -> Item {
    let position = try requirePosition(of: name)
    guard let other = ItemConflict.version(in: self[position].attributes) else {
      throw CredentialError(
        .versionNotFound, "the item has no other value from a merge", remedies: [.showHistory])
    }
    if takesOther {
      try restoreVersion(other, at: position)
    } else {
      self[position].attributes[ItemConflict.attribute] = nil
      self[position].modified = now
    }
    return item(self[position])
  }
}
