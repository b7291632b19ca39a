package import VaultStorage

/// Which rows were changed, whoever changed them: kept by triggers in the store itself, so that an
/// older version of the application and `sqlite3` are seen, too.
///
/// ```
/// $ sqlite3 default.store "SELECT * FROM appdata_sync_log"
/// Trip|33
/// ```
extension SQLiteConnection {
  private static let logTable = "appdata_sync_log"
  private static let linkLogTable = "appdata_sync_link_log"
  private static let triggerPrefix = "appdata_sync_"

  /// A row that was changed.
  package struct LoggedRow: Sendable, Hashable {
    package let table: String
    package let row: Int64

    package init(table: String, row: Int64) {
      self.table = table
      self.row = row
    }
  }

  /// A link that was made, moved or removed: both of its ends by their keys.
  package struct LoggedLink: Sendable, Hashable {
    package let table: String
    package let owner: Int64
    package let destination: Int64

    package init(table: String, owner: Int64, destination: Int64) {
      self.table = table
      self.owner = owner
      self.destination = destination
    }
  }

  private static func triggers(of links: TrackedLinks) -> [(name: String, text: String)] {
    let (table, owner) = (SQLText.literal(links.table), SQLText.name(links.ownerColumn))
    let destination = SQLText.name(links.destinationColumn)
    func note(_ row: String) -> String {
      "INSERT INTO \(linkLogTable) SELECT \(table), \(row).\(owner), \(row).\(destination) "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(linkLogTable) WHERE links=\(table) "
        + "AND owner=\(row).\(owner) AND destination=\(row).\(destination));"
    }
    return triggers(links.table, note)
  }

  private static func triggers(of table: String) -> [(name: String, text: String)] {
    let key = SQLText.name(StoredEntity.keyColumn)
    // No conflict can arise in it: that of the statement outside would count in its place
    // (sqlite.org/lang_createtrigger.html).
    func note(_ row: String) -> String {
      "INSERT INTO \(logTable) SELECT \(SQLText.literal(table)), \(row).\(key) WHERE NOT EXISTS "
        + "(SELECT 1 FROM \(logTable) WHERE class=\(SQLText.literal(table)) AND row=\(row).\(key));"
    }
    return triggers(table, note)
  }

  private static func triggers(
    _ table: String, _ note: (String) -> String
  ) -> [(name: String, text: String)] {
    let name = SQLText.name(table)
    return [
      ("insert", "INSERT", note("NEW")), ("update", "UPDATE", note("OLD") + " " + note("NEW")),
      ("delete", "DELETE", note("OLD")),
    ].map { kind, event, body in
      let trigger = "\(triggerPrefix)\(table)_\(kind)"
      return (
        trigger,
        "CREATE TRIGGER \(SQLText.name(trigger)) AFTER \(event) ON \(name) BEGIN \(body) END"
      )
    }
  }

  /// Has changes of rows noted from now on, within a transaction.
  ///
  /// - Parameters:
  ///   - tables: Whose rows.
  ///   - links: Whose links.
  /// - Returns: The tables of which something was missing: what was changed there meanwhile is not
  ///   noted.
  /// - Throws: ``StorageError``.
  package func keepRowLog(
    of tables: [String], _ links: [TrackedLinks]
  ) throws(StorageError) -> [String] {
    try executeScript(
      "CREATE TABLE IF NOT EXISTS \(Self.logTable)(class TEXT NOT NULL, row INTEGER NOT NULL, "
        + "PRIMARY KEY(class, row)) STRICT, WITHOUT ROWID; "
        + "CREATE TABLE IF NOT EXISTS \(Self.linkLogTable)(links TEXT NOT NULL, "
        + "owner INTEGER NOT NULL, destination INTEGER NOT NULL, "
        + "PRIMARY KEY(links, owner, destination)) STRICT, WITHOUT ROWID")
    var missing: [String] = []
    for (table, triggers) in Self.triggers(of: tables, links) {
      var isWhole = true
      for (name, text) in triggers {
        let found = try string(
          "SELECT sql FROM sqlite_schema WHERE type='trigger' AND name=?", [.text(name)])
        guard found != text else { continue }
        isWhole = false
        try executeScript("DROP TRIGGER IF EXISTS \(SQLText.name(name))")
        try executeScript(text)
      }
      if !isWhole { missing.append(table) }
    }
    return missing
  }

