import VaultStorage

/// Texts, compared character by character as Swift does: `"\r\n"` does not hold `"\n"`.

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let base = try translator.term(base)
    guard translator.isText(base) else {
      throw PredicateTranslator.unsupported(Self.self, "for texts only")
    }
    return try translator.textContains(base, translator.term(other), in: Self.self)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.startsWith(
      translator.term(base), translator.term(prefix), in: Self.self)
  }
}

extension PredicateTranslator {
  func startsWith(_ base: Term, _ prefix: Term, in node: Any.Type) throws -> Term {
    guard isText(base), isText(prefix) else { throw Self.unsupported(node, "for texts only") }
    let text = try scalar(base, as: .string, in: node)
    let start = try scalar(prefix, as: .string, in: node)
    let canFail = text.canFail || start.canFail
    var tests: [SQLFragment] = []
    // A range, which an index answers; the characters at its end are looked at afterwards.
    if case .captured = prefix, !canFail {
      tests.append("\(text.sql) >= \(start.sql)")
      if case .text(let value)? = start.sql.values.first, let end = value.endOfPrefix {
        tests.append("\(text.sql) < \(value: .text(end))")
      }
    }
    tests.append("vault_starts(\(text.sql), \(start.sql))")
    return .boolean("(\(.joined(tests, by: " AND ")))", canFail: canFail)
  }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    guard case .captured(let value) = try translator.term(regex),
      let pattern = value as? PredicateExpressions.PredicateRegex
    else { throw PredicateTranslator.unsupported(Self.self, "a regular expression as text only") }
    return try translator.textFunction(
      "vault_matches", translator.term(subject), .captured(pattern.stringRepresentation),
      in: Self.self)
  }
}

extension _AppData.StringLocalizedStandardContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.textFunction(
      "vault_localized_standard_contains", translator.term(root), translator.term(other),
      in: Self.self)
  }
}

extension _AppData.StringLocalizedCompare: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.textFunction(
      "vault_localized_compare", translator.term(root), translator.term(other),
      ValueForm(.integer, ComparisonResult.self), in: Self.self)
  }
}

extension _AppData.StringCaseInsensitiveCompare: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.textFunction(
      "vault_case_insensitive_compare", translator.term(root), translator.term(other),
      ValueForm(.integer, ComparisonResult.self), in: Self.self)
  }
}

extension PredicateTranslator {
  func isText(_ term: Term) -> Bool {
    switch term {
    case .scalar(let scalar): scalar.form.kind == .text
    case .captured(let value): value is any StringProtocol || value is Character
    default: false
    }
  }

  func textFunction(
    _ name: String, _ left: Term, _ right: Term, _ form: ValueForm = .boolean, in node: Any.Type
  ) throws -> Term {
    guard isText(left), isText(right) else { throw Self.unsupported(node, "for texts only") }
    let left = try text(left, in: node)
    let right = try text(right, in: node)
    return .scalar(
      Scalar(
        sql: "\(sql: name)(\(left.sql), \(right.sql))", form: form,
        canFail: left.canFail || right.canFail))
  }

  func textContains(_ base: Term, _ other: Term, in node: Any.Type) throws -> Term {
    guard isText(other) else { throw Self.unsupported(node, "for texts only") }
    let text = try text(base, in: node)
    let sought = try self.text(other, in: node)
    let canFail = text.canFail || sought.canFail
    let test: SQLFragment = "vault_contains(\(text.sql), \(sought.sql))"
    if case .captured = other, sought.sql.values != [.text("")] {
      // Most rows are ruled out by their bytes; the characters are looked at in the others.
      return .boolean("(instr(\(text.sql), \(sought.sql)) > 0 AND \(test))", canFail: canFail)
    }
    return .boolean(test, canFail: canFail)
  }

  private func text(_ term: Term, in node: Any.Type) throws -> Scalar {
    if case .captured(let value) = term, let substring = value as? Substring {
      return try scalar(.captured(String(substring)), in: node)
    }
    return try scalar(term, in: node)
  }
}

extension String {
  /// The least text that sorts after all that begin with this one.
  fileprivate var endOfPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // There are no scalars from D800 to DFFF.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let next = UnicodeScalar(next) {
        scalars.append(next)
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
      }
    }
    return nil
  }
}
