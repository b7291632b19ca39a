import SwiftSyntax

/// The names that stand for expressions inside of a predicate, and what the expansion calls them.
///
/// Everything that mentions none of them is a value, computed once.
struct PredicateScope {
  /// A name as the source writes it, `$0` among them, to the one in the expansion.
  var names: [String: String] = [:]

  /// Whether an expression has to be translated since it depends on what the predicate is asked of.
  func isFree(in expression: some SyntaxProtocol) -> Bool {
    let finder = Finder(names: Set(names.keys))
    finder.walk(expression)
    return finder.isFound
  }

  private final class Finder: SyntaxVisitor {
    private var names: [Set<String>]
    private(set) var isFound = false

    init(names: Set<String>) {
      self.names = [names]
      super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
      let isMember = node.parent?.as(MemberAccessExprSyntax.self)?.declName.id == node.id
      if !isMember, names.last?.contains(node.baseName.text) == true { isFound = true }
      return .skipChildren
    }

    override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind {
      .skipChildren
    }

    /// `if let name` without a value reads the name.
    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
      if node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self),
        names.last?.contains(name.identifier.text) == true
      {
        isFound = true
      }
      return .visitChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
      // A closure's own parameters hide those of the predicate.
      names.append((names.last ?? []).subtracting(node.parameterNames ?? ["$0", "$1", "$2"]))
      return .visitChildren
    }

    override func visitPost(_ node: ClosureExprSyntax) { names.removeLast() }
  }
}

extension ClosureExprSyntax {
  /// `$0` and what follows it, as far as the closure mentions it.
  var numberedNames: [String] {
    let finder = NumberFinder(viewMode: .sourceAccurate)
    finder.walk(statements)
    return (0...finder.highest).map { "$\($0)" }
  }

  private final class NumberFinder: SyntaxVisitor {
    private(set) var highest = 0

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
      let name = node.baseName.text
      if name.hasPrefix("$"), let number = Int(name.dropFirst()) { highest = max(highest, number) }
      return .skipChildren
    }

    // A closure's numbers are its own.
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  }

  /// The names of the parameters; `nil` for a closure that uses `$0`.
  var parameterNames: [String]? {
    guard let clause = signature?.parameterClause else { return nil }
    if let list = clause.as(ClosureShorthandParameterListSyntax.self) {
      return list.map(\.name.text)
    }
    return clause.as(ClosureParameterClauseSyntax.self)?.parameters.map {
      ($0.secondName ?? $0.firstName).text
    }
  }
}
