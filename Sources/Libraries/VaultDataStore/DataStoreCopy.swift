import Glibc
package import VaultStorage

/// Copies of a whole store, as it is at one moment.
package struct DataStoreCopy {
  package let file: DataStoreFile

  package init(file: DataStoreFile) { self.file = file }

  /// The name of the copy that the last migration left.
  package var previousName: String { AtomicFile.previousName(of: file.name) }

  /// Copies the store and keeps its external files for the copy, by second names for them.
  ///
  /// Call it while holding the writers' lock, so that nothing changes meanwhile. It uses a
  /// connection of its own, since a writing one cannot be copied from.
  ///
  /// - Returns: The copy's path.
  func makeBeforeMigration(
    _ schema: StoredSchema, progress: ((Int, Int) throws(StorageError) -> Void)? = nil
  ) throws -> String {
    let directory = try file.directory()
    let source = try SQLiteConnection(path: file.path, mode: .readWrite)
    defer { source.close() }
    try source.trustSchema()
    let references = try ExternalFiles(store: file).references(of: schema, on: source)
    try AtomicFile.removeStale(of: previousName, in: directory)
    try AtomicFile.replace(
      previousName, in: directory, by: { try copy(source, to: $0, progress: progress) })
    try keepFiles(references)
    return "\(file.directoryPath)/\(previousName)"
  }

  /// Copies the store, with its external files, to another place; its application may write
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - source: A connection to the store; reading suffices.
  ///   - destination: What is there is replaced, when the copy is whole and checked.
  ///   - progress: Called with how many of how many pages are copied; ends the copy by an error.
  /// - Returns: How many external files there are.
  /// - Throws: ``StorageError`` with code `.cannotCreate` if the destination is in use; `.damaged`
  ///   if the store is; what `progress` throws. Then what was at the destination stays.
  package func copy(
    _ source: SQLiteConnection, to destination: DataStoreFile,
    progress: ((Int, Int) throws(StorageError) -> Void)? = nil
  ) throws -> Int {
    let directory = try destination.directory()
    // A log beside it would be read into the copy.
    for suffix in ["-wal", "-journal"] where try directory.contains(destination.name + suffix) {
      throw StorageError(.cannotCreate, "\(destination.path) is in use by a program")
    }
    try AtomicFile.removeStale(of: destination.name, in: directory)
    try ExternalFiles(store: destination).removeStale()
    var attempt = 0
    while true {
      do {
        return try source.transaction(.deferred) {
          guard let found = try source.readDataStoreMetadata(path: file.path) else { return 0 }
          let references = try ExternalFiles(store: file).references(of: found.schema, on: source)
          try copyFiles(references, to: ExternalFiles(store: destination))
          try AtomicFile.replace(
            destination.name, in: directory,
            by: { try copy(source, to: $0, progress: progress) })
          try ExternalFiles(store: destination).removeAll(but: references)
          return references.count
        }
      } catch {
        // A file that the application removed meanwhile: once more, with the rows as they are now.
        attempt += 1
        guard (error as? StorageError)?.code == .notFound, attempt < 5 else { throw error }
      }
    }
  }

  private func copyFiles(_ references: [ExternalReference], to other: ExternalFiles) throws {
    guard !references.isEmpty else { return }
    let directory = try other.directory(create: true)
    let files = ExternalFiles(store: file)
    for reference in references {
      try AtomicFile.replace(reference.name, in: directory, with: files.read(reference))
    }
  }

  /// The value; `nil` if it was lost before, which is no reason to refuse a migration.
  private func whole(_ reference: ExternalReference) throws(StorageError) -> [UInt8]? {
    do {
      return try ExternalFiles(store: file).read(reference)
    } catch  where error.code == .notFound || error.code == .damaged {
      return nil
    }
  }

  /// Copies what `source` sees to a file at `path`, which is empty.
  package func copy(
    _ source: SQLiteConnection, to path: String,
    progress: ((Int, Int) throws(StorageError) -> Void)? = nil
  ) throws {
    let copy = try SQLiteConnection(path: path, mode: .readWrite)
    defer { copy.close() }
    try copy.trustSchema()
    try source.backup(to: copy, progress: progress)
    // A copy of a WAL database says WAL in its header, and would want two more files to be read.
    _ = try copy.string("PRAGMA journal_mode=DELETE")
    if let first = try copy.integrityCheck(quick: true).first {
      throw StorageError(.damaged, "\(file.path) is damaged: \(first)")
    }
  }

  private func keepFiles(_ references: [ExternalReference]) throws {
    let files = ExternalFiles(store: file)
    if let old = try Directory.ifThere(anyOwner: files.previousPath) {
      for name in try old.names() where ExternalReference.isName(name) { try old.remove(name) }
    }
    guard !references.isEmpty else { return }
    let kept = try Directory(anyOwner: files.previousPath, create: true)
    let directory = try files.directory()
    for reference in references {
      do {
        try System.link(reference.name, in: directory.descriptor, to: kept.descriptor)
      } catch  where error.errno == ENOENT {
        // Missing already: the copy has its row.
      } catch  where [EPERM, EOPNOTSUPP, EMLINK, ENOSYS].contains(error.errno) {
        // A file system without hard links, or no more of them.
        if let bytes = try whole(reference) {
          try AtomicFile.replace(reference.name, in: kept, with: bytes)
        }
      } catch {
        throw Directory.failure(error, "keep", "\(files.path)/\(reference.name)", .inputOutput)
      }
    }
  }
}
