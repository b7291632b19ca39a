import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AppDataMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
