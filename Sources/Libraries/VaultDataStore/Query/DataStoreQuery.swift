package import VaultStorage

/// A question to a store, made from the names in its metadata, without the application's code.
///
/// Values in a condition become parameters; names are looked up in the schema and quoted. With a
/// connection of ``DataStoreFile/Mode/read`` nothing can be changed: the file is opened for
/// reading, and `query_only` is on.
///
/// ```swift
/// var query = try DataStoreQuery(entity: "Trip", of: metadata.schema)
/// query.condition = try DataStoreExpression("name startsWith 'O' and stops.count > 1")
/// try query.forEachRow(on: connection) { row in … }
/// ```
package struct DataStoreQuery {
  /// A column of the answer.
  package enum Field: Sendable, Equatable {
    /// The row's key.
    case key
    case attribute(StoredAttribute)
    /// The key of the row that a relationship leads to.
    case toOne(StoredRelationship)
    /// The keys of the rows that it leads to, in their order, as a JSON array.
    case toMany(StoredRelationship)

    package var name: String {
      switch self {
      case .key: StoredEntity.keyColumn
      case .attribute(let attribute): attribute.name
      case .toOne(let relationship), .toMany(let relationship): relationship.name
      }
    }
  }

  package let schema: StoredSchema
  package let entity: StoredEntity
  package var condition: DataStoreExpression?
  /// Names of properties, and whether the largest comes first.
  package var order: [(path: [String], isDescending: Bool)] = []
  package var limit: Int?
  /// Whether relationships to many are among the fields.
  package var includesToMany = false

  /// A question for all rows of an entity, by its name; upper and lower case count.
  ///
  /// - Throws: ``StorageError`` with code `.invalidQuery`, naming the entities that there are.
  package init(entity name: String, of schema: StoredSchema) throws(StorageError) {
    guard let entity = schema.entity(name) else {
      let names = schema.entities.map(\.name).joined(separator: ", ")
      throw StorageError(.invalidQuery, "there is no entity \(name); there are: \(names)")
    }
    self.schema = schema
    self.entity = entity
  }

  /// The columns of the answer: the key, and the properties, inherited ones first.
  package var fields: [Field] {
    let lineage = schema.lineage(of: entity).reversed()
    var fields: [Field] = [.key]
    fields += lineage.flatMap { $0.attributes.map(Field.attribute) }
    for relationship in lineage.flatMap(\.relationships) {
      if !relationship.isToMany {
        fields.append(.toOne(relationship))
      } else if includesToMany {
        fields.append(.toMany(relationship))
      }
    }
    return fields
  }

  /// Calls `body` for each row, one at a time, with a column for each of ``fields``.
  ///
  /// - Throws: What `body` throws; ``StorageError`` with code `.invalidQuery` for a property that
  ///   is not there or cannot be compared so.
  package func forEachRow(
    on connection: SQLiteConnection, _ body: (SQLiteStatement) throws -> Void
  ) throws {
    var compiler = QueryCompiler(schema: schema)
    let scope = compiler.scope(of: entity)
    var columns: [String] = []
    for field in fields { columns.append(try compiler.column(field, scope)) }
    var sql = "SELECT \(columns.joined(separator: ", ")) FROM \(scope.source)"
    if let condition { sql += " WHERE \(try compiler.sql(condition, scope))" }
    var keys: [String] = []
    for (path, isDescending) in order {
      keys.append(try compiler.sortKey(path, scope) + (isDescending ? " DESC" : ""))
    }
    keys.append(scope.key)
    sql += " ORDER BY \(keys.joined(separator: ", "))"
    if let limit { sql += " LIMIT \(limit)" }
    let statement = try connection.prepare(sql)
    try statement.bind(compiler.values)
    while try statement.step() { try body(statement) }
  }

  /// The number of rows.
  package func count(on connection: SQLiteConnection) throws(StorageError) -> Int64 {
    var compiler = QueryCompiler(schema: schema)
    let scope = compiler.scope(of: entity)
    var sql = "SELECT count(*) FROM \(scope.source)"
    if let condition { sql += " WHERE \(try compiler.sql(condition, scope))" }
    let count = try connection.int64(sql, compiler.values) ?? 0
    return limit.map { min(Int64($0), count) } ?? count
  }
}
