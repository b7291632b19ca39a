import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// One predicate's closure, translated expression by expression into calls of Foundation's
/// builders.
struct PredicateSyntax {
  private(set) var diagnostics: [Diagnostic] = []
  private var scope = PredicateScope()
  private var nameCount = 0
  /// Whether what is translated may never be reached.
  private(set) var isGuarded = false
  /// Optional chains that the closure around has unwrapped, and the name of what was in them.
  private var unwrapped: [SyntaxIdentifier: String] = [:]

  static let builders = "Foundation.PredicateExpressions"

  mutating func report(
    _ message: AppDataDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) -> String {
    diagnostics.append(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
    return "_"
  }

  private mutating func freshName() -> String {
    defer { nameCount += 1 }
    return "_v\(nameCount)"
  }

  func call(_ builder: String, _ arguments: String...) -> String {
    "\(Self.builders).build_\(builder)(\(arguments.joined(separator: ", ")))"
  }

  /// Translates what is evaluated only if something else is so.
  mutating func guarded(_ translate: (inout PredicateSyntax) -> String) -> String {
    let outer = isGuarded
    isGuarded = true
    defer { isGuarded = outer }
    return translate(&self)
  }

  // MARK: Closures

  /// A closure with its body translated: what is within may never be reached, unless the closure is
  /// the predicate's own.
  mutating func closure(_ closure: ClosureExprSyntax, isOutermost: Bool = false) -> String {
    let outer = scope
    defer { scope = outer }
    let names = closure.parameterNames ?? closure.numberedNames
    var parameters: [String] = []
    for name in names {
      let generated = name == "_" ? "_" : freshName()
      parameters.append(generated)
      if name != "_" { scope.names[name] = generated }
    }
    let body =
      isOutermost
      ? self.body(closure.statements, of: closure)
      : guarded { $0.body(closure.statements, of: closure) }
    return "{ \(parameters.joined(separator: ", ")) in\n\(body)\n}"
  }

  private mutating func body(
    _ statements: CodeBlockItemListSyntax, of node: some SyntaxProtocol
  ) -> String {
    guard statements.count == 1, let item = statements.first else {
      return report(
        .oneExpression, at: statements.dropFirst().first.map(Syntax.init) ?? Syntax(node))
    }
    let value =
      item.item.as(ExprSyntax.self) ?? item.item.as(ExpressionStmtSyntax.self)?.expression
      ?? item.item.as(ReturnStmtSyntax.self)?.expression
    guard let value else { return report(.oneExpression, at: item.item) }
    return expression(value)
  }

  // MARK: Expressions

  mutating func expression(_ expression: ExprSyntax) -> String {
    if expression.is(NilLiteralExprSyntax.self) { return call("NilLiteral") }
    guard scope.isFree(in: expression) || unwrappedName(in: expression) != nil else {
      return captured(expression)
    }
    if let chain = openChain(in: expression) { return flatMap(chain, in: expression) }
    switch expression.as(ExprSyntaxEnum.self) {
    case .optionalChainingExpr(let node): return call("Arg", unwrapped[node.id] ?? "_")
    case .declReferenceExpr(let node):
      return call("Arg", scope.names[node.baseName.text] ?? node.trimmedDescription)
    case .tupleExpr(let node):
      guard node.elements.count == 1, let only = node.elements.first else {
        return report(.unsupportedExpression("a tuple"), at: node)
      }
      return self.expression(only.expression)
    case .memberAccessExpr(let node): return member(node)
    case .forceUnwrapExpr(let node): return call("ForcedUnwrap", self.expression(node.expression))
    case .functionCallExpr(let node): return function(node)
    case .subscriptCallExpr(let node): return subscripting(node)
    case .infixOperatorExpr(let node): return infix(node)
    case .prefixOperatorExpr(let node): return prefix(node)
    case .ternaryExpr(let node): return ternary(node)
    case .ifExpr(let node): return conditional(node)
    case .isExpr(let node):
      return
        "\(Self.builders).TypeCheck<_, \(node.type.trimmed)>(\(self.expression(node.expression)))"
    case .asExpr(let node): return cast(node)
    case .tryExpr(let node): return self.expression(node.expression)
    case .switchExpr(let node):
      return report(.unsupportedExpression("'switch'"), at: node.switchKeyword)
    case .closureExpr(let node): return report(.unsupportedExpression("a closure here"), at: node)
    case .stringLiteralExpr(let node):
      return report(.unsupportedExpression("text with a value of the model in it"), at: node)
    case .sequenceExpr(let node): return report(.unsupportedExpression("this expression"), at: node)
    default: return report(.unsupportedExpression("this expression"), at: expression)
    }
  }

  mutating func ternary(_ node: TernaryExprSyntax) -> String {
    call(
      "Conditional", expression(node.condition), guarded { $0.expression(node.thenExpression) },
      guarded { $0.expression(node.elseExpression) })
  }

  private mutating func cast(_ node: AsExprSyntax) -> String {
    let value = expression(node.expression)
    switch node.questionOrExclamationMark?.tokenKind {
    case .postfixQuestionMark:
      return "\(Self.builders).ConditionalCast<_, \(node.type.trimmed)>(\(value))"
    case .exclamationMark:
      return "\(Self.builders).ForceCast<_, \(node.type.trimmed)>(\(value))"
    default: return report(.unsupportedExpression("'as'"), at: node.asKeyword)
    }
  }

  private mutating func member(_ node: MemberAccessExprSyntax) -> String {
    guard let base = node.base else { return call("Arg", node.trimmedDescription) }
    let value = expression(base)
    let name = node.declName.trimmedDescription
    if name == "rawValue" { return "_AppData.buildRawValue(root: \(value), keyPath: \\.rawValue)" }
    return name == "self" ? value : call("KeyPath", "root: \(value)", "keyPath: \\.\(name)")
  }

  // MARK: Optional chains

  /// The last `?` of a chain of members that has not been unwrapped yet.
  private func openChain(in expression: ExprSyntax) -> OptionalChainingExprSyntax? {
    var current = Optional(expression)
    while let node = current {
      if let chain = node.as(OptionalChainingExprSyntax.self) {
        return unwrapped[chain.id] == nil ? chain : nil
      }
      current = node.baseOfChain
    }
    return nil
  }

  private func unwrappedName(in expression: ExprSyntax) -> String? {
    var current = Optional(expression)
    while let node = current {
      if let name = unwrapped[node.id] { return name }
      current = node.baseOfChain
    }
    return nil
  }

  private mutating func flatMap(
    _ chain: OptionalChainingExprSyntax, in expression: ExprSyntax
  ) -> String {
    let optional = self.expression(chain.expression)
    let name = freshName()
    unwrapped[chain.id] = name
    defer { unwrapped[chain.id] = nil }
    let rest = guarded { $0.expression(expression) }
    return "\(Self.builders).build_flatMap(\(optional)) { \(name) in\n\(rest)\n}"
  }

  // MARK: Conditions

  mutating func conditional(_ node: IfExprSyntax) -> String {
    guard let other = node.elseBody else { return report(.missingElse, at: node.ifKeyword) }
    return conditions(
      Array(node.conditions), then: node.body, otherwise: { $0.alternative(other) })
  }

  private mutating func alternative(_ other: IfExprSyntax.ElseBody) -> String {
    if let next = other.as(IfExprSyntax.self) { return conditional(next) }
    guard let block = other.as(CodeBlockSyntax.self) else { return report(.missingElse, at: other) }
    return body(block.statements, of: block)
  }

  private mutating func conditions(
    _ elements: [ConditionElementSyntax], then block: CodeBlockSyntax,
    otherwise: (inout PredicateSyntax) -> String
  ) -> String {
    guard let first = elements.first else { return body(block.statements, of: block) }
    let rest = Array(elements.dropFirst())
    switch first.condition {
    case .expression(let condition):
      let test = expression(condition)
      let yes = guarded { $0.conditions(rest, then: block, otherwise: otherwise) }
      return call("Conditional", test, yes, guarded(otherwise))
    case .optionalBinding(let binding):
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        return report(.unsupportedCondition, at: binding.pattern)
      }
      let value =
        binding.initializer?.value
        ?? ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier(name)))
      let optional = expression(value)
      let outer = scope
      let generated = freshName()
      scope.names[name] = generated
      let yes = guarded { translation in
        translation.conditions(rest, then: block) { translation in
          // The other branch does not see what was bound.
          let inner = translation.scope
          translation.scope = outer
          defer { translation.scope = inner }
          return otherwise(&translation)
        }
      }
      scope = outer
      let mapped = "\(Self.builders).build_flatMap(\(optional)) { \(generated) in\n\(yes)\n}"
      return call("NilCoalesce", "lhs: \(mapped)", "rhs: \(guarded(otherwise))")
    default: return report(.unsupportedCondition, at: first)
    }
  }
}

extension ExprSyntax {
  /// The expression that a member, a call, an index or `!` is applied to.
  var baseOfChain: ExprSyntax? {
    if let node = self.as(MemberAccessExprSyntax.self) { return node.base }
    if let node = self.as(FunctionCallExprSyntax.self) { return node.calledExpression }
    if let node = self.as(SubscriptCallExprSyntax.self) { return node.calledExpression }
    return self.as(ForceUnwrapExprSyntax.self)?.expression
  }
}
