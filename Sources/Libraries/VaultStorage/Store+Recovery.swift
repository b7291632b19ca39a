import Glibc

/// Recovery of a damaged store.
extension Store {
  /// Moves a damaged store and its log aside, so that a new one can be created.
  ///
  /// Where the file itself is gone, what is left of it is moved.
  ///
  /// - Returns: The new name of the file, in the same directory.
  /// - Throws: ``StorageError``; then the store has not moved.
  package static func quarantine(in directory: Directory) throws(StorageError) -> String {
    let name = StoreLocation.storeName
    let lock = try FileLock(lockName, in: directory, timeout: .seconds(5))
    defer { withExtendedLifetime(lock) {} }
    var aside = "\(name).damaged-\(System.timestamp())"
    var number = 1
    func isTaken() throws(StorageError) -> Bool {
      for suffix in sidecarSuffixes + [""] where try directory.contains(aside + suffix) {
        return true
      }
      return false
    }
    while try isTaken() {
      number += 1
      aside = "\(name).damaged-\(System.timestamp())-\(number)"
    }
    // The log first: a store without its log is only older, while a log or journal that stays would
    // be applied to the new store.
    for suffix in sidecarSuffixes + [""] {
      do {
        try System.rename("\(name)\(suffix)", to: "\(aside)\(suffix)", in: directory.descriptor)
      } catch  where error.errno == ENOENT {
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

  /// Copies the rows of a damaged store that can be read into this store's tables.
  ///
  /// ``adopt(_:)`` has created the tables from this program's own text: nothing of the damaged
  /// file's schema is run, and only known columns are read. Rows that exist already stay. Each
  /// table is read from both ends as far as possible.
  ///
  /// - Parameter path: The damaged file.
  /// - Returns: The number of copied rows, and the tables that may lack some.
  /// - Throws: ``StorageError`` if the damaged file cannot be opened at all, or this store cannot
  ///   be written.
  package func carryOver(from path: String) throws -> (rows: Int, incomplete: [String]) {
    let damaged = try SQLiteConnection(path: path, mode: .readWrite)
    defer { damaged.close() }
    damaged.ignoreTriggersAndViews()
    let tables = """
      SELECT name FROM pragma_table_list WHERE schema='main' AND type='table'
      AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name<>'modules' ORDER BY name
      """
    var rows = 0
    var incomplete: [String] = []
    let there = Set(try damaged.strings(tables))
    // Parents first: a row is accepted only if the row that it references exists.
    let here = try connection.strings(
      "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        + "AND name<>'modules' ORDER BY rowid")
    // Emptied, or never one of ours: nothing can be said of any table.
    if there.isEmpty { incomplete = here }
    for table in here where there.contains(table) {
      let (count, isWhole) = try carryOver(table, from: damaged)
      rows += count
      if !isWhole { incomplete.append(table) }
    }
    if !there.subtracting(here).isEmpty {
      incomplete.append("tables that this program does not know")
    }
    return (rows, incomplete)
  }

  private func carryOver(
    _ table: String, from damaged: SQLiteConnection
  ) throws -> (rows: Int, isWhole: Bool) {
    let find = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
    let theirs = try damaged.strings(find, [.text(table)])
    let columns = try connection.strings(find, [.text(table)]).filter { theirs.contains($0) }
    guard !columns.isEmpty else { return (0, false) }
    // These are names of this program's own tables and columns; quotes suffice.
    let list = columns.map { "\"\($0)\"" }.joined(separator: ",")
    let marks = columns.map { _ in "?" }.joined(separator: ",")
    let insert = "INSERT OR IGNORE INTO \"\(table)\"(\(list)) VALUES (\(marks))"
    var rows = 0
    var isWhole = columns.count == theirs.count
    for order in ["ASC", "DESC"] {
      let isReadToTheEnd = try connection.transaction {
        do {
          let key = try damaged.orderOfRows(table, order)
          try damaged.forEachRow("SELECT \(list) FROM \"\(table)\" ORDER BY \(key)") { row in
            do {
              try connection.execute(insert, columns.indices.map { row.value(at: $0) })
              rows += connection.changes
            } catch let error as StorageError where error.code == .constraint {
              // Its values have types that the table does not accept, or its parent is lost.
              isWhole = false
            }
          }
          return true
        } catch let error as StorageError where error.code == .damaged {
          // Keep what came before the damage; the other end may lead further.
          return false
        }
      }
      if isReadToTheEnd { return (rows, isWhole && order == "ASC") }
    }
    return (rows, false)
  }
}

extension SQLiteConnection {
  /// The physical order of a table's rows, so that reading needs no sorting.
  fileprivate func orderOfRows(_ table: String, _ order: String) throws(StorageError) -> String {
    let isWithoutRowID =
      try int64("SELECT wr FROM pragma_table_list WHERE name=?", [.text(table)]) == 1
    guard isWithoutRowID else { return "rowid \(order)" }
    // These names come from the damaged file: a quote in one is doubled, byte by byte.
    return try strings(
      "SELECT name FROM pragma_table_info(?) WHERE pk>0 ORDER BY pk", [.text(table)]
    ).map { name in
      let quoted = name.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] }
      return "\"\(String(decoding: quoted, as: UTF8.self))\" \(order)"
    }.joined(separator: ",")
  }
}
