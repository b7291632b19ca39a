import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `#Predicate` over a model: a closure → the tree of expressions that Foundation's `Predicate`
/// holds.
///
/// Foundation's own macro does the same for every type. This one takes its place for models, since
/// off Apple's systems the other knows no `localizedStandardContains` and its like.
package struct PredicateMacro: ExpressionMacro {
  /// As it is made: see ``ModelMacro``.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try tree(of: node, as: "Predicate")
  }

  /// The value of Foundation's type with this name that holds a closure's tree.
  static func tree(
    of node: some FreestandingMacroExpansionSyntax, as type: String
  ) throws -> ExprSyntax {
    let argument = node.trailingClosure.map(ExprSyntax.init) ?? node.arguments.first?.expression
    guard let closure = argument?.as(ClosureExprSyntax.self) else {
      throw DiagnosticsError(diagnostics: [
        Diagnostic(
          node: Syntax(argument) ?? Syntax(node), message: AppDataDiagnostic.needsClosure(type))
      ])
    }
    var translation = PredicateSyntax()
    let body = translation.closure(closure, isOutermost: true)
    guard translation.diagnostics.isEmpty else {
      throw DiagnosticsError(diagnostics: translation.diagnostics)
    }
    let generics = node.genericArgumentClause?.trimmedDescription ?? ""
    return "Foundation.\(raw: type)\(raw: generics)(\(raw: body))"
  }
}

/// `#Expression` over a model: the same for a value that a predicate asks for by `evaluate`.
package struct ModelExpressionMacro: ExpressionMacro {
  /// As it is made: see ``ModelMacro``.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try PredicateMacro.tree(of: node, as: "Expression")
  }
}

extension AppDataDiagnostic {
  static func needsClosure(_ macro: String) -> Self {
    Self("predicate-closure", "#\(macro) takes a closure, written in place")
  }
  static let oneExpression = Self(
    "predicate-one-expression", "the body of a predicate is one expression")
  static func unsupportedFunction(_ name: String) -> Self {
    let hint = instead[String(name.prefix { $0 != "(" })].map { "; \($0)" } ?? ""
    return Self("predicate-function", "'\(name)' is not supported in a predicate\(hint)")
  }
  /// What does the same, or nearly.
  private static let instead: [String: String] = {
    let ofCase =
      "compare with caseInsensitiveCompare(_:), or search with localizedStandardContains(_:)"
    return [
      "lowercased": ofCase, "uppercased": ofCase, "localizedLowercase": ofCase,
      "localizedUppercase": ofCase, "capitalized": ofCase,
      "first": "use 'contains(where:)', or 'filter' and 'first'",
      "map": "use 'contains(where:)', 'allSatisfy' or 'filter'",
      "compactMap": "use 'contains(where:)', 'allSatisfy' or 'filter'",
      "hasSuffix": "store what is to be compared in a property of its own",
    ]
  }()
  static func unsupportedOperator(_ name: String) -> Self {
    Self("predicate-operator", "the operator '\(name)' is not supported in a predicate")
  }
  static func unsupportedExpression(_ what: String) -> Self {
    Self("predicate-expression", "\(what) is not supported in a predicate")
  }
  static let missingElse = Self(
    "predicate-else", "an 'if' in a predicate needs an 'else'")
  static let unsupportedCondition = Self(
    "predicate-condition", "an 'if' in a predicate takes conditions and 'let' only")
}
