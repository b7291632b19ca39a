extension FetchDescriptor: Equatable {
  /// Whether both ask for the same: predicates are compared expression by expression.
  ///
  /// Captured values are compared by `==`, and by identity where they have none.
  public static func == (left: Self, right: Self) -> Bool {
    left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.includeSubclasses == right.includeSubclasses
      && left.sortBy == right.sortBy && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && ExpressionComparison.areEqual(left.predicate as Any, right.predicate as Any)
  }
}

/// Compares predicates, which have no `==` of their own, by what they are made of.
struct ExpressionComparison {
  /// Variables have a number of their own in each predicate.
  private var partners: [PredicateExpressions.VariableID: PredicateExpressions.VariableID] = [:]

  static func areEqual(_ left: Any, _ right: Any) -> Bool {
    var comparison = ExpressionComparison()
    return comparison.areEqual(left, right)
  }

  private mutating func areEqual(_ left: Any, _ right: Any) -> Bool {
    if let left = left as? PredicateExpressions.VariableID,
      let right = right as? PredicateExpressions.VariableID
    {
      if let known = partners[left] { return known == right }
      guard !partners.values.contains(right) else { return false }
      partners[left] = right
      return true
    }
    guard type(of: left) == type(of: right) else { return false }
    if let left = left as? any ComparableByParts, let right = right as? any ComparableByParts,
      let parts = left.parts, let others = right.parts
    {
      return areEqual(parts, others)
    }
    if let left = left as? any Equatable { return Self.areSame(left, right) }
    let parts = Mirror(reflecting: left)
    if parts.displayStyle == .class { return left as AnyObject === right as AnyObject }
    let others = Mirror(reflecting: right).children
    if parts.children.isEmpty, others.isEmpty { return "\(left)" == "\(right)" }
    guard parts.children.count == others.count else { return false }
    for (part, other) in zip(parts.children, others) {
      guard part.label == other.label, areEqual(part.value, other.value) else { return false }
    }
    return true
  }

  private static func areSame<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    left == right as? Value
  }
}

/// An expression whose parts its mirror does not show.
protocol ComparableByParts {
  /// What makes two of them equal; `nil` where only identity can.
  var parts: [Any]? { get }
}
