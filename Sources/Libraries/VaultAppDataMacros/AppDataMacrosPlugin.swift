import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AppDataMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, PersistedPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self,
    TransientMacro.self, UniqueMacro.self, IndexMacro.self, ModelActorMacro.self,
    PredicateMacro.self, ModelExpressionMacro.self, InitializerMacro.self,
  ]
}
