import VaultSealing

extension VaultEdit {
  /// Changes several secrets of an item, and what else is known of it, as one new version.
  ///
  /// Secrets that are what they were make no new version.
  ///
  /// - Parameters:
  ///   - name: The item; it is created unless fields are to be removed.
  ///   - secrets: The secrets to set and the fields to remove.
  ///   - changes: Further changes to the item.
  /// - Returns: The item, and the fingerprint of the secret that was set if it is one alone, or
  ///   else of the main one.
  /// - Throws: ``CredentialError`` with code `.fieldNotFound` for a field to remove,
  ///   `.itemNotFound`, `.cannotCreate` beyond a limit, `.invalidName`, `.invalidValue`,
  ///   `.damaged`.
  @discardableResult
  public mutating func change(
    _ name: ItemName, _ secrets: SecretChanges, changes: ItemChanges = ItemChanges()
  ) throws -> ItemChange {
    for field in secrets.fields.keys { try ItemLimits.check(fieldName: field) }
    if vault.locked.options.remindsOfSingleSlot, !secrets.isEmpty { countTowardsReminder() }
    var changes = changes
    // A later field of the same name is not what this one was.
    for field in secrets.removedFields {
      changes.openFields[field] = Item.isUsuallyOpen(field: field)
    }
    guard let position = position(of: name) else {
      guard secrets.removedFields.isEmpty, !secrets.isEmpty else {
        throw UnlockedVault.notFound(name)
      }
      let main = try secrets.main?.bytes ?? SecretBytes(copying: [])
      let draft = ItemDraft(
        name, main: main, fields: secrets.fields.mapValues(\.bytes), changes: changes)
      return ItemChange(
        item: try store(draft).item, isNew: true,
        fingerprint: try vault.fingerprint(of: secrets.only ?? main))
    }
    let before = try contents(at: position)
    var contents = before
    if let main = secrets.main { contents.main = main.bytes }
    for (field, value) in secrets.fields { contents.fields[field] = value.bytes }
    for field in secrets.removedFields {
      guard contents.fields[field] != nil else {
        throw CredentialError(
          .fieldNotFound, "the item has no field with that name", remedies: [.showItem])
      }
      contents.fields[field] = nil
    }
    if secrets.isEmpty || contents.isEqual(to: before) {
      try update(name, changes)
    } else {
      try addVersion(at: position, contents, changesMain: secrets.main != nil) {
        try changes.apply(to: &$0)
      }
    }
    return ItemChange(
      item: item(self[position]), isNew: false,
      fingerprint: try vault.fingerprint(of: secrets.only ?? contents.main))
  }
}

extension SecretChanges {
  /// The secret that is set, if it is one alone.
  fileprivate var only: SecretBytes? {
    if let main { return fields.isEmpty ? main.bytes : nil }
    return fields.count == 1 ? fields.first?.value.bytes : nil
  }
}

extension ItemContents {
  /// Whether both hold the same secrets under the same names.
  func isEqual(to other: ItemContents) -> Bool {
    main.isEqual(to: other.main) && fields.all.count == other.fields.all.count
      && fields.all.allSatisfy { field in
        other.fields[field.name].map { field.value.isEqual(to: $0) } ?? false
      }
  }
}
