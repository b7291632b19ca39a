import VaultAppData

extension ModelStore {
  /// A connection of the store's, for a look at its tables while no context works.
  func lease() throws -> StoreConnection { try withConnection { $0 } }
}
