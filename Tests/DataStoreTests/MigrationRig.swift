import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// A store that an older schema made, and its migration.
struct MigrationRig {
  let home: TemporaryHome
  let file: DataStoreFile
  let connection: SQLiteConnection

  /// Makes the store, runs `rows` in it, and closes it as the older program would.
  init(_ schema: StoredSchema, rows: [String] = []) throws {
    home = try TemporaryHome()
    file = DataStoreFile(path: "\(home.path)/app/default.store")
    do {
      let (connection, _) = try file.open(.write)
      try connection.transaction(.exclusive) {
        try connection.createDataStore(DataStoreMetadata(application: "test", schema: schema))
      }
      for sql in rows { try connection.executeScript(sql) }
      connection.close()
    }
    connection = try file.open(.write, ofApplication: "test").connection
  }

  func migration(to schema: StoredSchema, stages: [DataStoreMigration.Stage] = [])
    -> DataStoreMigration
  {
    DataStoreMigration(file: file, to: schema, stages: stages)
  }

  /// Migrates; the tables are then what the new schema would have made.
  @discardableResult
  func migrate(
    to schema: StoredSchema, stages: [DataStoreMigration.Stage] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> DataStoreMigration.Report {
    let report = try #require(try migration(to: schema, stages: stages).run(on: connection))
    #expect(try connection.readDataStoreMetadata(path: "")?.schema == schema)
    let fresh = try SQLiteConnection()
    try fresh.executeScript("PRAGMA trusted_schema=ON")
    try fresh.createDataStore(DataStoreMetadata(application: "test", schema: schema))
    let (found, expected) = (try shape(connection), try shape(fresh))
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(try connection.integrityCheck() == [])
    #expect(try connection.foreignKeyCheck() == [])
    #expect(try connection.int64("PRAGMA foreign_keys") == 1)
    return report
  }

  /// The message of a migration that is refused; the file is as it was, byte for byte.
  func refusal(
    of schema: StoredSchema, stages: [DataStoreMigration.Stage] = [],
    code: StorageError.Code = .migration, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    connection.close()
    let url = URL(fileURLWithPath: file.path)
    let before = try Data(contentsOf: url)
    let (connection, _) = try file.open(.write)
    defer { connection.close() }
    do {
      _ = try migration(to: schema, stages: stages).run(on: connection)
      Issue.record("was not refused", sourceLocation: sourceLocation)
      return ""
    } catch {
      let error = try #require(error as? StorageError, sourceLocation: sourceLocation)
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      connection.close()
      #expect(try Data(contentsOf: url) == before, sourceLocation: sourceLocation)
      return error.message
    }
  }

  func strings(_ sql: String) throws -> [String] {
    var found: [String] = []
    try connection.forEachRow(sql) { row in
      found.append((0..<row.columnCount).map(row.string).joined(separator: "|"))
    }
    return found
  }

  /// Tables, columns, keys and indexes, whatever their order and defaults.
  private func shape(_ connection: SQLiteConnection) throws -> [String] {
    let queries = [
      "SELECT 'table', name, wr, strict FROM pragma_table_list WHERE schema='main'",
      "SELECT 'column', t.name, c.name, c.type, c.\"notnull\", c.pk "
        + "FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type='table'",
      "SELECT 'key', t.name, k.\"table\", k.\"from\", k.\"to\", k.on_delete "
        + "FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE t.type='table'",
      "SELECT 'index', name, sql FROM sqlite_schema WHERE type='index'",
      "SELECT 'check', name FROM sqlite_schema WHERE sql LIKE '%json_valid(%'",
      "SELECT 'keys kept', name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'",
    ]
    var lines: [String] = []
    for sql in queries {
      try connection.forEachRow(sql) { row in
        lines.append((0..<row.columnCount).map(row.string).joined(separator: "|"))
      }
    }
    return lines.sorted()
  }
}
