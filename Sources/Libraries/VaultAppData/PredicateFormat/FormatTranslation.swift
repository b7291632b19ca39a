import VaultStorage

/// Turns a condition of the format language into SQL.
///
/// A condition is true or false, as in the language: a comparison with `nil`, but for equality, is
/// false, and its negation true.
struct FormatTranslation {
  let translator: PredicateTranslator
  /// What names without a variable belong to.
  let root: Term
  var variables: [String: Term] = [:]
  /// Whether NULL would not do for false: something negates it.
  var isExact = false

  init(_ translator: PredicateTranslator, root: Term) {
    self.translator = translator
    self.root = root
  }

  /// What errors of the translator name.
  static let node: Any.Type = PredicateFormat.self

  static func failure(_ position: Int, _ message: String) -> SwiftDataError {
    SwiftDataError.unsupportedPredicate.saying("character \(position + 1): \(message)")
  }

  /// Runs `body`, and says where in the format it failed.
  func at<Result>(_ position: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SwiftDataError
      where error == .unsupportedPredicate && !error.message.hasPrefix("character ")
    {
      let message = error.message.replacing("PredicateFormat: ", with: "")
      throw Self.failure(position, message)
    }
  }

  // MARK: Conditions

  func condition(_ condition: FormatCondition) throws -> SQLFragment {
    switch condition {
    case .constant(let value): return value ? "1" : "0"
    case .and(let left, let right):
      return "(\(try self.condition(left)) AND \(try self.condition(right)))"
    case .or(let left, let right):
      return "(\(try self.condition(left)) OR \(try self.condition(right)))"
    case .not(let inner): return "(NOT \(try exact.condition(inner)))"
    case .compare(let comparison): return try compare(comparison)
    }
  }

  /// The same where the answer has to be true or false.
  private var exact: Self {
    var copy = self
    copy.isExact = true
    return copy
  }

  /// The same within a query of its own.
  private var inner: Self {
    var copy = self
    copy.isExact = false
    return copy
  }

  private func compare(_ comparison: FormatComparison) throws -> SQLFragment {
    guard comparison.quantity != .one else {
      let left = try term(comparison.left)
      return try compare(left, comparison)
    }
    let path = try collection(comparison.left)
    guard let path else {
      throw Self.failure(
        comparison.left.position, "ANY, ALL and NONE take a path that leads to many")
    }
    switch comparison.quantity {
    case .any, .one: return try exists(path, comparison)
    case .none: return "(NOT \(try exists(path, comparison)))"
    case .all: return "(NOT \(try exists(path, comparison, isNegated: true)))"
    }
  }

  /// Whether some of the objects that a path leads to pass, or fail, a comparison.
  private func exists(
    _ path: (collection: Term, rest: [FormatStep]), _ comparison: FormatComparison,
    isNegated: Bool = false
  ) throws -> SQLFragment {
    let test = isNegated ? exact : inner
    let found = try translator.exists(path.collection, in: Self.node) { element in
      if let deeper = try test.collection(element, path.rest) {
        return try test.exists(deeper, comparison, isNegated: isNegated)
      }
      let found = try test.compare(test.term(element, path.rest), comparison)
      return isNegated ? "(NOT \(found))" : found
    }
    return try translator.scalar(found, in: Self.node).sql
  }

  // MARK: Paths

  /// A part of a path.
  struct FormatStep {
    let name: String
    let position: Int
  }

  /// The value that a path begins with, and its parts.
  private func steps(_ value: FormatValue) -> (base: FormatValue, steps: [FormatStep]) {
    guard case .member(let base, let name) = value.kind else { return (value, []) }
    let (first, steps) = steps(base)
    return (first, steps + [FormatStep(name: name, position: value.position)])
  }

  /// The first collection on a path, and the parts behind it; `nil` if there is none.
  private func collection(
    _ value: FormatValue
  ) throws -> (collection: Term, rest: [FormatStep])? {
    let (base, steps) = steps(value)
    return try collection(term(base), steps)
  }

  private func collection(
    _ start: Term, _ steps: [FormatStep]
  ) throws -> (collection: Term, rest: [FormatStep])? {
    var term = start
    for (place, step) in steps.enumerated() {
      // A function of a collection is a value.
      if step.name.hasPrefix("@") { return nil }
      term = try member(step.name, of: term, at: step.position)
      if isCollection(term) { return (term, Array(steps[(place + 1)...])) }
    }
    return nil
  }

  private func isCollection(_ term: Term) -> Bool {
    switch term {
    case .rows, .elements: return true
    case .scalar(let scalar):
      return scalar.place != nil && scalar.form.type is any ArrayValue.Type
    default: return false
    }
  }

  private func term(_ start: Term, _ steps: [FormatStep]) throws -> Term {
    try steps.reduce(start) { try member($1.name, of: $0, at: $1.position) }
  }

  /// A property of an object, or of a structure.
  func member(_ name: String, of base: Term, at position: Int) throws -> Term {
    try at(position) {
      switch base {
      case .model(let model): return try property(name, of: model, at: position)
      case .scalar(let scalar):
        let component = KeyPathText.Component(text: name)
        guard let found = try translator.part(component, of: base) else {
          throw Self.failure(position, "\(scalar.form.type) has no stored part '\(name)'")
        }
        return scalar.isOptional ? optional(found) : found
      case .rows, .elements:
        throw Self.failure(
          position, "'\(name)' belongs to each of many: say ANY, ALL or NONE before the path")
      case .captured, .null, .range, .failure:
        throw Self.failure(position, "an argument has no property '\(name)'")
      }
    }
  }

  private func property(_ name: String, of model: ModelTerm, at position: Int) throws -> Term {
    let description = model.plan.description
    guard let index = description.index(named: name) else {
      if ["objectID", "persistentModelID", "id"].contains(name) { return .model(model) }
      if name.uppercased() == "SELF" { return .model(model) }
      let names = description.properties.map(\.name)
      let hint = Suggestion.nearest(to: name, among: names).map { ": '\($0)'?" } ?? ""
      throw Self.failure(
        position, "\(description.entityName) has no stored property '\(name)'\(hint)")
    }
    var owner = model
    owner.canFail = false
    let found = try translator.property(description.properties[index], of: owner)
    return model.isOptional ? optional(found) : found
  }

  private func optional(_ term: Term) -> Term {
    guard case .rows(var rows) = term else { return translator.optional(term) }
    rows.isOptional = true
    return .rows(rows)
  }

  // MARK: SUBQUERY

  /// How many objects of a collection pass a test.
  func count(
    of collection: FormatValue, as variable: String, _ test: FormatCondition
  ) throws -> Term {
    let sequence = try term(collection)
    return try at(collection.position) {
      try translator.count(of: sequence, in: Self.node) { element in
        var inner = inner
        inner.variables[variable] = element
        return try inner.condition(test)
      }
    }
  }

  /// A function of one property of the objects of a collection.
  func aggregate(_ function: String, of path: FormatValue, at position: Int) throws -> Term {
    guard let found = try collection(path) else {
      throw Self.failure(position, "\(function) takes a path that leads to many")
    }
    return try aggregate(function, of: found.collection, found.rest, at: position)
  }

  func aggregate(
    _ function: String, of collection: Term, _ steps: [FormatStep], at position: Int
  ) throws -> Term {
    try at(position) {
      try translator.aggregate(function, of: collection, in: Self.node) { element in
        try inner.term(element, steps)
      }
    }
  }
}
