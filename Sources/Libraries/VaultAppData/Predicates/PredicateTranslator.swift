import VaultDataStore
import VaultStorage

/// An expression that knows what it is in SQL.
protocol TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term
}

/// Turns a predicate's expressions into SQL.
///
/// Swift's meaning is kept, also where SQL has another: `nil` differs from every value and equals
/// `nil`; a number that is none equals nothing; where Swift would trap or throw, no row matches.
final class PredicateTranslator {
  var bindings: [PredicateExpressions.VariableID: Term] = [:]
  /// Whether something asked for a sealed attribute.
  var hasMetSealed = false
  private var aliasCount = 0
  /// The level of the query that each alias belongs to: there its joins are added.
  private var levels: [String: QueryLevel] = [:]

  // MARK: Expressions

  func term<Expression: PredicateExpression>(_ expression: Expression) throws -> Term {
    guard let expression = expression as? any TranslatableExpression else {
      throw Self.unsupported(Expression.self)
    }
    return try expression.term(self)
  }

  /// The value of an expression that is perhaps never reached.
  func scalar<Expression: PredicateExpression>(_ expression: Expression) throws -> Scalar {
    try scalar(reached(expression), in: Expression.self)
  }

  /// An expression that is perhaps never reached: if its values end Swift's evaluation, they do so
  /// only for the rows that get there.
  func reached<Expression: PredicateExpression>(_ expression: Expression) throws -> Term {
    do {
      return try term(expression)
    } catch is EvaluationFailure {
      return .failure
    }
  }

  /// A value of the program, where a term is one.
  func captured<Value>(_ term: Term, as type: Value.Type) -> Value? {
    switch term {
    case .captured(let value): value as? Value
    case .null: (type as? any OptionalValue.Type) == nil ? nil : Any?.none as? Value
    default: nil
    }
  }

  /// A condition, for WHERE.
  func condition(_ expression: some PredicateExpression) throws -> SQLFragment {
    try scalar(expression).sql
  }

  static func unsupported(_ node: Any.Type, _ reason: String = "") -> SwiftDataError {
    let name = "\(node)".prefix { $0 != "<" }
    return SwiftDataError.unsupportedPredicate.saying(
      reason.isEmpty ? "\(name)" : "\(name): \(reason)")
  }

  // MARK: Terms as values

  /// The value of a term; a captured one in the given form, or in that of its own type.
  func scalar(_ term: Term, as form: ValueForm? = nil, in node: Any.Type) throws -> Scalar {
    switch term {
    case .scalar(let scalar): return scalar
    case .model(let model):
      return Scalar(
        sql: model.key, form: ValueForm(.key, PersistentIdentifier.self, entity: model.plan),
        isOptional: model.isOptional, canFail: model.canFail, alias: model.alias)
    case .captured(let value): return try captured(value, form)
    case .null:
      return Scalar(sql: "NULL", form: form ?? .integer, isOptional: true)
    case .failure: return Scalar(sql: "NULL", form: form ?? .integer, canFail: true)
    case .rows: throw Self.unsupported(node, "related models as a whole are no value")
    case .elements: throw Self.unsupported(node, "a filtered array is no value")
    case .range: throw Self.unsupported(node, "a range is no value")
    }
  }

  private func captured(_ value: Any, _ form: ValueForm?) throws -> Scalar {
    let form = form ?? ValueForm.of(type(of: value))
    let encoded = try form.encode(value)
    var scalar = Scalar(sql: "\(value: encoded)", form: form)
    if encoded == .null {
      let isNil = (value as? any OptionalValue)?.isNil == true
      scalar.isOptional = isNil
      scalar.mayBeNaN = !isNil
    }
    if case .real(let number) = encoded, number.isNaN { scalar.mayBeNaN = true }
    if form.kind == .decimal, case .text(let digits) = encoded {
      scalar.order = "\(value: DecimalOrder.key(digits).map { .text($0) } ?? .null)"
    }
    return scalar
  }

  // MARK: Queries within the query

  func newAlias(_ prefix: String = "t") -> String {
    defer { aliasCount += 1 }
    return "\(prefix)\(aliasCount)"
  }

  /// Runs `body` with a table of a new level, and says which joins it asked for.
  func withLevel<Result>(
    _ alias: String, _ body: () throws -> Result
  ) rethrows -> (result: Result, joins: SQLFragment) {
    let level = QueryLevel()
    levels[alias] = level
    let result = try body()
    return (result, level.joins)
  }

  /// The table that a relationship leads to, if it has been joined.
  func joined(_ relationship: RelationshipPlan, to owner: String) -> String? {
    levels[owner]?.aliases["\(owner).\(relationship.index)"]
  }

  /// The table that a relationship leads to, joined once to its owner.
  func join(_ relationship: RelationshipPlan, to owner: String) -> String {
    if let known = joined(relationship, to: owner) { return known }
    guard let level = levels[owner] else { preconditionFailure("no query has a table \(owner)") }
    let key = "\(owner).\(relationship.index)"
    let alias = newAlias()
    let table = relationship.destination.source
    let own = SQLText.name(StoredEntity.keyColumn)
    let links = relationship.links
    switch links.place {
    case .owners:
      level.joins.text +=
        " LEFT JOIN \(table) AS \(alias) ON \(alias).\(own) = \(owner).\(links.destination)"
    case .destinations:
      level.joins.text +=
        " LEFT JOIN \(table) AS \(alias) ON \(alias).\(links.owner) = \(owner).\(own)"
    case .joinTable: preconditionFailure("a relationship to many is not joined")
    }
    level.aliases[key] = alias
    levels[alias] = level
    return alias
  }

  /// Runs `body` with names that are forgotten afterwards.
  func withBindings<Result>(
    _ bindings: [PredicateExpressions.VariableID: Term], _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self.bindings
    self.bindings = bindings
    defer { self.bindings = outer }
    return try body()
  }

  func binding<Result>(
    _ variable: PredicateExpressions.VariableID, to term: Term, _ body: () throws -> Result
  ) rethrows -> Result {
    var inner = bindings
    inner[variable] = term
    return try withBindings(inner, body)
  }
}

/// The FROM clause of one SELECT.
final class QueryLevel {
  var joins = SQLFragment("")
  var aliases: [String: String] = [:]
}

extension ModelTerm {
  /// The row without which the key is NULL.
  var alias: String? {
    switch source {
    case .alias(let alias): alias
    case .relationship(_, let owner): owner
    case .key: nil
    }
  }
}
