import VaultDataStore
import VaultStorage
import VaultSync

/// What a run did, for the programs that have the store open.
extension DataChannel {
  /// Notes what a meeting did, in its transaction.
  ///
  /// - Parameters:
  ///   - meeting: The meeting.
  ///   - isSetup: Whether the store goes along from now on.
  ///   - start: When it began, in milliseconds since 1970.
  /// - Throws: `StorageError`.
  func note(_ meeting: StoreMeeting, isSetup: Bool, from start: Int64) throws {
    try connection.makeSyncEvents()
    let (report, end) = (meeting.report, now())
    if isSetup { try connection.addSyncEvent(StoreSyncEvent(.setup, from: start, to: end)) }
    if report.arrived + report.changed + report.deleted > 0 {
      var event = StoreSyncEvent(.arrival, from: start, to: end)
      (event.inserted, event.updated) = (report.arrived, report.changed)
      event.deleted = report.deleted
      try connection.addSyncEvent(event)
    }
    if report.told > 0 {
      // It goes on until the records are in the store of the space.
      var event = StoreSyncEvent(.export, from: start)
      event.sent = report.told
      try connection.addSyncEvent(event, upTo: meeting.turn.lastNumber)
    }
  }

  /// Notes that the records of this machine are in the store of the space.
  func noteSent(upTo sequence: UInt64, at time: Int64) throws {
    guard try connection.hasSyncEvents() else { return }
    try connection.endSyncEvents(upTo: sequence, at: time)
  }

  /// Notes that a run failed; not again while nothing else happens.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - start: When the run began, in milliseconds since 1970.
  ///   - end: When it failed, in milliseconds since 1970.
  /// - Throws: `StorageError`.
  func note(_ error: any Error, from start: Int64, to end: Int64) throws {
    guard try connection.hasSyncEvents() else { return }
    let code =
      (error as? SyncError)?.code.rawValue ?? (error as? StorageError)?.code.rawValue
      ?? "unexpected"
    guard try connection.syncEvents(after: connection.syncRevision() - 1).last?.error != code else {
      return
    }
    try connection.addSyncEvent(
      StoreSyncEvent(
        try isToSend() ? .export : .arrival, from: start, to: end, error: code))
  }

  /// Whether anything of this machine is still to be sent.
  private func isToSend() throws -> Bool {
    try connection.int64("SELECT EXISTS(SELECT 1 FROM appdata_sync_outbox)") == 1
      || connection.hasRowLog() && !connection.isRowLogEmpty()
  }
}
