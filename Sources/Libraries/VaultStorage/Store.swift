/// The store that preferences and credentials share: `store.sqlite`.
///
/// Not `Sendable`: its owner ensures that one thread at a time uses it. Each module creates its
/// schema with ``adopt(_:)`` and uses only tables with its own prefix.
package final class Store {
  /// How the store is opened.
  package enum Mode: Sendable {
    /// For reading; ``Store/open(_:mode:busyTimeout:)`` returns `nil` if there is none.
    case read
    /// For writing; created if there is none.
    case write
  }

  /// "VLT1" identifies the file (sqlite.org/fileformat2.html#application_id).
  package static let applicationID: Int64 = 0x564c_5431

  package let connection: SQLiteConnection
  /// The store's directory; `nil` in memory.
  package let directory: Directory?
  /// Where it is; `nil` in memory.
  package let location: StoreLocation?
  /// Whether commits use a rollback journal because several machines share the file system.
  package let isOnNetwork: Bool

  /// Whether this is a copy in memory, which does not see what others write.
  package let isCopy: Bool

  private let busyTimeout: Duration

  private init(
    connection: SQLiteConnection, directory: Directory?, at location: StoreLocation? = nil,
    isOnNetwork: Bool, isCopy: Bool = false, busyTimeout: Duration = .zero
  ) {
    self.isCopy = isCopy
    self.location = location
    self.busyTimeout = busyTimeout
    self.connection = connection
    self.directory = directory
    self.isOnNetwork = isOnNetwork
  }

  /// A store in memory, for tests and previews.
  package static func inMemory() throws(StorageError) -> Store {
    let store = Store(connection: try SQLiteConnection(), directory: nil, isOnNetwork: false)
    try store.createModules()
    return store
  }

  /// Opens the store of a location.
  ///
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - mode: For reading or for writing.
  ///   - busyTimeout: How long calls wait for another process's lock.
  ///   - beginsAnew: Whether one that is gone is created although something of it is left beside it.
  /// - Returns: `nil` if it is only to be read and there is none, or an empty file.
  /// - Throws: ``StorageError`` with code `.refused`, `.damaged` (also for an empty file beside a last
  ///   good copy, and where the file is gone and its copy or its log is left), `.busy`,
  ///   `.cannotCreate`, ….
  package static func open(
    _ location: StoreLocation, mode: Mode, busyTimeout: Duration = .seconds(5),
    beginsAnew: Bool = false
  ) throws(StorageError) -> Store? {
    let directory: Directory
    do {
      directory = try Directory(location.data, create: mode == .write)
    } catch  where error.code == .notFound {
      return nil
    }
    let name = StoreLocation.storeName
    var isNew = false
    switch try beginsAnew ? StoreFile.check(name, in: directory) : presence(in: directory) {
    case .absent where mode == .read: return nil
    case .absent:
      try StoreFile.create(name, in: directory)
      isNew = true
    case .present: break
    }
    for suffix in sidecarSuffixes { _ = try StoreFile.check(name + suffix, in: directory) }
    let isOnNetwork = try NetworkFileSystem.contains(directory)
    do {
      let connection = try openConnection(
        "\(directory.path)/\(name)", directory: directory, name: name, mode: mode,
        busyTimeout: busyTimeout)
      let store = Store(
        connection: connection, directory: directory, at: location, isOnNetwork: isOnNetwork,
        busyTimeout: busyTimeout)
      guard try store.prepare(mode, isNew: isNew) else { return nil }
      return store
    } catch  where mode == .read && error.isOfNoPlaceToWrite {
      // To read must not need to write.
      guard let copy = copy(in: directory, at: location, busyTimeout) else { throw error }
      guard try copy.prepare(mode, isNew: isNew) else { return nil }
      return copy
    }
  }

  /// A copy in memory of a store beside which SQLite cannot make its files, such as on a full disk.
  ///
  /// That no such file is there says that no other process has the store open.
  ///
  /// - Returns: `nil` if there is no way to read it.
  private static func copy(
    in directory: Directory, at location: StoreLocation, _ busyTimeout: Duration
  ) -> Store? {
    let path = "\(directory.path)/\(StoreLocation.storeName)"
    let log = try? System.status(of: "\(StoreLocation.storeName)-wal", in: directory.descriptor)
    var isWritable = false
    for mode in [SQLiteConnection.Mode.alone, .unlocked, .immutable] {
      if mode == .immutable, log != nil { break }
      do throws(StorageError) {
        let source = try connection(to: path, mode, busyTimeout, isWritable: &isWritable)
        defer { source.close() }
        if mode == .alone, source.isReadOnly { continue }
        // Who could write it may be another process, which only a lock keeps from that.
        if mode == .unlocked, isWritable { continue }
        let copy = try SQLiteConnection()
        try source.backup(to: copy)
        try copy.executeScript("PRAGMA query_only=ON")
        return Store(
          connection: copy, directory: directory, at: location, isOnNetwork: false, isCopy: true,
          busyTimeout: busyTimeout)
      } catch { continue }
    }
    return nil
  }

  /// A connection that reads beside no other, or, with ``SQLiteConnection/Mode/alone``, once it is.
  ///
  /// What waits to be alone keeps the lock of a reader, so two would wait for each other: each goes,
  /// and comes again.
  private static func connection(
    to path: String, _ mode: SQLiteConnection.Mode, _ busyTimeout: Duration,
    isWritable: inout Bool
  ) throws(StorageError) -> SQLiteConnection {
    guard mode == .alone else {
      return try SQLiteConnection(path: path, mode: mode, busyTimeout: busyTimeout)
    }
    let waiting = BusyWaiting.State(limit: busyTimeout)
    var attempt: Int32 = 0
    while true {
      let source = try SQLiteConnection(path: path, mode: .alone, busyTimeout: .zero)
      if source.isReadOnly { return source }
      isWritable = true
      do throws(StorageError) {
        // It keeps what it has read by, until it is closed.
        _ = try source.int64("SELECT count(*) FROM sqlite_schema")
        return source
      } catch {
        source.close()
        guard error.code == .busy, waiting.wait(attempt: attempt) else { throw error }
        attempt += 1
      }
    }
  }

  /// A copy in memory, which can be changed; for what is to be known before it is done.
  ///
  /// - Throws: ``StorageError``.
  package func inMemoryCopy() throws(StorageError) -> Store {
    let copy = try SQLiteConnection()
    try connection.backup(to: copy)
    copy.ignoreTriggersAndViews()
    return Store(connection: copy, directory: nil, isOnNetwork: false, isCopy: true)
  }

  /// The suffixes of SQLite's own files beside the store.
  static let sidecarSuffixes = ["-journal", "-wal", "-shm"]

  /// Whether the store is there.
  ///
  /// - Throws: ``StorageError`` with code `.damaged` where only what lay beside it is left: a store
  ///   that was begun anew would replace its copy, and SQLite would remove its log.
  private static func presence(
    in directory: Directory
  ) throws(StorageError) -> StoreFile.Presence {
    let name = StoreLocation.storeName
    if case .present = try StoreFile.check(name, in: directory) { return .present }
    guard let trace = try trace(in: directory) else { return .absent }
    // Another process may have created all of it meanwhile.
    if case .present = try StoreFile.check(name, in: directory) { return .present }
    throw StorageError(
      .damaged, "\(directory.path)/\(name) is gone, and had contents: \(trace) is beside it")
  }

  /// What is left of a store; `nil` if there was none, as far as can be seen.
  private static func trace(in directory: Directory) throws(StorageError) -> String? {
    if try directory.contains(lastGoodName) { return "its last good copy" }
    let isWritten = ["-wal", "-journal"].contains { suffix in
      let log = try? System.status(
        of: "\(StoreLocation.storeName)\(suffix)", in: directory.descriptor)
      return (log?.size ?? 0) > 0
    }
    return isWritten ? "its log" : nil
  }

  private static func openConnection(
    _ path: String, directory: Directory, name: String, mode: Mode, busyTimeout: Duration
  ) throws(StorageError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
    if mode == .write, connection.isReadOnly,
      let refusal = System.refusalToWrite(in: directory.descriptor)
    {
      // SQLite would say later, of a file beside the store, that it cannot be opened.
      throw StorageError(
        .cannotCreate, "nothing can be changed in \(directory.path): \(refusal.reason)",
        systemError: refusal.errno)
    }
    if mode == .write || !connection.isReadOnly { return connection }
    // A read-only file system: WAL needs two more files, unless nobody writes.
    if try directory.contains("\(name)-wal") {
      return try SQLiteConnection(path: path, mode: .readOnly, busyTimeout: busyTimeout)
    }
    return try SQLiteConnection(path: path, mode: .immutable, busyTimeout: busyTimeout)
  }

  /// Configures the connection; creates the tables of an empty store if it is opened for writing.
  ///
  /// - Returns: Whether there is a store.
  private func prepare(_ mode: Mode, isNew: Bool) throws(StorageError) -> Bool {
    connection.ignoreTriggersAndViews()
    try connection.executeScript(
      "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA secure_delete=ON; "
        + "PRAGMA foreign_keys=ON; PRAGMA synchronous=\(isOnNetwork ? "EXTRA" : "FULL")")
    // The application id and the tables are committed together. If there is no id at the first
    // look, another process may create the store before the second: then the id is there at the
    // third.
    if try applicationID() == 0, try connection.int64("SELECT count(*) FROM sqlite_schema") == 0 {
      // A crash or a full disk has emptied it: what is begun anew would replace the copy, too.
      if !isNew, let directory, try directory.contains(Self.lastGoodName) {
        throw StorageError(
          .damaged,
          "\(directory.path)/\(StoreLocation.storeName) is empty, and had contents: its last good copy "
            + "is beside it")
      }
      // A writer that ran out of space left it empty.
      if mode == .read { return false }
      try initialize()
      return true
    }
    guard try applicationID() == Self.applicationID else {
      throw StorageError(
        .damaged,
        "\(directory?.path ?? "")/\(StoreLocation.storeName) is not a store of this software")
    }
    if isOnNetwork { try connection.useRollbackJournal() }
    return true
  }

  private func applicationID() throws(StorageError) -> Int64 {
    try connection.int64("PRAGMA application_id") ?? 0
  }

  private func initialize() throws(StorageError) {
    if isOnNetwork {
      try connection.useRollbackJournal()
    } else {
      try connection.useWriteAheadLog()
    }
    try createModules()
  }

  private func createModules() throws(StorageError) {
    do {
      try connection.transaction {
        try connection.executeScript(
          "PRAGMA application_id=\(Self.applicationID); "
            + "CREATE TABLE IF NOT EXISTS modules("
            + "name TEXT PRIMARY KEY, major INTEGER NOT NULL, minor INTEGER NOT NULL) "
            + "STRICT, WITHOUT ROWID")
      }
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.inputOutput, "cannot create the store")
    }
  }

  // MARK: Modules

  /// Updates a module's tables to this program's version, in one transaction.
  ///
  /// A newer minor version stays unchanged: it only has additions.
  ///
  /// - Throws: ``StorageError`` with code `.newerVersion` for another major version.
  package func adopt(_ schema: ModuleSchema) throws {
    if try version(of: schema) >= schema.minor { return }
    try connection.transaction {
      for step in try version(of: schema)..<schema.minor {
        try connection.executeScript(schema.steps[step])
      }
      try connection.execute(
        "INSERT INTO modules VALUES (?, ?, ?) ON CONFLICT(name) DO UPDATE SET minor=excluded.minor",
        [.text(schema.name), .integer(Int64(schema.major)), .integer(Int64(schema.minor))])
    }
  }

  /// Updates the tables of all modules to this program's version.
  ///
  /// - Throws: The same as ``adopt(_:)``.
  package func adoptAll() throws {
    for schema in ModuleSchema.all { try adopt(schema) }
  }

  /// The minor version of a module's tables; 0 if there are none.
  package func version(of schema: ModuleSchema) throws(StorageError) -> Int {
    let row = try connection.cached("SELECT major, minor FROM modules WHERE name=?")
    defer { row.reset() }
    try row.bind(schema.name, at: 1)
    guard try row.step() else { return 0 }
    guard row.int(at: 0) == schema.major else {
      throw StorageError(
        .newerVersion,
        "the \(schema.name) in \(StoreLocation.storeName) have version \(row.int(at: 0)).x, "
          + "this program knows \(schema.major).x")
    }
    return row.int(at: 1)
  }

  // MARK: Changes and checks

  /// Runs `body` in a transaction that takes the writers' lock at once, and notifies observers.
  package func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    let result = try connection.transaction(.immediate) { try body(connection) }
    announce()
    return result
  }

  /// Notifies observers in other processes of a commit.
  ///
  /// They see the log grow before they can read the commit; this notifies them after it.
  package func announce() {
    if let directory { System.touch(StoreLocation.storeName, in: directory.descriptor) }
  }

  /// Makes opening and closing cheap for a process that does one thing and exits.
  ///
  /// The log stays after the last close, so that the next process need not create it. Commits do
  /// not move it into the database: call ``shortenLog()`` when the work is done. Durability does
  /// not change.
  package func prepareForShortUse() {
    connection.setCheckpointsOnClose(false)
    // A process that opens the store for itself alone begins with nothing known as moved, so that
    // SQLite's own checkpoint after each commit would copy the whole log each time, and never
    // begin it anew.
    connection.setAutomaticCheckpoint(pages: 0)
  }

  private static let shortLogPages = 52

  /// Empties the log when it has become long, because each process that opens the store reads all
  /// of it.
  ///
  /// It does not wait: while another process reads, the log stays, and the next writer tries again.
  ///
  /// - Throws: ``StorageError``; then nothing is lost, and the log is as long as before.
  package func shortenLog() throws(StorageError) {
    guard let directory,
      let log = try? System.status(of: "\(StoreLocation.storeName)-wal", in: directory.descriptor),
      log.size > Self.shortLogPages * 4_096
    else { return }
    connection.setBusyTimeout(.zero)
    defer { connection.setBusyTimeout(busyTimeout) }
    try connection.checkpoint(.truncate)
  }

  /// Lets the next transactions of this connection become durable with a later one of any process.
  ///
  /// For what may be lost with the power, and only that: SQLite keeps the file intact either way.
  package func doNotWaitForDisk() throws(StorageError) {
    guard !isOnNetwork else { return }
    try connection.executeScript("PRAGMA synchronous=NORMAL")
  }

  private func integrityProblems() throws(StorageError) -> [String] {
    do {
      return try connection.integrityCheck()
    } catch {
      // The damaged page is one that the check itself needs.
      if error.code == .damaged { return [error.message] }
      throw error
    }
  }

  /// The problems of the store; empty if there are none.
  package func check() throws -> [String] {
    let problems = try integrityProblems()
    guard problems.isEmpty else { return problems }
    return try connection.foreignKeyCheck().map { violation in
      "\(violation.table): row \(violation.row.map { "\($0)" } ?? "?") names nothing in "
        + violation.parent
    }
  }
}

/// A module's tables: the additions of each minor version.
package struct ModuleSchema: Sendable {
  package let name: String
  package let major: Int
  /// SQL of version x.1, x.2, …; each only adds.
  package let steps: [String]

  package init(name: String, major: Int, steps: [String]) {
    self.name = name
    self.major = major
    self.steps = steps
  }

  package var minor: Int { steps.count }
}
