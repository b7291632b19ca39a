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
    let capturing = CapturingRewriter(expression)
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

extension ExprSyntax {
  /// What single parentheses hold.
  fileprivate var inParentheses: ExprSyntax? {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first, only.label == nil
    else { return nil }
    return only.expression
  }

  /// Whether it goes on behind a `?`, so that the parts cannot be taken one by one.
  fileprivate var isOptionalChain: Bool {
    var current = Optional(self)
    while let node = current {
      if node.is(OptionalChainingExprSyntax.self) { return true }
      current = node.baseOfChain
    }
    return false
  }

  fileprivate var isPlainLiteral: Bool {
    if let negative = self.as(PrefixOperatorExprSyntax.self) {
      return negative.expression.isPlainLiteral
    }
    if let inner = inParentheses { return inner.isPlainLiteral }
    if let node = self.as(InfixOperatorExprSyntax.self) {
      return node.leftOperand.isPlainLiteral && node.rightOperand.isPlainLiteral
    }
    return self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
  }

  /// Whether it is text, or text is added to it.
  fileprivate var isText: Bool {
    if let node = self.as(InfixOperatorExprSyntax.self) {
      return node.leftOperand.isText || node.rightOperand.isText
    }
    return self.is(StringLiteralExprSyntax.self)
  }

  /// Whether its type is known without what is around.
  fileprivate var standsAlone: Bool {
    if let inner = inParentheses { return inner.standsAlone }
    var current = self
    while let base = current.baseOfChain { current = base }
    if current.as(MemberAccessExprSyntax.self)?.base == nil,
      current.is(MemberAccessExprSyntax.self)
    {
      return false
    }
    if current.as(ArrayExprSyntax.self)?.elements.isEmpty == true { return false }
    return !current.is(NilLiteralExprSyntax.self) && !current.is(ClosureExprSyntax.self)
      && !current.is(DictionaryExprSyntax.self)
  }
}

/// Finds what may end the program: `!`, an index, a division, a cast, a range; behind a guard, also
/// a sum and a call.
private final class DeferralFinder: SyntaxVisitor {
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

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
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

/// Gives each value that an expression reads a name of its own, to be copied.
private final class CapturingRewriter: SyntaxRewriter {
  private(set) var values: [(name: String, value: String)] = []
  /// Whether nothing else is read.
  private(set) var isComplete = true
  /// What closures within the expression declare.
  private let declared: Set<String>
  private var closureDepth = 0

  init(_ expression: ExprSyntax) {
    let finder = DeclarationFinder(viewMode: .sourceAccurate)
    finder.walk(expression)
    declared = finder.names
    super.init()
  }

  private func copy(_ value: String) -> ExprSyntax {
    if let known = values.first(where: { $0.value == value }) { return "\(raw: known.name)" }
    let name = "_c\(values.count)"
    values.append((name, value))
    return "\(raw: name)"
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.argumentNames == nil, isValue(node.baseName) else {
      if node.baseName.text == "self" { isComplete = false }
      return ExprSyntax(node)
    }
    return around(node, copy(node.baseName.text))
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    if closureDepth == 0, isChainOfValues(node) {
      return around(node, copy(node.trimmedDescription))
    }
    guard let base = node.base else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, visit(base)))
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    var call = node
    if let callee = node.calledExpression.as(MemberAccessExprSyntax.self) {
      if let base = callee.base {
        call.calledExpression = ExprSyntax(callee.with(\.base, visit(base)))
      }
    } else if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self) {
      if callee.baseName.text.first?.isUppercase != true { isComplete = false }
    } else {
      call.calledExpression = visit(node.calledExpression)
    }
    call.arguments = visit(node.arguments)
    call.trailingClosure = node.trailingClosure.map { visit($0).as(ClosureExprSyntax.self) ?? $0 }
    call.additionalTrailingClosures = visit(node.additionalTrailingClosures)
    return ExprSyntax(call)
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    closureDepth += 1
    defer { closureDepth -= 1 }
    return super.visit(node)
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: MacroExpansionExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  private func around(_ node: some SyntaxProtocol, _ new: ExprSyntax) -> ExprSyntax {
    new.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }

  /// `a.b.c` and `Type.a.b`, without calls in it; not a type or what a call takes its name from.
  private func isChainOfValues(_ node: MemberAccessExprSyntax) -> Bool {
    let name = node.declName
    guard name.argumentNames == nil, case .identifier(let text) = name.baseName.tokenKind,
      text.first?.isUppercase == false, let base = node.base
    else { return false }
    if let inner = base.as(MemberAccessExprSyntax.self) {
      return isChainOfValues(inner) || isChainOfTypes(inner)
    }
    guard let root = base.as(DeclReferenceExprSyntax.self), root.argumentNames == nil else {
      return false
    }
    return !declared.contains(root.baseName.text) && root.baseName.text != "super"
      && !root.baseName.text.hasPrefix("$")
  }

  private func isChainOfTypes(_ node: MemberAccessExprSyntax) -> Bool {
    guard node.declName.baseName.text.first?.isUppercase == true, let base = node.base else {
      return false
    }
    if let inner = base.as(MemberAccessExprSyntax.self) { return isChainOfTypes(inner) }
    return base.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
  }

  private func isValue(_ token: TokenSyntax) -> Bool {
    guard case .identifier(let name) = token.tokenKind, let first = name.first else { return false }
    return !first.isUppercase && first != "$" && !declared.contains(name)
  }
}

private final class DeclarationFinder: SyntaxVisitor {
  private(set) var names: Set<String> = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.text)
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    names.formUnion(node.parameterNames ?? [])
    return .visitChildren
  }
}

/// Makes an error of what would end the program, as Foundation's expressions do: a query computes
/// values for rows that the evaluation of an object perhaps never asks.
///
/// Each check is a statement of its own, so that the compiler looks at one after the other.
private final class CheckingRewriter: SyntaxRewriter {
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
    guard node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil,
      node.trailingClosure == nil, !node.calledExpression.isOptionalChain,
      node.calledExpression.standsAlone, argument.expression.standsAlone
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
