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
    try files.locked {
      let loaded = try load()
      guard try engine.spaces().contains(loaded.state.space) else {
        throw SyncError(
          .rolledBack, "that place has not this vault's space",
          hint: "bring all files of the store there first")
      }
      if !acceptingRollback {
        try checkIsWhole(engine.heads(in: loaded.state.space), loaded, engine)
      }
      var state = loaded.state
      state.store = store
      state.rest = nil
      // The next run compares what lies there with what this machine wrote.
      state.mended = 0
      state.recovery = [UInt8](repeating: 0, count: 16)
      try files.replaceState(state.sealed(loaded.keys.own))
    }
    var moved = self
    moved.engine = PartedEngine(engine)
    return moved
  }

  /// Checks that a store shows as much as this machine has seen.
  private func checkIsWhole(
    _ heads: [StreamHead], _ loaded: Loaded, _ engine: any SyncEngine
  ) throws {
    let shown = Dictionary(heads.map { ($0.stream, $0) }, uniquingKeysWith: { $1 })
    let roster = loaded.history.roster()
    for member in roster.present {
      let own = member.stream == loaded.state.stream
      let known = own ? loaded.state.sent : loaded.history.frontier[member.stream, default: 0]
      guard known > 0 else { continue }
      if let head = shown[member.stream], head.sequence >= known,
        loaded.history.record(member.stream, head.sequence).map({ $0.hash == head.hash }) ?? true
      {
        continue
      }
      throw SyncError(
        .rolledBack,
        "that place lacks records of '\(roster.shownLabel(of: member.stream))' that were in the store",
        hint: engine.isEventual
          ? "bring all files of the store there first; or wait until the file syncer is done"
          : "bring all of the store there first")
    }
  }
}
