package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@ModelActor`: an actor with a context of its own.
package struct ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self) else {
      context.report(.notAnActor, at: node)
      return []
    }
    let modifiers = actor.modifiers.map(\.name.text)
    let access = ["public", "package"].first { modifiers.contains($0) }.map { "\($0) " } ?? ""
    return [
      "\(raw: access)nonisolated let modelExecutor: any _AppData.ModelExecutor",
      "\(raw: access)nonisolated let modelContainer: _AppData.ModelContainer",
      """
      \(raw: access)init(modelContainer: _AppData.ModelContainer) {
        let modelContext = _AppData.ModelContext(modelContainer)
        self.modelExecutor = _AppData.DefaultSerialModelExecutor(modelContext: modelContext)
        self.modelContainer = modelContainer
      }
      """,
    ]
  }
}

extension ModelActorMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    return try [ExtensionDeclSyntax("extension \(type.trimmed): _AppData.ModelActor {}")]
  }
}
