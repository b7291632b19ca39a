import VaultCredentials
import VaultSealing

/// Follows a store to another place.
struct Moving: Exchanging {
  let exchange: Exchange

  private static let rest =
    "if that machine is no more, what this one has goes there, once that is accepted"

  /// Remembers the place; see ``SyncedVault/moved(to:at:acceptingRollback:)``.
  func follow(to engine: any SyncEngine, at store: String, acceptingRollback: Bool) throws {
    try files.locked {
      let loaded = try replica.load()
      guard mirror == nil, !(engine is any FeedEngine) else {
        throw SyncError(
          .notAllowed, "a vault that follows a feed has no store that moves",
          hint: "name the feed at its other address")
      }
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
      state.recoveryFiles = [:]
      try files.replaceState(state.sealed(loaded.keys.own))
    }
  }

  /// Checks that a store shows as much as this machine has seen.
  private func checkIsWhole(
    _ heads: [StreamHead], _ loaded: LoadedReplica, _ engine: any SyncEngine
  ) throws {
    var lacking: [StreamID] = []
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
      lacking.append(member.stream)
    }
    guard let stream = lacking.first else { return }
    throw SyncError(
      .rolledBack,
      "that place lacks records of '\(roster.shownLabel(of: stream))' that were in the store",
      hint: lacking == [loaded.state.stream]
        ? "they are this machine's own, which it writes there again once the older state is accepted"
        : engine.isEventual
          ? "bring all files of the store there first; or wait until the file syncer is done; \(Self.rest)"
          : "bring all of the store there first; \(Self.rest)",
      remedy: .acceptLessThere)
  }
}
