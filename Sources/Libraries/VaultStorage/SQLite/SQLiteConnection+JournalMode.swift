import CVaultSQLite

/// How a database keeps what a crash must undo.
extension SQLiteConnection {
  /// Switches to a write-ahead log beside the file (sqlite.org/wal.html).
  package func useWriteAheadLog() throws(StorageError) {
    // SQLite does not call the busy handler here where waiting could be a deadlock.
    var attempt: Int32 = 0
    while true {
      do throws(StorageError) {
        guard try string("PRAGMA journal_mode=WAL") == "wal" else {
          throw StorageError(.inputOutput, "the file system does not take a write-ahead log")
        }
        return
      } catch  where error.code == .busy && waitWhileBusy(attempt: attempt) {
        attempt += 1
      }
    }
  }

  /// Whether each commit waits until the log is on disk; if not, the next checkpoint writes it
  /// there, and a power cut before that undoes the last commits (sqlite.org/pragma.html,
  /// synchronous).
  package func setSyncsEachCommit(_ isOn: Bool) throws(StorageError) {
    try executeScript("PRAGMA synchronous=\(isOn ? "FULL" : "NORMAL")")
  }

  /// Waits until the write-ahead log is on disk: what any connection has committed before.
  ///
  /// - Throws: ``StorageError`` with code `.inputOutput`.
  package func syncLog() throws(StorageError) {
    try check(unsafe cvault_sqlite_sync_log(handle))
  }

  /// Switches to a rollback journal, for file systems of several machines: WAL's shared memory does
  /// not reach them.
  package func useRollbackJournal() throws(StorageError) {
    guard try string("PRAGMA journal_mode") != "delete" else { return }
    // The mode changes only while no other connection has the file open.
    try executeScript("PRAGMA locking_mode=EXCLUSIVE")
    _ = try string("PRAGMA journal_mode=DELETE")
    try executeScript("PRAGMA locking_mode=NORMAL")
  }
}
