import VaultDataStore
import VaultStorage

/// Variables, values, comparisons and conditions.

extension PredicateExpressions.Variable: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    guard let term = translator.bindings[key] else {
      throw PredicateTranslator.unsupported(Self.self, "a variable of another predicate")
    }
    return term
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term { .captured(value) }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term { .null }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let root = try translator.term(root)
    if case .captured(let value) = root, let value = value as? Root.Output {
      return .captured(value[keyPath: keyPath])
    }
    switch kind ?? ownKind {
    case .collectionCount: return try translator.count(of: root, in: Self.self)
    case .collectionIsEmpty: return try translator.isEmpty(root, in: Self.self)
    case .collectionFirst: return try translator.end(of: root, first: true, in: Self.self)
    case .bidirectionalCollectionLast:
      return try translator.end(of: root, first: false, in: Self.self)
    default: return try translator.member(keyPath, of: root, in: Self.self)
    }
  }
}

extension PredicateExpressions.KeyPath {
  /// Foundation's answer for types that it does not know.
  private var ownKind: CommonKeyPathKind? {
    if let type = Root.Output.self as? any CountedValue.Type {
      if type.countPath == keyPath { return .collectionCount }
      if type.isEmptyPath == keyPath { return .collectionIsEmpty }
    }
    if keyPath == \String.last { return .bidirectionalCollectionLast }
    return nil
  }
}

/// A collection whose members of this name have key paths of their own.
private protocol CountedValue {
  static var countPath: AnyKeyPath { get }
  static var isEmptyPath: AnyKeyPath { get }
}

extension Data: CountedValue {
  fileprivate static var countPath: AnyKeyPath { \Data.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Data.isEmpty }
}

extension Dictionary: CountedValue {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension Set: CountedValue {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension PredicateExpressions.Equal: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    if let isEqual = translator.areEqual(left, right, LHS.Output.self) {
      return .captured(isEqual)
    }
    return try translator.equality(left, right, in: Self.self)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    if let isEqual = translator.areEqual(left, right, LHS.Output.self) {
      return .captured(!isEqual)
    }
    return try translator.equality(left, right, isNegated: true, in: Self.self)
  }
}

extension PredicateTranslator {
  /// Whether two values of the program are equal: a guard of captured values decides here whether
  /// what it guards is looked at.
  fileprivate func areEqual<Value: Equatable>(
    _ left: Term, _ right: Term, _ type: Value.Type
  ) -> Bool? {
    guard let left = captured(left, as: type), let right = captured(right, as: type) else {
      return nil
    }
    return left == right
  }

  fileprivate func truth(_ term: Term) -> Bool? { captured(term, as: Bool.self) }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let sign =
      switch op {
      case .lessThan: "<"
      case .lessThanOrEqual: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqual: ">="
      @unknown default: throw PredicateTranslator.unsupported(Self.self, "\(op)")
      }
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    if let left = translator.captured(left, as: LHS.Output.self),
      let right = translator.captured(right, as: LHS.Output.self)
    {
      return .captured(isTrue(left, right))
    }
    return try translator.comparison(left, sign, right, in: Self.self)
  }
}

extension PredicateExpressions.Comparison {
  private func isTrue(_ left: LHS.Output, _ right: LHS.Output) -> Bool {
    switch op {
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    case .greaterThanOrEqual: left >= right
    @unknown default: false
    }
  }
}

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let term = try translator.term(lhs)
    if let truth = translator.truth(term) {
      return truth ? try translator.term(rhs) : .captured(false)
    }
    let left = try translator.scalar(term, in: Self.self)
    let right = try translator.scalar(rhs)
    let canFail = left.canFail || right.canFail
    // `NULL AND 0` is 0, but what fails first in Swift is the end of it.
    return .boolean(
      left.canFail
        ? "CASE \(left.sql) WHEN 1 THEN \(right.sql) WHEN 0 THEN 0 END"
        : "(\(left.sql) AND \(right.sql))", canFail: canFail)
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let term = try translator.term(lhs)
    if let truth = translator.truth(term) {
      return truth ? .captured(true) : try translator.term(rhs)
    }
    let left = try translator.scalar(term, in: Self.self)
    let right = try translator.scalar(rhs)
    let canFail = left.canFail || right.canFail
    return .boolean(
      left.canFail
        ? "CASE \(left.sql) WHEN 0 THEN \(right.sql) WHEN 1 THEN 1 END"
        : "(\(left.sql) OR \(right.sql))", canFail: canFail)
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let term = try translator.term(wrapped)
    if let truth = translator.truth(term) { return .captured(!truth) }
    let scalar = try translator.scalar(term, in: Self.self)
    return .boolean("(NOT \(scalar.sql))", canFail: scalar.canFail)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let term = try translator.term(self.test)
    if let truth = translator.truth(term) {
      return try truth ? translator.term(trueBranch) : translator.term(falseBranch)
    }
    let test = try translator.scalar(term, in: Self.self)
    let yes = try translator.reached(trueBranch)
    let no = try translator.reached(falseBranch)
    return try translator.merge(yes, no, in: Self.self, canFail: test.canFail) { yes, no in
      test.canFail
        ? "CASE \(test.sql) WHEN 1 THEN \(yes) WHEN 0 THEN \(no) END"
        : "CASE WHEN \(test.sql) THEN \(yes) ELSE \(no) END"
    }
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let left = try translator.term(lhs)
    switch left {
    case .null: return try translator.term(rhs)
    case .captured(let value):
      guard let optional = value as? any OptionalValue else { return left }
      return try optional.wrapped.map { .captured($0) } ?? translator.term(rhs)
    // No owner, no rows: what an absent list is replaced by.
    case .rows, .elements: return left
    default: break
    }
    let right = try translator.reached(rhs)
    let isOptional = translator.isOptional(right)
    let merged = try translator.merge(left, right, in: Self.self) { "COALESCE(\($0), \($1))" }
    return isOptional ? merged : translator.unwrapped(merged, canFail: false)
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let term = try translator.term(inner)
    switch term {
    case .null: throw EvaluationFailure("found nil while unwrapping")
    case .captured(let value) where (value as? any OptionalValue)?.isNil == true:
      throw EvaluationFailure("found nil while unwrapping")
    default: return translator.unwrapped(term, canFail: true)
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let optional = try translator.term(wrapped)
    if case .null = optional { return .null }
    if case .captured(let value) = optional, (value as? any OptionalValue)?.isNil == true {
      return .null
    }
    let inner = translator.unwrapped(optional, canFail: false)
    let result = try translator.binding(variable.key, to: inner) { try translator.term(transform) }
    if case .captured = optional { return result }
    return try translator.guarded(result, by: optional, in: Self.self)
  }
}

