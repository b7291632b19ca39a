/// Copies of the store.
extension Store {
  /// The name of the last good copy, beside the store.
  package static let lastGoodName = "store.sqlite.last-good"

  /// Copies the store, as it is at one moment, to `name` in `directory`, durably.
  ///
  /// The copy is checked before it takes an older one's place.
  ///
  /// - Throws: ``StorageError`` with code `.damaged` if the store does not pass the check; the older
  ///   copy stays.
  package func backUp(as name: String, in directory: Directory) throws {
    try AtomicFile.replace(
      name, in: directory,
      by: { path in
        let copy = try SQLiteConnection(path: path, mode: .readWrite)
        defer { copy.close() }
        try connection.backup(to: copy)
        // A copy of a WAL database says WAL in its header, and would want two more files to be read.
        _ = try copy.string("PRAGMA journal_mode=DELETE")
        let problems = try copy.integrityCheck(quick: true)
        if let first = problems.first {
          throw StorageError(.damaged, "the store is damaged: \(first)")
        }
      })
  }

  /// Keeps the last good copy up to date; to be called after writes.
  ///
  /// What a killed process left of an earlier try is removed. While another process is at it, nothing is done.
  ///
  /// - Parameter age: Nothing is done while the copy is younger.
  /// - Throws: As ``backUp(as:in:)`` does.
  package func refreshLastGoodCopy(olderThan age: Duration = .seconds(86_400)) throws {
    guard let directory else { return }
    if let modified = System.age(of: Self.lastGoodName, in: directory.descriptor), modified < age {
      return
    }
    do {
      let lock = try FileLock(Self.lockName, in: directory, timeout: .zero)
      defer { withExtendedLifetime(lock) {} }
      try AtomicFile.removeStale(of: Self.lastGoodName, in: directory)
      try backUp(as: Self.lastGoodName, in: directory)
    } catch let error as StorageError where error.code == .busy {
      return
    }
  }

  /// Takes out of the store's files what was deleted: empties the log, and removes the last good copy, which has
  /// older contents, with what killed processes left of such copies.
  ///
  /// - Returns: Whether nothing is left; false if another program was copying or reading the store for all of the
  ///   time that a writer waits.
  /// - Throws: ``StorageError``.
  package func scrub() throws(StorageError) -> Bool {
    if let directory {
      // A copy that is being made now has what was deleted, and would come after.
      let lock: FileLock
      do {
        lock = try FileLock(Self.lockName, in: directory, timeout: .seconds(5))
      } catch  where error.code == .busy {
        return false
      }
      defer { withExtendedLifetime(lock) {} }
      try AtomicFile.removeStale(of: Self.lastGoodName, in: directory)
      try directory.remove(Self.lastGoodName)
    }
    return try connection.checkpoint(.truncate)
  }

  /// Held while a file takes the place of the store, or of its last good copy.
  static let lockName = "store.lock"
}
