import VaultStorage

/// The tables of a schema: one for each entity, one for each many-to-many relationship.
///
/// They are STRICT and hold no function or collation of ours, so that any program with SQLite 3.37
/// reads, orders and checks them.
extension StoredSchema {
  /// All statements that make the schema's tables and indexes in an empty database.
  package var statements: [String] {
    tables.map { $0.createStatement() } + indexDefinitions.map(\.createStatement)
  }

  /// Every table, joins last.
  var tables: [TableDefinition] { entities.map(table) + joins.map(table) }

  /// The join tables, each once: with the column first that comes first by its name, so that which
  /// side declares it makes no difference.
  var joins: [(owner: StoredEntity, destination: StoredEntity, join: StoredJoin)] {
    var seen: Set<String> = []
    var found: [(StoredEntity, StoredEntity, StoredJoin)] = []
    for entity in entities {
      for relationship in entity.relationships {
        guard case .join(let join) = relationship.storage else { continue }
        guard seen.insert(join.table).inserted else { continue }
        if join.owner <= join.destination {
          found.append((entity, self.entity(relationship.destination) ?? entity, join))
        } else {
          var turned = join
          (turned.owner, turned.destination) = (join.destination, join.owner)
          found.append((self.entity(relationship.destination) ?? entity, entity, turned))
        }
      }
    }
    return found
  }

  func table(of entity: StoredEntity) -> TableDefinition {
    let parent = entity.superentity.flatMap { self.entity($0) }
    var columns = [keyColumn(parent: parent)]
    if parent == nil, !subentities(of: entity).isEmpty {
      columns.append(
        ColumnDefinition(
          StoredEntity.classColumn, type: "TEXT", isRequired: true,
          defaultSQL: SQLText.literal(entity.name)))
    }
    columns += entity.attributes.flatMap(self.columns)
    columns += entity.relationships.flatMap(self.columns)
    return TableDefinition(name: entity.table, columns: columns)
  }

  private func keyColumn(parent: StoredEntity?) -> ColumnDefinition {
    var key = ColumnDefinition(StoredEntity.keyColumn, type: "INTEGER", isRequired: false)
    key.constraint =
      if let parent {
        "PRIMARY KEY" + reference(to: parent, onDelete: " ON DELETE CASCADE")
      } else {
        // A key is never given to another row, so that an identifier never changes its meaning.
        "PRIMARY KEY AUTOINCREMENT"
      }
    return key
  }

  func columns(of attribute: StoredAttribute) -> [ColumnDefinition] {
    var column = ColumnDefinition(
      attribute.column, type: attribute.columnType, isRequired: !attribute.isOptional,
      defaultSQL: attribute.defaultSQL)
    column.fillSQL = attribute.fillSQL
    if attribute.type == .json {
      // SQLite before 3.41 answers 0 for NULL, not NULL.
      let name = SQLText.name(attribute.column)
      column.constraint =
        attribute.isOptional
        ? "CHECK(\(name) IS NULL OR json_valid(\(name)))" : "CHECK(json_valid(\(name)))"
    }
    guard attribute.type == .decimal else { return [column] }
    // The key may be missing, since nothing in SQL can make it: a person may add a row by hand.
    let order = ColumnDefinition(
      attribute.orderColumn, type: "TEXT", isRequired: false, defaultSQL: attribute.defaultOrderSQL)
    return [column, order]
  }

  func columns(of relationship: StoredRelationship) -> [ColumnDefinition] {
    guard case .foreignKey(let name, let position) = relationship.storage else { return [] }
    // A key is declared as such unless deleting the other end is to leave it as it is.
    var column = ColumnDefinition(name, type: "INTEGER", isRequired: !relationship.isOptional)
    if isEnforced(relationship), let destination = entity(relationship.destination) {
      column.constraint = reference(to: destination, onDelete: "").dropFirst().description
    }
    let place = position.map { ColumnDefinition($0, type: "INTEGER", isRequired: false) }
    return [column] + (place.map { [$0] } ?? [])
  }

  /// Whether SQLite enforces that the key names a row.
  func isEnforced(_ relationship: StoredRelationship) -> Bool {
    let inverse = relationship.inverse.flatMap {
      entity(relationship.destination)?.relationship($0)
    }
    return inverse?.deleteRule != .noAction
  }

  private func reference(to entity: StoredEntity, onDelete: String) -> String {
    " REFERENCES \(SQLText.name(entity.table))(\(SQLText.name(StoredEntity.keyColumn)))\(onDelete)"
      + " DEFERRABLE INITIALLY DEFERRED"
  }

  private func table(
    _ owner: StoredEntity, _ destination: StoredEntity, _ join: StoredJoin
  ) -> TableDefinition {
    func end(_ name: String, _ entity: StoredEntity) -> ColumnDefinition {
      var column = ColumnDefinition(name, type: "INTEGER", isRequired: true)
      // A link without one of its ends means nothing.
      column.constraint =
        reference(to: entity, onDelete: " ON DELETE CASCADE").dropFirst()
        .description
      return column
    }
    var columns = [end(join.owner, owner), end(join.destination, destination)]
    for position in [join.position, join.inversePosition].compactMap({ $0 }).sorted() {
      columns.append(ColumnDefinition(position, type: "INTEGER", isRequired: false))
    }
    let key = "PRIMARY KEY(\(SQLText.name(join.owner)), \(SQLText.name(join.destination)))"
    return TableDefinition(
      name: join.table, columns: columns, constraint: key, hasRowID: false)
  }
}

