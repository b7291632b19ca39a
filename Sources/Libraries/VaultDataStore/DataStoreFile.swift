package import VaultStorage

/// An application's store as a file: reads its metadata and opens it.
///
/// ```swift
/// let file = DataStoreFile(path: "/home/me/.local/share/com.example.trips/default.store")
/// let (connection, found) = try file.open(.write)
/// ```
package struct DataStoreFile: Sendable, Equatable {
  /// The access that the caller needs.
  package enum Mode: Sendable {
    /// For reading: nothing is made or changed.
    case read
    /// For writing; an empty file is made if there is none.
    case write
  }

  package let location: FileLocation

  package init(path: String) { location = FileLocation(path: path) }

  /// The store at the end of symbolic links: its log and its large values lie beside that one.
  ///
  /// - Throws: ``StorageError`` with code `.accessDenied` for a link that somebody else may have
  ///   made, `.inputOutput`.
  package init(following path: String) throws(StorageError) {
    do {
      location = FileLocation(path: try UserFile.target(of: path))
    } catch {
      throw Directory.failure(error, "follow", path)
    }
  }

  /// The absolute path.
  package var path: String { location.path }

  /// The path of its directory.
  package var directoryPath: String { location.directoryPath }

  /// Opens its directory: ``FileLocation/directory(create:)``.
  package func directory(create: Bool = false) throws(StorageError) -> Directory {
    try location.directory(create: create)
  }

  /// The file's name in its directory.
  package var name: String { location.name }

  /// The name up to its last dot: the NAME of `.NAME_SUPPORT`.
  package var stem: String { location.stem }

  /// The store's metadata, read without changing a byte of the file.
  ///
  /// - Parameters:
  ///   - application: Whose the store must be; `nil` to take any.
  ///   - busyTimeout: How long calls wait for another process's lock.
  /// - Returns: `nil` if there is no file, or an empty one.
  /// - Throws: ``StorageError`` with code `.unknownStore`, `.otherApplication`, `.newerVersion`,
  ///   `.damaged`, `.busy`.
  package func metadata(
    ofApplication application: String? = nil, busyTimeout: Duration = .seconds(5)
  ) throws(StorageError) -> DataStoreMetadata? {
    guard try exists() else { return nil }
    guard let found = try readMetadata(busyTimeout: busyTimeout) else { return nil }
    try check(found, application)
    return found
  }

  private func readMetadata(busyTimeout: Duration) throws(StorageError) -> DataStoreMetadata? {
    let directory = try directory()
    if try !directory.contains("\(name)-wal"), try !directory.contains("\(name)-journal") {
      // Nobody writes: without locks, since even a reader of a WAL database makes files beside it.
      do {
        let connection = try SQLiteConnection(path: path, mode: .immutable)
        defer { connection.close() }
        return try connection.readDataStoreMetadata(path: path)
      } catch  where error.code == .damaged {
        // A writer may have come meanwhile; if not, the next try says the same.
      }
    }
    let connection = try openReadOnly(busyTimeout: busyTimeout)
    defer { connection.close() }
    do {
      return try connection.readDataStoreMetadata(path: path)
    } catch  where error.isInterruptedWrite {
      throw StorageError(
        .accessDenied,
        "a program was stopped while it wrote to \(path); it takes that back when it opens it again",
        databaseError: error.databaseError)
    }
  }

  /// Opens the store.
  ///
  /// A file that is not to be taken is refused before anything is written to it.
  ///
  /// - Parameters:
  ///   - mode: For reading or for writing; the directory is made for writing.
  ///   - application: Whose the store must be; `nil` to take any.
  ///   - busyTimeout: How long calls wait for another process's lock.
  /// - Returns: The connection, with foreign keys checked; and the metadata, `nil` if it is empty.
  /// - Throws: As ``metadata(ofApplication:busyTimeout:)``; `.notFound`, `.cannotCreate`.
  package func open(
    _ mode: Mode, ofApplication application: String? = nil, busyTimeout: Duration = .seconds(5)
  ) throws(StorageError) -> (connection: SQLiteConnection, metadata: DataStoreMetadata?) {
    var found: DataStoreMetadata?
    do {
      found = try metadata(ofApplication: application, busyTimeout: busyTimeout)
    } catch  where error.isInterruptedWrite && mode == .write {
      // A writer undoes it, and reads the metadata after that.
    }
    let connection: SQLiteConnection
    switch mode {
    case .read:
      guard try exists() else { throw StorageError(.notFound, "there is no store \(path)") }
      connection = try openReadOnly(busyTimeout: busyTimeout)
      try connection.executeScript("PRAGMA query_only=ON; PRAGMA cell_size_check=ON")
      // A view in place of a table would run a query of the store's author.
      connection.ignoreViews()
      try connection.trustSchema()
      found = try connection.readDataStoreMetadata(path: path)
    case .write:
      let directory = try directory(create: true)
      if try !exists() { try StoreFile.create(name, in: directory) }
      connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
      let isOnNetwork = try NetworkFileSystem.contains(directory)
      try connection.prepareDataStore(isOnNetwork: isOnNetwork)
      // Another process may have made it meanwhile.
      found = try connection.readDataStoreMetadata(path: path)
      if let found { try check(found, application) }
    }
    return (connection, found)
  }

  /// Opens the store for writing, and makes it if there is none; of two processes, one does.
  ///
  /// - Parameter wanted: What a new store holds; an older one keeps its schema, for
  ///   ``DataStoreMigration`` to look at.
  /// - Returns: The connection, and what the store says of itself.
  /// - Throws: As ``open(_:ofApplication:busyTimeout:)``; `.invalidSchema`.
  package func open(
    orCreate wanted: DataStoreMetadata
  ) throws -> (connection: SQLiteConnection, metadata: DataStoreMetadata) {
    let (connection, found) = try open(.write, ofApplication: wanted.application)
    if let found { return (connection, found) }
    let made = try connection.transaction(.exclusive) {
      if let found = try connection.readDataStoreMetadata(path: path) { return found }
      try connection.createDataStore(wanted)
      return wanted
    }
    try check(made, wanted.application)
    return (connection, made)
  }

  private func check(_ found: DataStoreMetadata, _ application: String?) throws(StorageError) {
    guard let application, found.application != application else { return }
    throw StorageError(
      .otherApplication,
      "\(path) belongs to the application \(found.application), not to \(application)")
  }

  /// Returns whether the file exists.
  package func exists() throws(StorageError) -> Bool { try location.exists() }

  /// Whether a directory has this path.
  package var isDirectory: Bool { (try? Directory(anyOwner: path, followsLink: true)) != nil }

  private func openReadOnly(busyTimeout: Duration) throws(StorageError) -> SQLiteConnection {
    let directory = try directory()
    if try directory.contains("\(name)-wal") || directory.isWritable {
      return try SQLiteConnection(path: path, mode: .readOnly, busyTimeout: busyTimeout)
    }
    // A WAL database on a read-only medium: there are no writers, and its other files cannot be
    // made.
    return try SQLiteConnection(path: path, mode: .immutable, busyTimeout: busyTimeout)
  }
}

extension StorageError {
  /// Whether a crash left a rollback journal that a reader cannot undo (SQLITE_READONLY_ROLLBACK).
  fileprivate var isInterruptedWrite: Bool { databaseError == 776 }
}

extension SQLiteConnection {
  /// Sets what every connection to an application's store is set to.
  package func prepareDataStore(isOnNetwork: Bool) throws(StorageError) {
    try trustSchema()
    try executeScript(
      "PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON; "
        + "PRAGMA synchronous=\(isOnNetwork ? "EXTRA" : "FULL")")
    let wanted = isOnNetwork ? "delete" : "wal"
    if try string("PRAGMA journal_mode") != wanted {
      try isOnNetwork ? useRollbackJournal() : useWriteAheadLog()
    }
  }

  /// Lets the file's own CHECKs and views call SQLite's functions.
  ///
  /// SQLite before 3.41 does not count `json_valid` among the harmless ones. Functions of this
  /// program's are registered `SQLITE_DIRECTONLY` and stay out of a schema's reach.
  package func trustSchema() throws(StorageError) { try executeScript("PRAGMA trusted_schema=ON") }
}
