import SwiftSyntax
import SwiftSyntaxBuilder

/// Expressions of a predicate that do not mention its parameter.
///
/// What cannot end the program is computed when the predicate is made. The rest is computed where
/// the evaluation gets to it, from values that were copied when the predicate was made.
extension PredicateSyntax {
  mutating func captured(_ expression: ExprSyntax) -> String {
    if let inner = expression.inParentheses { return captured(inner) }
    if let condition = expression.as(IfExprSyntax.self) { return conditional(condition) }
    guard DeferralFinder.isDeferred(expression, isGuarded: isGuarded) else {
      return call("Arg", expression.trimmedDescription)
    }
    if let node = expression.as(ForceUnwrapExprSyntax.self), !node.expression.isOptionalChain,
      !DeferralFinder.isDeferred(node.expression, isGuarded: isGuarded)
    {
      return call("ForcedUnwrap", captured(node.expression))
    }
    // Conditions stay what they are; the rest may be of any type, also one that no tree can hold.
    switch expression.as(ExprSyntaxEnum.self) {
    case .infixOperatorExpr(let node)
    where ["&&", "||"].contains(node.operator.trimmedDescription):
      return infix(node)
    case .prefixOperatorExpr(let node) where node.operator.text == "!":
      return prefix(node)
    case .ternaryExpr(let node): return ternary(node)
    default: return deferred(expression)
    }
  }

  private func deferred(_ expression: ExprSyntax) -> String {
    let capturing = CapturingRewriter(expression, isGuarded: isGuarded)
    let copied = capturing.rewrite(expression).as(ExprSyntax.self) ?? expression
    let checking = CheckingRewriter(viewMode: .sourceAccurate)
    let body = checking.body(copied)
    let words = expression.trimmedDescription.split(whereSeparator: \.isWhitespace)
    let source =
      capturing.isComplete
      ? StringLiteralExprSyntax(content: words.joined(separator: " ")).description : "nil"
    let values = capturing.values
    let arguments = ([source] + values.map(\.value)).joined(separator: ", ")
    let names = values.isEmpty ? "" : " \(values.map(\.name).joined(separator: ", ")) in"
    return "_AppData.buildDeferred(\(arguments)) {\(names)\n\(body)\n}"
  }
}

/// Finds what may end the program: `!`, an index, a division, a cast, a range; behind a guard, also
/// a sum, a call and a member, which may be computed.
final class DeferralFinder: SyntaxVisitor {
  private let isGuarded: Bool
  private var isFound = false

  private init(isGuarded: Bool) {
    self.isGuarded = isGuarded
    super.init(viewMode: .sourceAccurate)
  }

  static func isDeferred(_ expression: ExprSyntax, isGuarded: Bool) -> Bool {
    // A suspension cannot be put off.
    guard !expression.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "await" })
    else { return false }
    let finder = DeferralFinder(isGuarded: isGuarded)
    finder.walk(expression)
    return finder.isFound
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> SyntaxVisitorContinueKind {
    isFound = true
    return .skipChildren
  }

  override func visit(_ node: SubscriptCallExprSyntax) -> SyntaxVisitorContinueKind {
    isFound = true
    return .skipChildren
  }

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    if node.questionOrExclamationMark?.tokenKind == .exclamationMark { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
    if node.questionOrExclamationMark?.tokenKind == .exclamationMark { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if ExprSyntax(node).isPlainLiteral { return .skipChildren }
    switch node.operator.trimmedDescription {
    case "/", "%", "...", "..<", "/=", "%=": isFound = true
    case "+", "-", "*": if isGuarded, !ExprSyntax(node).isText { isFound = true }
    default: break
    }
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if isGuarded, node.operator.text == "-", !node.expression.isPlainLiteral { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if isGuarded, node.isCallOfMember || node.isCallOfType { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if isGuarded, MemberChain(node) != nil || ExprSyntax(node).beginsInParentheses {
      isFound = true
    }
    return .visitChildren
  }

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
}

extension ExprSyntax {
  /// Whether it is a member of what stands in parentheses: `(filter ?? other).first`.
  fileprivate var beginsInParentheses: Bool {
    var current = self
    while let base = current.as(OptionalChainingExprSyntax.self)?.expression ?? current.baseOfChain
    {
      current = base
    }
    return current.inParentheses != nil
  }
}

extension FunctionCallExprSyntax {
  fileprivate var isCallOfMember: Bool {
    calledExpression.as(MemberAccessExprSyntax.self)?.base != nil
  }

  /// A function by its bare name may be a method, which needs the object itself.
  fileprivate var isCallOfType: Bool {
    calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
  }
}
