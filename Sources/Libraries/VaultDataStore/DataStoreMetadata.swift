import FoundationEssentials
package import VaultStorage

/// A store's description of itself: its application, and what its tables mean.
///
/// In the file, it is the table `appdata_metadata(key, value)`; the views `appdata_entities` and
/// `appdata_properties` show its schema as rows.
///
/// ```
/// $ sqlite3 default.store "SELECT entity, property, type, detail FROM appdata_properties"
/// Trip|name|string|name
/// ```
package struct DataStoreMetadata: Sendable, Equatable {
  /// "VLTD", as `PRAGMA application_id` (sqlite.org/fileformat2.html#application_id).
  package static let fileMark: Int64 = 0x564c_5444
  /// The version of the form of the file, as `PRAGMA user_version`.
  package static let format: Int64 = 1

  /// The id of the application that the store belongs to.
  package var application: String
  /// This store among all: a UUID, the same for the life of the file.
  package var store: String
  package var schema: StoredSchema
  /// What the program said last of the person's other machines.
  package var database = SyncedDatabase.automatic

  package init(application: String, store: String? = nil, schema: StoredSchema) {
    self.application = application
    self.store = store ?? UUID().uuidString
    self.schema = schema
  }
}

extension SQLiteConnection {
  private static var metadataTables: String {
    """
    CREATE TABLE appdata_metadata(
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE VIEW appdata_entities AS
      SELECT e.value->>'name' AS entity, e.value->>'table' AS "table",
        e.value->>'superentity' AS superentity
      FROM appdata_metadata m, json_each(m.value, '$.entities') e
      WHERE m.key='schema';
    CREATE VIEW appdata_properties AS
      SELECT e.value->>'name' AS entity, p.value->>'name' AS property,
        p.value->>'type' AS type, p.value->>'column' AS detail,
        p.value->>'isOptional' AS optional, p.value->>'isUnique' AS is_unique
      FROM appdata_metadata m, json_each(m.value, '$.entities') e,
        json_each(e.value, '$.attributes') p
      WHERE m.key='schema'
      UNION ALL
      SELECT e.value->>'name', p.value->>'name',
        iif(p.value->>'isToMany', 'to-many ', 'to-one ') || (p.value->>'destination'),
        coalesce(p.value->>'$.storage.foreignKey.column',
          p.value->>'$.storage.join.links.table', 'in ' || (p.value->>'inverse')),
        p.value->>'isOptional', p.value->>'isUnique'
      FROM appdata_metadata m, json_each(m.value, '$.entities') e,
        json_each(e.value, '$.relationships') p
      WHERE m.key='schema';
    """
  }

  /// Makes the tables of a schema, and what describes them, in an empty database.
  ///
  /// Call it inside a transaction.
  ///
  /// - Throws: ``StorageError`` with code `.invalidSchema`.
  package func createDataStore(_ metadata: DataStoreMetadata) throws(StorageError) {
    try metadata.schema.validate()
    try executeScript(
      "PRAGMA application_id=\(DataStoreMetadata.fileMark); "
        + "PRAGMA user_version=\(DataStoreMetadata.format)")
    try executeScript(Self.metadataTables)
    for statement in metadata.schema.statements { try execute(statement) }
    try setMetadata("application", metadata.application)
    try setMetadata("store", metadata.store)
    try writeSchema(metadata.schema)
  }

  /// Puts a schema in the place of the one that the metadata describes; tables stay as they are.
  package func writeSchema(_ schema: StoredSchema) throws(StorageError) {
    try setMetadata("schema", schema.encoded())
    try setMetadata("schema_version", schema.version.description)
    try setMetadata("schema_fingerprint", schema.fingerprint)
  }

  /// A value of the metadata table; keys of other modules carry a prefix with a dot.
  package func metadata(_ key: String) throws(StorageError) -> String? {
    try string("SELECT value FROM appdata_metadata WHERE key=?", [.text(key)])
  }

  /// Sets a value of the metadata table.
  package func setMetadata(_ key: String, _ value: String) throws(StorageError) {
    try execute(
      "INSERT INTO appdata_metadata VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value=excluded.value",
      [.text(key), .text(value)])
  }

  /// Reads what the store says of itself; `nil` if the database is empty.
  ///
  /// Nothing is written, whatever it finds.
  ///
  /// - Parameter path: For messages.
  /// - Returns: What it says; `nil` if the database is empty.
  /// - Throws: ``StorageError`` with code `.unknownStore` for a file that is none of ours,
  ///   `.newerVersion` for one in a form that is not known here, `.damaged`.
  package func readDataStoreMetadata(path: String) throws(StorageError) -> DataStoreMetadata? {
    var mark: Int64
    do {
      mark = try int64("PRAGMA application_id") ?? 0
      if mark == 0 {
        if try int64("SELECT count(*) FROM sqlite_schema") == 0 { return nil }
        // Another process may have made it between the two questions.
        mark = try int64("PRAGMA application_id") ?? 0
      }
    } catch  where error.code == .damaged {
      throw StorageError(
        .unknownStore, "\(path) is not an SQLite database", databaseError: error.databaseError)
    }
    guard mark == DataStoreMetadata.fileMark else {
      throw StorageError(.unknownStore, "\(path) is a database, but not an app-data store")
    }
    let format = try int64("PRAGMA user_version") ?? 0
    guard format <= DataStoreMetadata.format else {
      throw StorageError(
        .newerVersion,
        "\(path) has form \(format), this program knows up to \(DataStoreMetadata.format)")
    }
    guard let application = try metadata("application"), let store = try metadata("store"),
      let schema = try metadata("schema")
    else { throw StorageError(.damaged, "the metadata of \(path) is not complete") }
    var metadata = DataStoreMetadata(
      application: application, store: store, schema: try StoredSchema(encoded: schema))
    metadata.database = try syncedDatabase()
    do {
      try metadata.schema.checkSize()
    } catch {
      throw StorageError(.damaged, "the schema of \(path) is refused: \(error.message)")
    }
    try checkTables(of: metadata.schema, path: path)
    return metadata
  }

  /// Refuses a view, or a virtual table, in the place of an entity's table: reading one runs
  /// whatever query it is, for ever if that has no end.
  private func checkTables(of schema: StoredSchema, path: String) throws(StorageError) {
    // Only what has rows of its own has a root page
    // (sqlite.org/fileformat2.html#storage_of_the_sql_database_schema).
    let others = Set(
      try strings(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND coalesce(rootpage, 0)=0"
      ).map { $0.lowercased() })
    guard !others.isEmpty else { return }
    let tables = schema.entities.map(\.table) + schema.joins.map(\.join.table)
    if let other = tables.first(where: { others.contains($0.lowercased()) }) {
      throw StorageError(.damaged, "\(other) in \(path) is not a table with rows of its own")
    }
  }
}
