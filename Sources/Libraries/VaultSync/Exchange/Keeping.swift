import VaultCredentials
import VaultSealing

/// What a run has kept that ended with an error: records that the store could not take go out with
/// the next one.
struct Keeping: Exchanging {
  let exchange: Exchange

  /// Brings the two together, and says of an error that what was asked for is kept, where it is.
  ///
  /// - Parameters:
  ///   - isKept: Whether the records say what was asked for.
  ///   - run: The run.
  /// - Throws: What the run throws, and what kept its records from the store.
  func saying(_ isKept: (Roster) -> Bool, _ run: () throws -> SyncReport) throws {
    do {
      try run().checkIsDone()
    } catch let error as SyncError {
      // What is in the log alone counts: a run may have ended before it wrote that.
      guard let loaded = try? replica.load(),
        loaded.state.sent < loaded.history.frontier[loaded.state.stream, default: 0],
        isKept(loaded.history.roster())
      else { throw error }
      throw SyncError(
        error.code,
        error.message + "; what was asked for is kept here, and the next run carries it out",
        hint: error.hint)
    }
  }

  /// Closes an invitation whose code nobody has seen, where the records have it: it goes out closed.
  ///
  /// - Parameter invitation: Its id.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func withdraw(_ invitation: [UInt8]) throws {
    var loaded = try replica.load()
    guard loaded.history.roster().invitations[invitation]?.isSettled == false else { return }
    var writer = RecordWriter(
      keys: loaded.keys.current, stream: loaded.state.stream, time: now())
    try writer.write(
      [.settle(invitation: invitation, accepted: [])], to: &loaded.history,
      knowing: loaded.history.known)
    try replica.keep(writer, &loaded)
  }
}
