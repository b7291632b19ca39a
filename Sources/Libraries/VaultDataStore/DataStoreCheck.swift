package import VaultStorage

/// Checks an application's store for damage.
///
/// It only reads.
package struct DataStoreCheck {
  package let file: DataStoreFile
  /// Whether to tell what the program has found not to decode; the program itself decodes all of
  /// it.
  package var tellsUndecoded = true
  /// Called now and then with the current step.
  package var progress: (String) -> Void = { _ in }

  package init(file: DataStoreFile) { self.file = file }

  /// One line for each finding; empty if all is well.
  ///
  /// - Throws: ``StorageError`` if the file cannot be read at all.
  package func problems(
    on connection: SQLiteConnection, _ metadata: DataStoreMetadata
  ) throws -> [String] {
    connection.onProgress(every: 100_000) {
      progress("checking pages")
      return true
    }
    defer { connection.onProgress(every: 0, nil) }
    var problems: [String] = []
    do {
      problems += try connection.integrityCheck()
    } catch {
      // A page that the check itself needs.
      guard error.code == .damaged else { throw error }
      problems.append(error.message)
    }
    problems += try metadataProblems(connection, metadata)
    guard problems.isEmpty else { return problems }
    problems += try connection.foreignKeyCheck().map { violation in
      "\(violation.table): row \(violation.row.map { "\($0)" } ?? "?") names nothing in "
        + violation.parent
    }
    problems += try ExternalFiles(store: file).problems(of: metadata.schema, on: connection) {
      progress("checking external files, \($0) of \($1)")
    }
    if tellsUndecoded { problems += try connection.undecodedProblems(metadata.schema) }
    return problems
  }

  /// The contradictions between tables and metadata.
  private func metadataProblems(
    _ connection: SQLiteConnection, _ metadata: DataStoreMetadata
  ) throws -> [String] {
    var problems: [String] = []
    do throws(StorageError) {
      try metadata.schema.validate()
    } catch {
      problems.append("the metadata contradicts itself: \(error.message)")
    }
    if try connection.metadata("schema_fingerprint") != metadata.schema.fingerprint {
      problems.append("the metadata's fingerprint is not that of its schema")
    }
    for table in metadata.schema.tables {
      var found: [String: String] = [:]
      try connection.forEachRow(
        "SELECT name, type FROM pragma_table_info(?)", [.text(table.name)]
      ) { row in found[row.string(at: 0)] = row.string(at: 1) }
      guard !found.isEmpty else {
        problems.append("the table \(table.name) is missing")
        continue
      }
      for column in table.columns where found[column.name] != column.type {
        problems.append(
          found[column.name] == nil
            ? "the column \(table.name).\(column.name) is missing"
            : "the column \(table.name).\(column.name) is not \(column.type)")
      }
    }
    let indexes = Set(try connection.strings("SELECT name FROM sqlite_schema WHERE type='index'"))
    for index in metadata.schema.indexDefinitions where !indexes.contains(index.name) {
      problems.append("the index \(index.name) is missing")
    }
    return problems
  }
}
