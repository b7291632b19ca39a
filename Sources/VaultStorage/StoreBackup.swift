import Glibc

/// Copies of the store, and what is done with a damaged one.
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
  /// - Parameter age: Nothing is done while the copy is younger.
  /// - Throws: As ``backUp(as:in:)`` does.
  package func refreshLastGoodCopy(olderThan age: Duration = .seconds(86_400)) throws {
    guard let directory else { return }
    if let modified = System.age(of: Self.lastGoodName, in: directory.descriptor), modified < age {
      return
    }
    try backUp(as: Self.lastGoodName, in: directory)
  }

  /// Takes out of the store's files what was deleted: empties the log, and removes the last good copy, which has
  /// older contents.
  ///
  /// - Returns: Whether the log is empty; false if another program was reading the store for all of the time that
  ///   a writer waits.
  /// - Throws: ``StorageError``.
  package func scrub() throws(StorageError) -> Bool {
    try directory?.remove(Self.lastGoodName)
    return try connection.checkpoint(.truncate)
  }

  /// Sets a damaged store aside, with its log, so that a new one can be made.
  ///
  /// - Returns: The new name of the file, in the same directory.
  /// - Throws: ``StorageError``; then the store is where it was.
  package static func quarantine(in directory: Directory) throws(StorageError) -> String {
    let name = StoreLocation.storeName
    let lock = try FileLock("store.lock", in: directory, timeout: .seconds(5))
    defer { withExtendedLifetime(lock) {} }
    var aside = "\(name).damaged-\(System.timestamp())"
    var number = 1
    while try directory.contains(aside) {
      number += 1
      aside = "\(name).damaged-\(System.timestamp())-\(number)"
    }
    // The log first: a store without it is old, a log without its store is nothing.
    for suffix in ["-wal", "-shm", ""] {
      do {
        try System.rename("\(name)\(suffix)", to: "\(aside)\(suffix)", in: directory.descriptor)
      } catch  where error.errno == ENOENT && suffix != "" {
        continue
      } catch {
        throw Directory.failure(error, "set aside", "\(directory.path)/\(name)\(suffix)")
      }
    }
    do {
      try directory.sync()
    } catch {
      throw Directory.failure(error, "sync", directory.path)
    }
    return aside
  }

  /// Makes the tables and indexes of another store that are missing here, empty.
  package func copySchema(from path: String) throws {
    let other = try SQLiteConnection(path: path, mode: .readWrite)
    defer { other.close() }
    let statements = try other.strings(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        + "ORDER BY type='table' DESC, rowid")
    try connection.transaction {
      for statement in statements {
        // What is here already stays as it is.
        try? connection.savepoint { try connection.executeScript(statement) }
      }
    }
  }

  /// Carries over what can be read of a damaged store's tables into this one's tables of that name.
  ///
  /// Rows that are here already stay. Each table is read from both its ends as far as it goes.
  ///
  /// - Parameters:
  ///   - path: The damaged file.
  ///   - prefix: Only tables whose names begin so.
  /// - Returns: How many rows came over, and the tables of which some may be missing.
  /// - Throws: ``StorageError`` if the damaged file cannot be opened at all, or this one not written.
  package func carryOver(
    from path: String, tablesWithPrefix prefix: String
  ) throws -> (rows: Int, incomplete: [String]) {
    let damaged = try SQLiteConnection(path: path, mode: .readWrite)
    defer { damaged.close() }
    let find = "SELECT name FROM sqlite_schema WHERE type='table' AND name LIKE ? || '%'"
    var rows = 0
    var incomplete: [String] = []
    let here = Set(try connection.strings(find, [.text(prefix)]))
    for table in try damaged.strings(find, [.text(prefix)]) where here.contains(table) {
      let quoted = "\"\(table)\""
      let columns = try connection.strings("SELECT name FROM pragma_table_info(?)", [.text(table)])
      let list = columns.map { "\"\($0)\"" }.joined(separator: ",")
      let marks = columns.map { _ in "?" }.joined(separator: ",")
      let insert = "INSERT OR IGNORE INTO \(quoted)(\(list)) VALUES (\(marks))"
      var isWhole = false
      for order in ["ASC", "DESC"] where !isWhole {
        try connection.transaction {
          do {
            let key = try damaged.orderOfRows(table, order)
            try damaged.forEachRow("SELECT \(list) FROM \(quoted) ORDER BY \(key)") { row in
              try connection.execute(insert, columns.indices.map { row.value(at: $0) })
              rows += connection.changes
            }
            isWhole = order == "ASC"
          } catch let error as StorageError where error.code == .damaged {
            // What came before the damage is kept; the other end may go further.
          }
        }
        if isWhole { break }
      }
      if !isWhole { incomplete.append(table) }
    }
    return (rows, incomplete)
  }
}

extension SQLiteConnection {
  /// The order in which a table's rows lie, so that reading needs no sorting.
  fileprivate func orderOfRows(_ table: String, _ order: String) throws(StorageError) -> String {
    let isWithoutRowID =
      try int64("SELECT wr FROM pragma_table_list WHERE name=?", [.text(table)]) == 1
    guard isWithoutRowID else { return "rowid \(order)" }
    return try strings(
      "SELECT name FROM pragma_table_info(?) WHERE pk>0 ORDER BY pk", [.text(table)]
    ).map { "\"\($0)\" \(order)" }.joined(separator: ",")
  }
}
