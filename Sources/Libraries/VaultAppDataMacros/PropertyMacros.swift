package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@_PersistedProperty`: accessors that go to the backing data.
package struct PersistedPropertyMacro {}

extension PersistedPropertyMacro: AccessorMacro {
  /// As it is written here, indented as it will be: see ``ModelMacro``.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else { return [] }
    let storage = ModelDeclaration.Property.storageName(of: name.text)
    // With a number, the access is an array's; without one it asks the key path.
    let argument: LabeledExprSyntax? =
      if case .argumentList(let list) = node.arguments { list.first } else { nil }
    let number = argument.map { place($0.expression.trimmedDescription, in: context) }
    let isTransformable = argument?.label != nil
    let initialize =
      number.map {
        "_AppData.\(isTransformable ? "initializeTransformable" : "initialize")(_$backingData, \($0), \\.\(name.text), initialValue)"
      }
      ?? "_$backingData.backingData.setValue(forKey: \\.\(name.text), to: initialValue)"
    let get =
      number.map {
        "_AppData.\(isTransformable ? "transformable" : "value")(of: self, _$backingData.reading, \($0), \\.\(name.text))"
      }
      ?? "self.getValue(forKey: \\.\(name.text))"
    let set =
      number.map {
        "_AppData.\(isTransformable ? "setTransformable" : "setValue")(of: self, _$backingData, \($0), \\.\(name.text), newValue)"
      }
      ?? "self.setValue(forKey: \\.\(name.text), to: newValue)"
    var modify: [AccessorDeclSyntax] = []
    if let number, !isTransformable,
      ModelDeclaration.Property(variable, in: context)?.mayBeModels == true
    {
      modify = [
        """
          _modify {
            _$observationRegistrar.access(self, keyPath: \\.\(raw: name.text))
            var value = _AppData.take(of: self, _$backingData.reading, \(raw: number), \\.\(raw: name.text))
            defer {
              _$observationRegistrar.withMutation(of: self, keyPath: \\.\(raw: name.text)) {
                _AppData.put(of: self, _$backingData, \(raw: number), \\.\(raw: name.text), value)
              }
            }
            yield &value
          }
        """
      ]
    }
    return modify + [
      """
        @storageRestrictions(accesses: _$backingData, initializes: \(raw: storage))
        init(initialValue) {
          \(raw: initialize)
          \(raw: storage) = _AppData.NoType()
        }
      """,
      """
        get {
          _$observationRegistrar.access(self, keyPath: \\.\(raw: name.text))
          return \(raw: get)
        }
      """,
      """
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.\(raw: name.text)) {
            \(raw: set)
          }
        }
      """,
    ]
  }
}

extension PersistedPropertyMacro {
  /// The number among all properties of a class's own: those of a superclass come first.
  private static func place(_ number: String, in context: some MacroExpansionContext) -> String {
    guard let parent = context.lexicalContext.first?.as(ClassDeclSyntax.self),
      parent.inheritanceClause != nil
    else { return number }
    return "\(parent.name.text)._$first + \(number)"
  }
}

extension PersistedPropertyMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return [] }
    let storage = ModelDeclaration.Property.storageName(of: name)
    return ["private var \(raw: storage): _AppData.NoType"]
  }
}

/// `@Attribute`, `@Relationship`, `@Transient`: read by `@Model`, they add nothing themselves.
package protocol MarkerMacro: PeerMacro {
  static var name: String { get }
  /// Whether it says something of a property without storage, too.
  static var mayBeComputed: Bool { get }
}

extension MarkerMacro {
  package static var mayBeComputed: Bool { false }
}

extension MarkerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let variable = declaration.as(VariableDeclSyntax.self)
    let isStored = variable?.bindings.contains { variable?.isStored($0) == true } == true
    if !isStored, variable == nil || !mayBeComputed {
      context.report(.onComputed(name), at: node)
    }
    return []
  }
}

package struct AttributeMacro: MarkerMacro { package static let name = "Attribute" }
package struct RelationshipMacro: MarkerMacro { package static let name = "Relationship" }

package struct TransientMacro: MarkerMacro {
  package static let name = "Transient"
  /// What is computed is not stored, and may say so.
  package static let mayBeComputed = true
}

/// `#Unique` and `#Index`: read by `@Model`, they add nothing themselves.
package protocol ConstraintMacro: DeclarationMacro {
  static var name: String { get }
}

extension ConstraintMacro {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let parent = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    let attributes = parent.map { ModelAttributes($0.attributes, in: context) }
    let all = attributes.map { $0.compiled + $0.undecided } ?? []
    let isModel = all.contains { $0.plainName == "Model" }
    if !isModel { context.report(.outsideModel(name), at: node) }
    return []
  }
}

package struct UniqueMacro: ConstraintMacro { package static let name = "Unique" }
package struct IndexMacro: ConstraintMacro { package static let name = "Index" }
