import VaultDataStore
package import VaultStorage

/// One configuration's database: a file with a pool of connections, or one connection to a database
/// in memory that contexts take turns at.
package final class ModelStore: @unchecked Sendable {
  // A database in memory is used inside of `lock` only; the pool guards itself.

  let configuration: ModelConfiguration
  package let identifier: String
  let schema: StoredSchema
  /// The program's own store; `nil` for an SQLite database.
  let custom: CustomStore?
  /// Which columns hold text in another form than the composed one.
  let textForms = TextForms()
  private let file: DataStoreFile?
  /// Which file it was when the store was opened.
  private let opened: System.FileStatus?
  /// Whether commits go to a log beside the file.
  private let isLogged: Bool
  private let application: String?
  private let lock = NSRecursiveLock()
  /// The connection to a database in memory.
  private let shared: StoreConnection?
  /// The connections to a file.
  private let pool: ConnectionPool?
  /// The contexts of this process that want to write, in the order in which they came.
  private let writers: Turnstile
  /// The flushes of the log, where commits make none.
  private let flushes: SharedFlush?
  private let report: StoreReport?
  /// Tells others' commits from this container's, while somebody listens; used in the writers'
  /// turn.
  private(set) var remoteWatch: RemoteWatch?
  /// What the file said of its tables when it was opened; `nil` in memory.
  private let adopted: StoredSchema?
  /// SQLite's number of the file's tables when ``adopted`` was last compared with them; used in the
  /// writers' turn.
  private var tablesSeen: Int64?
  /// The files of the migration whose code uses the store.
  private let migrating: ExternalChange?
  /// The changes made when the store was opened.
  private(set) var migration: DataStoreMigration.Report?

  /// Opens the store, making its tables where there are none.
  ///
  /// - Parameters:
  ///   - configuration: Where.
  ///   - schema: What it is to hold.
  ///   - stages: How a file of an earlier version gets here; by itself if empty.
  /// - Throws: ``SwiftDataError``, ``StorageError``.
  init(
    _ configuration: ModelConfiguration, schema: StoredSchema,
    stages: [DataStoreMigration.Stage] = []
  ) throws {
    self.configuration = configuration
    self.schema = schema
    custom = nil
    migrating = nil
    let report = StoreReport(configuration)
    self.report = report
    writers = Turnstile(1, isSharedByProcesses: true, onWait: report?.waiting(for: .turn))
    try schema.validate()
    if configuration.isStoredInMemoryOnly {
      file = nil
      opened = nil
      adopted = nil
      application = nil
      let connection = try SQLiteConnection()
      try connection.executeScript("PRAGMA foreign_keys=ON")
      try connection.trustSchema()
      let metadata = DataStoreMetadata(application: ApplicationData.identifier, schema: schema)
      try connection.transaction { try connection.createDataStore(metadata) }
      try connection.setHistory(configuration.keepsHistory ?? true)
      identifier = metadata.store
      shared = StoreConnection(connection)
      shared?.report(to: report)
      pool = nil
      flushes = nil
      isLogged = false
      return
    }
    let file = DataStoreFile(path: configuration.url.path)
    // A file that the program names itself may be anybody's.
    let application =
      configuration.isNamed
      ? configuration.groupContainer.group
        ?? ApplicationData.identifier : nil
    let mode: DataStoreFile.Mode = configuration.allowsSave ? .write : .read
    let (connection, found) = try file.open(mode, ofApplication: application)
    var plan = DataStoreMigration(file: file, to: schema, stages: stages)
    plan.keepsBackup = true
    let (metadata, migration) = try Self.adopt(
      connection, found, plan, application: application ?? ApplicationData.identifier,
      isReadOnly: !configuration.allowsSave)
    // The file is open for reading; what is pending in a context goes to temporary tables.
    if mode == .read { try connection.executeScript("PRAGMA query_only=OFF") }
    if configuration.allowsSave {
      try connection.setHistory(configuration.keepsHistory ?? true)
      let database = configuration.cloudKitDatabase.synced
      if metadata.database != database { try connection.setSyncedDatabase(database) }
    }
    self.file = file
    opened = System.file(at: file.path)
    adopted = metadata.schema
    // The first write looks: another program may have migrated the store since it was read.
    tablesSeen = nil
    self.application = application
    self.migration = migration
    identifier = metadata.store
    try textForms.read(connection)
    let isOnNetwork = try connection.string("PRAGMA journal_mode") == "delete"
    isLogged = !isOnNetwork
    let isWritable = configuration.allowsSave
    let syncsEachCommit = configuration.durability == .full || isOnNetwork || !isWritable
    flushes = configuration.durability == .grouped && !syncsEachCommit ? SharedFlush() : nil
    if !syncsEachCommit { try connection.setSyncsEachCommit(false) }
    shared = nil
    let first = StoreConnection(connection)
    first.report(to: report)
    pool = ConnectionPool(
      maximum: configuration.maximumConnections, first: first,
      idleTime: configuration.idleTime, report: report
    ) {
      let made: StoreConnection
      if isWritable {
        // Looked at when the container was made: whose it is, its schema, its directory.
        let connection = try SQLiteConnection(path: file.path, mode: .readWrite)
        try connection.prepareDataStore(isOnNetwork: isOnNetwork)
        if !syncsEachCommit { try connection.setSyncsEachCommit(false) }
        made = StoreConnection(connection)
      } else {
        let connection = try file.open(.read, ofApplication: application).connection
        try connection.executeScript("PRAGMA query_only=OFF")
        made = StoreConnection(connection)
      }
      made.report(to: report)
      return made
    }
  }

  /// A store of an open connection, as a migration's code sees it.
  init(
    _ connection: SQLiteConnection, _ configuration: ModelConfiguration, schema: StoredSchema,
    files: ExternalChange
  ) {
    self.configuration = configuration
    self.schema = schema
    custom = nil
    migrating = files
    file = nil
    opened = nil
    adopted = nil
    isLogged = false
    application = nil
    identifier = (try? connection.metadata("store")) ?? UUID().uuidString
    shared = StoreConnection(connection)
    pool = nil
    flushes = nil
    report = nil
    writers = Turnstile(1)
    _ = try? textForms.read(connection)
  }

  /// A program's own store.
  init(
    _ configuration: any DataStoreConfiguration, _ standIn: ModelConfiguration,
    _ layout: StoreLayout, _ schema: StoredSchema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    if let entity = schema.entities.first(where: { $0.attributes.contains { $0.type == .sealed } })
    {
      throw SwiftDataError.loadIssueModelContainer.saying(
        "\(entity.name) has a sealed attribute, which \(configuration.name) cannot keep")
    }
    // A store may read its snapshots while it is opened.
    SnapshotClasses.add(layout.schema.types)
    let custom = try configuration.open(layout.schema, migrationPlan: migrationPlan)
    self.configuration = standIn
    self.schema = schema
    self.custom = custom
    identifier = custom.identifier
    file = nil
    opened = nil
    adopted = nil
    isLogged = false
    application = nil
    shared = nil
    pool = nil
    flushes = nil
    report = nil
    writers = Turnstile(1)
    migrating = nil
  }

  private static func adopt(
    _ connection: SQLiteConnection, _ found: DataStoreMetadata?, _ migration: DataStoreMigration,
    application: String, isReadOnly: Bool
  ) throws -> (DataStoreMetadata, DataStoreMigration.Report?) {
    let path = migration.file.path
    if let found {
      if isReadOnly {
        guard try migration.path(from: found.schema).isEmpty else {
          throw SwiftDataError.loadIssueModelContainer.saying(
            "\(path) has an earlier schema, and is not to be written")
        }
        return (found, nil)
      }
      let schema = try connection.metadata("schema")
      let report = try migration.run(on: connection)
      if try connection.metadata("schema") == schema { return (found, report) }
      return (try connection.readDataStoreMetadata(path: path) ?? found, report)
    }
    if isReadOnly {
      throw SwiftDataError.loadIssueModelContainer.saying(
        "\(path) is empty, and is not to be written")
    }
    let made = try connection.transaction {
      // Another process may have made it while this one waited for the lock.
      if let found = try connection.readDataStoreMetadata(path: path) { return found }
      let metadata = DataStoreMetadata(application: application, schema: migration.target)
      try connection.createDataStore(metadata)
      return metadata
    }
    return (made, nil)
  }

  var isInMemory: Bool { file == nil }

  /// Whether a save writes here before it writes to another store: every process has the same
  /// order, and a program's own stores, which take nothing back, come last.
  func precedes(_ other: ModelStore) -> Bool {
    if (custom == nil) != (other.custom == nil) { return custom == nil }
    return configuration.url.absoluteString < other.configuration.url.absoluteString
  }

  /// The file; `nil` in memory.
  var dataFile: DataStoreFile? { file }

  /// The number of open connections, for tests.
  package var connectionCount: Int { pool?.openCount ?? 1 }

  // MARK: Connections

  /// Runs `body` with a context's connection, which nobody else uses meanwhile.
  ///
  /// - Parameters:
  ///   - lease: The context's.
  ///   - adopt: Called before `body` if the context did not have this connection when it used one
  ///     last.
  ///   - body: May use the lease again.
  /// - Returns: What `body` returns.
  /// - Throws: ``SwiftDataError/storeBusy``, a `StorageError`, what `body` throws.
  func use<Result>(
    _ lease: ConnectionLease, adopt: (StoreConnection) throws -> Void = { _ in },
    _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    if let pool { return try pool.use(lease, adopt: adopt, body) }
    // A program's own store has no connections: what needs one is not for such stores.
    guard let shared else { throw DataStoreError.unsupportedFeature }
    lock.lock()
    defer { lock.unlock() }
    return try body(shared)
  }

  /// Runs `body` with a connection of nobody's.
  package func withConnection<Result>(
    _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    let lease = ConnectionLease()
    defer { release(lease) }
    return try use(lease, body)
  }

  /// Whether a context still has the connection that it used last.
  func has(_ lease: ConnectionLease) -> Bool { pool?.has(lease) ?? true }

  /// Takes back the connection of a context that ends.
  func release(_ lease: ConnectionLease) { pool?.release(lease) }

  /// Interrupts the statement that a context runs; in memory, where the connection is everybody's,
  /// it goes on.
  func interrupt(_ lease: ConnectionLease) { pool?.interrupt(lease) }

  /// Runs `body`, which is to take the writers' lock, when it is this thread's turn among those of
  /// the process; SQLite's own waiting knows no order.
  ///
  /// - Throws: ``SwiftDataError/storeBusy`` if another thread keeps the lock; what `body` throws.
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    guard pool != nil else { return try body() }
    guard writers.enter() else {
      throw SwiftDataError.storeBusy.saying("another context is writing to \(configuration.name)")
    }
    defer { writers.leave() }
    return try body()
  }

  /// Waits until what was committed is on disk, where commits do not see to that themselves; call
  /// it outside of the writers' turn.
  ///
  /// - Parameter sync: Calls ``SQLiteConnection/syncLog()`` of a connection.
  /// - Throws: A `StorageError` if the disk does not confirm it; what was committed is there then,
  ///   and may not survive a power cut.
  func flush(_ sync: () throws -> Void) throws {
    guard let flushes else { return }
    let start = ContinuousClock.now
    if try flushes.wait(sync) { report?.waited(.flush, ContinuousClock.now - start) }
  }

  /// How often the log was flushed for several commits, for tests.
  package var flushCount: Int { flushes?.count ?? 0 }

  /// The value that a column names, where it lies in a file beside the store.
  func large(_ slot: _AppData.Slot, _ plan: SlotPlan) throws -> _AppData.Slot {
    guard plan.kind == .external, case .text(let text) = slot,
      let files = migrating?.files ?? file.map({ ExternalFiles(store: $0) }),
      let reference = ExternalReference(text)
    else { return slot }
    return .data(Data(try files.read(reference)))
  }

  // MARK: Changes of others

  /// Calls `report` for each change of the file that is not this container's.
  func watchOthers(_ report: @escaping @Sendable () -> Void) throws {
    guard let file else { return }
    try writing { remoteWatch = try RemoteWatch(self, file, report: report) }
  }

  /// Ends what ``watchOthers(_:)`` began.
  func endWatching() {
    // A store in memory is watched by nobody, and its writers take no turns.
    guard file != nil else { return }
    let ended = try? writing {
      defer { remoteWatch = nil }
      return remoteWatch
    }
    withExtendedLifetime(ended) {}
  }

  /// Refuses to write to a file that nobody can open any more: it was removed with its folder, or
  /// another one has taken its name.
  private func checkPlace(log: Bool = false) throws {
    guard let file, let opened else { return }
    guard let now = System.file(at: file.path) else {
      throw StorageError(
        .notFound, "\(file.path) was removed or moved while it was open; nothing was saved")
    }
    if !now.isSameFile(as: opened) {
      throw StorageError(
        .notFound,
        "\(file.path) was replaced by another file while it was open; nothing was saved: open it "
          + "again")
    }
    // What is committed goes there at first. SQLite has it open, and would not notice.
    if log, isLogged, System.file(at: "\(file.path)-wal") == nil {
      throw StorageError(
        .notFound,
        "\(file.path)-wal, which is part of the store, was removed while it was open; nothing was "
          + "saved: open it again")
    }
  }

  /// Asks for a number that every change of the tables raises
  /// (sqlite.org/pragma.html#pragma_schema_version).
  private static let tablesNumber = "PRAGMA schema_version"

  /// Refuses to write what an earlier version of the classes means to tables that another version
  /// has migrated meanwhile: the columns may be the same, and hold something else.
  private func checkVersion(_ connection: StoreConnection) throws {
    guard let file, let adopted else { return }
    let number = try connection.sqlite.int64(Self.tablesNumber)
    if number == tablesSeen { return }
    guard let now = try connection.sqlite.readDataStoreMetadata(path: file.path)?.schema else {
      return
    }
    let isOther = now.version != adopted.version
    guard !isOther, adopted.isKept(in: now) else {
      throw StorageError(
        .newerSchema,
        "\(file.path) was migrated \(isOther ? "to version \(now.version) " : "")while it was open; "
          + "nothing was saved: open it again")
    }
    tablesSeen = number
  }

  /// Runs a transaction that calls what it is given at its end, before it is committed.
  private func committing<Result>(
    _ connection: StoreConnection, _ transaction: (_ last: () throws -> Void) throws -> Result
  ) throws -> Result {
    var begun: Int64?
    let start = report == nil ? nil : ContinuousClock.now
    // Before: another file's log may be beside it by now. After: it may have gone meanwhile.
    try checkPlace()
    let result = try transaction {
      try checkPlace(log: true)
      begun = try remoteWatch?.begin(connection.sqlite)
    }
    // Watchers in other processes see the log grow before they can read the commit: this tells
    // them after it. What was rolled back is nothing to look at.
    if let file { System.touch(file.path) }
    if let begun { remoteWatch?.end(connection.sqlite, begun) }
    flushes?.noteCommit()
    if let start {
      report?.committed(
        ContinuousClock.now - start, logSize: file.map { System.size(of: "\($0.path)-wal") } ?? 0)
    }
    return result
  }

  /// Runs `body` in a transaction that holds the writers' lock; call it in the writers' turn.
  func immediate<Result>(
    _ connection: StoreConnection, _ body: () throws -> Result
  ) throws -> Result {
    try committing(connection) { last in
      try connection.sqlite.transaction(.immediate) {
        try checkVersion(connection)
        let result = try body()
        try last()
        return result
      }
    }
  }

  /// Runs `body` in a transaction of rows and, where there are such, of files.
  func transaction<Result>(
    _ connection: StoreConnection, _ body: (ExternalChange?) throws -> Result
  ) throws -> Result {
    guard let file, schema.entities.contains(where: { $0.attributes.contains(where: \.isExternal) })
    else {
      // A migration's code saves inside of the migration's transaction.
      if connection.sqlite.isInTransaction {
        return try connection.sqlite.savepoint { try body(migrating) }
      }
      return try immediate(connection) { try body(nil) }
    }
    return try committing(connection) { last in
      try ExternalFiles(store: file).transaction(on: connection.sqlite) { files in
        try checkVersion(connection)
        let result = try body(files)
        try last()
        return result
      }
    }
  }

  /// Writes the file anew, without the space of deleted rows.
  func vacuum(isCancelled: @escaping () -> Bool) throws {
    guard let file else { return }
    var vacuum = DataStoreVacuum(file: file)
    vacuum.isCancelled = isCancelled
    try writing {
      try withConnection { connection in
        // It commits by itself, and others may commit before it does: they are told apart.
        try committing(connection) { last in
          try last()
          _ = try vacuum.run(on: connection.sqlite)
        }
      }
    }
  }

  /// Removes the files that no row names.
  func sweepFiles(_ connection: SQLiteConnection) throws {
    if let file { try ExternalFiles(store: file).sweep(connection) }
  }

  func reserveKeys(_ count: Int64, table: String) throws -> Int64 {
    try writing {
      try withConnection { connection in
        if isInMemory { return try connection.sqlite.reserveKeys(count, table: table) }
        return try immediate(connection) {
          try connection.sqlite.reserveKeys(count, table: table)
        }
      }
    }
  }
}

