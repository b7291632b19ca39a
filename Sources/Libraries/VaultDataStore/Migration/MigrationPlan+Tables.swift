import VaultStorage

/// The changes of tables, after all names are those of the new schema.
extension MigrationPlan {
  mutating func change(_ matches: SchemaMatches) throws(StorageError) {
    let (current, new) = (matches.current, matches.new)
    try describe(matches)
    let oldTables = current.tables
    let newTables = new.tables
    let moves = linkMoves(current, new)
    for (number, move) in moves.enumerated() { collect(move, number) }
    removeRowsOfDroppedSubentities(current, new)
    moveIn(current, new)
    for table in oldTables where !newTables.contains(where: { $0.name == table.name }) {
      steps.append(.sql("DROP TABLE \(SQLText.name(table.name))", table: nil))
    }
    var rebuilt: Set<String> = []
    for table in newTables {
      guard let old = oldTables.first(where: { $0.name == table.name }) else {
        steps.append(.sql(table.createStatement(), table: nil))
        continue
      }
      if change(old, to: table, matches) { rebuilt.insert(table.name) }
    }
    for (number, move) in moves.enumerated() { distribute(move, number) }
    let kept = matches.keptIndexes
    for index in new.indexDefinitions where !kept.contains(index) || rebuilt.contains(index.table) {
      steps.append(.sql(index.createStatement, table: index.table))
    }
    moveOut(current, new)
  }

  // MARK: A table

  /// Changes a table in place where SQLite can, else by a copy; answers whether it was a copy.
  private mutating func change(
    _ old: TableDefinition, to new: TableDefinition, _ matches: SchemaMatches
  ) -> Bool {
    let replaced = Set(
      new.columns.map(\.name).filter { matches.replaced.contains("\(new.name).\($0)") })
    let added = new.columns.filter { column in !old.columns.contains { $0.name == column.name } }
    let removed = old.columns.filter { column in !new.columns.contains { $0.name == column.name } }
    let changed = new.columns.filter { column in
      old.columns.contains { $0.name == column.name && !$0.isSameBesidesDefault(column) }
    }
    // Changes that SQLite makes in place: sqlite.org/lang_altertable.html.
    let isInPlace =
      changed.isEmpty && replaced.isEmpty && removed.count <= 1
      && removed.allSatisfy { $0.constraint?.contains(bytes: "REFERENCES") != true }
      && added.allSatisfy { !$0.isRequired || ($0.defaultSQL ?? "NULL") != "NULL" }
      && old.constraint == new.constraint && old.hasRowID == new.hasRowID
    guard isInPlace else {
      rebuild(old, to: new, replaced, matches)
      return true
    }
    let name = SQLText.name(new.name)
    for column in added {
      steps.append(.sql("ALTER TABLE \(name) ADD COLUMN \(column.text)", table: nil))
    }
    for column in removed {
      steps.append(
        .sql("ALTER TABLE \(name) DROP COLUMN \(SQLText.name(column.name))", table: new.name))
    }
    return false
  }

