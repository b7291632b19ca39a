package import VaultStorage

/// The history of a store: who changed which rows when, written in the transaction of each change.
///
/// A store keeps one from the moment that a program asks for it, whichever program writes then. In
/// the file these are two tables: `appdata_transactions`, and `appdata_changes` with one row for
/// each run of neighboring rows that were changed alike.
///
/// ```
/// $ sqlite3 default.store "SELECT t.author, c.entity, c.first_row, c.kind FROM appdata_changes c
///     JOIN appdata_transactions t ON t.id = c.transaction_id"
/// widget|Trip|33|insert
/// ```
package enum DataStoreHistory {
  /// One transaction.
  package struct Transaction: Sendable, Equatable {
    package let id: Int64
    /// Seconds since 2001-01-01 00:00 UTC.
    package let time: Double
    package let author: String?
    package let bundle: String
    package let process: String

    package init(id: Int64, time: Double, author: String?, bundle: String, process: String) {
      self.id = id
      self.time = time
      self.author = author
      self.bundle = bundle
      self.process = process
    }
  }

  /// The kind of a change.
  package enum Kind: String, Sendable {
    case insert, update, delete
  }

  /// Rows of one entity that follow one another, and were changed alike.
  package struct Change: Sendable, Equatable {
    /// The transaction.
    package var transaction: Int64
    /// The place of the first among the transaction's changes.
    package var number: Int64
    package let entity: String
    /// The key of the first row.
    package let firstRow: Int64
    package var count: Int64
    package let kind: Kind
    /// Of an update: the names of the properties, as a JSON array.
    package let properties: String?
    /// Of a deletion: the values that were to be preserved, as a JSON object.
    package let tombstone: String?

    package init(
      transaction: Int64 = 0, number: Int64 = 0, entity: String, row: Int64, count: Int64 = 1,
      kind: Kind, properties: String? = nil, tombstone: String? = nil
    ) {
      self.transaction = transaction
      self.number = number
      self.entity = entity
      firstRow = row
      self.count = count
      self.kind = kind
      self.properties = properties
      self.tombstone = tombstone
    }
  }

  /// Which transactions are wanted; what is `nil` does not count.
  package struct Bounds: Sendable, Equatable {
    /// Only later ones.
    package var after: Int64?
    /// Only this one or earlier ones.
    package var through: Int64?
    package var author: String?
    /// At most so many, the last ones.
    package var last: Int?

    package init(after: Int64? = nil, through: Int64? = nil, author: String? = nil) {
      self.after = after
      self.through = through
      self.author = author
    }

    fileprivate var condition: (text: String, values: [SQLiteValue]) {
      var parts: [String] = []
      var values: [SQLiteValue] = []
      if let after {
        parts.append("t.id>?")
        values.append(.integer(after))
      }
      if let through {
        parts.append("t.id<=?")
        values.append(.integer(through))
      }
      if let author {
        parts.append("t.author=?")
        values.append(.text(author))
      }
      if let last {
        // The same rows, counted from the end.
        let condition = parts.isEmpty ? "" : " WHERE \(parts.joined(separator: " AND "))"
        parts.append(
          "t.id IN (SELECT t.id FROM appdata_transactions t\(condition) ORDER BY t.id DESC LIMIT ?)"
        )
        values += values + [.integer(Int64(last))]
      }
      return (parts.isEmpty ? "" : " WHERE \(parts.joined(separator: " AND "))", values)
    }
  }

  /// Collects the changes of one transaction, those of neighboring rows as one.
  package struct Recording {
    package private(set) var changes: [Change] = []
    private var count: Int64 = 0

    package init() {}

    package var isEmpty: Bool { changes.isEmpty }

    /// Adds the change of rows that follow one another.
    package mutating func add(_ kind: Kind, _ entity: String, _ rows: Range<Int64>) {
      guard let first = rows.first else { return }
      add(kind, entity, first)
      guard let last = changes.indices.last else { return }
      changes[last].count += Int64(rows.count - 1)
      count += Int64(rows.count - 1)
    }

    /// Adds a change of one row.
    package mutating func add(
      _ kind: Kind, _ entity: String, _ row: Int64, properties: String? = nil,
      tombstone: String? = nil
    ) {
      defer { count += 1 }
      if let last = changes.indices.last, changes[last].kind == kind,
        changes[last].firstRow + changes[last].count == row, changes[last].entity == entity,
        changes[last].properties == properties, tombstone == nil,
        changes[last].tombstone == nil
      {
        changes[last].count += 1
        return
      }
      changes.append(
        Change(
          number: count, entity: entity, row: row, kind: kind, properties: properties,
          tombstone: tombstone))
    }
  }
}

extension SQLiteConnection {
  private static var historyTables: String {
    """
    CREATE TABLE IF NOT EXISTS appdata_transactions(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time REAL NOT NULL,
      author TEXT,
      bundle TEXT NOT NULL,
      process TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS appdata_changes(
      transaction_id INTEGER NOT NULL,
      number INTEGER NOT NULL,
      entity TEXT NOT NULL,
      first_row INTEGER NOT NULL,
      count INTEGER NOT NULL,
      kind TEXT NOT NULL,
      properties TEXT,
      tombstone TEXT,
      PRIMARY KEY(transaction_id, number)
    ) STRICT, WITHOUT ROWID;
    """
  }

  /// The key of the metadata with the last transaction that was deleted.
  private static var deletedKey: String { "history.deleted_through" }