extension SQLiteConnection {
  /// Begins or ends the history.
  fileprivate func setHistory(_ isKept: Bool) throws {
    if isKept { try beginHistory() } else { try endHistory() }
  }
}

/// A connection with the statements that contexts run again and again.
package final class StoreConnection {
  package let sqlite: SQLiteConnection
  private var byEntity: [EntityStatements?] = []

  private var hasFunctions = false

  init(_ sqlite: SQLiteConnection) { self.sqlite = sqlite }

  /// Closes the connection and lets go of its statements.
  func close() {
    byEntity.removeAll()
    sqlite.close()
  }

  /// The statement of a query, which may ask for what only Swift knows.
  func query(_ text: String) throws -> SQLiteStatement {
    if !hasFunctions {
      try QueryFunctions.register(on: sqlite)
      hasFunctions = true
    }
    return try sqlite.cached(text)
  }

  func statements(_ plan: EntityPlan) -> EntityStatements {
    while byEntity.count <= plan.index { byEntity.append(nil) }
    if let made = byEntity[plan.index] { return made }
    let made = EntityStatements(plan, sqlite)
    byEntity[plan.index] = made
    return made
  }
}

/// An entity's statements, prepared when first used.
final class EntityStatements {
  private let plan: EntityPlan
  private let connection: SQLiteConnection
  private var insertion: SQLiteStatement?
  private var insertions: SQLiteStatement?
  private var deletion: SQLiteStatement?
  private var byKey: SQLiteStatement?
  private var updates: [PropertySet: Update] = [:]
  /// The statement of the last update: the next row often has the same changes.
  private var last: (changed: PropertySet, update: Update)?