  /// The copy of sqlite.org/lang_altertable.html#otheralter.
  private mutating func rebuild(
    _ old: TableDefinition, to new: TableDefinition, _ replaced: Set<String>,
    _ matches: SchemaMatches
  ) {
    let copy = "appdata_new_\(new.name)"
    steps.append(.sql(new.createStatement(as: copy), table: nil))
    var columns: [String] = []
    var values: [String] = []
    for column in new.columns {
      let isKept =
        old.columns.contains { $0.name == column.name } && !replaced.contains(column.name)
      let name = SQLText.name(column.name)
      // A key is put there afterwards, by the moved links or by the application; a row without one
      // fails the check of all keys at the end.
      let fallback =
        column.defaultSQL ?? column.fillSQL
        ?? (matches.isCustom || (!isKept && column.isKey) ? column.zero : nil)
      if isKept, column.isRequired, column.isKey, fallback == nil {
        requirements.append(
          .noNulls(
            property: "\(new.name).\(column.name)", table: matches.oldTable(named: new.name),
            column: matches.oldColumn(column.name, in: new.name)))
      }
      if isKept, column.isRequired, let fallback {
        values.append("coalesce(\(name), \(fallback))")
      } else if isKept {
        values.append(name)
      } else if let fallback {
        values.append(fallback)
      } else {
        continue
      }
      columns.append(name)
    }
    // Links to something else than before mean nothing.
    if new.hasRowID || replaced.isEmpty {
      steps.append(
        .sql(
          "INSERT INTO \(SQLText.name(copy))(\(columns.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM \(SQLText.name(new.name))",
          table: new.name))
    }
    if new.columns.contains(where: { $0.constraint?.ends(with: "AUTOINCREMENT") == true }) {
      // Keys of deleted rows stay used.
      steps.append(
        .sql(
          "DELETE FROM sqlite_sequence WHERE name=\(SQLText.literal(copy))", table: nil))
      steps.append(
        .sql(
          "INSERT INTO sqlite_sequence(name, seq) SELECT \(SQLText.literal(copy)), seq "
            + "FROM sqlite_sequence WHERE name=\(SQLText.literal(new.name))", table: nil))
    }
    steps.append(.sql("DROP TABLE \(SQLText.name(new.name))", table: nil))
    steps.append(
      .sql(
        "ALTER TABLE \(SQLText.name(copy)) RENAME TO \(SQLText.name(new.name))", table: nil))
  }

  // MARK: Files

  private mutating func moveIn(_ current: StoredSchema, _ new: StoredSchema) {
    forEachAttribute(current, new) { entity, old, attribute in
      if old.isExternal, !attribute.isExternal {
        steps.append(.moveIn(table: entity.table, column: attribute.column))
      }
    }
  }

  private mutating func moveOut(_ current: StoredSchema, _ new: StoredSchema) {
    forEachAttribute(current, new) { entity, old, attribute in
      if !old.isExternal, attribute.isExternal {
        steps.append(.moveOut(table: entity.table, column: attribute.column))
      }
    }
  }

  private func forEachAttribute(
    _ current: StoredSchema, _ new: StoredSchema,
    _ body: (StoredEntity, StoredAttribute, StoredAttribute) -> Void
  ) {
    for entity in new.entities {
      for attribute in entity.attributes {
        if let old = current.entity(entity.name)?.attribute(attribute.name) {
          body(entity, old, attribute)
        }
      }
    }
  }

  /// The rows of an entity that is gone lie in the tables of what it inherited from, too.
  private mutating func removeRowsOfDroppedSubentities(
    _ current: StoredSchema, _ new: StoredSchema
  ) {
    for entity in current.entities where new.entity(entity.name) == nil {
      for ancestor in current.lineage(of: entity).dropFirst() where new.entity(ancestor.name) != nil
      {
        let key = SQLText.name(StoredEntity.keyColumn)
        steps.append(
          .sql(
            "DELETE FROM \(SQLText.name(ancestor.table)) WHERE \(key) IN "
              + "(SELECT \(key) FROM \(SQLText.name(entity.table)))", table: ancestor.table))
      }
    }
  }
}

extension ColumnDefinition {
  fileprivate func isSameBesidesDefault(_ other: ColumnDefinition) -> Bool {
    var (left, right) = (self, other)
    (left.defaultSQL, left.fillSQL) = (nil, nil)
    (right.defaultSQL, right.fillSQL) = (nil, nil)
    return left == right
  }

  /// Whether it holds the key of another row.
  fileprivate var isKey: Bool { constraint?.contains(bytes: "REFERENCES") == true }

  /// The value in a required column until the application has filled it.
  fileprivate var zero: String? {
    guard isRequired else { return nil }
    if constraint?.contains(bytes: "json_valid") == true { return "'null'" }
    switch type {
    case "INTEGER", "REAL": return "0"
    case "TEXT": return "''"
    default: return "x''"
    }
  }
}
