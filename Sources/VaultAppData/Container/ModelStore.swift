import VaultDataStore
package import VaultStorage

/// One configuration's database: a file with a connection for each context, or one connection to a
/// database in memory that contexts take turns at.
package final class ModelStore: @unchecked Sendable {
  // `idle` is guarded by `lock`; a database in memory is used inside of it only.

  let configuration: ModelConfiguration
  let identifier: String
  let schema: StoredSchema
  private let file: DataStoreFile?
  private let application: String?
  private let lock = NSRecursiveLock()
  private var idle: [StoreConnection]
  private let isOnNetwork: Bool
  /// The files of the migration whose code uses the store.
  private let migrating: ExternalChange?
  /// The changes made when the store was opened.
  private(set) var report: DataStoreMigration.Report?

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
    migrating = nil
    try schema.validate()
    if configuration.isStoredInMemoryOnly {
      file = nil
      application = nil
      let connection = try SQLiteConnection()
      try connection.executeScript("PRAGMA foreign_keys=ON")
      try connection.trustSchema()
      let metadata = DataStoreMetadata(application: ApplicationData.identifier, schema: schema)
      try connection.transaction { try connection.createDataStore(metadata) }
      identifier = metadata.store
      isOnNetwork = false
      idle = [StoreConnection(connection)]
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
    var migration = DataStoreMigration(file: file, to: schema, stages: stages)
    migration.keepsBackup = true
    let (metadata, report) = try Self.adopt(
      connection, found, migration, application: application ?? ApplicationData.identifier,
      isReadOnly: !configuration.allowsSave)
    // The file is open for reading; what is pending in a context goes to temporary tables.
    if mode == .read { try connection.executeScript("PRAGMA query_only=OFF") }
    self.file = file
    self.application = application
    self.report = report
    identifier = metadata.store
    isOnNetwork = try connection.string("PRAGMA journal_mode") == "delete"
    idle = [StoreConnection(connection)]
  }

  /// A store of an open connection, as a migration's code sees it.
  init(
    _ connection: SQLiteConnection, _ configuration: ModelConfiguration, schema: StoredSchema,
    files: ExternalChange
  ) {
    self.configuration = configuration
    self.schema = schema
    migrating = files
    file = nil
    application = nil
    identifier = (try? connection.metadata("store")) ?? UUID().uuidString
    isOnNetwork = false
    idle = [StoreConnection(connection)]
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
      return (found, try migration.run(on: connection))
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

  /// A connection for a context's own use; in memory, the only one, to be used inside
  /// ``use(_:_:)``.
  package func lease() throws -> StoreConnection {
    if let free = lock.withLock({ isInMemory ? idle.first : idle.popLast() }) { return free }
    guard let file else { preconditionFailure("a database in memory has one connection") }
    let connection: SQLiteConnection
    if configuration.allowsSave {
      // Looked at when the container was made: whose it is, its schema, its directory.
      connection = try SQLiteConnection(path: file.path, mode: .readWrite)
      try connection.prepareDataStore(isOnNetwork: isOnNetwork)
    } else {
      connection = try file.open(.read, ofApplication: application).connection
      try connection.executeScript("PRAGMA query_only=OFF")
    }
    return StoreConnection(connection)
  }

  func giveBack(_ connection: StoreConnection) {
    guard !isInMemory else { return }
    lock.withLock { idle.append(connection) }
  }

  /// Runs `body` while nobody else uses the connection.
  func use<Result>(
    _ connection: StoreConnection, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    guard isInMemory else { return try body(connection) }
    lock.lock()
    defer { lock.unlock() }
    return try body(connection)
  }

  /// The value that a column names, where it lies in a file beside the store.
  func large(_ slot: _AppData.Slot, _ plan: SlotPlan) throws -> _AppData.Slot {
    guard plan.kind == .external, case .text(let text) = slot,
      let files = migrating?.files ?? file.map({ ExternalFiles(store: $0) }),
      let reference = ExternalReference(text)
    else { return slot }
    return .data(Data(try files.read(reference)))
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
      return try connection.sqlite.transaction(.immediate) { try body(nil) }
    }
    return try ExternalFiles(store: file).transaction(on: connection.sqlite) { try body($0) }
  }

  /// Removes the files that no row names.
  func sweepFiles(_ connection: SQLiteConnection) throws {
    if let file { try ExternalFiles(store: file).sweep(connection) }
  }

  func reserveKeys(_ count: Int64, table: String) throws -> Int64 {
    let connection = try lease()
    defer { giveBack(connection) }
    return try use(connection) { try $0.sqlite.reserveKeys(count, table: table) }
  }
}

/// A connection with the statements that contexts run again and again.
package final class StoreConnection {
  package let sqlite: SQLiteConnection
  private var byEntity: [EntityStatements?] = []

  private var hasFunctions = false

  init(_ sqlite: SQLiteConnection) { self.sqlite = sqlite }

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
