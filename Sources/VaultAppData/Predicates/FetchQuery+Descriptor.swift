import VaultDataStore
import VaultStorage

extension FetchQuery {
  /// A fetch's predicate and order in SQL.
  ///
  /// The text depends on the predicate's shape only, never on a value in it, so that the statement
  /// made of it serves again.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``.
  init<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ plan: EntityPlan) throws {
    let alias = "t0"
    let key: SQLFragment = "\(sql: alias).\(name: StoredEntity.keyColumn)"
    self.init(source: "\(plan.table) AS \(alias)", order: key.text)
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
      self.condition = condition.text
      values = condition.values
    }
    let all = SQLFragment.joined(terms + [key], by: ", ")
    order = all.text
    orderValues = all.values
  }
}

extension PredicateTranslator {
  /// A part of ORDER BY: `nil` before every value, or after it in the reverse order.
  func order<T: PersistentModel>(_ sort: SortDescriptor<T>, of root: Term) throws -> SQLFragment {
    do {
      guard let path = sort.keyPath else { throw Self.unsupported(SortDescriptor<T>.self) }
      guard !isComputed(path, of: root) else {
        throw Self.unsupported(
          SortDescriptor<T>.self,
          "\(readable(path, of: root)) ends in a computed property, which has no order in the store; "
            + "store what is to be sorted by")
      }
      let term = try member(path, of: root, in: SortDescriptor<T>.self)
      let scalar = try scalar(term, in: SortDescriptor<T>.self)
      let key = try order(of: scalar, in: SortDescriptor<T>.self)
      return "\(key)\(sql: sort.order == .reverse ? " DESC" : "")"
    } catch let error as SwiftDataError {
      throw SwiftDataError.unsupportedSortDescriptor.saying(error.message)
    }
  }
}

extension PredicateTranslator {
  /// Whether a key path leads to something that the library does not know by name, such as `rawValue`.
  private func isComputed(_ path: AnyKeyPath, of root: Term) -> Bool {
    do {
      _ = try member(path, of: root, in: AnyKeyPath.self)
      return false
    } catch {
      return KeyPathText(path).components.contains { !$0.isPlain }
    }
  }

  /// A key path with the names of the properties that are known.
  private func readable(_ path: AnyKeyPath, of root: Term) -> String {
    guard case .model(let model) = root else { return "\(path)" }
    var properties = model.plan.description.properties
    var names = [model.plan.name]
    for component in KeyPathText(path).components {
      let found = properties.first { KeyPathText($0.keyPath).last == component.text }
      properties = found?.destination.map { ModelDescription.of($0).properties } ?? []
      names.append(found?.name ?? (component.isPlain ? component.text : "…"))
    }
    return names.joined(separator: ".")
  }
}

extension ModelContext {
  /// What a fetch asks of the store: the text after SELECT's columns, and how many values it binds.
  package func sql<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) throws -> (text: String, values: Int) {
    let query = try FetchQuery(descriptor, container.plan(T.self))
    let condition = query.condition.isEmpty ? "" : " WHERE \(query.condition)"
    return (
      "FROM \(query.source)\(condition) ORDER BY \(query.order)",
      query.values.count + query.orderValues.count
    )
  }
}
