extension _AppData {
  // Of the expression's type, not of its inputs: Swift 6.3's runtime makes no key path where there is
  // a parameter pack ("Pack expansion count type should be a pack").
  /// A function that predicates call and Foundation has no expression for.
  ///
  /// Foundation's description of a predicate knows Foundation's own expressions only, and ends the
  /// program at any other. It does know `evaluate` of an `Expression` that is captured: so each of
  /// ours is inside of one.
  public struct Function<Body: Sendable>: Sendable, Codable, CustomStringConvertible {
    /// What the function does, an `Expression`.
    public let expression: Body
    fileprivate static var path: any KeyPath<Self, Body> & Sendable { \.expression }

    private let name: String
    /// The predicate or expression that it stands for, if it is one.
    private let nested: (any Sendable)?

    init(_ name: String, _ expression: Body, for nested: (any Sendable)? = nil) {
      self.expression = expression
      self.name = name
      self.nested = nested
    }

    /// What it is called in the source.
    public var description: String { nested.map { "\($0)" } ?? name }

    /// Throws: a function cannot be decoded.
    public init(from decoder: any Decoder) throws {
      throw Uncodable.error(decoder, "a function of a predicate")
    }

    /// Throws: a function cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
      throw Uncodable.error(encoder, "a function of a predicate", name)
    }
  }

  /// A call of a function.
  public typealias Call<each Input: PredicateExpression, Output> =
    PredicateExpressions.ExpressionEvaluate<
      PredicateExpressions.KeyPath<
        PredicateExpressions.Value<
          Function<Foundation.Expression<repeat (each Input).Output, Output>>
        >, Foundation.Expression<repeat (each Input).Output, Output>
      >, repeat each Input, Output
    >

  /// Makes the expression of a function's call.
  static func call<each Input: PredicateExpression, Output>(
    _ function: Function<Foundation.Expression<repeat (each Input).Output, Output>>,
    _ input: repeat each Input
  ) -> Call<repeat each Input, Output> {
    PredicateExpressions.build_evaluate(
      PredicateExpressions.build_KeyPath(
        root: PredicateExpressions.build_Arg(function), keyPath: Function.path),
      repeat each input)
  }
}

/// The requirements of `StandardPredicateExpression` that some expressions cannot meet.
enum Uncodable {
  static func error(_ decoder: any Decoder, _ what: String) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "\(what) cannot be decoded"))
  }

  static func error(_ encoder: any Encoder, _ what: String, _ value: Any) -> EncodingError {
    .invalidValue(
      value, .init(codingPath: encoder.codingPath, debugDescription: "\(what) cannot be encoded"))
  }
}
