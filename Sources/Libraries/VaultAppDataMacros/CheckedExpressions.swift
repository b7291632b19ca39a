import SwiftSyntax
import SwiftSyntaxBuilder

/// Makes an error of what would end the program, as Foundation's expressions do: a query computes
/// values for rows that the evaluation of an object perhaps never asks.
///
/// Each check is a statement of its own, so that the compiler looks at one after the other.
final class CheckingRewriter: SyntaxRewriter {
  private var statements: [String] = []
  private var takesThrowing = false
  /// Whether a call is given a closure that throws.
  private var callsThrowing = false
  /// Numbers of names that the closures around have used.
  private var names = 0

  /// The statements that give the expression's value.
  func body(_ expression: ExprSyntax) -> String {
    let value = (rewrite(expression).as(ExprSyntax.self) ?? expression).trimmedDescription
    let throwing = callsThrowing ? "try \(value)" : value
    guard !statements.isEmpty else { return throwing }
    return (statements + ["return \(throwing)"]).joined(separator: "\n")
  }

  private func checked(
    _ function: String, _ arguments: String..., of node: some SyntaxProtocol
  ) -> ExprSyntax {
    let name = "_t\(names)"
    names += 1
    let call = "_AppData.\(function)(\(arguments.joined(separator: ", ")))"
    statements.append("let \(name) = try \(call)")
    let reference: ExprSyntax = "\(raw: name)"
    return reference.with(\.leadingTrivia, node.leadingTrivia)
      .with(\.trailingTrivia, node.trailingTrivia)
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> ExprSyntax {
    guard !node.expression.isOptionalChain, node.expression.standsAlone else {
      return ExprSyntax(node)
    }
    return checked("unwrapped", visit(node.expression).trimmedDescription, of: node)
  }

  override func visit(_ node: AsExprSyntax) -> ExprSyntax {
    guard node.questionOrExclamationMark?.tokenKind == .exclamationMark else {
      return super.visit(node)
    }
    let value = visit(node.expression).trimmedDescription
    return checked("unwrapped", "\(value) as? \(node.type.trimmedDescription)", of: node)
  }

  override func visit(_ node: SubscriptCallExprSyntax) -> ExprSyntax {
    // Behind a `?`, perhaps nothing of it is reached.
    if node.calledExpression.isOptionalChain { return ExprSyntax(node) }
    if node.arguments.count == 2, let key = node.arguments.first, key.label == nil,
      let other = node.arguments.last, other.label?.text == "default"
    {
      let base = visit(node.calledExpression).trimmedDescription
      let index = visit(key.expression).trimmedDescription
      let value = perhapsReached(other.expression)
      // A dictionary's default must not throw.
      let isSame = value.trimmedDescription == other.expression.trimmedDescription
      let text =
        isSame
        ? "\(base)[\(index), default: \(value.trimmed)]" : "(\(base)[\(index)] ?? \(value.trimmed))"
      let access: ExprSyntax = "\(raw: text)"
      return access.with(\.leadingTrivia, node.leadingTrivia)
        .with(\.trailingTrivia, node.trailingTrivia)
    }
    guard node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil,
      node.trailingClosure == nil, node.calledExpression.standsAlone,
      argument.expression.standsAlone
    else { return super.visit(node) }
    let base = visit(node.calledExpression).trimmedDescription
    let index = visit(argument.expression).trimmedDescription
    return checked("element", base, index, "\(base)[\(index)]", of: node)
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    let sign = node.operator.trimmedDescription
    if ["&&", "||", "??"].contains(sign) {
      let left = visit(node.leftOperand)
      let right = perhapsReached(node.rightOperand)
      return ExprSyntax(node.with(\.leftOperand, left).with(\.rightOperand, right))
    }
    guard let name = Self.checks[sign], !ExprSyntax(node).isPlainLiteral, !ExprSyntax(node).isText,
      node.leftOperand.standsAlone, node.rightOperand.standsAlone
    else { return super.visit(node) }
    let left = visit(node.leftOperand).trimmedDescription
    let right = visit(node.rightOperand).trimmedDescription
    if sign.hasPrefix("..") { return checked(name, left, right, of: node) }
    return checked(name, left, right, "\(left) \(sign) \(right)", of: node)
  }

  private static let checks = [
    "+": "sum", "-": "difference", "*": "product", "/": "quotient", "%": "remainder",
    "...": "closedRange", "..<": "range",
  ]

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    if node.calledExpression.isOptionalChain { return ExprSyntax(node) }
    let outer = takesThrowing
    defer { takesThrowing = outer }
    let callee = node.calledExpression.as(MemberAccessExprSyntax.self)
    takesThrowing = Self.rethrowing.contains(callee?.declName.baseName.text ?? "")
    return super.visit(node)
  }

  /// Not everything that takes a closure takes one that throws: these do.
  private static let rethrowing: Set<String> = [
    "contains", "allSatisfy", "filter", "first", "last", "firstIndex", "map", "compactMap",
    "flatMap", "sorted", "min", "max", "reduce", "prefix", "drop",
  ]

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    guard takesThrowing, node.statements.count == 1, let item = node.statements.first,
      let value = item.item.as(ExprSyntax.self)
    else { return ExprSyntax(node) }
    let inner = CheckingRewriter(viewMode: .sourceAccurate)
    inner.names = names
    let body = inner.body(value)
    guard !inner.statements.isEmpty || inner.callsThrowing else { return ExprSyntax(node) }
    names = inner.names
    callsThrowing = true
    let checked = node.with(\.statements, "\n\(raw: body)\n")
    return ExprSyntax(checked)
  }

  override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
    let condition = visit(node.condition)
    return ExprSyntax(
      node.with(\.condition, condition)
        .with(\.thenExpression, perhapsReached(node.thenExpression))
        .with(\.elseExpression, perhapsReached(node.elseExpression)))
  }

  /// An expression with its checks where it is.
  private func perhapsReached(_ expression: ExprSyntax) -> ExprSyntax {
    let inner = CheckingRewriter(viewMode: .sourceAccurate)
    inner.names = names
    let body = inner.body(expression)
    guard !inner.statements.isEmpty || inner.callsThrowing else { return expression }
    names = inner.names
    callsThrowing = true
    let call: ExprSyntax = "{\n\(raw: body)\n}()"
    return call.with(\.leadingTrivia, expression.leadingTrivia)
      .with(\.trailingTrivia, expression.trailingTrivia)
  }

  // These decide for themselves; a key path computes nothing.
  override func visit(_ node: IfExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: SwitchExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: OptionalChainingExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: TryExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: MacroExpansionExprSyntax) -> ExprSyntax { ExprSyntax(node) }
}
