/// What this machine remembers, and its keys.
struct LoadedReplica {
  var state: SyncState
  var keys: MachineKeys
  var history: Space
  /// The bytes of the log before ``log``: what the history's base covers.
  let logStart: UInt64
  /// The records in the log, in order, from there.
  var log: [[UInt8]]

  /// The bytes of the log.
  var logEnd: UInt64 { log.reduce(logStart) { $0 + 4 + UInt64($1.count) } }

  /// Machines that ask to be let in by an invitation whose time is over, by their labels.
  func asking(_ roster: Roster) -> [String] {
    roster.invitations.values.filter {
      !$0.isRecovery && $0.isSettled && $0.accepted.count < $0.uses
    }
    .flatMap(\.refused).compactMap { history.label(of: $0) }.sorted()
  }
}
