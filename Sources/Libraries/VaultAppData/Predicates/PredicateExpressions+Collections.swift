import VaultStorage

/// Sequences: related models, arrays, dictionaries, texts.

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.contains(translator.term(sequence), translator.term(element), in: Self.self)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.decide(translator.term(sequence), isForAll: false, in: Self.self) { element in
      try translator.binding(variable.key, to: element) { try translator.scalar(test) }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.decide(translator.term(sequence), isForAll: true, in: Self.self) { element in
      try translator.binding(variable.key, to: element) { try translator.scalar(test) }
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
    let (wrapped, index) = (try translator.term(wrapped), try translator.term(index))
    if let values = translator.captured(wrapped, as: Wrapped.Output.self),
      let place = translator.captured(index, as: Wrapped.Output.Index.self)
    {
      return .captured(try _AppData.element(values, place, values[place]))
    }
    if case .captured(let values) = wrapped, let values = values as? any Collection {
      return try translator.element(at: index, ofCaptured: values, in: Self.self)
    }
    return try translator.element(at: index, of: wrapped, in: Self.self)
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    throw PredicateTranslator.unsupported(Self.self, "a part of a collection")
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let (wrapped, key) = (try translator.term(wrapped), try translator.term(key))
    if let values = translator.captured(wrapped, as: Wrapped.Output.self),
      let known = translator.captured(key, as: Key.Output.self)
    {
      return .captured(values[known] as Any)
    }
    return try translator.value(wrapped, forKey: key, Value.self, in: Self.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let (wrapped, key) = (try translator.term(wrapped), try translator.term(key))
    if let values = translator.captured(wrapped, as: Wrapped.Output.self),
      let known = translator.captured(key, as: Key.Output.self)
    {
      return try values[known].map { .captured($0) } ?? translator.term(`default`)
    }
    let value = try translator.value(
      wrapped, forKey: key, Default.Output.self, in: Self.self)
    let merged = try translator.merge(value, translator.reached(`default`), in: Self.self) {
      "COALESCE(\($0), \($1))"
    }
    return translator.unwrapped(merged, canFail: false)
  }
}

extension PredicateTranslator {
  fileprivate func value(
    _ dictionary: Term, forKey key: Term, _ type: any Any.Type, in node: Any.Type
  ) throws -> Term {
    if case .captured(let values) = dictionary, let values = values as? any DictionaryValue {
      return try value(ofCaptured: values, forKey: key, in: node)
    }
    guard case .scalar(let scalar) = dictionary, let place = scalar.place,
      let dictionary = scalar.form.type as? any DictionaryValue.Type, dictionary.hasTextKeys
    else { throw Self.unsupported(node, "only a dictionary with keys of String or Int") }
    var defaults = place.defaults
    if case .captured(let key) = key { defaults = defaults?.member("\(key)") }
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
    // A key is not read to its end there, either.
    let member: SQLFragment = "vault_json_member(\(place.text), CAST(\(key.sql) AS TEXT))"
    value.sql = """
      CASE WHEN \(place.holdsNUL) THEN \(leaf(JSONPlace(member), type).sql) \
      ELSE (SELECT \(value.sql) \(from)) END
      """
    value.place = value.form.kind == .json ? JSONPlace(value.sql, defaults: defaults) : nil
    value.isOptional = true
    return .scalar(value)
  }
}