  /// A statement, and the slots that its parameters are, in order.
  typealias Update = (statement: SQLiteStatement, slots: [Int])

  init(_ plan: EntityPlan, _ connection: SQLiteConnection) {
    self.plan = plan
    self.connection = connection
  }

  func insert() throws -> SQLiteStatement {
    if let insertion { return insertion }
    let made = try connection.prepare(plan.insertion)
    insertion = made
    return made
  }

  func insertMany() throws -> SQLiteStatement {
    if let insertions { return insertions }
    let made = try connection.prepare(plan.insertions)
    insertions = made
    return made
  }

  func delete() throws -> SQLiteStatement {
    if let deletion { return deletion }
    let made = try connection.prepare(plan.deletion)
    deletion = made
    return made
  }

  func selectByKey() throws -> SQLiteStatement {
    if let byKey, !byKey.isBusy { return byKey }
    let made = try connection.prepare(plan.selectByKey)
    byKey = made
    return made
  }

  /// The statement that writes some slots, and those slots in the order of its parameters.
  func update(_ changed: PropertySet) throws -> Update? {
    if let last, last.changed == changed { return last.update }
    if let made = updates[changed] {
      last = (changed, made)
      return made
    }
    let slots = plan.slots.indices.filter { changed.contains($0) && plan.slots[$0].column != nil }
    guard !slots.isEmpty else { return nil }
    let made = (try connection.prepare(plan.update(slots)), slots)
    updates[changed] = made
    return made
  }
}
