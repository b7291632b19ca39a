import VaultDataStore
import VaultStorage

/// The new values of ``ModelContext/update(model:where:set:)``.
public struct ModelUpdate<Model: PersistentModel> {
  fileprivate var assignments: [(property: AnyKeyPath, value: Assigned)] = []

  fileprivate enum Assigned {
    case value(Any)
    case computed((PredicateTranslator, Term) throws -> Term)
  }

  /// Gives an attribute a value, the same for every object.
  public mutating func set<Value>(_ property: KeyPath<Model, Value>, to value: Value) {
    assignments.append((property, .value(value)))
  }

  /// Gives an attribute a value that the store computes from each object's own.
  ///
  /// All expressions see the values before the update.
  ///
  /// - Parameters:
  ///   - property: An attribute.
  ///   - expression: As in a predicate; where it would trap, as a sum beyond its type's range does,
  ///     an optional attribute becomes `nil` and any other refuses the update.
  public mutating func set<Value>(
    _ property: KeyPath<Model, Value>, to expression: Foundation.Expression<Model, Value>
  ) {
    compute(property, expression)
  }

  /// Gives an optional attribute a value that the store computes from each object's own.
  ///
  /// All expressions see the values before the update.
  public mutating func set<Value>(
    _ property: KeyPath<Model, Value?>, to expression: Foundation.Expression<Model, Value>
  ) {
    compute(property, expression)
  }

  private mutating func compute<Value>(
    _ property: AnyKeyPath, _ expression: Foundation.Expression<Model, Value>
  ) {
    let value = Assigned.computed { translator, root in
      try translator.binding(expression.variable.key, to: root) {
        try translator.term(expression.expression)
      }
    }
    assignments.append((property, value))
  }
}

