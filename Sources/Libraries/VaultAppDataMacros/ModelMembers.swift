import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// What a class declares, with what `#if` leaves of it.
struct ModelMembers {
  /// The members that are compiled, in order.
  private(set) var compiled: [DeclSyntax] = []
  /// Those of which only the compiler can tell.
  private(set) var undecided: [DeclSyntax] = []

  init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    add(declaration.memberBlock.members, in: context)
  }

  private mutating func add(
    _ members: MemberBlockItemListSyntax, in context: some MacroExpansionContext
  ) {
    for member in members {
      guard let condition = member.decl.as(IfConfigDeclSyntax.self) else {
        compiled.append(member.decl)
        continue
      }
      if let clause = condition.compiledClause(in: context) {
        if case .decls(let members)? = clause?.elements { add(members, in: context) }
      } else {
        for clause in condition.clauses { leaveUndecided(clause) }
      }
    }
  }

  private mutating func leaveUndecided(_ clause: IfConfigClauseSyntax) {
    guard case .decls(let members)? = clause.elements else { return }
    for member in members {
      if let inner = member.decl.as(IfConfigDeclSyntax.self) {
        inner.clauses.forEach { leaveUndecided($0) }
      } else {
        undecided.append(member.decl)
      }
    }
  }

}

extension IfConfigDeclSyntax {
  /// The clause that is compiled, if one is; `nil` where a macro cannot know: the compiler says
  /// since Swift 6.3 how it was called, and never which modules it can import.
  func compiledClause(in context: some MacroExpansionContext) -> IfConfigClauseSyntax?? {
    #if canImport(SwiftSyntax603)
    guard let configuration = context.buildConfiguration else { return nil }
    let (clause, problems) = activeClause(in: configuration)
    return problems.isEmpty ? .some(clause) : nil
    #else
    return nil
    #endif
  }
}
