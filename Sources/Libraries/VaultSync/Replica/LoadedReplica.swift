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
}
