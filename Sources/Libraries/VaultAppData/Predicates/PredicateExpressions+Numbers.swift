import VaultStorage

/// Arithmetic with Swift's limits: beyond a type's range there is no value.

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let sign =
      switch op {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      @unknown default: throw PredicateTranslator.unsupported(Self.self, "\(op)")
      }
    return try translator.arithmetic(
      sign, translator.term(lhs), translator.term(rhs), of: Output.self, in: Self.self)
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.arithmetic(
      "/", translator.term(lhs), translator.term(rhs), of: Output.self, in: Self.self)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.arithmetic(
      "%", translator.term(lhs), translator.term(rhs), of: Output.self, in: Self.self)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.arithmetic(
      "/", translator.term(lhs), translator.term(rhs), of: Output.self, in: Self.self)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let operand = try translator.term(wrapped)
    let form = ValueForm.of(Output.self)
    if form.isReal {
      var scalar = try translator.scalar(operand, as: form, in: Self.self)
      scalar.sql = "(-\(scalar.sql))"
      scalar.alias = nil
      return .scalar(scalar)
    }
    let zero = Scalar(sql: form.kind == .decimal ? "'0'" : "0", form: form)
    return try translator.arithmetic(
      "-", .scalar(zero), operand, of: Output.self, in: Self.self)
  }
}

extension PredicateTranslator {
  func arithmetic(
    _ sign: String, _ left: Term, _ right: Term, of type: any Any.Type, in node: Any.Type
  ) throws -> Term {
    let form = ValueForm.of(type)
    let left = try scalar(left, as: form, in: node)
    let right = try scalar(right, as: form, in: node)
    var result = Scalar(sql: "(\(left.sql) \(sql: sign) \(right.sql))", form: form)
    result.canFail = left.canFail || right.canFail
    switch form.kind {
    case .integer, .unsigned:
      guard let integer = type as? any FixedWidthInteger.Type else {
        throw Self.unsupported(node, "\(type)")
      }
      result.canFail = true
      if form.kind == .unsigned {
        result.sql =
          "vault_unsigned_arithmetic(\(left.sql), \(value: .text(sign)), \(right.sql))"
      } else {
        // A sum beyond 64 bits is a floating-point number in SQLite: sqlite.org/lang_expr.html.
        result.sql =
          "vault_integer(\(result.sql), \(value: .integer(Self.code(of: integer))))"
      }
    case .double, .float:
      if sign == "/" { result.sql = "vault_divide(\(left.sql), \(right.sql))" }
      if form.kind == .float { result.sql = "vault_float(\(result.sql))" }
      result.mayBeNaN = true
    case .decimal:
      result.sql = "vault_decimal(\(left.sql), \(value: .text(sign)), \(right.sql))"
      result.mayBeNaN = true
    default: throw Self.unsupported(node, "\(type)")
    }
    return .scalar(result)
  }

  /// The width in bits, below zero for a type without sign.
  private static func code<Value: FixedWidthInteger>(of type: Value.Type) -> Int64 {
    Int64(Value.isSigned ? Value.bitWidth : -Value.bitWidth)
  }
}

// MARK: Ranges

extension PredicateExpressions.Range: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    .range(
      RangeTerm(
        lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: false))
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    .range(
      RangeTerm(
        lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: true))
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    try translator.contains(translator.term(range), translator.term(element), in: Self.self)
  }
}

extension PredicateTranslator {
  func rangeContains(_ range: RangeTerm, _ element: Term, in node: Any.Type) throws -> Term {
    var tests: [Scalar] = []
    if let lower = range.lower {
      tests.append(try scalar(comparison(element, ">=", lower, in: node), in: node))
    }
    if let upper = range.upper {
      let sign = range.includesUpper ? "<=" : "<"
      tests.append(try scalar(comparison(element, sign, upper, in: node), in: node))
    }
    return .boolean(
      "(\(.joined(tests.map(\.sql), by: " AND ")))", canFail: tests.contains(where: \.canFail))
  }
}

/// A range that the program has made.
protocol CapturedRange {
  var term: RangeTerm { get }
}

extension Range: CapturedRange {
  var term: RangeTerm {
    RangeTerm(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: false)
  }
}

extension ClosedRange: CapturedRange {
  var term: RangeTerm {
    RangeTerm(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: true)
  }
}

extension PartialRangeFrom: CapturedRange {
  var term: RangeTerm { RangeTerm(lower: .captured(lowerBound), upper: nil, includesUpper: false) }
}

extension PartialRangeUpTo: CapturedRange {
  var term: RangeTerm { RangeTerm(lower: nil, upper: .captured(upperBound), includesUpper: false) }
}

extension PartialRangeThrough: CapturedRange {
  var term: RangeTerm { RangeTerm(lower: nil, upper: .captured(upperBound), includesUpper: true) }
}
