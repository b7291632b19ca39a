import SwiftDiagnostics
import SwiftSyntax

/// Operators, functions and subscripts of a predicate.
extension PredicateSyntax {
  mutating func infix(_ node: InfixOperatorExprSyntax) -> String {
    let text = node.operator.trimmedDescription
    func both(_ left: String, _ right: String) -> String { "lhs: \(left), rhs: \(right)" }
    guard let shape = Self.operators[text] else {
      return report(.unsupportedOperator(text), at: node.operator)
    }
    let left = expression(node.leftOperand)
    let right =
      ["&&", "||", "??"].contains(text)
      ? guarded { $0.expression(node.rightOperand) } : expression(node.rightOperand)
    switch shape {
    case .plain(let builder): return call(builder, both(left, right))
    case .comparison(let name): return call("Comparison", both(left, right), "op: .\(name)")
    case .arithmetic(let name): return call("Arithmetic", both(left, right), "op: .\(name)")
    case .range(let builder): return call(builder, "lower: \(left)", "upper: \(right)")
    }
  }

  private enum OperatorShape {
    case plain(String), comparison(String), arithmetic(String), range(String)
  }

  private static let operators: [String: OperatorShape] = [
    "==": .plain("Equal"), "!=": .plain("NotEqual"), "&&": .plain("Conjunction"),
    "||": .plain("Disjunction"), "??": .plain("NilCoalesce"), "/": .plain("Division"),
    "%": .plain("Remainder"), "<": .comparison("lessThan"), "<=": .comparison("lessThanOrEqual"),
    ">": .comparison("greaterThan"), ">=": .comparison("greaterThanOrEqual"),
    "+": .arithmetic("add"), "-": .arithmetic("subtract"), "*": .arithmetic("multiply"),
    "..<": .range("Range"), "...": .range("ClosedRange"),
  ]

  mutating func prefix(_ node: PrefixOperatorExprSyntax) -> String {
    switch node.operator.text {
    case "!": return call("Negation", expression(node.expression))
    case "-": return call("UnaryMinus", expression(node.expression))
    default: return report(.unsupportedOperator(node.operator.text), at: node.operator)
    }
  }

  mutating func subscripting(_ node: SubscriptCallExprSyntax) -> String {
    let base = expression(node.calledExpression)
    let arguments = Array(node.arguments)
    let labels = arguments.map { $0.label?.text }
    if labels == [nil] { return call("subscript", base, expression(arguments[0].expression)) }
    if labels == [nil, "default"] {
      let key = expression(arguments[0].expression)
      let other = guarded { $0.expression(arguments[1].expression) }
      return call("subscript", base, key, "default: \(other)")
    }
    if labels == ["keyPath"] {
      return call(
        "KeyPath", "root: \(base)", "keyPath: \(arguments[0].expression.trimmedDescription)")
    }
    return report(.unsupportedExpression("this subscript"), at: node)
  }

  mutating func function(_ node: FunctionCallExprSyntax) -> String {
    guard let callee = node.calledExpression.as(MemberAccessExprSyntax.self),
      let base = callee.base
    else {
      let name = node.calledExpression.trimmedDescription
      return report(.unsupportedFunction("\(name)()"), at: node.calledExpression)
    }
    let name = callee.declName.baseName.text
    let labels =
      node.arguments.map { $0.label?.text } + (node.trailingClosure == nil ? [] : ["{}"])
    let arguments = node.arguments.map(\.expression)
    let closure =
      node.trailingClosure ?? (arguments.count == 1 ? arguments[0].as(ClosureExprSyntax.self) : nil)
    switch (name, labels) {
    case ("contains", [nil]) where closure == nil:
      return call("contains", expression(base), expression(arguments[0]))
    case ("contains", ["{}"]), ("contains", ["where"]):
      guard let closure else { break }
      return call("contains", expression(base), "where: \(self.closure(closure))")
    case ("allSatisfy", _), ("filter", _), ("flatMap", _):
      guard let closure, labels.count == 1 else { break }
      return call(name, expression(base), self.closure(closure))
    case ("count", ["where"]), ("count", ["{}"]):
      guard let closure else { break }
      let filtered = call("filter", expression(base), self.closure(closure))
      return call("KeyPath", "root: \(filtered)", "keyPath: \\.count")
    case ("starts", ["with"]):
      return call("starts", expression(base), "with: \(expression(arguments[0]))")
    case ("min", []), ("max", []):
      return call(name, expression(base))
    case ("localizedStandardContains", [nil]), ("localizedCompare", [nil]),
      ("caseInsensitiveCompare", [nil]):
      return own(name, [expression(base), expression(arguments[0])])
    case ("evaluate", _) where !labels.isEmpty && labels.allSatisfy({ $0 == nil }):
      // The other predicate, or the expression, is a value.
      var translated = [base.trimmedDescription]
      for argument in arguments { translated.append(expression(argument)) }
      return own(name, translated)
    default: break
    }
    let signature =
      "\(name)(\(labels.map { ($0 == "{}" ? nil : $0).map { "\($0):" } ?? "_:" }.joined()))"
    return report(
      .unsupportedFunction(signature), at: callee.declName, fixIts: replacements(of: node, name))
  }

  /// A node that Foundation has on Apple's systems only.
  private func own(_ name: String, _ arguments: [String]) -> String {
    "_AppData.build\(name.prefix(1).uppercased())\(name.dropFirst())(\(arguments.joined(separator: ", ")))"
  }

  private func replacements(of node: FunctionCallExprSyntax, _ name: String) -> [FixIt] {
    let known: [String: (name: String, label: String?)] = [
      "hasPrefix": ("starts", "with"),
      "localizedCaseInsensitiveContains": ("localizedStandardContains", nil),
      "localizedCaseInsensitiveCompare": ("localizedCompare", nil),
      "localizedStandardCompare": ("localizedCompare", nil),
    ]
    guard let better = known[name], node.arguments.count == 1, let argument = node.arguments.first,
      argument.label == nil, var callee = node.calledExpression.as(MemberAccessExprSyntax.self)
    else { return [] }
    callee.declName = DeclReferenceExprSyntax(baseName: .identifier(better.name))
    var call = node
    call.calledExpression = ExprSyntax(callee)
    if let label = better.label {
      var labelled = argument
      labelled.label = .identifier(label)
      labelled.colon = .colonToken(trailingTrivia: .space)
      call.arguments = [labelled]
    }
    let signature = "\(better.name)(\(better.label ?? "_"):)"
    return [
      FixIt(
        message: AppDataFixIt("predicate-function", "use '\(signature)'"),
        changes: [.replace(oldNode: Syntax(node), newNode: Syntax(call))])
    ]
  }
}
