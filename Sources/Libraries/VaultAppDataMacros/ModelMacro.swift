package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Model`: storage, observation and the description of a class's properties.
package struct ModelMacro {}

extension ModelMacro: MemberMacro {
  /// What it adds is written as it is to look.
  ///
  /// To format it once more is near half of what the macros cost where they are not optimized.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let syntax = declaration.as(ClassDeclSyntax.self) else {
      context.report(.notAClass(declaration.kindDescription), at: node)
      return []
    }
    ModelDeclaration.check(syntax, in: context)
    var model = ModelDeclaration(syntax, in: context)
    // Empty when the superclass is a model already; so is it in a test that names no protocol.
    if protocols.isEmpty { model.superclass = model.firstInherited }
    if !model.hasInitializer, model.properties.contains(where: \.needsInitializer) {
      context.report(.noInitializer, at: syntax.name)
    }
    return ModelExpansion(model).members
  }
}

extension ModelMacro: MemberAttributeMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let syntax = declaration.as(ClassDeclSyntax.self) else { return [] }
    if let made = member.as(InitializerDeclSyntax.self) {
      guard made.isDesignated else { return [] }
      let model = ModelDeclaration(syntax, in: context)
      // The compiler says that a property is forgotten; in an expansion it would say so again.
      if model.properties.contains(where: made.forgets) { return [] }
      if model.needsIntroduction { return ["@_ModelInitializer"] }
      return model.mayInherit ? ["@_ModelInitializer(joins: true)"] : []
    }
    guard let variable = member.as(VariableDeclSyntax.self), variable.isStoredInModel(in: context),
      variable.observer == nil, variable.bindingSpecifier.tokenKind != .keyword(.let),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      let index = ModelDeclaration(syntax, in: context).properties.firstIndex(where: {
        $0.name == name
      })
    else { return [] }
    let label = variable.isTransformable(in: context) ? "transformable: " : ""
    return ["@_PersistedProperty(\(raw: label)\(raw: index))"]
  }
}

extension ModelMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let syntax = declaration.as(ClassDeclSyntax.self), !protocols.isEmpty else { return [] }
    let model = ModelDeclaration(syntax, in: context)
    // An `id` of the actor's is the one of `Identifiable`, which is nobody's. Where there is no
    // actor, the attribute would be a warning.
    let isChecked = model.isIsolated && model.properties.contains { $0.name == "id" }
    let isDeclaredSendable = syntax.inheritanceClause?.inheritedTypes.contains {
      // `Sendable`, `@unchecked Sendable`, `Swift.Sendable`.
      $0.type.lastToken(viewMode: .sourceAccurate)?.text == "Sendable"
    }
    let extensions = try [
      ExtensionDeclSyntax(
        """
        extension \(type.trimmed): \(raw: isChecked ? "@preconcurrency " : "")nonisolated \
        _AppData.PersistentModel {}
        """),
      ExtensionDeclSyntax("extension \(type.trimmed): nonisolated Observation.Observable {}"),
      ExtensionDeclSyntax(
        "@available(*, unavailable) extension \(type.trimmed): Swift.Sendable {}"),
    ]
    return isDeclaredSendable == true ? extensions.dropLast() : extensions
  }
}

extension InitializerDeclSyntax {
  /// Whether it makes the object itself.
  fileprivate var isDesignated: Bool {
    body != nil && !modifiers.contains { $0.name.text == "convenience" }
  }

  /// Whether a property has no value when it ends, for certain: nothing in it has its name.
  fileprivate func forgets(_ property: ModelDeclaration.Property) -> Bool {
    guard property.surelyNeedsInitializer, let body else { return false }
    return !body.tokens(viewMode: .sourceAccurate).contains {
      $0.text == property.name || $0.text == property.plainName
    }
  }
}

extension DeclGroupSyntax {
  fileprivate var kindDescription: String {
    switch kind {
    case .structDecl: "a struct"
    case .enumDecl: "an enum"
    case .actorDecl: "an actor"
    case .protocolDecl: "a protocol"
    default: "this declaration"
    }
  }
}
