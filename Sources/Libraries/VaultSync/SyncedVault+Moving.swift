import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Follows the store to another place: it was moved, or has another address now.
  ///
  /// The place must have this vault's space, and as much of each machine that is in as this one
  /// knows. The store before is not asked; each machine follows by itself.
  ///
  /// - Parameters:
  ///   - engine: The store at its new place.
  ///   - store: Where that is, to be kept for ``store(of:)``; no passwords.
  ///   - acceptingRollback: Follows also to a store that has less, or other records.
  /// - Returns: The vault with its store.
  /// - Throws: ``SyncError`` with code `.rolledBack` for a place that lacks something, `.unavailable`,
  ///   `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  public func moved(
    to engine: any SyncEngine, at store: String, acceptingRollback: Bool = false
  ) throws -> SyncedVault {
    try Moving(exchange).follow(to: engine, at: store, acceptingRollback: acceptingRollback)
    var moved = self
    moved.exchange.engine = PartedEngine(engine)
    return moved
  }
}
