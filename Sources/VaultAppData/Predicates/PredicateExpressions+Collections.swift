import VaultStorage

/// Sequences: related models, arrays, dictionaries, texts.

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.contains(translator.term(sequence), translator.term(element), in: Self.self)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.exists(translator.term(sequence), in: Self.self) { element in
      try translator.binding(variable.key, to: element) { try translator.condition(test) }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.exists(translator.term(sequence), isNegated: true, in: Self.self) { element in
      let test = try translator.binding(variable.key, to: element) {
        try translator.scalar(self.test)
      }
      return test.canFail ? "(\(test.sql)) IS NOT 1" : "NOT (\(test.sql))"
    }
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let filter = ElementFilter(
      variable: variable.key, test: filter, bindings: translator.bindings)
    switch try translator.elements(translator.term(sequence), in: Self.self) {
    case .rows(var rows):
      rows.filters.append(filter)
      return .rows(rows)
    case .elements(var elements):
      elements.filters.append(filter)
      return .elements(elements)
    default: throw PredicateTranslator.unsupported(Self.self)
    }
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.extreme(of: translator.term(elements), largest: true, in: Self.self)
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.extreme(of: translator.term(elements), largest: false, in: Self.self)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.element(
      at: translator.term(index), of: translator.term(wrapped), in: Self.self)
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    throw PredicateTranslator.unsupported(Self.self, "a part of a collection")
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.value(
      translator.term(wrapped), forKey: translator.term(key), Value.self, in: Self.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let value = try translator.value(
      translator.term(wrapped), forKey: translator.term(key), Default.Output.self, in: Self.self)
    let merged = try translator.merge(value, translator.term(`default`), in: Self.self) {
      "COALESCE(\($0), \($1))"
    }
    return translator.unwrapped(merged, canFail: false)
  }
}

extension PredicateTranslator {
  fileprivate func value(
    _ dictionary: Term, forKey key: Term, _ type: any Any.Type, in node: Any.Type
  ) throws -> Term {
    guard case .scalar(let scalar) = dictionary, let place = scalar.place,
      let dictionary = scalar.form.type as? any DictionaryValue.Type, dictionary.hasTextKeys
    else { throw Self.unsupported(node, "only a dictionary with keys of String or Int") }
    let key = try self.scalar(key, in: node)
    let alias = newAlias("e")
    let from: SQLFragment = """
      FROM json_each(\(place.document), \(place.path)) AS \(sql: alias) \
      WHERE \(sql: alias).key = CAST(\(key.sql) AS TEXT) LIMIT 1
      """
    var value = leaf(JSONPlace("\(sql: alias).json", path: "\(sql: alias).fullkey"), type)
    // A key may hold what a path in JSON cannot, so that the value itself is taken where it can be.
    if [.text, .integer, .boolean, .json].contains(value.form.kind) {
      value.sql = "\(sql: alias).value"
    }
    value.sql = "(SELECT \(value.sql) \(from))"
    value.place = value.form.kind == .json ? JSONPlace(value.sql) : nil
    value.isOptional = true
    return .scalar(value)
  }
}