  /// Whether the store keeps a history.
  package func hasHistory() throws(StorageError) -> Bool {
    try int64("SELECT 1 FROM sqlite_schema WHERE name='appdata_transactions' AND type='table'") == 1
  }

  /// Begins a history, if there is none.
  package func beginHistory() throws {
    guard try !hasHistory() else { return }
    try transaction {
      try executeScript(Self.historyTables)
      // The numbers go on after those of a history that was there before.
      try execute(
        "INSERT INTO sqlite_sequence(name, seq) VALUES ('appdata_transactions', ?)",
        [.integer(try historyDeletedThrough())])
    }
  }

  /// Ends the history and deletes it; whoever has not read all of it is told later, and so is one
  /// who has: what is written meanwhile is in no history.
  package func endHistory() throws {
    guard try hasHistory() else { return }
    try transaction {
      let last = max(try lastHistoryTransaction(), try historyDeletedThrough()) + 1
      try executeScript(
        "DROP TABLE IF EXISTS appdata_transactions; DROP TABLE IF EXISTS appdata_changes")
      try setMetadata(Self.deletedKey, "\(last)")
    }
  }

  /// Writes a transaction's changes, within it.
  ///
  /// - Returns: The transaction's number; it is larger than any before.
  package func writeHistory(
    _ changes: [DataStoreHistory.Change], author: String?, time: Double, bundle: String,
    process: String
  ) throws(StorageError) -> Int64 {
    try execute(
      "INSERT INTO appdata_transactions(time, author, bundle, process) VALUES (?, ?, ?, ?)",
      [.real(time), author.map { .text($0) } ?? .null, .text(bundle), .text(process)])
    let id = lastInsertRowID
    for change in changes {
      try execute(
        "INSERT INTO appdata_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
          .integer(id), .integer(change.number), .text(change.entity), .integer(change.firstRow),
          .integer(change.count), .text(change.kind.rawValue),
          change.properties.map { .text($0) } ?? .null,
          change.tombstone.map { .text($0) } ?? .null,
        ])
    }
    return id
  }

  /// The last transaction that was deleted; 0 if none was.
  package func historyDeletedThrough() throws(StorageError) -> Int64 {
    Int64(try metadata(Self.deletedKey) ?? "0") ?? 0
  }

  /// The number of the newest transaction there has been; 0 if there was none.
  package func lastHistoryTransaction() throws(StorageError) -> Int64 {
    try int64("SELECT seq FROM sqlite_sequence WHERE name='appdata_transactions'") ?? 0
  }

  /// The transactions within bounds, with their changes, in their order.
  package func readHistory(
    _ bounds: DataStoreHistory.Bounds
  ) throws -> [(DataStoreHistory.Transaction, [DataStoreHistory.Change])] {
    let (condition, values) = bounds.condition
    var changes: [Int64: [DataStoreHistory.Change]] = [:]
    var found: [DataStoreHistory.Transaction] = []
    func read() throws {
      try forEachRow(
        "SELECT t.id, t.time, t.author, t.bundle, t.process FROM appdata_transactions t"
          + "\(condition) ORDER BY t.id", values
      ) { row in
        found.append(
          DataStoreHistory.Transaction(
            id: row.int64(at: 0), time: row.double(at: 1), author: row.optionalString(at: 2),
            bundle: row.string(at: 3), process: row.string(at: 4)))
      }
      try forEachRow(
        "SELECT c.transaction_id, c.number, c.entity, c.first_row, c.count, c.kind, c.properties, "
          + "c.tombstone FROM appdata_changes c JOIN appdata_transactions t "
          + "ON t.id=c.transaction_id\(condition) ORDER BY c.transaction_id, c.number", values
      ) { row in
        guard let kind = DataStoreHistory.Kind(rawValue: row.string(at: 5)) else { return }
        changes[row.int64(at: 0), default: []].append(
          DataStoreHistory.Change(
            transaction: row.int64(at: 0), number: row.int64(at: 1), entity: row.string(at: 2),
            row: row.int64(at: 3), count: row.int64(at: 4), kind: kind,
            properties: row.optionalString(at: 6), tombstone: row.optionalString(at: 7)))
      }
    }
    // Both as of one moment.
    if isInTransaction { try read() } else { try transaction(.deferred, read) }
    return found.map { ($0, changes[$0.id] ?? []) }
  }

  /// Takes the backticks from the names of classes, as ``Swift/String/withoutBackticks`` does.
  func dropBackticksOfHistory() throws {
    guard try hasHistory() else { return }
    try execute(
      "UPDATE appdata_changes SET entity=replace(replace(entity, '`', ''), char(160), ' ') "
        + "WHERE instr(entity, '`')")
  }

  /// Deletes the whole history, within a transaction, and goes on with it.
  package func deleteAllHistory() throws(StorageError) {
    try execute("DELETE FROM appdata_changes")
    try execute("DELETE FROM appdata_transactions")
    try setMetadata(Self.deletedKey, "\(try lastHistoryTransaction())")
  }

  /// Deletes transactions, within a transaction; whoever has not read them yet is told later.
  package func deleteHistory(_ ids: [Int64]) throws(StorageError) {
    guard let last = ids.max() else { return }
    let list = SQLiteValue.text(SQLText.array(of: ids))
    for (table, column) in [("appdata_changes", "transaction_id"), ("appdata_transactions", "id")] {
      try execute(
        "DELETE FROM \(table) WHERE \(column) IN (SELECT value FROM json_each(?))", [list])
    }
    if try historyDeletedThrough() < last { try setMetadata(Self.deletedKey, "\(last)") }
  }
}
