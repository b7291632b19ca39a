package import VaultStorage

/// The steps that bring a store from one schema to another without the application's code.
///
/// Made by comparing two schemas; nothing is read or written until it is run.
///
/// The rules are Core Data's lightweight ones: developer.apple.com/documentation/coredata,
/// "Migrating your data model automatically".
package struct MigrationPlan: Sendable, Equatable {
  /// Something to do, in order.
  package enum Step: Sendable, Equatable {
    /// A statement; `table` is the one whose rows it goes through.
    case sql(String, table: String?)
    /// Values above the threshold go to files of their own.
    case moveOut(table: String, column: String)
    /// Values in files go to the column.
    case moveIn(table: String, column: String)
  }

  /// Conditions that the rows must meet before the first step.
  package enum Requirement: Sendable, Equatable {
    /// There are none, since a new property has no value for them.
    case noRows(property: String, table: String)
    /// All have a value.
    case noNulls(property: String, table: String, column: String)
    /// No two have the same values.
    case noDuplicates(property: String, table: String, columns: [String])
  }

  /// A loss of data that looks like a mistake.
  package struct Risk: Sendable, Equatable {
    /// `Trip.start_date`.
    package let property: String
    /// The query that finds a row which would lose something.
    let query: String
    /// The message if there is one.
    package let message: String
  }

  /// The changes, one line each, for people.
  package internal(set) var changes: [String] = []
  package internal(set) var requirements: [Requirement] = []
  package internal(set) var risks: [Risk] = []
  package internal(set) var steps: [Step] = []
  /// Columns that get another name or lie in another table, as ``TextFormColumns`` names them.
  private(set) var columnNames: [String: String] = [:]

  /// Compares two schemas.
  ///
  /// - Parameters:
  ///   - old: What the store holds.
  ///   - new: What it is to hold.
  ///   - isCustom: Whether the application fills in what a change of type leaves empty; else such a
  ///     change is refused.
  /// - Throws: ``StorageError`` with code `.migration`, naming entity and property, where no rule
  ///   applies; `.invalidSchema`.
  package init(
    from old: StoredSchema, to new: StoredSchema, isCustom: Bool = false
  ) throws(StorageError) {
    try new.validate()
    let matches = try SchemaMatches(old: old, new: new, isCustom: isCustom)
    dropIndexes(matches)
    rename(matches)
    columnNames = matches.columnNames
    try change(matches)
    risks += matches.risks
  }

  /// Indexes that do not stay go first: a column cannot be dropped while one is on it.
  private mutating func dropIndexes(_ matches: SchemaMatches) {
    let kept = matches.keptIndexes
    for index in matches.old.indexDefinitions where !kept.contains(index) {
      steps.append(.sql("DROP INDEX IF EXISTS \(SQLText.name(index.name))", table: nil))
    }
  }

  private mutating func rename(_ matches: SchemaMatches) {
    renameTables(matches.tableRenames)
    renameColumns(matches.columnRenames)
    for rename in matches.classRenames {
      let column = SQLText.name(StoredEntity.classColumn)
      steps.append(
        .sql(
          "UPDATE \(SQLText.name(rename.table)) SET \(column)=\(SQLText.literal(rename.new)) "
            + "WHERE \(column)=\(SQLText.literal(rename.old))", table: rename.table))
    }
    changes += matches.renames.map { "rename \($0.old) to \($0.new)" }
  }

  private mutating func renameTables(_ renames: [SchemaMatches.Rename]) {
    var second: [SchemaMatches.Rename] = []
    for (number, rename) in renames.enumerated() {
      // SQLite ignores case: a name is free when all that have it have gone out of the way, the table
      // itself among them.
      let isTaken = renames.contains { $0.old.lowercased() == rename.new.lowercased() }
      let way = isTaken ? "_moved_\(number)" : rename.new
      renameTable(rename.old, to: way)
      if isTaken { second.append(.init(old: way, new: rename.new)) }
    }
    for rename in second { renameTable(rename.old, to: rename.new) }
  }

  private mutating func renameTable(_ old: String, to new: String) {
    steps.append(
      .sql("ALTER TABLE \(SQLText.name(old)) RENAME TO \(SQLText.name(new))", table: nil))
  }

  private mutating func renameColumns(_ renames: [SchemaMatches.Rename]) {
    var second: [SchemaMatches.Rename] = []
    for (number, rename) in renames.enumerated() {
      // A name that another column still has is free when all have gone out of the way.
      let isTaken = renames.contains {
        $0.table == rename.table && $0.old.lowercased() == rename.new.lowercased() && $0 != rename
      }
      let way = isTaken ? "_moved_\(number)" : rename.new
      renameColumn(rename.old, to: way, in: rename.table)
      if isTaken { second.append(.init(table: rename.table, old: way, new: rename.new)) }
    }
    for rename in second { renameColumn(rename.old, to: rename.new, in: rename.table) }
  }

  private mutating func renameColumn(_ old: String, to new: String, in table: String) {
    steps.append(
      .sql(
        "ALTER TABLE \(SQLText.name(table)) RENAME COLUMN \(SQLText.name(old)) "
          + "TO \(SQLText.name(new))", table: nil))
  }
}