extension StoredAttribute {
  /// The column's type.
  ///
  /// `ANY` keeps a value as it is given: a number beyond `Int64` is text, and so
  /// is what stands for an external file (sqlite.org/stricttables.html).
  package var columnType: String {
    switch type {
    case .boolean, .integer: "INTEGER"
    case .unsigned: "ANY"
    case .float, .double, .date: "REAL"
    case .decimal, .string, .character, .uuid, .url, .json: "TEXT"
    case .data, .sealed: isExternal ? "ANY" : "BLOB"
    case .transformable: "BLOB"
    }
  }
}

/// A table as this program would make it.
struct TableDefinition: Equatable {
  var name: String
  var columns: [ColumnDefinition]
  var constraint: String?
  var hasRowID = true

  /// The statement that makes it, by this name or another.
  func createStatement(as other: String? = nil) -> String {
    let lines = columns.map(\.text) + [constraint].compactMap { $0 }
    return "CREATE TABLE \(SQLText.name(other ?? name))(\n  "
      + lines.joined(separator: ",\n  ")
      + (hasRowID ? "\n) STRICT" : "\n) STRICT, WITHOUT ROWID")
  }
}

/// A column as this program would make it.
struct ColumnDefinition: Equatable {
  var name: String
  var type: String
  var isRequired: Bool
  var defaultSQL: String?
  /// The value of the rows that there are when the column is added; no part of the table.
  var fillSQL: String?
  /// The part after type, NOT NULL and DEFAULT.
  var constraint: String?

  init(_ name: String, type: String, isRequired: Bool, defaultSQL: String? = nil) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.defaultSQL = defaultSQL
  }

  var text: String {
    "\(SQLText.name(name)) \(type)" + (isRequired ? " NOT NULL" : "")
      + (defaultSQL.map { " DEFAULT \($0)" } ?? "") + (constraint.map { " \($0)" } ?? "")
  }
}

/// An index as this program would make it.
struct IndexDefinition: Hashable {
  var name: String
  var table: String
  var columns: [String]
  var isUnique: Bool
  /// Which rows are in it; all if `nil`.
  var condition: String?

  init(table: String, columns: [String], isUnique: Bool) {
    name = "\(table)_\(columns.joined(separator: "_"))_\(isUnique ? "unique" : "index")"
    self.table = table
    self.columns = columns
    self.isUnique = isUnique
  }

  /// The references to external files in a column: found without going through the rows, and none
  /// of them twice.
  init(filesIn column: String, of table: String) {
    self.init(table: table, columns: [column], isUnique: true)
    name = "\(table)_\(column)_files"
    condition = "typeof(\(SQLText.name(column)))='text'"
  }

  var createStatement: String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.name(name)) ON "
      + "\(SQLText.name(table))(\(columns.map(SQLText.name).joined(separator: ", ")))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension StoredSchema {
  /// Every index, each once.
  var indexDefinitions: [IndexDefinition] {
    var found: [IndexDefinition] = []
    func add(_ table: String, _ columns: [String?], isUnique: Bool) {
      let index = IndexDefinition(
        table: table, columns: columns.compactMap { $0 }, isUnique: isUnique)
      if !index.columns.isEmpty, !found.contains(index) { found.append(index) }
    }
    for entity in entities {
      for attribute in entity.attributes where attribute.isUnique {
        add(entity.table, [attribute.column], isUnique: true)
      }
      for attribute in entity.attributes where attribute.isExternal {
        found.append(IndexDefinition(filesIn: attribute.column, of: entity.table))
      }
      for constraint in entity.uniqueConstraints {
        let columns = constraint.map { name in
          entity.attribute(name)?.column ?? entity.indexColumn(of: name)
        }
        add(entity.table, columns, isUnique: true)
      }
      for index in entity.indexes {
        // No index spans two tables: each has one with its own properties.
        for owner in lineage(of: entity) {
          add(owner.table, index.properties.map(owner.indexColumn), isUnique: false)
        }
      }
      for relationship in entity.relationships {
        guard case .foreignKey(let column, let position) = relationship.storage else { continue }
        add(entity.table, [column, position], isUnique: false)
      }
    }
    for (_, _, join) in joins { add(join.table, [join.destination], isUnique: false) }
    return found
  }
}

/// Names and literals in SQL: sqlite.org/lang_keywords.html.
package enum SQLText {
  /// A name, quoted.
  package static func name(_ text: String) -> String { Quoting.sqlName(text) }

  /// Keys as a JSON array, for `json_each(?)`: one parameter, however many there are.
  package static func array(of keys: [Int64]) -> String {
    "[\(keys.map(String.init).joined(separator: ","))]"
  }

  /// A text as a literal.
  package static func literal(_ text: String) -> String { Quoting.sqlLiteral(text) }
}
