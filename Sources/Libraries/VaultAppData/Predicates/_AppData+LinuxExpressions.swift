/// Expressions of predicates that Foundation has on Apple's systems only, and ``Predicate(_:)``
/// makes.
extension _AppData {
  /// Whether a text holds another one, regardless of case, accents and width.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The value to search in.
    public let root: Root
    /// The value to look for.
    public let other: Other

    /// Makes the expression.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: Whether the text is there.
    /// - Throws: What the operands throw.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  /// Compares two texts in the order of the user's language.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// Makes the expression.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: Which text comes first.
    /// - Throws: What the operands throw.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
    }
  }

  /// Compares two texts regardless of case.
  public struct StringCaseInsensitiveCompare<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// Makes the expression.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: Which text comes first.
    /// - Throws: What the operands throw.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
    }
  }

  /// The raw value that an enum is stored as.
  ///
  /// Off Apple's systems a key path to `rawValue` does not say that it is one.
  public struct RawValue<Root: PredicateExpression>: PredicateExpression
  where Root.Output: RawRepresentable {
    /// The enum.
    public let root: Root

    /// Makes the expression.
    public init(root: Root) { self.root = root }

    /// The answer for some values of the variables.
    ///
    /// - Parameter bindings: The values.
    /// - Returns: The raw value.
    /// - Throws: What the operand throws.
    public func evaluate(_ bindings: PredicateBindings) throws -> Root.Output.RawValue {
      try root.evaluate(bindings).rawValue
    }
  }
}

extension _AppData.RawValue: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression {}

extension _AppData.StringLocalizedStandardContains: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension _AppData.StringLocalizedCompare: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension _AppData.StringCaseInsensitiveCompare: StandardPredicateExpression, Codable, Sendable
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension _AppData {
  /// Makes the expression of `localizedStandardContains`.
  public static func buildLocalizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> Call<Root, Other, Bool> where Root.Output: StringProtocol, Other.Output: StringProtocol {
    call(
      Function(
        "localizedStandardContains",
        Foundation.Expression<Root.Output, Other.Output, Bool> {
          StringLocalizedStandardContains(root: $0, other: $1)
        }), root, other)
  }

  /// Makes the expression of `localizedCompare`.
  public static func buildLocalizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> Call<Root, Other, ComparisonResult>
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    call(
      Function(
        "localizedCompare",
        Foundation.Expression<Root.Output, Other.Output, ComparisonResult> {
          StringLocalizedCompare(root: $0, other: $1)
        }), root, other)
  }

  /// Makes the expression of `caseInsensitiveCompare`.
  public static func buildCaseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> Call<Root, Other, ComparisonResult>
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    call(
      Function(
        "caseInsensitiveCompare",
        Foundation.Expression<Root.Output, Other.Output, ComparisonResult> {
          StringCaseInsensitiveCompare(root: $0, other: $1)
        }), root, other)
  }

  /// Makes the expression of `rawValue`.
  public static func buildRawValue<Root>(
    root: Root, keyPath: any KeyPath<Root.Output, Root.Output.RawValue> & Sendable
  ) -> Call<Root, Root.Output.RawValue> where Root.Output: RawRepresentable {
    call(
      Function(
        "rawValue",
        Foundation.Expression<Root.Output, Root.Output.RawValue> { RawValue(root: $0) }), root)
  }

  /// Makes the expression of a property that is only called `rawValue`.
  @_disfavoredOverload
  public static func buildRawValue<Root, Value>(
    root: Root, keyPath: any KeyPath<Root.Output, Value> & Sendable
  ) -> PredicateExpressions.KeyPath<Root, Value> {
    PredicateExpressions.build_KeyPath(root: root, keyPath: keyPath)
  }
}
