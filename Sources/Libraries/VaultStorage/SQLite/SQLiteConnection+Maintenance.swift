import CVaultSQLite

/// The extent of a checkpoint: sqlite.org/c3ref/wal_checkpoint_v2.html.
package enum SQLiteCheckpoint: Int32, Sendable {
  /// As much as possible without waiting.
  case passive = 0
  /// The whole log; waits for readers of older snapshots.
  case full = 1
  /// As full, and the next writer starts the log again.
  case restart = 2
  /// As restart, and the log file is emptied, so that it contains no deleted data.
  case truncate = 3
}

/// A row whose foreign key references a missing row.
package struct SQLiteForeignKeyViolation: Sendable, Equatable {
  /// The table of the row.
  package let table: String
  /// The row's id; `nil` in a table WITHOUT ROWID.
  package let row: Int64?
  /// The table that the key references.
  package let parent: String
}

extension SQLiteConnection {
  /// The problems that SQLite finds in the file.
  ///
  /// - Parameter quick: Skips the comparison of indexes with their tables.
  /// - Returns: One line for each problem; empty if there is none.
  /// - Throws: ``StorageError`` with code `.damaged` if the damage stops the check itself.
  package func integrityCheck(quick: Bool = false) throws(StorageError) -> [String] {
    let lines = try strings(quick ? "PRAGMA quick_check(100)" : "PRAGMA integrity_check(100)")
    return lines == ["ok"] ? [] : lines
  }

  /// The rows whose foreign keys reference missing rows.
  package func foreignKeyCheck() throws -> [SQLiteForeignKeyViolation] {
    var found: [SQLiteForeignKeyViolation] = []
    try forEachRow("PRAGMA foreign_key_check") { row in
      found.append(
        SQLiteForeignKeyViolation(
          table: row.string(at: 0), row: row.isNull(at: 1) ? nil : row.int64(at: 1),
          parent: row.string(at: 2)))
    }
    return found
  }

  /// Throws what a commit would throw now because a foreign key references a missing row.
  ///
  /// - Throws: ``StorageError`` with code `.constraint` (SQLITE_DBSTATUS_DEFERRED_FKS).
  package func checkReferences() throws(StorageError) {
    if hasOpenReferences { throw StorageError(.constraint, "FOREIGN KEY constraint failed") }
  }

  /// Whether the transaction has left a foreign key that leads nowhere.
  package var hasOpenReferences: Bool {
    var open: Int32 = 0
    var highest: Int32 = 0
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
    return open != 0
  }

  /// A number that changes when another connection commits
  /// (sqlite.org/pragma.html#pragma_data_version).
  package func dataVersion() throws(StorageError) -> Int64 {
    try int64("PRAGMA data_version") ?? 0
  }

  /// Moves the contents of the write-ahead log into the database.
  ///
  /// - Returns: Whether all of it was moved; false if a reader or writer was in the way.
  @discardableResult
  package func checkpoint(_ mode: SQLiteCheckpoint) throws(StorageError) -> Bool {
    var inLog: Int32 = 0
    var moved: Int32 = 0
    let status = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode.rawValue, &inLog, &moved)
    if status & 0xff == SQLITE_BUSY { return false }
    try check(status)
    return inLog == moved
  }

  /// Copies a snapshot of the database over the one at `destination`.
  ///
  /// Other processes may write meanwhile. If it throws, the destination is unusable.
  ///
  /// - Parameters:
  ///   - destination: Its contents are replaced.
  ///   - progress: Called with the number of copied pages and of all pages; ends the copy by an
  ///     error.
  /// - Throws: ``StorageError``; what `progress` throws.
  package func backup(
    to destination: SQLiteConnection, progress: ((Int, Int) throws(StorageError) -> Void)? = nil
  ) throws(StorageError) {
    // A read transaction keeps the snapshot, so that no writer makes the copy restart.
    let isOwnTransaction = !isInTransaction
    if isOwnTransaction {
      try execute("BEGIN")
      _ = try int64("SELECT count(*) FROM sqlite_schema")
    }
    defer { if isOwnTransaction { try? execute("COMMIT") } }
    guard let backup = unsafe sqlite3_backup_init(destination.handle, "main", handle, "main") else {
      throw unsafe SQLiteFailure.error(
        sqlite3_errcode(destination.handle), database: destination.handle, sql: nil)
    }
    let pages: Int32 = progress == nil ? -1 : 1_000
    var status: Int32
    var attempt: Int32 = 0
    var refusal: StorageError?
    repeat {
      status = unsafe sqlite3_backup_step(backup, pages)
      if status == SQLITE_OK {
        let total = Int(unsafe sqlite3_backup_pagecount(backup))
        do {
          try progress?(total - Int(unsafe sqlite3_backup_remaining(backup)), total)
        } catch {
          refusal = error
        }
        if refusal != nil { break }
      } else if status & 0xff == SQLITE_BUSY || status & 0xff == SQLITE_LOCKED {
        guard busy.state?.wait(attempt: attempt) == true else { break }
        attempt += 1
      } else {
        break
      }
    } while true
    let finished = unsafe sqlite3_backup_finish(backup)
    if let refusal { throw refusal }
    guard status == SQLITE_DONE, finished == SQLITE_OK else {
      throw unsafe SQLiteFailure.error(
        finished == SQLITE_OK ? status : finished, database: destination.handle, sql: nil)
    }
  }

  /// Rewrites the database without free pages.
  ///
  /// - Throws: ``StorageError``; then the database is unchanged.
  package func vacuum() throws(StorageError) {
    // VACUUM attaches a temporary database, which has no name (sqlite.org/lang_vacuum.html).
    limit(.attached, 1)
    defer { limit(.attached, 0) }
    try executeScript("VACUUM")
  }

  /// Runs no triggers and reads no views: for databases that should have none.
  package func ignoreTriggersAndViews() {
    unsafe cvault_sqlite_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    ignoreViews()
  }

  /// Reads no views; temporary ones work (sqlite.org/c3ref/c_dbconfig_defensive.html).
  package func ignoreViews() {
    unsafe cvault_sqlite_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
  }

  /// Sets a limit of the connection, such as `SQLITE_LIMIT_LENGTH`; -1 only returns it.
  ///
  /// - Returns: The previous limit.
  @discardableResult
  package func limit(_ category: SQLiteLimit, _ value: Int = -1) -> Int {
    Int(unsafe sqlite3_limit(handle, category.rawValue, Int32(clamping: value)))
  }

  /// Sets the number of pages in the log after which a commit moves it into the database; 0 for
  /// never.
  package func setAutomaticCheckpoint(pages: Int) {
    unsafe sqlite3_wal_autocheckpoint(handle, Int32(clamping: pages))
  }

  /// Sets whether closing the last connection moves the log into the database.
  package func setCheckpointsOnClose(_ isOn: Bool) {
    unsafe cvault_sqlite_db_config_flag(
      handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }
}

/// A limit of a connection: sqlite.org/c3ref/c_limit_attached.html.
package enum SQLiteLimit: Int32, Sendable {
  case length = 0
  case sqlLength = 1
  case columns = 2
  case expressionDepth = 3
  case compoundSelects = 4
  case functionArguments = 6
  case attached = 7
  case variableNumber = 9
}
