/// Copies of the store.
extension Store {
  /// The name of the last good copy, beside the store.
  package static let lastGoodName = "store.sqlite.last-good"

  /// Copies a snapshot of the store to `name` in `directory`, durably.
  ///
  /// The copy is checked before it replaces an older one.
  ///
  /// - Throws: ``StorageError`` with code `.damaged` if the store does not pass the check; the
  ///   older copy stays.
  package func backUp(as name: String, in directory: Directory) throws {
    try AtomicFile.replace(
      name, in: directory,
      by: { path in
        let copy = try SQLiteConnection(path: path, mode: .readWrite)
        defer { copy.close() }
        try connection.backup(to: copy)
        // The header of a WAL database's copy says WAL, so reading it would need two more files.
        _ = try copy.string("PRAGMA journal_mode=DELETE")
        let problems = try copy.integrityCheck(quick: true)
        if let first = problems.first {
          throw StorageError(.damaged, "the store is damaged: \(first)")
        }
      })
  }

  /// Updates the last good copy; call it after writes.
  ///
  /// Removes what a killed process left behind. Does nothing while another process makes a copy.
  ///
  /// - Parameter age: A copy that is younger is kept.
  /// - Throws: The same as ``backUp(as:in:)``.
  package func refreshLastGoodCopy(olderThan age: Duration = .seconds(86_400)) throws {
    guard let directory, isCopyDue(olderThan: age) else { return }
    do {
      let lock = try FileLock(Self.lockName, in: directory, timeout: .zero)
      defer { withExtendedLifetime(lock) {} }
      try AtomicFile.removeStale(of: Self.lastGoodName, in: directory)
      try backUp(as: Self.lastGoodName, in: directory)
    } catch let error as StorageError where error.code == .busy {
      return
    }
  }

  /// Whether the last good copy is missing, or older than `age`.
  package func isCopyDue(olderThan age: Duration = .seconds(86_400)) -> Bool {
    guard let directory else { return false }
    return System.age(of: Self.lastGoodName, in: directory.descriptor).map { $0 >= age } ?? true
  }

  /// Updates the last good copy by a connection of its own: who uses another one meanwhile does not
  /// wait for a copy of the whole store.
  ///
  /// - Parameter location: The store's.
  /// - Throws: The same as ``backUp(as:in:)``, and what opening throws.
  package static func refreshLastGoodCopy(of location: StoreLocation) throws {
    try open(location, mode: .read)?.refreshLastGoodCopy()
  }

  /// Removes deleted data from the store's files: empties the log, and removes the last good copy,
  /// which has older contents, and what killed processes left of such copies.
  ///
  /// - Returns: Whether everything was removed; false if another program copied or read the store
  ///   for as long as a writer waits.
  /// - Throws: ``StorageError``.
  package func scrub() throws(StorageError) -> Bool {
    if let directory {
      // A copy in progress contains the deleted data and would appear afterwards.
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

  /// Held while a file replaces the store or its last good copy.
  static let lockName = "store.lock"
}
