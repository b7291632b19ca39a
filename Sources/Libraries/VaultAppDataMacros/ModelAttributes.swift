import SwiftSyntax
import SwiftSyntaxMacros

/// The attributes of a declaration, with what `#if` leaves of them (SE-0367).
///
/// Kinds of elements are asked for one by one: where the toolchain's swift-syntax is linked, which
/// may gain kinds, a `switch` over the two does not compile.
struct ModelAttributes {
  /// The attributes that are compiled, in order.
  private(set) var compiled: [AttributeSyntax] = []
  /// Those of which only the compiler can tell.
  private(set) var undecided: [AttributeSyntax] = []

  init(_ attributes: AttributeListSyntax, in context: some MacroExpansionContext) {
    add(attributes, in: context)
  }

  private mutating func add(
    _ attributes: AttributeListSyntax, in context: some MacroExpansionContext
  ) {
    for element in attributes {
      if case .attribute(let attribute) = element { compiled.append(attribute) }
      guard case .ifConfigDecl(let condition) = element else { continue }
      if let clause = condition.compiledClause(in: context) {
        if case .attributes(let inner)? = clause?.elements { add(inner, in: context) }
      } else {
        for clause in condition.clauses { leaveUndecided(clause) }
      }
    }
  }

  private mutating func leaveUndecided(_ clause: IfConfigClauseSyntax) {
    guard case .attributes(let attributes)? = clause.elements else { return }
    for element in attributes {
      if case .attribute(let attribute) = element { undecided.append(attribute) }
      if case .ifConfigDecl(let inner) = element { inner.clauses.forEach { leaveUndecided($0) } }
    }
  }

  /// The attribute with a name, whatever module it is said to be of.
  func named(_ name: String) -> AttributeSyntax? { compiled.first { $0.plainName == name } }
}

extension AttributeSyntax {
  /// The name without the module's: `Attribute` of `@SwiftData.Attribute`.
  var plainName: String {
    let name = attributeName.trimmedDescription
    return name.split(separator: ".").last.map(String.init) ?? name
  }

  /// Whether `@Model` reads it at a property.
  var isReadByModel: Bool { ["Attribute", "Relationship", "Transient"].contains(plainName) }
}

extension ClassDeclSyntax {
  /// Whether an attribute is a global actor: `@MainActor`, and `@DatabaseActor` by custom.
  func isIsolated(in context: some MacroExpansionContext) -> Bool {
    ModelAttributes(attributes, in: context).compiled.contains(where: \.isGlobalActor)
  }

  /// Whether the class may belong to a global actor: an actor may have any name, and the superclass
  /// or a protocol may bring one along.
  func mayBeIsolated(in context: some MacroExpansionContext) -> Bool {
    let attributes = ModelAttributes(attributes, in: context)
    return (attributes.compiled + attributes.undecided).contains { !$0.isKnownNotToIsolate }
      || (inheritanceClause?.inheritedTypes ?? []).contains { !$0.isKnownNotToIsolate }
  }
}

extension AttributeSyntax {
  private static let others: Set<String> = [
    "Model", "available", "dynamicMemberLookup", "objc", "objcMembers", "usableFromInline",
  ]

  fileprivate var isKnownNotToIsolate: Bool { Self.others.contains(plainName) }
}

extension InheritedTypeSyntax {
  private static let others: Set<String> = [
    "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible",
    "Decodable", "Encodable", "Equatable", "Hashable", "Identifiable", "Observable",
    "PersistentModel", "Sendable",
  ]

  fileprivate var isKnownNotToIsolate: Bool {
    // `Sendable`, `@unchecked Sendable`, `Swift.Sendable`.
    Self.others.contains(type.lastToken(viewMode: .sourceAccurate)?.text ?? "")
  }
}

extension AttributeSyntax {
  var isGlobalActor: Bool { attributeName.trimmedDescription.hasSuffix("Actor") }
}

extension VariableDeclSyntax {
  func attribute(named name: String, in context: some MacroExpansionContext) -> AttributeSyntax? {
    ModelAttributes(attributes, in: context).named(name)
  }

  func hasAttribute(_ name: String, in context: some MacroExpansionContext) -> Bool {
    attribute(named: name, in: context) != nil
  }

  /// The arguments as written; an empty list for an attribute without any.
  func arguments(
    ofAttribute name: String, in context: some MacroExpansionContext
  ) -> LabeledExprListSyntax? {
    guard let attribute = attribute(named: name, in: context) else { return nil }
    if case .argumentList(let list) = attribute.arguments { return list }
    return LabeledExprListSyntax([])
  }

  /// Whether a value transformer makes it data: a property of any type.
  func isTransformable(in context: some MacroExpansionContext) -> Bool {
    arguments(ofAttribute: "Attribute", in: context)?.isTransformable == true
  }
}

extension LabeledExprListSyntax {
  /// Whether these arguments of `@Attribute` name a value transformer.
  var isTransformable: Bool {
    contains { argument in
      let call = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression
      return call?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "transformable"
    }
  }
}
