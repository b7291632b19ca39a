import VaultStorage

/// Equality, order, and terms that come from one of two others.
extension PredicateTranslator {
  func equality(
    _ left: Term, _ right: Term, isNegated: Bool = false, in node: Any.Type
  ) throws -> Term {
    if let test = missing(left, right, isNegated) ?? missing(right, left, isNegated) { return test }
    let (left, right) = try operands(left, right, in: node)
    if left.form.kind == .json, !left.isNullLiteral, !right.isNullLiteral {
      return try sameValue(left, right, isNegated, in: node)
    }
    if left.form.kind == .external, right.form.kind == .external, !left.isNullLiteral,
      !right.isNullLiteral, left.sql.values != [.null], right.sql.values != [.null]
    {
      throw Self.unsupported(node, ValueForm.comparedWithNil)
    }
    let isOptional = left.isOptional || right.isOptional
    let canFail = !isOptional && (left.canFail || right.canFail)
    let leftSQL = left.isNullLiteral || right.isNullLiteral ? left.sql : left.identity
    let rightSQL = left.isNullLiteral || right.isNullLiteral ? right.sql : right.identity
    if isOptional {
      return .boolean("(\(leftSQL) \(sql: isNegated ? "IS NOT" : "IS") \(rightSQL))")
    }
    let test: SQLFragment = "(\(leftSQL) \(sql: isNegated ? "<>" : "=") \(rightSQL))"
    if left.mayBeNaN || right.mayBeNaN, !canFail {
      return .boolean("COALESCE(\(test), \(sql: isNegated ? "1" : "0"))")
    }
    return .boolean(test, canFail: canFail)
  }

  /// Equality of values that are kept as JSON, by their type's `==`.
  private func sameValue(
    _ left: Scalar, _ right: Scalar, _ isNegated: Bool, in node: Any.Type
  ) throws -> Term {
    let name = isNegated ? "NOT " : ""
    let isOptional = left.isOptional || right.isOptional
    let test = try equalValues(left, right, in: node, isOptional: isOptional)
    return .boolean(
      "(\(sql: name)\(test))", canFail: !isOptional && (left.canFail || right.canFail))
  }

  /// A test that two values kept as JSON are equal; NULL, or `nil`, equals itself if `isOptional`.
  func equalValues(
    _ left: Scalar, _ right: Scalar, in node: Any.Type, isOptional: Bool
  ) throws -> SQLFragment {
    let defaults = left.place?.defaults ?? right.place?.defaults
    guard let number = ValueComparisons.number(of: left.form.type, defaults) else {
      throw Self.unsupported(node, "\(left.form.type) has no ==")
    }
    let function = isOptional ? "vault_is_value" : "vault_equal_value"
    return "\(sql: function)(\(value: .integer(number)), \(left.sql), \(right.sql))"
  }

  /// Whether an array of related models is `nil`: it is where it has no owner.
  private func missing(_ rows: Term, _ other: Term, _ isNegated: Bool) -> Term? {
    guard case .rows(let rows) = rows, isNil(other) else { return nil }
    guard rows.isOptional else { return .boolean(isNegated ? "1" : "0") }
    return .boolean("(\(rows.owner) IS \(sql: isNegated ? "NOT " : "")NULL)")
  }

  private func isNil(_ term: Term) -> Bool {
    switch term {
    case .null: true
    case .captured(let value): (value as? any OptionalValue)?.isNil == true
    default: false
    }
  }

  func comparison(
    _ left: Term, _ sign: String, _ right: Term, in node: Any.Type
  ) throws -> Term {
    let (left, right) = try operands(left, right, in: node)
    let test: SQLFragment =
      "(\(try order(of: left, in: node)) \(sql: sign) \(try order(of: right, in: node)))"
    let canFail = left.canFail || right.canFail
    if left.mayBeNaN || right.mayBeNaN, !canFail { return .boolean("COALESCE(\(test), 0)") }
    return .boolean(test, canFail: canFail)
  }

  /// Both as values of one form.
  func operands(_ left: Term, _ right: Term, in node: Any.Type) throws -> (Scalar, Scalar) {
    var form: ValueForm?
    if let known = left.form ?? right.form { form = known }
    return (try scalar(left, as: form, in: node), try scalar(right, as: form, in: node))
  }

  /// A key that sorts as the value does.
  func order(of scalar: Scalar, in node: Any.Type) throws -> SQLFragment {
    switch scalar.form.kind {
    case .decimal: return scalar.order ?? "vault_decimal_order(\(scalar.sql))"
    case .json, .base64:
      throw Self.unsupported(node, "\(scalar.form.type) has no order in the store")
    default: break
    }
    guard let ranks = scalar.form.ranks, scalar.sql.text != "NULL" else { return scalar.sql }
    var text: SQLFragment = "CASE \(scalar.sql)"
    for (rank, value) in ranks.enumerated() {
      text = "\(text) WHEN \(value: value) THEN \(value: .integer(Int64(rank)))"
    }
    return "\(text) END"
  }

  func isOptional(_ term: Term) -> Bool {
    switch term {
    case .scalar(let scalar): scalar.isOptional
    case .model(let model): model.isOptional
    case .captured(let value): (value as? any OptionalValue)?.isNil == true
    case .null: true
    case .rows(let rows): rows.isOptional
    case .elements, .range, .failure: false
    }
  }

