import VaultStorage

extension UnlockedVault.Blocking {
  /// Stores a secret for a key, or replaces it: `SecItemAdd` and `SecItemUpdate` in one.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - key: What it is found by. Where two items have it, the one changed last gets the secret.
  /// - Returns: The item, and whether it is new.
  /// - Throws: ``CredentialError`` with code `.invalidName` if no name can be made of the key,
  ///   `.cannotCreate`, or what writing throws.
  @discardableResult
  public func save(_ secret: Secret, for key: some KeychainKey) throws -> ItemChange {
    try edit { edit in
      if let item = edit.items(matching: key.query).newest(of: key.kind) {
        return try edit.set(item.name, to: secret)
      }
      var changes = ItemChanges()
      changes.kind = key.kind
      changes.attributes = key.attributes
      // `a/b` of `c` and `a` of `b/c` have the same name but are two items.
      let name = try FreeName.like(ItemName(joiningPartsOf: key.name).text) { edit[$0] != nil }
      return try edit.set(name, to: secret, changes: changes)
    }
  }

  /// The secret for a key: `SecItemCopyMatching`.
  ///
  /// - Parameter key: What it is found by.
  /// - Returns: The secret, or `nil` if there is none: the Keychain's `errSecItemNotFound`.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func load(_ key: some KeychainKey) throws -> Secret? {
    let snapshot = try read()
    return try snapshot.items(matching: key.query).newest(of: key.kind)
      .map { try snapshot.secret(of: $0) }
  }

  /// Puts the item of a key into the trash: `SecItemDelete`.
  ///
  /// - Parameter key: What it is found by.
  /// - Returns: Whether there was one.
  /// - Throws: ``CredentialError`` as ``remove(_:purge:)-(ItemName,_)`` does.
  @discardableResult
  public func delete(_ key: some KeychainKey) throws -> Bool {
    try edit { edit in
      guard let item = edit.items(matching: key.query).newest(of: key.kind) else { return false }
      try edit.remove(item.name)
      return true
    }
  }
}

extension KeychainKey {
  fileprivate var query: ItemQuery {
    var query = ItemQuery()
    query.attributes = attributes
    return query
  }
}

extension Sequence<Item> {
  fileprivate func newest(of kind: Item.Kind) -> Item? { filter { $0.kind == kind }.newest }
}

extension ItemName {
  /// A name made of what another program calls a thing, an address perhaps: without the empty parts
  /// between slashes that a name may not have.
  init(joiningPartsOf text: String) throws {
    try self.init(text.parts(at: "/").joined(separator: "/"))
  }
}