  private static func triggers(
    of tables: [String], _ links: [TrackedLinks]
  ) -> [(table: String, triggers: [(name: String, text: String)])] {
    tables.map { ($0, triggers(of: $0)) } + links.map { ($0.table, triggers(of: $0)) }
  }

  /// Ends it, within a transaction; what was noted is forgotten.
  package func endRowLog() throws(StorageError) {
    let names = try strings(
      "SELECT name FROM sqlite_schema WHERE type='trigger' AND substr(name, 1, ?)=?",
      [.integer(Int64(Self.triggerPrefix.utf8.count)), .text(Self.triggerPrefix)])
    for name in names { try executeScript("DROP TRIGGER \(SQLText.name(name))") }
    try executeScript(
      "DROP TABLE IF EXISTS \(Self.logTable); DROP TABLE IF EXISTS \(Self.linkLogTable)")
  }

  /// Whether anything notes changes of a table's rows.
  package func hasRowLog(of table: String) throws(StorageError) -> Bool {
    try int64(
      "SELECT 1 FROM sqlite_schema WHERE type='trigger' AND tbl_name=? AND substr(name, 1, ?)=? "
        + "LIMIT 1",
      [
        .text(table), .integer(Int64(Self.triggerPrefix.utf8.count)), .text(Self.triggerPrefix),
      ]) == 1
  }

  /// Whether changes of rows are noted in this store.
  package func hasRowLog() throws(StorageError) -> Bool {
    try int64("SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?", [.text(Self.logTable)])
      == 1
  }

  /// Takes what was noted: it is noted no longer.
  package func takeRowLog() throws -> [LoggedRow] {
    var rows: [LoggedRow] = []
    try forEachRow("SELECT class, row FROM \(Self.logTable)") {
      rows.append(LoggedRow(table: $0.string(at: 0), row: $0.int64(at: 1)))
    }
    if !rows.isEmpty { try execute("DELETE FROM \(Self.logTable)") }
    return rows
  }

  /// Takes the links that were noted: they are noted no longer.
  package func takeLinkLog() throws -> [LoggedLink] {
    var links: [LoggedLink] = []
    try forEachRow("SELECT links, owner, destination FROM \(Self.linkLogTable)") {
      links.append(
        LoggedLink(table: $0.string(at: 0), owner: $0.int64(at: 1), destination: $0.int64(at: 2)))
    }
    if !links.isEmpty { try execute("DELETE FROM \(Self.linkLogTable)") }
    return links
  }

  /// Whether anything was noted.
  package func isRowLogEmpty() throws(StorageError) -> Bool {
    let query =
      "SELECT 1 FROM \(Self.logTable) UNION ALL SELECT 1 FROM \(Self.linkLogTable) LIMIT 1"
    return try int64(query) == nil
  }
}

extension SQLiteConnection {
  /// Notes rows again, which somebody has taken and not told.
  package func noteRows(_ rows: [LoggedRow]) throws(StorageError) {
    for row in rows {
      try execute(
        "INSERT OR IGNORE INTO \(Self.logTable) VALUES (?, ?)",
        [.text(row.table), .integer(row.row)])
    }
  }

  /// Notes links again, which somebody has taken and not told.
  package func noteLinks(_ links: [LoggedLink]) throws(StorageError) {
    for link in links {
      try execute(
        "INSERT OR IGNORE INTO \(Self.linkLogTable) VALUES (?, ?, ?)",
        [.text(link.table), .integer(link.owner), .integer(link.destination)])
    }
  }

  /// Whether nothing is missing of what notes changes of these tables' rows.
  package func hasWholeRowLog(
    of tables: [String], _ links: [TrackedLinks]
  ) throws(StorageError) -> Bool {
    for (_, triggers) in Self.triggers(of: tables, links) {
      for (name, text) in triggers {
        let found = try string(
          "SELECT sql FROM sqlite_schema WHERE type='trigger' AND name=?", [.text(name)])
        guard found == text else { return false }
      }
    }
    return true
  }
}