  /// A term that is the one or the other, as `choose` says.
  func merge(
    _ left: Term, _ right: Term, in node: Any.Type, canFail: Bool = false,
    _ choose: (SQLFragment, SQLFragment) -> SQLFragment
  ) throws -> Term {
    if case .model(let first) = left, case .model(let second) = right {
      return .model(
        ModelTerm(
          plan: first.plan.descends(from: second.plan) ? second.plan : first.plan, source: .key,
          key: choose(first.key, second.key),
          isOptional: first.isOptional || second.isOptional,
          canFail: canFail || first.canFail || second.canFail))
    }
    if case .model(let model) = left, case .null = right {
      return .model(keyed(model, choose(model.key, "NULL"), isOptional: true, canFail: canFail))
    }
    if case .model(let model) = right, case .null = left {
      return .model(keyed(model, choose("NULL", model.key), isOptional: true, canFail: canFail))
    }
    if case .model(let model) = left, case .failure = right {
      let key = choose(model.key, "NULL")
      return .model(keyed(model, key, isOptional: model.isOptional, canFail: true))
    }
    if case .model(let model) = right, case .failure = left {
      let key = choose("NULL", model.key)
      return .model(keyed(model, key, isOptional: model.isOptional, canFail: true))
    }
    let (first, second) = try operands(left, right, in: node)
    guard first.form.kind != .external else {
      throw Self.unsupported(node, ValueForm.comparedWithNil)
    }
    var scalar = Scalar(sql: choose(first.sql, second.sql), form: first.form)
    scalar.isOptional = first.isOptional || second.isOptional
    scalar.canFail = canFail || first.canFail || second.canFail
    scalar.mayBeNaN = first.mayBeNaN || second.mayBeNaN
    if first.form.kind == .json {
      let defaults = first.place?.defaults ?? second.place?.defaults
      scalar.place = JSONPlace(scalar.sql, defaults: defaults)
    }
    return .scalar(scalar)
  }

  private func keyed(
    _ model: ModelTerm, _ key: SQLFragment, isOptional: Bool, canFail: Bool = false
  ) -> ModelTerm {
    ModelTerm(
      plan: model.plan, source: .key, key: key, isOptional: isOptional,
      canFail: canFail || model.canFail)
  }

  /// A value derived from an optional: `nil` where the optional is.
  func guarded(_ result: Term, by optional: Term, in node: Any.Type) throws -> Term {
    let test: SQLFragment
    if case .rows(let rows) = optional {
      guard rows.isOptional else { return result }
      test = rows.owner
    } else {
      test = try scalar(optional, in: node).sql
    }
    switch result {
    case .null, .elements, .failure: return result
    case .rows(var rows):
      rows.isOptional = true
      return .rows(rows)
    case .model(var model):
      if model.alias == nil || model.alias != alias(of: optional) {
        model = keyed(
          model, "CASE WHEN \(test) IS NOT NULL THEN \(model.key) END", isOptional: true)
      }
      model.isOptional = true
      model.canFail = false
      return .model(model)
    default:
      var scalar = try scalar(result, in: node)
      let isStrict = scalar.alias != nil && scalar.alias == alias(of: optional)
      if !isStrict, scalar.sql.text != test.text {
        scalar.sql = "CASE WHEN \(test) IS NOT NULL THEN \(scalar.sql) END"
        if scalar.form.kind == .json {
          scalar.place = JSONPlace(scalar.sql, defaults: scalar.place?.defaults)
        }
        if let order = scalar.order {
          scalar.order = "CASE WHEN \(test) IS NOT NULL THEN \(order) END"
        }
      }
      scalar.isOptional = true
      scalar.canFail = false
      return .scalar(scalar)
    }
  }

  /// The table whose columns are all NULL when the optional is `nil`.
  private func alias(of optional: Term) -> String? {
    guard case .model(let model) = optional else { return nil }
    switch model.source {
    case .alias(let alias): return alias
    case .relationship(let relationship, let owner): return joined(relationship, to: owner)
    case .key: return nil
    }
  }
}

extension Term {
  /// The form that the other operand takes.
  fileprivate var form: ValueForm? {
    switch self {
    case .scalar(let scalar): scalar.form
    case .model(let model):
      ValueForm(.key, PersistentIdentifier.self, entity: model.plan)
    default: nil
    }
  }
}

extension Scalar {
  var isNullLiteral: Bool { sql.text == "NULL" }

  /// A key that is equal where the values are.
  fileprivate var identity: SQLFragment {
    // 1.50 and 1.5 are the same number.
    form.kind == .decimal ? order ?? "vault_decimal_order(\(sql))" : sql
  }
}

extension ValueForm {
  /// The raw values of an enum in the order of its cases, where the raw values have another order.
  var ranks: [SQLiteValue]? {
    guard let type = type as? any (CaseIterable & Comparable & RawRepresentable).Type else {
      return nil
    }
    return Self.ranks(type)
  }

  private static func ranks<Value: CaseIterable & Comparable & RawRepresentable>(
    _ type: Value.Type
  ) -> [SQLiteValue]? {
    let sorted = type.allCases.sorted()
    let raw = sorted.compactMap { ($0.rawValue as? any _AppData.StoredValue)?.slot }
      .compactMap { try? $0.columnValue() }
    guard raw.count == sorted.count else { return nil }
    let isRising = zip(raw, raw.dropFirst()).allSatisfy { left, right in
      switch (left, right) {
      case (.integer(let left), .integer(let right)): left < right
      case (.real(let left), .real(let right)): left < right
      case (.text(let left), .text(let right)): left < right
      default: false
      }
    }
    return isRising ? nil : raw
  }
}

/// An array, for code that knows its type only at run time.
protocol ArrayValue {
  static var elementType: any Any.Type { get }
}

extension Array: ArrayValue {
  static var elementType: any Any.Type { Element.self }
}
