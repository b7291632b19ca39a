import CVaultSQLite

/// A connection to a SQLite database, over the C API.
///
/// Not `Sendable` and opened without SQLite's mutexes: its owner ensures that one thread at a time
/// uses it. Statements from ``cached(_:)`` are kept for the connection's lifetime.
///
/// ```swift
/// let connection = try SQLiteConnection(path: path)
/// try connection.execute("INSERT INTO t VALUES (?, ?)", ["a", 1])
/// let n = try connection.int64("SELECT count(*) FROM t")
/// ```
@safe package final class SQLiteConnection {
  /// How a file is opened.
  package enum Mode: Sendable {
    case readOnly
    /// For reading a file that cannot change, such as on read-only media: without locks and log.
    case immutable
    /// For reading a file with a log where nothing can be written: what SQLite keeps in a file beside
    /// the log is in memory, and nothing is locked.
    case unlocked
    /// For reading a file with a log beside which no file can be made: as above, while all others wait.
    case alone
    case readWrite
    case readWriteCreate
  }

  let handle: OpaquePointer
  private let files: StoreFileSystem
  private var isOpen = true
  private var statements: [String: SQLiteStatement] = [:]
  var busy = BusyWaiting()
  var hooks = SQLiteHooks()

  /// Opens a file; `:memory:` and URIs have no special meaning here.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - mode: Whether the file may be written to or created.
  ///   - busyTimeout: The time that a call waits for another process's lock before it throws
  ///     `.busy`.
  /// - Throws: ``StorageError`` with code `.cannotCreate`, `.accessDenied`, `.inputOutput`.
  package convenience init(
    path: String, mode: Mode = .readWriteCreate, busyTimeout: Duration = .seconds(5)
  ) throws(StorageError) {
    // A relative path that begins with ":" would be ":memory:" or another special name.
    let name = path.begins(with: ":") ? "./\(path)" : path
    switch mode {
    case .readOnly:
      try self.init(name: name, flags: SQLITE_OPEN_READONLY, busyTimeout: busyTimeout)
    case .readWrite:
      try self.init(name: name, flags: SQLITE_OPEN_READWRITE, busyTimeout: busyTimeout)
    case .readWriteCreate:
      try self.init(
        name: name, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busyTimeout: busyTimeout)
    case .unlocked, .alone:
      try self.init(
        name: name, flags: mode == .alone ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
        busyTimeout: busyTimeout, isLocked: mode == .alone)
      // A connection that is alone needs no shared memory: sqlite.org/wal.html#noshm. It writes
      // nothing as long as nothing is written, and nothing is moved out of the log at its end.
      setCheckpointsOnClose(false)
      try executeScript("PRAGMA locking_mode=EXCLUSIVE")
    case .immutable:
      try self.init(
        name: Self.immutableURI(name), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
        busyTimeout: busyTimeout)
    }
  }

  /// Escapes `%`, `?` and `#`, which have a meaning in a URI: sqlite.org/uri.html.
  private static func immutableURI(_ path: String) -> String {
    var uri = "file:"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": uri += "%25"
      case "?": uri += "%3f"
      case "#": uri += "%23"
      default: uri.unicodeScalars.append(scalar)
      }
    }
    return uri + "?immutable=1"
  }

  /// Creates an empty database in memory.
  package convenience init(inMemory: Void = ()) throws(StorageError) {
    try self.init(
      name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busyTimeout: .zero,
      hasFile: false)
  }

  private init(
    name: String, flags: Int32, busyTimeout: Duration, hasFile: Bool = true, isLocked: Bool = true
  ) throws(StorageError) {
    files = try StoreFileSystem(hasStore: hasFile, isLocked: isLocked)
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, files.name)
    guard status == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteFailure.error(status, database: opened, sql: nil)
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
    // A schema must not run the application's code (sqlite.org/security.html).
    unsafe cvault_sqlite_db_config_flag(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    unsafe cvault_sqlite_db_config_flag(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe cvault_sqlite_db_config_flag(opened, SQLITE_DBCONFIG_DQS_DML, 0)
    unsafe cvault_sqlite_db_config_flag(opened, SQLITE_DBCONFIG_DQS_DDL, 0)
    // One connection, one database: no statement can attach another.
    limit(.attached, 0)
    setBusyTimeout(busyTimeout)
  }

  deinit { close() }

  /// Closes the connection; statements still held elsewhere stay valid, the file closes after them.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    statements.removeAll()
    removeHooks()
    unsafe sqlite3_close_v2(handle)
  }

  // MARK: Statements

  /// Prepares one statement.
  package func prepare(_ sql: String) throws(StorageError) -> SQLiteStatement {
    try prepare(sql, flags: 0)
  }

  /// Returns the statement for this text, prepared at the first call and reset.
  ///
  /// If the statement is being stepped, as in a recursion, the caller gets another one.
  package func cached(_ sql: String) throws(StorageError) -> SQLiteStatement {
    if let statement = statements[sql] {
      if statement.isBusy { return try prepare(sql) }
      statement.reset()
      return statement
    }
    let statement = try prepare(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    statements[sql] = statement
    return statement
  }

  private func prepare(_ sql: String, flags: UInt32) throws(StorageError) -> SQLiteStatement {
    var sql = sql
    var prepared: OpaquePointer?
    var rest = 0
    let status = sql.withUTF8 { buffer in
      guard let base = buffer.baseAddress, let count = Int32(exactly: buffer.count) else {
        return SQLITE_TOOBIG
      }
      return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { text in
        var tail: UnsafePointer<CChar>?
        let status = unsafe sqlite3_prepare_v3(handle, text, count, flags, &prepared, &tail)
        if let tail = unsafe tail { rest = unsafe text.distance(to: tail) }
        return status
      }
    }
    guard status == SQLITE_OK else {
      throw unsafe SQLiteFailure.error(status, database: handle, sql: sql)
    }
    guard let prepared = unsafe prepared else {
      throw StorageError(.statement, "SQLite: no statement in the text", sql: sql)
    }
    let statement = unsafe SQLiteStatement(handle: prepared, files: files)
    guard sql.utf8.dropFirst(rest).allSatisfy({ $0 == 0x20 || $0 == 0x0a || $0 == 0x3b }) else {
      throw StorageError(.statement, "SQLite: more than one statement in the text", sql: sql)
    }
    return statement
  }

  /// Runs several statements without parameters and results, such as a schema.
  package func executeScript(_ sql: String) throws(StorageError) {
    let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard status == SQLITE_OK else {
      throw unsafe SQLiteFailure.error(status, database: handle, sql: sql)
    }
  }

  /// Runs one statement to its end.
  package func execute(_ sql: String, _ values: [SQLiteValue] = []) throws(StorageError) {
    let statement = try cached(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// Calls `body` for each row; the statement is reset afterwards.
  package func forEachRow(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteStatement) throws -> Void
  ) throws {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement) }
  }

  /// Returns the result of `body` for the first row; `nil` if there is none.
  package func first<Result>(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result? {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? try body(statement) : nil
  }

  /// The first column of the first row; `nil` if there is no row or the column is NULL.
  package func int64(
    _ sql: String, _ values: [SQLiteValue] = []
  ) throws(StorageError) -> Int64? {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() && !statement.isNull(at: 0) ? statement.int64(at: 0) : nil
  }

  /// The first column of the first row; `nil` if there is no row or the column is NULL.
  package func string(
    _ sql: String, _ values: [SQLiteValue] = []
  ) throws(StorageError) -> String? {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() && !statement.isNull(at: 0) ? statement.string(at: 0) : nil
  }

  /// The first column of each row.
  package func strings(
    _ sql: String, _ values: [SQLiteValue] = []
  ) throws(StorageError) -> [String] {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var found: [String] = []
    while try statement.step() { found.append(statement.string(at: 0)) }
    return found
  }

  // MARK: State

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  package var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// The number of rows changed since the connection was opened.
  package var totalChanges: Int { Int(unsafe sqlite3_total_changes64(handle)) }

  /// The row id of the last INSERT.
  package var lastInsertRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Whether the database is open for reading only, by request or because the file permits no more.
  package var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

  /// Pauses as the busy handler does; returns false after the time limit.
  func waitWhileBusy(attempt: Int32) -> Bool { busy.state?.wait(attempt: attempt) ?? false }

  /// Makes the statement that runs on this connection throw `.interrupted` soon.
  ///
  /// The only member that another thread may call, while the connection is open.
  package func interrupt() { unsafe sqlite3_interrupt(handle) }

  func check(_ status: Int32, sql: String? = nil) throws(StorageError) {
    if status != SQLITE_OK {
      throw unsafe SQLiteFailure.error(status, database: handle, sql: sql)
    }
  }
}
