/// Predicates and expressions that are part of another predicate.
///
/// Foundation's own node holds them as values of a predicate, which have to be `Codable`; off
/// Apple's systems predicates are not.
extension _AppData {
  /// The result of another predicate for a value.
  public struct PredicateEvaluate<each Input: PredicateExpression>: PredicateExpression {
    /// The other predicate.
    public let predicate: Foundation.Predicate<repeat (each Input).Output>
    /// The predicate's arguments.
    public let input: (repeat each Input)

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: The other predicate's answer.
    /// - Throws: What the operands throw.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try predicate.evaluate(repeat (each input).evaluate(bindings))
    }
  }

  /// The result of another expression for values.
  public struct ExpressionEvaluate<each Input: PredicateExpression, Output>: PredicateExpression {
    /// The expression.
    public let expression: Foundation.Expression<repeat (each Input).Output, Output>
    /// The expression's arguments.
    public let input: (repeat each Input)

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: The expression's answer.
    /// - Throws: What the operands throw.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      try expression.evaluate(repeat (each input).evaluate(bindings))
    }
  }

  /// Makes the expression of another predicate's `evaluate`.
  public static func buildEvaluate<each Input: PredicateExpression>(
    _ predicate: Foundation.Predicate<repeat (each Input).Output>, _ input: repeat each Input
  ) -> PredicateEvaluate<repeat each Input> {
    PredicateEvaluate(predicate: predicate, input: (repeat each input))
  }

  /// Makes the expression of an `Expression`'s `evaluate`.
  public static func buildEvaluate<each Input: PredicateExpression, Output>(
    _ expression: Foundation.Expression<repeat (each Input).Output, Output>,
    _ input: repeat each Input
  ) -> ExpressionEvaluate<repeat each Input, Output> {
    ExpressionEvaluate(expression: expression, input: (repeat each input))
  }
}

extension _AppData.PredicateEvaluate: Sendable where repeat each Input: Sendable {}
extension _AppData.ExpressionEvaluate: Sendable where repeat each Input: Sendable {}

extension _AppData.PredicateEvaluate: StandardPredicateExpression, Codable
where repeat each Input: StandardPredicateExpression {
  /// Throws: a predicate cannot be encoded.
  public init(from decoder: any Decoder) throws {
    throw Uncodable.error(decoder, "a predicate")
  }

  /// Throws: a predicate cannot be encoded.
  public func encode(to encoder: any Encoder) throws {
    throw Uncodable.error(encoder, "a predicate", predicate)
  }
}

extension _AppData.ExpressionEvaluate: StandardPredicateExpression, Codable
where repeat each Input: StandardPredicateExpression {
  /// Throws: an expression cannot be encoded.
  public init(from decoder: any Decoder) throws {
    throw Uncodable.error(decoder, "an expression")
  }

  /// Throws: an expression cannot be encoded.
  public func encode(to encoder: any Encoder) throws {
    throw Uncodable.error(encoder, "an expression", expression)
  }
}

/// The requirements of `StandardPredicateExpression` that these cannot meet.
private enum Uncodable {
  static func error(_ decoder: any Decoder, _ what: String) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "\(what) cannot be decoded"))
  }

  static func error(_ encoder: any Encoder, _ what: String, _ value: Any) -> EncodingError {
    .invalidValue(
      value, .init(codingPath: encoder.codingPath, debugDescription: "\(what) cannot be encoded"))
  }
}
