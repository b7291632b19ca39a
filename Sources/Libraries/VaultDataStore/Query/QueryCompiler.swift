import VaultStorage

/// Compiles an expression to SQL with parameters.
struct QueryCompiler {
  /// The rows of one entity within a statement.
  struct Scope {
    let entity: StoredEntity
    /// The table, joined with those of what it inherits from.
    let source: String
    /// By the names of entities.
    let aliases: [String: String]
    var key: String { "\(aliases[entity.name] ?? "").\(SQLText.name(StoredEntity.keyColumn))" }
  }

  /// The end of a path: SQL for its value, and how values are compared with it.
  struct Target {
    var sql: String
    var type: StoredType
    /// For a decimal number, SQL for its key to sort by, which is `NULL` where a person added the
    /// row.
    var order: String?
  }

  let schema: StoredSchema
  private(set) var values: [SQLiteValue] = []
  private var aliasCount = 0

  init(schema: StoredSchema) { self.schema = schema }

  mutating func scope(of entity: StoredEntity) -> Scope {
    var aliases: [String: String] = [:]
    var source = ""
    let key = SQLText.name(StoredEntity.keyColumn)
    let first = "t\(aliasCount)"
    for ancestor in schema.lineage(of: entity) {
      let alias = "t\(aliasCount)"
      aliasCount += 1
      aliases[ancestor.name] = alias
      source +=
        source.isEmpty
        ? "\(SQLText.name(ancestor.table)) AS \(alias)"
        : " JOIN \(SQLText.name(ancestor.table)) AS \(alias) ON \(alias).\(key)=\(first).\(key)"
    }
    return Scope(entity: entity, source: source, aliases: aliases)
  }

  // MARK: Columns

  func column(_ field: DataStoreQuery.Field, _ scope: Scope) throws(StorageError) -> String {
    switch field {
    case .key: return scope.key
    case .attribute(let attribute): return sql(attribute, scope)
    case .toOne(let relationship):
      return links(relationship, scope).map { "(SELECT \($0.key) FROM \($0.source) LIMIT 1)" }
        ?? "NULL"
    case .toMany(let relationship):
      guard let links = links(relationship, scope) else { return "'[]'" }
      return "(SELECT json_group_array(k) FROM (SELECT \(links.key) AS k FROM \(links.source) "
        + "ORDER BY \(links.order)))"
    }
  }

  private func sql(_ attribute: StoredAttribute, _ scope: Scope) -> String {
    let owner = schema.lineage(of: scope.entity).first { $0.attribute(attribute.name) != nil }
    let alias = owner.flatMap { scope.aliases[$0.name] } ?? ""
    return "\(alias).\(SQLText.name(attribute.column))"
  }

  mutating func sortKey(_ path: [String], _ scope: Scope) throws(StorageError) -> String {
    let target = try target(path, scope) { attribute in
      attribute.type == .decimal ? attribute.orderColumn : attribute.column
    }
    return target.sql
  }

  // MARK: Relationships

  /// Where the rows are that a relationship leads to: a source with the condition, their key, and
  /// what orders them.
  private func links(
    _ relationship: StoredRelationship, _ scope: Scope
  ) -> (key: String, source: String, order: String)? {
    guard
      let owner = schema.lineage(of: scope.entity)
        .first(where: { $0.relationship(relationship.name) != nil }),
      let alias = scope.aliases[owner.name]
    else { return nil }
    guard let links = schema.links(of: relationship, in: owner) else { return nil }
    if links.place == .owners {
      let column = "\(alias).\(links.destination)"
      return (column, "(SELECT 1) WHERE \(column) IS NOT NULL", "1")
    }
    let found = "l.\(links.destination)"
    let place = links.position.map { "l.\($0)" }
    return (
      found,
      "\(links.table) AS l WHERE l.\(links.owner)=\(alias).\(SQLText.name(StoredEntity.keyColumn))",
      // Places in a join table are unique for an owner; a column of places may lack some.
      links.place == .joinTable ? place ?? found : place.map { "\($0), \(found)" } ?? found
    )
  }

  // MARK: Paths

  private func property(_ name: String, _ scope: Scope) throws(StorageError) -> DataStoreQuery.Field
  {
    if name == StoredEntity.keyColumn { return .key }
    for entity in schema.lineage(of: scope.entity) {
      if let attribute = entity.attribute(name) { return .attribute(attribute) }
      if let relationship = entity.relationship(name) {
        return relationship.isToMany ? .toMany(relationship) : .toOne(relationship)
      }
    }
    let known = schema.lineage(of: scope.entity).reversed().flatMap {
      $0.attributes.map(\.name) + $0.relationships.map(\.name)
    }
    throw StorageError(
      .invalidQuery,
      "\(scope.entity.name) has no property \(name); it has: \(known.joined(separator: ", "))")
  }

