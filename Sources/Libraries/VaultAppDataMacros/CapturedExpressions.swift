import SwiftSyntax
import SwiftSyntaxBuilder

extension ExprSyntax {
  /// What single parentheses hold.
  var inParentheses: ExprSyntax? {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first, only.label == nil
    else { return nil }
    return only.expression
  }

  /// Whether it goes on behind a `?`, so that the parts cannot be taken one by one.
  var isOptionalChain: Bool {
    var current = Optional(self)
    while let node = current {
      if node.is(OptionalChainingExprSyntax.self) { return true }
      current = node.baseOfChain
    }
    return false
  }

  var isPlainLiteral: Bool {
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
  var isText: Bool {
    if let node = self.as(InfixOperatorExprSyntax.self) {
      return node.leftOperand.isText || node.rightOperand.isText
    }
    return self.is(StringLiteralExprSyntax.self)
  }

  /// Whether its type is known without what is around.
  var standsAlone: Bool {
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

/// Gives each value that an expression reads a name of its own, to be copied.
final class CapturingRewriter: SyntaxRewriter {
  private(set) var values: [(name: String, value: String)] = []
  /// Whether nothing else is read.
  private(set) var isComplete = true
  /// What closures within the expression declare.
  private let declared: Set<String>
  private var closureDepth = 0
  /// Whether what is read may never be reached.
  private var isGuarded: Bool

  init(_ expression: ExprSyntax, isGuarded: Bool) {
    self.isGuarded = isGuarded
    let finder = DeclarationFinder(viewMode: .sourceAccurate)
    finder.walk(expression)
    declared = finder.names
    super.init()
  }

  private func copy(_ value: String) -> ExprSyntax {
    func plain(_ value: String) -> Substring {
      value.hasSuffix(".self") ? value.dropLast(5) : value[...]
    }
    if let known = values.first(where: { plain($0.value) == plain(value) }) {
      return "\(raw: known.name)"
    }
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
    if closureDepth == 0 {
      if isGuarded, let chain = MemberChain(node), !declared.contains(chain.root),
        !chain.isOptional || !ExprSyntax(node).isBaseOfMore
      {
        return around(node, "\(copy(chain.source)).value")
      }
      if isChainOfValues(node) { return around(node, copy(node.trimmedDescription)) }
    }
    // A type and what it is declared in are nothing to copy.
    guard let base = node.base, !ExprSyntax(node).isType else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, member(of: base)))
  }

  /// What a member is read of: perhaps a type whose name is in small letters.
  private func member(of base: ExprSyntax) -> ExprSyntax {
    guard let root = base.as(DeclReferenceExprSyntax.self), root.argumentNames == nil,
      isValue(root.baseName)
    else { return visit(base) }
    return around(root, copy("\(root.baseName.text).self"))
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    var call = node
    if let callee = node.calledExpression.as(MemberAccessExprSyntax.self) {
      if let base = callee.base, !base.isType {
        call.calledExpression = ExprSyntax(callee.with(\.base, member(of: base)))
      }
    } else if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self) {
      if callee.baseName.text.first?.isUppercase != true { isComplete = false }
    } else {
      call.calledExpression = visit(node.calledExpression)
    }
    call.arguments = perhapsReached(node.calledExpression.isOptionalChain) {
      visit(node.arguments)
    }
    call.trailingClosure = node.trailingClosure.map { visit($0).as(ClosureExprSyntax.self) ?? $0 }
    call.additionalTrailingClosures = visit(node.additionalTrailingClosures)
    return ExprSyntax(call)
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    closureDepth += 1
    defer { closureDepth -= 1 }
    return super.visit(node)
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    let isGuard = ["&&", "||", "??"].contains(node.operator.trimmedDescription)
    let left = visit(node.leftOperand)
    let right = perhapsReached(isGuard) { visit(node.rightOperand) }
    return ExprSyntax(node.with(\.leftOperand, left).with(\.rightOperand, right))
  }

  override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
    let condition = visit(node.condition)
    return perhapsReached(true) {
      ExprSyntax(
        node.with(\.condition, condition)
          .with(\.thenExpression, visit(node.thenExpression))
          .with(\.elseExpression, visit(node.elseExpression)))
    }
  }

  override func visit(_ node: IfExprSyntax) -> ExprSyntax {
    perhapsReached(true) { super.visit(node) }
  }

  override func visit(_ node: SwitchExprSyntax) -> ExprSyntax {
    perhapsReached(true) { super.visit(node) }
  }

  /// Visits what is evaluated only if something else is so.
  private func perhapsReached<Result>(_ isSo: Bool, _ visiting: () -> Result) -> Result {
    let outer = isGuarded
    isGuarded = isGuarded || isSo
    defer { isGuarded = outer }
    return visiting()
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
      return isChainOfValues(inner) || base.isType
    }
    guard let root = base.as(DeclReferenceExprSyntax.self), root.argumentNames == nil else {
      return false
    }
    return !declared.contains(root.baseName.text) && root.baseName.text != "super"
      && !root.baseName.text.hasPrefix("$")
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
