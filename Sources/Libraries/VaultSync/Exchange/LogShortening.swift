import VaultCredentials
import VaultSealing

/// Puts a snapshot in the place of the first records of this machine's log, where there are so many
/// that they are a burden: everybody has found it right, so that they count for good.
///
/// The machine has then what one has that joined with this snapshot.
///
/// Documentation/design/sync-format.md, sections 7 and 9; decision 9.
struct LogShortening: Exchanging {
  let exchange: Exchange

  /// Shortens the log, if that is due.
  ///
  /// - Parameter loaded: What this machine remembers, all of which the vault has; afterwards, read
  ///   anew if the log was shortened.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func shortenIfDue(_ loaded: inout LoadedReplica) throws {
    let (history, state) = (loaded.history, loaded.state)
    guard loaded.logEnd > tuning.logStep, state.pending == nil,
      let last = history.roster().retirements.last,
      let snapshot = history.snapshot(last.stream, last.sequence)
    else { return }
    let frontier = snapshot.operation.frontier
    let log = try files.records()
    let behind = log.filter { record in
      guard let stream = SyncRecord.stream(of: record) else { return false }
      return SyncRecord.sequence(of: record) > frontier[stream, default: 0]
    }
    let (length, rest) = (Self.length(of: log), Self.length(of: behind))
    guard length - rest > tuning.logStep / 2, isApplied(frontier, state),
      frontier.covers(history.roster().retired),
      // What was vouched for, once more: nothing else takes the place of records.
      let base = try SnapshotExchange(exchange).remade(snapshot, loaded)?.base
    else { return }
    // First what claims less: a crash leaves a log that is longer than the state says, or a root
    // beside a log that has its records, too.
    if let noted = state.snapshot {
      let covered = length - rest
      loaded.state.snapshot?.logLength = noted.logLength > covered ? noted.logLength - covered : 0
    }
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    try files.replaceRoot(base.sealed(loaded.keys.own))
    try files.replaceRecords(with: behind)
    loaded = try replica.load()
  }

  /// Whether the vault and the preferences were brought to all of some records.
  private func isApplied(_ frontier: Frontier, _ state: SyncState) -> Bool {
    let preferences = state.preferences
    return state.applied.frontier.covers(frontier)
      && (preferences.domains.isEmpty
        || preferences.attempt.isEmpty && preferences.frontier.covers(frontier))
  }

  private static func length(of log: [[UInt8]]) -> UInt64 {
    log.reduce(0) { $0 + 4 + UInt64($1.count) }
  }
}
