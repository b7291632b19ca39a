package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@_ModelInitializer`: an initializer that ends by introducing the object to its storage.
///
/// Accessors of initialization know the storage only. What was linked there is led back to the
/// object when there is one, and never by an initializer that fails.
package struct InitializerMacro {}

extension InitializerMacro: BodyMacro {
  /// As the program has it, line by line: errors and breakpoints are where its lines are.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let body = declaration.body else { return [] }
    // A subclass without links and constants only has its values joined with what it inherits.
    let introduction: CodeBlockItemSyntax =
      node.arguments == nil ? "\n_AppData.made(self)" : "\n_$join()"
    var items = Array(ReturnRewriter(introduction).visit(body.statements))
    guard let first = body.statements.first,
      let place = context.location(
        of: first, at: .afterLeadingTrivia, filePathMode: .filePath)
    else { return items + [introduction] }
    items[0] = items[0].with(\.leadingTrivia, [])
    return ["#sourceLocation(file: \(place.file), line: \(place.line))"] + items
      + ["\n#sourceLocation()", introduction]
  }
}

/// Puts the introduction before each `return` of an initializer that does not fail.
private final class ReturnRewriter: SyntaxRewriter {
  private let introduction: CodeBlockItemSyntax

  init(_ introduction: CodeBlockItemSyntax) {
    self.introduction = introduction
    super.init()
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    let rewritten = super.visit(node)
    return CodeBlockItemListSyntax(
      rewritten.flatMap { item in
        guard case .stmt(let statement) = item.item,
          let end = statement.as(ReturnStmtSyntax.self), end.expression == nil
        else { return [item] }
        // On the same line: those that follow keep their numbers.
        let before = introduction.with(\.leadingTrivia, item.leadingTrivia)
          .with(\.semicolon, .semicolonToken(trailingTrivia: .space))
        return [before, item.with(\.leadingTrivia, [])]
      })
  }

  // A `return` in these is not the initializer's.
  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: AccessorBlockSyntax) -> AccessorBlockSyntax { node }
  override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
}
