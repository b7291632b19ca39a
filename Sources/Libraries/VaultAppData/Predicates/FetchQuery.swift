import VaultDataStore
import VaultStorage

/// A fetch in SQL, without the columns that it reads and without the pending rows.
///
/// ``source`` is `"Trip" AS t0` with its joins; tables are named without a schema, so that the
/// pending rows take their place.
struct FetchQuery {
  /// The text after FROM.
  private(set) var source: String
  /// The text after WHERE; empty for all rows.
  private(set) var condition = ""
  private(set) var values: [SQLiteValue] = []
  /// The text after ORDER BY, the key last.
  private(set) var order: String
  private(set) var orderValues: [SQLiteValue] = []

  /// A fetch's predicate and order in SQL.
  ///
  /// The text depends on the predicate's shape only, never on a value in it, so that the statement
  /// made of it serves again.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate``,
  ///   ``SwiftDataError/unsupportedSortDescriptor``.
  init<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ plan: EntityPlan) throws {
    let alias = "t0"
    let key: SQLFragment = "\(sql: alias).\(name: StoredEntity.keyColumn)"
    source = "\(plan.source) AS \(alias)"
    order = key.text
    var isOfClass: SQLFragment?
    if !descriptor.includeSubclasses, plan.hasSubclasses {
      isOfClass =
        "\(sql: alias).\(name: StoredEntity.classColumn) = \(value: .text(plan.name))"
      condition = isOfClass?.text ?? ""
      values = isOfClass?.values ?? []
    }
    if descriptor.predicate == nil, descriptor.sortBy.isEmpty { return }
    let translator = PredicateTranslator()
    let root = Term.model(
      ModelTerm(plan: plan, source: .alias(translator.newAlias()), key: key))
    var terms: [SQLFragment] = []
    let (condition, joins) = try translator.withLevel(alias) { () throws -> SQLFragment? in
      for sort in descriptor.sortBy { terms.append(try translator.order(sort, of: root)) }
      return try descriptor.predicate.map { predicate in
        try translator.binding(predicate.variable.key, to: root) {
          try translator.condition(predicate.expression)
        }
      }
    }
    source += joins.text
    if let condition {
      let all: SQLFragment = isOfClass.map { "\($0) AND (\(condition))" } ?? condition
      self.condition = all.text
      values = all.values
    }
    let all = SQLFragment.joined(terms + [key], by: ", ")
    order = all.text
    orderValues = all.values
  }

  /// Whether it compares with text that has several forms in Unicode.
  var comparesOtherText: Bool {
    values.contains { value in
      if case .text(let text) = value { !text.utf8.allSatisfy { $0 < 0x80 } } else { false }
    }
  }

  // MARK: Text

  /// The query after its columns.
  ///
  /// - Parameter isOrdered: Whether to sort; ``orderValues`` are parameters only then.
  /// - Returns: FROM, WHERE and ORDER BY.
  func clauses(isOrdered: Bool = true) -> String {
    var text = "FROM \(source)"
    if !condition.isEmpty { text += " WHERE \(condition)" }
    if isOrdered { text += " ORDER BY \(order)" }
    return text
  }

  /// The rows; limit and offset are the last two parameters.
  func select(_ columns: String, isLimited: Bool) -> String {
    "SELECT \(columns) \(clauses())" + (isLimited ? " LIMIT ? OFFSET ?" : "")
  }

  /// The number of the rows.
  func count(isLimited: Bool) -> String {
    isLimited
      ? "SELECT count(*) FROM (\(select("1", isLimited: true)))"
      : "SELECT count(*) \(clauses(isOrdered: false))"
  }
}
