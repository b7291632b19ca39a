/// Predicates and expressions that are part of another predicate.
///
/// Foundation's own node holds them as values of a predicate, which have to be `Codable`; off
/// Apple's systems predicates are not, and there is no node for a predicate.
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

  /// Makes the expression of another predicate's `evaluate`.
  public static func buildEvaluate<each Input: PredicateExpression>(
    _ predicate: Foundation.Predicate<repeat (each Input).Output>, _ input: repeat each Input
  ) -> Call<repeat each Input, Bool> {
    let expression = Foundation.Expression<repeat (each Input).Output, Bool> {
      (variable: repeat PredicateExpressions.Variable<(each Input).Output>) in
      PredicateEvaluate(predicate: predicate, input: (repeat each variable))
    }
    return call(Function("a predicate", expression, for: predicate), repeat each input)
  }

  /// Makes the expression of an `Expression`'s `evaluate`.
  public static func buildEvaluate<each Input: PredicateExpression, Output>(
    _ expression: Foundation.Expression<repeat (each Input).Output, Output>,
    _ input: repeat each Input
  ) -> Call<repeat each Input, Output> {
    call(Function("an expression", expression, for: expression), repeat each input)
  }
}

extension _AppData.PredicateEvaluate: Sendable where repeat each Input: Sendable {}

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