// MARK: Predicates and expressions within

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    guard case .captured(let value) = try translator.term(expression),
      let inner = value as? Expression<repeat (each Input).Output, Output>
    else { throw PredicateTranslator.unsupported(Self.self) }
    var bindings = translator.bindings
    repeat bindings[(each inner.variable).key] = try translator.term(each input)
    return try translator.withBindings(bindings) { try translator.term(inner.expression) }
  }
}

extension _AppData.PredicateEvaluate: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    var bindings = translator.bindings
    repeat bindings[(each predicate.variable).key] = try translator.term(each input)
    return try translator.withBindings(bindings) { try translator.term(predicate.expression) }
  }
}

extension _AppData.RawValue: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    var scalar = try translator.scalar(root)
    guard scalar.form.kind != .json else { throw PredicateTranslator.unsupported(Self.self) }
    scalar.form = ValueForm.of(Root.Output.RawValue.self)
    return .scalar(scalar)
  }
}

// MARK: Types

extension PredicateExpressions.TypeCheck: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    if let model = try translator.modelCast(Input.Output.self, Desired.self, input) {
      switch model {
      case .null: return .captured(false)
      default: return try translator.equality(model, .null, isNegated: true, in: Self.self)
      }
    }
    guard let isSame = PredicateTranslator.cast(Input.Output.self, to: Desired.self) else {
      throw PredicateTranslator.unsupported(Self.self, "\(Desired.self)")
    }
    let term = try translator.term(input)
    guard isSame, translator.isOptional(term), !(Desired.self is any OptionalValue.Type) else {
      return .captured(isSame)
    }
    return try translator.equality(term, .null, isNegated: true, in: Self.self)
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    if let model = try translator.modelCast(Input.Output.self, Desired.self, input) {
      return model
    }
    guard let isSame = PredicateTranslator.cast(Input.Output.self, to: Desired.self) else {
      throw PredicateTranslator.unsupported(Self.self, "\(Desired.self)")
    }
    return isSame ? try translator.term(input) : .null
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    if let model = try translator.modelCast(Input.Output.self, Desired.self, input) {
      return Desired.self is any OptionalValue.Type
        ? model : translator.unwrapped(model, canFail: true)
    }
    guard PredicateTranslator.cast(Input.Output.self, to: Desired.self) == true else {
      throw PredicateTranslator.unsupported(Self.self, "\(Desired.self)")
    }
    let term = try translator.term(input)
    return Desired.self is any OptionalValue.Type
      ? term : translator.unwrapped(term, canFail: true)
  }
}

extension PredicateTranslator {
  /// A model as one of another class: itself, one that may be missing, or none; `nil` where the
  /// types are no models, or one class.
  func modelCast(
    _ source: Any.Type, _ target: Any.Type, _ input: some PredicateExpression
  ) throws -> Term? {
    let plain = (source as? any OptionalValue.Type)?.wrappedType ?? source
    let wanted = (target as? any OptionalValue.Type)?.wrappedType ?? target
    guard plain != wanted, let from = plain as? any PersistentModel.Type,
      let to = wanted as? any PersistentModel.Type, case .model(let model) = try term(input)
    else { return nil }
    let (own, other) = (ModelDescription.of(from), ModelDescription.of(to))
    // As what it is, it has all that its superclass has.
    if own.descends(from: other) { return .model(model) }
    guard other.descends(from: own), let plan = model.plan.family?.plan(named: other.entityName)
    else { return .null }
    let alias = newAlias()
    let key: SQLFragment = "\(sql: alias).\(name: StoredEntity.keyColumn)"
    return .model(
      ModelTerm(
        plan: plan, source: .key,
        key: "(SELECT \(key) FROM \(sql: plan.table) AS \(sql: alias) WHERE \(key) = \(model.key))",
        isOptional: true, canFail: model.canFail))
  }

  /// Whether a cast finds a value of the type; `nil` where only the value can tell.
  static func cast(_ source: Any.Type, to target: Any.Type) -> Bool? {
    let source = (source as? any OptionalValue.Type)?.wrappedType ?? source
    let target = (target as? any OptionalValue.Type)?.wrappedType ?? target
    if source == target { return true }
    if source is any _AppData.StoredValue.Type, target is any _AppData.StoredValue.Type {
      return false
    }
    return nil
  }
}
