import SwiftSyntax
import SwiftSyntaxMacros

/// The declarations that `@Model` reads in a class: syntax → value.
struct ModelDeclaration {
  /// A stored property that the store keeps.
  struct Property {
    let name: String
    let defaultValue: ExprSyntax?
    /// The arguments of `@Attribute` or `@Relationship`.
    let attribute: LabeledExprListSyntax?
    let relationship: LabeledExprListSyntax?
    /// `let` instead of `var`.
    let isConstant: Bool
    let declaration: VariableDeclSyntax
  }

  let name: String
  let access: String
  let isFinal: Bool
  let isOpen: Bool
  /// Whether the class may belong to a global actor, for all that can be seen.
  let mayBeIsolated: Bool
  /// Whether it does, as the name of an attribute says.
  let isIsolated: Bool
  /// What comes first after the colon: the superclass, if there is one, or a protocol.
  let firstInherited: String?
  /// The superclass, where it is a model too; only the expansion of members is told.
  var superclass: String?
  let properties: [Property]
  /// `#Unique<T>(…)` and `#Index<T>(…)` in the class, in order.
  let macros: [MacroExpansionDeclSyntax]
  let hasInitializer: Bool

  init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    name = declaration.name.text
    let modifiers = declaration.modifiers.map(\.name.text)
    access =
      if modifiers.contains("public") || modifiers.contains("open") {
        "public "
      } else if modifiers.contains("package") {
        "package "
      } else {
        ""
      }
    isFinal = modifiers.contains("final")
    isOpen = modifiers.contains("open")
    mayBeIsolated = declaration.mayBeIsolated(in: context)
    isIsolated = declaration.isIsolated(in: context)
    firstInherited = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    let members = ModelMembers(declaration, in: context).compiled
    properties = members.compactMap { $0.as(VariableDeclSyntax.self) }
      .compactMap { Property($0, in: context) }
    macros = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .filter { ["Unique", "Index"].contains($0.macroName.text) }
    hasInitializer = members.contains { $0.is(InitializerDeclSyntax.self) }
  }
}

extension ModelDeclaration.Property {
  /// Nothing for what is computed, static, lazy or transient.
  init?(_ declaration: VariableDeclSyntax, in context: some MacroExpansionContext) {
    guard declaration.isStoredInModel(in: context), let binding = declaration.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    name = pattern.identifier.text
    defaultValue = binding.initializer?.value.trimmed
    attribute = declaration.arguments(ofAttribute: "Attribute", in: context)
    relationship = declaration.arguments(ofAttribute: "Relationship", in: context)
    isConstant = declaration.bindingSpecifier.tokenKind == .keyword(.let)
    self.declaration = declaration
  }
}

extension ModelDeclaration {
  /// Whether storage cannot do without knowing the object: what is linked has to be led back to it,
  /// and nobody else reads its constants.
  var needsIntroduction: Bool {
    properties.contains { $0.isConstant || $0.mayBeRelationship }
  }

  /// Whether the superclass may be a model, which numbers the first properties: nothing but the
  /// expansion of members is told what a name after the colon is.
  var mayInherit: Bool { firstInherited != nil }
}

extension ModelDeclaration.Property {
  /// Types that are never models, whatever else the program declares.
  private static let plainTypes: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Decimal", "String", "Character", "UUID", "URL", "Date", "Data",
    "Array", "Dictionary", "Optional", "Set", "Foundation", "Swift",
  ]

  /// Whether it has no value without an initializer, whatever its type's name stands for.
  var surelyNeedsInitializer: Bool {
    guard defaultValue == nil, let type = declaration.bindings.first?.typeAnnotation?.type else {
      return false
    }
    if type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self) { return true }
    guard let name = type.as(IdentifierTypeSyntax.self)?.name.text else { return false }
    return name != "Optional" && Self.plainTypes.contains(name)
  }

  /// Whether the type could be an array of models, which is changed in place.
  var mayBeModels: Bool {
    guard mayBeRelationship, let type = declaration.bindings.first?.typeAnnotation?.type else {
      return false
    }
    let plain = type.as(OptionalTypeSyntax.self)?.wrappedType ?? type
    return plain.is(ArrayTypeSyntax.self)
      || plain.as(IdentifierTypeSyntax.self)?.name.text == "Array"
  }

  /// Whether the type could be a model, or several: a macro sees its name only.
  fileprivate var mayBeRelationship: Bool {
    if relationship != nil { return true }
    guard let type = declaration.bindings.first?.typeAnnotation?.type else {
      guard let call = defaultValue?.as(FunctionCallExprSyntax.self) else { return false }
      return !Self.plainTypes.contains(call.calledExpression.trimmedDescription)
    }
    let names = type.tokens(viewMode: .sourceAccurate).compactMap { token -> String? in
      if case .identifier(let name) = token.tokenKind { name } else { nil }
    }
    return names.contains { !Self.plainTypes.contains($0) }
  }
}

extension VariableDeclSyntax {
  /// Whether `@Model` keeps this declaration in the store.
  func isStoredInModel(in context: some MacroExpansionContext) -> Bool {
    guard bindings.count == 1, let binding = bindings.first, isStored(binding),
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return false }
    if isStatic || modifiers.contains(where: { Self.unstored.contains($0.name.text) }) {
      return false
    }
    if pattern.identifier.text.hasPrefix("_$") { return false }
    if hasAttribute("Transient", in: context) { return false }
    // A constant with a value is the same for every object, and cannot be set again.
    return bindingSpecifier.tokenKind != .keyword(.let) || binding.initializer == nil
  }

  /// Modifiers of properties that are refused.
  private static let unstored: Set<String> = ["lazy", "weak", "unowned"]

  var isStatic: Bool { modifiers.contains { ["static", "class"].contains($0.name.text) } }

  /// Whether it declares what the store should keep, in whatever form.
  func mayBeStoredInModel(in context: some MacroExpansionContext) -> Bool {
    !isStatic && !hasAttribute("Transient", in: context)
      && bindings.contains {
        isStored($0) && (bindingSpecifier.tokenKind != .keyword(.let) || $0.initializer == nil)
      }
  }

  /// Whether the binding has storage: no accessors, or only observers.
  func isStored(_ binding: PatternBindingSyntax) -> Bool {
    guard let block = binding.accessorBlock else { return true }
    guard case .accessors(let accessors) = block.accessors else { return false }
    return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }

  /// `willSet` or `didSet`, if there is one.
  var observer: AccessorDeclSyntax? {
    for binding in bindings {
      if case .accessors(let accessors) = binding.accessorBlock?.accessors,
        let found = accessors.first(where: {
          ["willSet", "didSet"].contains($0.accessorSpecifier.text)
        })
      {
        return found
      }
    }
    return nil
  }
}

extension ModelDeclaration.Property {
  /// An option of `@Attribute`, as it is written: `.unique`.
  func option(_ name: String) -> ExprSyntax? {
    attribute?.first { argument in
      argument.label == nil
        && argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
    }?.expression
  }
}

extension LabeledExprListSyntax {
  /// The key paths of `[\.a, \.b]` and `.binary([\.a, \.b])`.
  var keyPaths: [KeyPathExprSyntax] {
    flatMap { argument -> [KeyPathExprSyntax] in
      if let call = argument.expression.as(FunctionCallExprSyntax.self) {
        return call.arguments.keyPaths
      }
      return argument.expression.as(ArrayExprSyntax.self)?.elements.compactMap {
        $0.expression.as(KeyPathExprSyntax.self)
      } ?? []
    }
  }
}