  /// The value at the end of a path that leads through no relationship to many.
  private mutating func target(
    _ path: [String], _ scope: Scope,
    column: (StoredAttribute) -> String = { $0.column }
  ) throws(StorageError) -> Target {
    let rest = Array(path.dropFirst())
    switch try property(path[0], scope) {
    case .key: return Target(sql: scope.key, type: .integer)
    case .attribute(var attribute):
      guard rest.isEmpty else { throw leadsNowhere(path) }
      var order: String?
      if attribute.type == .decimal {
        var key = attribute
        key.column = attribute.orderColumn
        order = sql(key, scope)
      }
      attribute.column = column(attribute)
      return Target(sql: sql(attribute, scope), type: attribute.type, order: order)
    case .toOne(let relationship):
      let key = try self.column(.toOne(relationship), scope)
      guard !rest.isEmpty else { return Target(sql: key, type: .integer) }
      guard let destination = schema.entity(relationship.destination) else {
        throw leadsNowhere(path)
      }
      let inner = self.scope(of: destination)
      var target = try target(rest, inner, column: column)
      func reached(_ sql: String) -> String {
        "(SELECT \(sql) FROM \(inner.source) WHERE \(inner.key)=\(key))"
      }
      target.sql = reached(target.sql)
      target.order = target.order.map(reached)
      return target
    case .toMany(let relationship):
      guard rest == ["count"] else {
        throw StorageError(
          .invalidQuery,
          "\(path.joined(separator: ".")) leads to many rows; here only \(relationship.name).count "
            + "has one value")
      }
      guard let links = links(relationship, scope) else { throw leadsNowhere(path) }
      return Target(sql: "(SELECT count(*) FROM \(links.source))", type: .integer)
    }
  }

  private func leadsNowhere(_ path: [String]) -> StorageError {
    StorageError(.invalidQuery, "\(path.joined(separator: ".")) leads nowhere")
  }

  // MARK: Conditions

  mutating func sql(
    _ expression: DataStoreExpression, _ scope: Scope
  ) throws(StorageError) -> String {
    switch expression {
    case .and(let left, let right):
      return "(\(try sql(left, scope)) AND \(try sql(right, scope)))"
    case .or(let left, let right):
      return "(\(try sql(left, scope)) OR \(try sql(right, scope)))"
    // NULL counts as false, so that its negation is true.
    case .not(let inner): return "NOT coalesce(\(try sql(inner, scope)), 0)"
    case .compare(let path, let comparison, let operand):
      let root = scope
      return try some(path, scope) { compiler, rest, scope throws(StorageError) in
        // The other operand's path starts at the row itself, not at the end of this path.
        try compiler.compare(try compiler.target(rest, scope), comparison, operand, root)
      }
    case .among(let path, let list):
      return try some(path, scope) { compiler, rest, scope throws(StorageError) in
        let target = try compiler.target(rest, scope)
        if target.type == .decimal {
          var tests: [String] = []
          for value in list {
            tests.append(try compiler.compare(target, .equal, .value(value), scope))
          }
          return tests.isEmpty ? "0" : "(\(tests.joined(separator: " OR ")))"
        }
        var marks: [String] = []
        for value in list { marks.append(compiler.bind(try target.bound(value))) }
        return "\(target.operand) IN (\(marks.joined(separator: ", ")))"
      }
    case .isTrue(let path):
      return try some(path, scope) { compiler, rest, scope throws(StorageError) in
        let target = try compiler.target(rest, scope)
        guard target.type == .boolean else {
          throw StorageError(
            .invalidQuery,
            "\(path.joined(separator: ".")) is not a boolean; a comparison is missing")
        }
        return target.sql
      }
    }
  }

  /// A condition on what is at the end of a path: for some, where it leads through many.
  private mutating func some(
    _ path: [String], _ scope: Scope,
    _ condition: (inout QueryCompiler, [String], Scope) throws(StorageError) -> String
  ) throws(StorageError) -> String {
    let rest = Array(path.dropFirst())
    switch try property(path[0], scope) {
    case .toMany(let relationship) where rest != ["count"]:
      guard let links = links(relationship, scope),
        let destination = schema.entity(relationship.destination)
      else { throw leadsNowhere(path) }
      let inner = self.scope(of: destination)
      let test = try some(rest.isEmpty ? [StoredEntity.keyColumn] : rest, inner, condition)
      return "EXISTS(SELECT 1 FROM \(inner.source) WHERE \(inner.key) IN "
        + "(SELECT \(links.key) FROM \(links.source)) AND \(test))"
    case .toOne(let relationship) where try leadsThroughMany(rest, relationship):
      guard let destination = schema.entity(relationship.destination) else {
        throw leadsNowhere(path)
      }
      let inner = self.scope(of: destination)
      let key = try column(.toOne(relationship), scope)
      let test = try some(rest, inner, condition)
      return "EXISTS(SELECT 1 FROM \(inner.source) WHERE \(inner.key)=\(key) AND \(test))"
    default: return try condition(&self, path, scope)
    }
  }

