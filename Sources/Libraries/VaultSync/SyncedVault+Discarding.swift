import VaultCredentials

extension SyncedVault {
  /// Makes the items of a machine that only reads the space what the space has, and the preferences of
  /// the domains that are synchronized here: its own changes go, items of its own into the trash.
  ///
  /// The store is not asked. Secrets that were set here become earlier versions.
  ///
  /// - Returns: How many items, and how many keys of preferences, were changed back.
  /// - Throws: ``SyncError`` with code `.notAllowed` for a machine that may write: its changes are
  ///   taken back by an undo; `.notJoined`, `.copied`, `.tampered`; what writing the vault throws.
  @discardableResult
  public func discardLocalChanges() throws -> (items: Int, preferences: Int) {
    try files.locked {
      let loaded = try replica.load()
      guard loaded.history.roster().members[loaded.state.stream]?.role == .reader else {
        throw SyncError(
          .notAllowed, "this machine may write: what was changed here goes to the others",
          hint: "undo takes the last changes back")
      }
      let state = try loaded.history.folded(upTo: loaded.state.applied.frontier)
      let items = try vault.blocking.shared { shared in
        let (local, unreadable) = try shared.items()
        let changed = state.ownChanges(
          in: local, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now)
        try shared.takeBack(changed.compactMap(\.item), to: state.items)
        return changed.count
      }
      return (items, try PreferencesExchange(exchange).discardChanges(loaded))
    }
  }
}
