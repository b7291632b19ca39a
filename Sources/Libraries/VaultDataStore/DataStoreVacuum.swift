import Glibc
package import VaultStorage

/// Gives the space of deleted rows back to the file system.
///
/// SQLite writes the whole file anew, which needs as much space again for that time. Large values
/// that no row names are removed too.
package struct DataStoreVacuum {
  /// The sizes before and after, in bytes.
  package struct Report: Sendable, Equatable {
    package var bytesBefore: Int
    package var bytesAfter: Int
    /// The number of files that no row named.
    package var files: Int
  }

  package let file: DataStoreFile
  /// Called now and then while the file is written.
  package var progress: () -> Void = {}
  /// Asked now and then; where it is, the store stays as it was.
  package var isCancelled: () -> Bool = { false }

  package init(file: DataStoreFile) { self.file = file }

  /// Rewrites the store.
  ///
  /// - Parameter connection: Writing, without a transaction.
  /// - Returns: The sizes, and how many files were removed.
  /// - Throws: ``StorageError`` with code `.busy` while another process writes, `.interrupted` if
  ///   it was cancelled; then the store is as it was.
  package func run(on connection: SQLiteConnection) throws -> Report {
    let before = try size()
    let files = try ExternalFiles(store: file).sweep(connection)
    connection.onProgress(every: 100_000) {
      progress()
      return !isCancelled()
    }
    defer { connection.onProgress(every: 0, nil) }
    try connection.vacuum()
    // The new pages are in the log until then.
    try connection.checkpoint(.truncate)
    return Report(bytesBefore: before, bytesAfter: try size(), files: files)
  }

  /// The store with its log.
  private func size() throws -> Int {
    let directory = try file.directory()
    var size = 0
    for name in [file.name, "\(file.name)-wal"] {
      do {
        size += try System.status(of: name, in: directory.descriptor).size
      } catch  where error.errno == ENOENT {
        continue
      } catch {
        throw Directory.failure(error, "read", "\(file.directoryPath)/\(name)")
      }
    }
    return size
  }
}
