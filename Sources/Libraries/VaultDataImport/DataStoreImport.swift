package import VaultDataStore
import VaultStorage

/// Makes a store of ours from one that SwiftData or Core Data wrote on a Mac, without the
/// application's code.
///
/// Entities, relationships, keys and the order of relationships stay what they are. Names come from
/// the model that Core Data keeps in the store, else from the tables. The source is only read, and
/// the new store appears when it is whole.
///
/// ```swift
/// let source = DataStoreFile(path: "/home/me/from-mac/default.store")
/// let store = try DataStoreImport(source: source, application: "com.example.trips")
/// print(store.schema.entities.map(\.name), store.notes)
/// let report = try store.run(to: destination)
/// ```
package final class DataStoreImport {
  /// What came over.
  package struct Report: Sendable, Equatable {
    /// The rows of each entity, without those of its subentities, in the order of the names.
    package var rows: [(entity: String, count: Int64)] = []
    /// The number of links between many and many.
    package var links: Int64 = 0
    /// The number of values in files.
    package var files = 0
    /// What the person should know, one line each.
    package var notes: [String] = []

    package init(notes: [String] = []) { self.notes = notes }

    package static func == (left: Report, right: Report) -> Bool {
      left.rows.elementsEqual(right.rows, by: ==) && left.links == right.links
        && left.files == right.files && left.notes == right.notes
    }
  }

  private let source: CoreDataFile
  private let layout: ImportLayout
  private let application: String
  /// Called now and then with how many rows of how many were read.
  package var progress: ((Int, Int) -> Void)?
  /// Bytes of an external attribute above this many are stored in files.
  package var threshold = ExternalFiles.threshold

  /// Opens the source and decides what is made of it.
  ///
  /// - Parameters:
  ///   - file: The source; its log and its large values are read from beside it.
  ///   - application: The id of the application that will own the new store.
  /// - Throws: ``StorageError`` with code `.notFound`, `.unknownStore`, `.damaged`,
  ///   `.invalidSchema`.
  package init(source file: DataStoreFile, application: String) throws {
    source = try CoreDataFile(file)
    self.application = application
    do {
      layout = try ImportLayout(source)
    } catch {
      source.close()
      throw error
    }
  }

  deinit { source.close() }

  /// The schema of the new store.
  package var schema: StoredSchema { layout.schema }

  /// What is known about names and properties before any row is copied.
  package var notes: [String] { layout.notes }

  /// The number of rows of each entity.
  package func counts() throws -> [(entity: String, count: Int64)] {
    try layout.schema.entities.map { entity in
      guard let numbered = source.entity(entity.name), let table = source.table(of: numbered) else {
        return (entity.name, 0)
      }
      let count = try source.connection.int64(
        "SELECT count(*) FROM \(SQLText.name(table.name)) WHERE Z_ENT=?",
        [.integer(numbered.number)])
      return (entity.name, count ?? 0)
    }
  }

  /// Writes the store.
  ///
  /// - Parameter destination: Must not exist.
  /// - Returns: What came over.
  /// - Throws: ``StorageError`` with code `.cannotCreate` if it exists; `.damaged` for a value that
  ///   its attribute cannot have. Then nothing is left of it.
  package func run(to destination: DataStoreFile) throws -> Report {
    let directory = try destination.directory(create: true)
    for name in [destination.name, "\(destination.name)-wal", "\(destination.name)-journal"]
    where try directory.contains(name) {
      throw StorageError(.cannotCreate, "there is a file \(destination.directoryPath)/\(name)")
    }
    try AtomicFile.removeStale(of: destination.name, in: directory)
    let change = ExternalChange(files: ExternalFiles(store: destination))
    do {
      var report = Report()
      try AtomicFile.replace(
        destination.name, in: directory,
        by: { path in
          let connection = try SQLiteConnection(path: path, mode: .readWrite)
          defer { connection.close() }
          report = try write(connection, change)
          try change.makeDurable()
        })
      change.committed()
      return report
    } catch {
      change.rolledBack()
      throw error
    }
  }

  private func write(_ connection: SQLiteConnection, _ change: ExternalChange) throws -> Report {
    try connection.trustSchema()
    // A file that is thrown away unless it becomes whole.
    try connection.executeScript("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
    var report = Report()
    try connection.transaction(.exclusive) {
      // One snapshot of the source.
      try source.connection.transaction(.deferred) {
        report = try copy(connection, change)
      }
    }
    _ = try connection.string("PRAGMA journal_mode=DELETE")
    if let violation = try connection.foreignKeyCheck().first {
      throw StorageError(
        .damaged,
        "row \(violation.row ?? 0) of \(violation.table) would name nothing in "
          + violation.parent)
    }
    return report
  }

  private func copy(_ connection: SQLiteConnection, _ change: ExternalChange) throws -> Report {
    try connection.createDataStore(
      DataStoreMetadata(application: application, store: source.identifier, schema: layout.schema))
    var report = Report(notes: layout.notes)
    var values = ImportedValue(file: source, change: change)
    values.threshold = threshold
    var done = 0
    var total = 0
    if progress != nil {
      for count in layout.tables.map(\.count) + layout.links.map(\.count) {
        total += Int(try source.connection.int64(count) ?? 0)
      }
    }
    func step() {
      done += 1
      if done % 256 == 0 { progress?(done, total) }
    }
    var strangers: Int64 = 0
    for table in layout.tables {
      try source.connection.forEachRow(table.query) { row in
        step()
        guard let copies = table.rows[row.int64(at: 1)] else {
          strangers += 1
          return
        }
        for copy in copies { try insert(row, copy, connection, &values) }
      }
      try connection.countOn(from: table.lastKey, table: table.ownTable)
    }
    for link in layout.links {
      try source.connection.forEachRow(link.query) { row in
        step()
        try insert(row, link, connection)
      }
    }
    progress?(done, total)
    try noteTextForms(values.textForms, connection)
    try finish(connection, &report)
    report.rows = try layout.schema.entities.map { entity in
      (entity.name, try connection.rowCount(of: entity, in: layout.schema))
    }
    report.files = values.files
    if strangers > 0 {
      report.notes.append(
        strangers == 1
          ? "1 row is of no entity, and is left out"
          : "\(strangers) rows are of no entity, and are left out")
    }
    if values.missingFiles > 0 {
      report.notes.append(
        "files are missing for \(values.missingFiles) of the values: they are not in "
          + "\(ExternalFiles(store: source.file).path), and are left out")
    }
    return report
  }

  private func insert(
    _ row: SQLiteStatement, _ copy: ImportLayout.RowCopy, _ connection: SQLiteConnection,
    _ values: inout ImportedValue
  ) throws {
    let key = row.int64(at: 0)
    let statement = try connection.cached(copy.statement)
    var parameter = 1
    for source in copy.sources {
      switch source {
      case .key: try statement.bind(key, at: parameter)
      case .text(let text): try statement.bind(text, at: parameter)
      case .reference(let column):
        let other = row.int64(at: column)
        try statement.bind(other == 0 ? .null : .integer(other), at: parameter)
      case .position(let column):
        let isPlaced = column.map { !row.isNull(at: $0) } == true
        try statement.bind(isPlaced ? row.int64(at: column ?? 0) : key, at: parameter)
      case .composite(let element, let isOptional):
        let value = try element.value(of: row) ?? (isOptional ? nil : .object([:]))
        try statement.bind((value?.json).map { .text($0) } ?? .null, at: parameter)
      case .attribute(let column, let attribute, let entity, let hasMark):
        let found = try values.values(
          of: row, column, attribute, entity: entity, hasMark: hasMark)
        for value in found {
          try statement.bind(value, at: parameter)
          parameter += 1
        }
        continue
      }
      parameter += 1
    }
    try statement.run()
  }

  private func insert(
    _ row: SQLiteStatement, _ link: ImportLayout.LinkCopy, _ connection: SQLiteConnection
  ) throws {
    let values = (0..<row.columnCount).map { SQLiteValue.integer(row.int64(at: $0)) }
    try connection.execute(link.statement, values)
    guard link.isMutual else { return }
    try connection.execute(link.statement, [values[1], values[0], values[0]])
  }

  /// Tells programs which columns hold text in another form than the composed one.
  private func noteTextForms(
    _ columns: [String: Set<String>], _ connection: SQLiteConnection
  ) throws {
    let names = columns.flatMap { entity, columns -> [String] in
      let schema = layout.schema
      let lineage = schema.entity(entity).map { schema.lineage(of: $0) } ?? []
      return columns.compactMap { column in
        lineage.first { $0.attributes.contains { $0.column == column } }
          .map { TextFormColumns.name(column, of: SQLText.name($0.table)) }
      }
    }
    guard !names.isEmpty else { return }
    try connection.setMetadata(
      TextFormColumns.key, JSONValue.strings(Set(names).sorted()).text())
  }

  /// Removes links to rows that are not there: Core Data does not ask for them.
  private func finish(_ connection: SQLiteConnection, _ report: inout Report) throws {
    let name = SQLText.name
    let key = name(StoredEntity.keyColumn)
    var schema = layout.schema
    for (index, entity) in layout.schema.entities.enumerated() {
      for (place, relationship) in entity.relationships.enumerated() {
        let label = "\(entity.name).\(relationship.name)"
        guard let destination = schema.entity(relationship.destination) else { continue }
        switch relationship.storage {
        case .foreignKey(let column, let position):
          let other = position.map { ", \(name($0))=NULL" } ?? ""
          try connection.execute(
            "UPDATE \(name(entity.table)) SET \(name(column))=NULL\(other) "
              + "WHERE \(name(column)) IS NOT NULL AND \(name(column)) NOT IN "
              + "(SELECT \(key) FROM \(name(destination.table)))")
          report.noteLoose(connection.changes, label)
          let isEmpty =
            try connection.int64(
              "SELECT 1 FROM \(name(entity.table)) WHERE \(name(column)) IS NULL LIMIT 1") != nil
          if isEmpty, !relationship.isOptional {
            schema.entities[index].relationships[place].isOptional = true
            report.notes.append("\(label) leads nowhere in some rows: now optional")
          }
        case .join(let join) where layout.links.contains { $0.name == label }:
          try connection.execute(
            "DELETE FROM \(name(join.table)) WHERE \(name(join.owner)) NOT IN "
              + "(SELECT \(key) FROM \(name(entity.table))) OR \(name(join.destination)) NOT IN "
              + "(SELECT \(key) FROM \(name(destination.table)))")
          report.noteLoose(connection.changes, label)
          report.links += try connection.int64("SELECT count(*) FROM \(name(join.table))") ?? 0
        case .join, .inverse: continue
        }
      }
    }
    if schema != layout.schema { try connection.writeSchema(schema) }
  }
}

extension DataStoreImport.Report {
  fileprivate mutating func noteLoose(_ count: Int, _ relationship: String) {
    guard count > 0 else { return }
    notes.append(
      "\(relationship): \(count) link\(count == 1 ? "" : "s") to rows that are not there, left out")
  }
}

extension SQLiteConnection {
  /// Makes the next key of a table larger than every one that was given.
  fileprivate func countOn(from last: Int64, table: String) throws(StorageError) {
    let name = SQLiteValue.text(table)
    let used = try int64("SELECT seq FROM sqlite_sequence WHERE name=?", [name])
    if used == nil {
      try execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", [name, .integer(last)])
    } else if used ?? 0 < last {
      try execute("UPDATE sqlite_sequence SET seq=? WHERE name=?", [.integer(last), name])
    }
  }

  /// The rows that are an entity's and no subentity's.
  fileprivate func rowCount(
    of entity: StoredEntity, in schema: StoredSchema
  ) throws(StorageError) -> Int64 {
    let root = schema.lineage(of: entity).last ?? entity
    let table = SQLText.name(root.table)
    guard root.name != entity.name || !schema.subentities(of: entity).isEmpty else {
      return try int64("SELECT count(*) FROM \(table)") ?? 0
    }
    return try int64(
      "SELECT count(*) FROM \(table) WHERE \(SQLText.name(StoredEntity.classColumn))=?",
      [.text(entity.name)]) ?? 0
  }
}