extension ModelContext {
  /// Changes attributes of all objects of a class, or of those that a predicate finds, in the store
  /// at once.
  ///
  /// Under the writers' lock: no change of another context or process comes between
  /// what it reads and what it writes.
  ///
  /// ```swift
  /// let visits = #Predicate<Counter> { $0.name == "visits" }
  /// try context.update(model: Counter.self, where: visits) {
  ///   $0.set(\.count, to: #Expression { $0.count + 1 })
  /// }
  /// ```
  ///
  /// Not at the next save, and not to be rolled back; in a ``transaction(block:)``, with the rest
  /// of it. Pending changes do not count, and stay. Objects in use without changes have the new
  /// values when they are next read. Not part of SwiftData.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: Which objects; `nil` for all.
  ///   - changes: Names the attributes and their values.
  /// - Returns: The number of objects.
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a class in a ``DataStore`` of the
  ///   program's own; ``SwiftDataError/unsupportedKeyPath`` for a relationship, an attribute with
  ///   `.externalStorage` or `.encrypt`, or one that is not kept;
  ///   ``SwiftDataError/unsupportedPredicate``;
  ///   ``SwiftDataError/modelValidationFailure`` where a value is refused;
  ///   ``SwiftDataError/readOnlyStore``; ``SwiftDataError/storeBusy``; a `StorageError`. Nothing
  ///   was changed then.
  @discardableResult
  public func update<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, set changes: (inout ModelUpdate<T>) -> Void
  ) throws -> Int {
    let plan = try container.plan(T.self)
    let store = container.stores[plan.store]
    guard store.configuration.allowsSave else {
      throw SwiftDataError.readOnlyStore.saying(store.configuration.name)
    }
    // Its expressions are SQL.
    guard store.custom == nil else { throw DataStoreError.unsupportedFeature }
    var update = ModelUpdate<T>()
    changes(&update)
    guard !update.assignments.isEmpty else { return 0 }
    let assignments = try assignments(of: update, plan)
    home.use.enter(.batchUpdate)
    defer { home.use.leave() }
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.includePendingChanges = false
    var found: [(plan: EntityPlan, keys: [Int64])] = []
    let isHeld = connections.holds(plan.store)
    func write() throws {
      try connections.use(plan) { connection in
        func change() throws {
          found = try self.rowsByClass(descriptor, plan, connection)
          if var history = try HistoryRecording(connection.sqlite, author: author) {
            for (plan, keys) in found {
              for key in keys { history.update(plan, key, assignments.changed) }
            }
            _ = try history.write()
          }
          let keys = found.count == 1 ? found[0].keys : found.flatMap(\.keys)
          for step in plan.batchUpdate(assignments.tables, of: keys) {
            let statement = try connection.query(step.text)
            defer { statement.reset() }
            try statement.bind(step.values)
            try statement.run()
          }
          try checkText(of: plan, assignments.changed, connection)
          try store.textForms.write(connection.sqlite)
        }
        if isHeld || connection.sqlite.isInTransaction {
          try connection.sqlite.savepoint(change)
        } else {
          try store.immediate(connection, change)
        }
      }
    }
    do {
      if isHeld { try write() } else { try store.writing(write) }
    } catch {
      if let error = error as? StorageError, error.code == .constraint,
        let mark = error.message.range(of: "NOT NULL constraint failed: ")
      {
        throw SwiftDataError.modelValidationFailure.saying(
          "an expression for \(error.message[mark.upperBound...]) has no value for some object: it is beyond the type's range, "
            + "divides by zero or unwraps nil; nothing was changed", underlying: error)
      }
      throw Saving.translated(error)
    }
    var notice = SaveNotices.Notice(sender: ObjectIdentifier(self))
    for (own, keys) in found {
      if rows.count > 0 { for key in keys { rows.known(plan, key).map(merging.refault) } }
      notice.updated[own.index] = keys
    }
    merging.send(notice, isHeld: connections.isHolding)
    if !isHeld { try connections.flush([plan.store]) }
    return found.reduce(0) { $0 + $1.keys.count }
  }

  /// The rows that a batch update changes, by their classes.
  private func rowsByClass<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan, _ connection: StoreConnection
  ) throws -> [(plan: EntityPlan, keys: [Int64])] {
    if plan.family == nil, descriptor.predicate == nil,
      let all = try plan.neighbors(connection.sqlite)
    {
      return all.isEmpty ? [] : [(plan, all)]
    }
    var found: [Int: (plan: EntityPlan, keys: [Int64])] = [:]
    for row in try rows(descriptor, plan) {
      found[row.plan.index, default: (row.plan, [])].keys.append(row.key)
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Notes the columns into which text in another form was copied, and refuses a unique text that
  /// two rows have in different forms: the index compares bytes.
  private func checkText(
    of plan: EntityPlan, _ changed: PropertySet, _ connection: StoreConnection
  ) throws {
    try plan.textForms.read(connection.sqlite)
    guard plan.textForms.isNeeded else { return }
    for index in plan.slots.indices where changed.contains(index) {
      try plan.noteOtherForms(of: index, connection)
    }
    for group in plan.uniqueness where group.slots.contains(where: changed.contains) {
      guard group.slots.contains(where: plan.mayHoldOtherForms) else { continue }
      guard try plan.hasEqualRows(group.slots, connection) else { continue }
      let names = group.slots.map { "\(plan.name).\(plan.description.properties[$0].name)" }
      throw SwiftDataError.modelValidationFailure.saying(
        "\(names.joined(separator: ", ")) must be unique, and another object has the value")
    }
  }

  /// What is assigned in each table, and the properties that are named.
  private func assignments<T: PersistentModel>(
    of update: ModelUpdate<T>, _ plan: EntityPlan
  ) throws -> (tables: [TableUpdate], changed: PropertySet) {
    var tables: [TableUpdate] = []
    var changed = PropertySet()
    for (path, assigned) in update.assignments {
      guard let index = plan.description.index(of: path), plan.relationship(index) == nil,
        let column = plan.slots[index].column, plan.slots[index].kind != .external
      else {
        let name = plan.description.property(path).map { "\(plan.name).\($0.name)" } ?? "\(path)"
        throw SwiftDataError.unsupportedKeyPath.saying(
          "\(name) is no attribute that can be changed in the store at once")
      }
      changed.insert(index)
      let table = plan.table(of: index)
      let place = tables.firstIndex { $0.table == table } ?? tables.count
      if place == tables.count { tables.append(TableUpdate(table: table)) }
      let property = plan.description.properties[index]
      switch assigned {
      case .value(let value):
        guard let stored = try property.slot(of: value)?.columnValue() else {
          throw SwiftDataError.modelValidationFailure.saying(
            "\(plan.name).\(property.name) cannot hold such a value")
        }
        if case .text(let text) = stored { plan.noteText(text, index) }
        let order = plan.slots[index].orderColumn
        if order != nil ? stored == .text("NaN") : stored.isNaN {
          throw SwiftDataError.modelValidationFailure.saying(
            "\(plan.name).\(property.name) is not a number")
        }
        tables[place].columns.append((column, "\(value: stored)"))
        if let order {
          var key = SQLiteValue.null
          if case .text(let text) = stored {
            key = DecimalOrder.key(text).map { .text($0) } ?? .null
          }
          tables[place].columns.append((order, "\(value: key)"))
        }
      case .computed(let term):
        guard plan.slots[index].orderColumn == nil else {
          throw SwiftDataError.unsupportedPredicate.saying(
            "\(plan.name).\(property.name): decimal numbers are not computed by the store")
        }
        let value = try value(of: term, as: ValueForm.of(property.valueType), plan)
        tables[place].columns.append((column, value))
      }
    }
    return (tables, changed)
  }

  private func value(
    of term: (PredicateTranslator, Term) throws -> Term, as form: ValueForm, _ plan: EntityPlan
  ) throws -> SQLFragment {
    let translator = PredicateTranslator()
    let alias = translator.newAlias()
    let root = Term.model(
      ModelTerm(
        plan: plan, source: .alias(alias),
        key: "\(sql: alias).\(name: StoredEntity.keyColumn)"))
    let (scalar, joins) = try translator.withLevel(alias) {
      try translator.scalar(
        term(translator, root), as: form, in: Foundation.Expression<Int, Int>.self)
    }
    guard joins.text.isEmpty else {
      throw SwiftDataError.unsupportedPredicate.saying(
        "an update's expression looks at the object's own attributes only")
    }
    guard scalar.form.kind == form.kind else {
      throw SwiftDataError.unsupportedPredicate.saying(
        "an update's expression has another form than the attribute")
    }
    // What is copied as it is keeps its bytes.
    if let given = scalar.given, scalar.sql.text == "vault_composed(\(given.text))" { return given }
    return scalar.sql
  }
}

/// The new values of some columns of a table.
private struct TableUpdate {
  let table: String
  var columns: [(name: String, value: SQLFragment)] = []

  /// The text after SET, with what each column gets.
  func assignments(_ value: (Int) -> SQLFragment) -> SQLFragment {
    SQLFragment.joined(
      columns.indices.map { "\(name: columns[$0].name) = \(value($0))" }, by: ", ")
  }
}

extension EntityPlan {
  /// The condition behind a column of keys: all rows of a table are mostly neighbors, and then their
  /// ends do.
  private static func isOne(of keys: [Int64]) -> SQLFragment {
    if let first = keys.first, let last = keys.last,
      zip(keys, keys.dropFirst()).allSatisfy({ $0 < .max && $0 + 1 == $1 })
    {
      return "BETWEEN \(value: .integer(first)) AND \(value: .integer(last))"
    }
    return "IN (SELECT value FROM json_each(\(value: .text(SQLText.array(of: keys)))))"
  }

  /// The keys of all rows of a table, where none is missing between the first and the last: these
  /// two and their number say so.
  fileprivate func neighbors(_ connection: SQLiteConnection) throws -> [Int64]? {
    let key = SQLText.name(StoredEntity.keyColumn)
    let count = try connection.int64("SELECT count(*) FROM \(source)") ?? 0
    guard count > 0 else { return [] }
    guard let first = try connection.int64("SELECT min(\(key)) FROM \(source)"),
      let last = try connection.int64("SELECT max(\(key)) FROM \(source)"),
      last.subtractingReportingOverflow(first).partialValue == count - 1
    else { return nil }
    return Array(first...last)
  }

  /// The statements that change rows; expressions see the object as `t0`.
  ///
  /// Where the rows lie in several tables, all values are computed before the first is changed.
  fileprivate func batchUpdate(_ tables: [TableUpdate], of keys: [Int64]) -> [SQLFragment] {
    let key = StoredEntity.keyColumn
    let isWanted = Self.isOne(of: keys)
    if tables.count == 1, let only = tables.first {
      let changes = only.assignments { only.columns[$0].value }
      guard family != nil else {
        return ["UPDATE \(sql: only.table) AS t0 SET \(changes) WHERE \(name: key) \(isWanted)"]
      }
      return [
        """
        UPDATE \(sql: only.table) SET \(changes) FROM \(sql: source) AS t0 \
        WHERE t0.\(name: key) = \(sql: only.table).\(name: key) AND t0.\(name: key) \(isWanted)
        """
      ]
    }
    var computed: [SQLFragment] = ["t0.\(name: key) AS \(name: key)"]
    var updates: [SQLFragment] = []
    for table in tables {
      let first = computed.count
      let changes = table.assignments { "new.value\(sql: "\(first + $0)")" }
      for (place, column) in table.columns.enumerated() {
        computed.append("\(column.value) AS value\(sql: "\(first + place)")")
      }
      updates.append(
        """
        UPDATE \(sql: table.table) SET \(changes) FROM temp.appdata_update AS new \
        WHERE new.\(name: key) = \(sql: table.table).\(name: key)
        """)
    }
    let all = SQLFragment.joined(computed, by: ", ")
    return [
      """
      CREATE TEMP TABLE appdata_update AS SELECT \(all) FROM \(sql: source) AS t0 \
      WHERE t0.\(name: key) \(isWanted)
      """
    ] + updates + ["DROP TABLE temp.appdata_update"]
  }
}

extension SQLiteValue {
  fileprivate var isNaN: Bool { if case .real(let number) = self { number.isNaN } else { false } }
}