  private func leadsThroughMany(
    _ path: [String], _ relationship: StoredRelationship
  ) throws(StorageError) -> Bool {
    guard let first = path.first, let destination = schema.entity(relationship.destination) else {
      return false
    }
    var probe = self
    let rest = Array(path.dropFirst())
    return switch try property(first, probe.scope(of: destination)) {
    case .toMany: rest != ["count"]
    case .toOne(let next): try leadsThroughMany(rest, next)
    default: false
    }
  }

  private mutating func compare(
    _ target: Target, _ comparison: DataStoreExpression.Comparison,
    _ operand: DataStoreExpression.Operand, _ scope: Scope
  ) throws(StorageError) -> String {
    var right: String
    var other: String?
    switch operand {
    case .path(let path):
      let end = try self.target(path, scope)
      (right, other) = (end.operand, end.order)
    case .value(let value):
      right = bind(try target.bound(value, comparison))
      if target.order != nil, let key = value.decimalOrder { other = bind(.text(key)) }
    }
    let plain = sql(target.operand, comparison, right)
    guard let order = target.order, let other, !comparison.isTextual else { return plain }
    // By the keys, exactly; by floating-point numbers where a row has none.
    let exact = sql(order, comparison, other)
    return "CASE WHEN \(order) IS NULL OR \(other) IS NULL THEN \(plain) ELSE \(exact) END"
  }

  private func sql(
    _ left: String, _ comparison: DataStoreExpression.Comparison, _ right: String
  ) -> String {
    switch comparison {
    // NULL is a value like others: what is missing differs from what is there.
    case .equal: "\(left) IS \(right)"
    case .notEqual: "\(left) IS NOT \(right)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      "\(left) \(comparison.rawValue) \(right)"
    case .contains: "instr(\(left), \(right))>0"
    case .startsWith: "substr(\(left), 1, length(\(right)))=\(right)"
    case .endsWith: "substr(\(left), -length(\(right)))=\(right)"
    case .like: "\(left) LIKE \(right)"
    }
  }

  private mutating func bind(_ value: SQLiteValue) -> String {
    values.append(value)
    return "?\(values.count)"
  }
}

extension QueryCompiler.Target {
  /// The compared value: decimals as numbers, if there is no key to sort by.
  fileprivate var operand: String { type == .decimal ? "CAST(\(sql) AS REAL)" : sql }

  /// A value in the form that the column has.
  fileprivate func bound(
    _ value: DataStoreExpression.Value, _ comparison: DataStoreExpression.Comparison = .equal
  ) throws(StorageError) -> SQLiteValue {
    let isTextual = comparison.isTextual
    if case .null = value, !isTextual { return .null }
    switch (type, value) {
    case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
    case (.boolean, .integer(let value)) where value == 0 || value == 1: return .integer(value)
    case (.integer, .integer(let value)), (.unsigned, .integer(let value)): return .integer(value)
    case (.integer, .real(let value)), (.unsigned, .real(let value)): return .real(value)
    case (.unsigned, .number(let digits)) where UInt64(digits) != nil:
      return .text(String(repeating: "0", count: max(0, 20 - digits.count)) + digits)
    case (.float, .real(let value)), (.double, .real(let value)), (.decimal, .real(let value)):
      return .real(value)
    case (.float, .integer(let value)), (.double, .integer(let value)),
      (.decimal, .integer(let value)):
      return .real(Double(value))
    case (.decimal, .number(let digits)), (.double, .number(let digits)),
      (.float, .number(let digits)), (.date, .number(let digits)),
      (.integer, .number(let digits)), (.unsigned, .number(let digits)):
      return .real(Double(digits) ?? 0)
    case (.decimal, .text(let text)):
      if let number = Double(text) { return .real(number) }
    case (.date, .text(let text)):
      if let date = DataStoreDate.seconds(text) { return .real(date) }
      throw StorageError(
        .invalidQuery, "a date is '2026-12-31' or '2026-12-31T10:00:00Z', in UTC")
    case (.date, .real(let value)): return .real(value)
    case (.date, .integer(let value)): return .real(Double(value))
    case (.uuid, .text(let text)): return .text(isTextual ? text : text.uppercased())
    case (.string, .text(let text)), (.character, .text(let text)), (.url, .text(let text)),
      (.json, .text(let text)):
      return .text(text)
    default: break
    }
    throw StorageError(.invalidQuery, "\(type) cannot be compared with such a value")
  }
}

extension DataStoreExpression.Comparison {
  /// Whether it looks for a text within a text.
  fileprivate var isTextual: Bool { [.contains, .startsWith, .endsWith, .like].contains(self) }
}

extension DataStoreExpression.Value {
  /// The key by which a decimal number with this value sorts; `nil` for text that is not a number.
  fileprivate var decimalOrder: String? {
    switch self {
    case .integer(let value): DecimalOrder.key("\(value)")
    case .real(let value): DecimalOrder.key("\(value)")
    case .number(let digits), .text(let digits):
      Double(digits) == nil ? nil : DecimalOrder.key(digits)
    case .boolean, .null: nil
    }
  }
}
