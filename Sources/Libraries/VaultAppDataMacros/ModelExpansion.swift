import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class: value → syntax.
///
/// Every name is qualified by `Swift`, `Observation` or `_AppData`, never by the module's own name:
/// a model may be called `Task`, and the module may have another name in the program.
struct ModelExpansion {
  let model: ModelDeclaration

  init(_ model: ModelDeclaration) { self.model = model }

  var members: [DeclSyntax] {
    var members = (model.superclass.map(submodelStorage) ?? storage) + schemaMetadata
    members += [initializer].compactMap { $0 }
    members += [
      """
      @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$observationRegistrar = _AppData.Registrar()
      """,
      """
      internal nonisolated func access<_M>(keyPath: Swift.KeyPath<\(name), _M>) {
        _$observationRegistrar.access(self, keyPath: keyPath)
      }
      """,
      """
      internal nonisolated func withMutation<_M, _R>(
        keyPath: Swift.KeyPath<\(name), _M>, _ mutation: () throws -> _R
      ) rethrows -> _R {
        try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
      }
      """,
    ]
    members += changing
    members += [constants].compactMap { $0 }
    return members
  }

  private var name: TokenSyntax { .identifier(model.name) }
  private var access: TokenSyntax { .identifier(model.access) }
  /// The access of what a subclass overrides.
  private var opened: TokenSyntax { model.isOpen ? .identifier("open ") : access }
  private var overriding: TokenSyntax { .identifier(model.superclass == nil ? "" : "override ") }
  private var kind: String { model.isFinal && model.superclass == nil ? "static" : "class" }

  // MARK: Storage

  private var storage: [DeclSyntax] {
    description + [
      storageOfValues(model.isFinal ? "_$description" : "_$madeDescription"),
      """
      nonisolated \(opened)var persistentBackingData: any _AppData.BackingData<\(name)> {
        get { _$backingData.backingData }
        set { _$backingData = _AppData.Storage(newValue) }
      }
      """,
      """
      nonisolated \(opened)var _$record: _AppData.Record? { _$backingData.record }
      """,
      """
      nonisolated \(opened)\(raw: kind) func _$make(_ record: _AppData.Record) -> Self {
        self.init(backingData: _AppData.ModelBackingData<\(name)>(record))
      }
      """,
    ]
      + (model.mayInherit
        ? [
          "@inline(__always) nonisolated private static var _$first: Swift.Int { 0 }",
          "@inline(__always) nonisolated private func _$join() {}",
        ] : [])
  }

  /// The description of the class: a constant where no subclass can have another one.
  private var description: [DeclSyntax] {
    if model.isFinal {
      return [
        """
        nonisolated \(access)static let _$description = _AppData.ModelDescription(\(name).self)
        """
      ]
    }
    return [
      """
      nonisolated private static let _$madeDescription = _AppData.ModelDescription(\(name).self)
      """,
      """
      nonisolated \(opened)class var _$description: _AppData.ModelDescription { \(name)._$madeDescription }
      """,
    ]
  }

  private func storageOfValues(_ description: String) -> DeclSyntax {
    """
    @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData: _AppData.Storage<\(name)> = \
    _AppData.newStorage(\(name).\(raw: description))
    """
  }

  /// The storage of a subclass's own values, which becomes that of the inherited ones, too: until
  /// the superclass's initializer has run, nothing of the object can be reached there.
  private func submodelStorage(_ superclass: String) -> [DeclSyntax] {
    let root = "any _AppData.BackingData<\(superclass).Root>"
    return [
      """
      nonisolated private static let _$madeDescription = _AppData.ModelDescription(\
      \(name).self, inheriting: \(raw: superclass).self)
      """,
      """
      nonisolated \(opened)override class var _$description: _AppData.ModelDescription { \
      \(name)._$madeDescription }
      """,
      """
      nonisolated private static let _$first = \(raw: superclass)._$description.count
      """,
      storageOfValues("_$madeDescription"),
      """
      nonisolated \(opened)override var persistentBackingData: \(raw: root) {
        get {
          _$join()
          return super.persistentBackingData
        }
        set {
          super.persistentBackingData = newValue
          _$backingData = _AppData.ownStorage(newValue._$record)
        }
      }
      """,
      """
      nonisolated \(opened)override var _$record: _AppData.Record? {
        _$join()
        return _$backingData.record
      }
      """,
      """
      nonisolated private func _$join() {
        if let joined = _AppData.join(&_$backingData, super._$record) {
          super.persistentBackingData = _AppData.ModelBackingData<\(raw: superclass).Root>(joined)
        }
      }
      """,
    ]
  }

  // MARK: Properties

  private var schemaMetadata: [DeclSyntax] {
    let type = "[_AppData.Schema.PropertyMetadata]"
    let entries = model.properties.map(entry) + model.macros.map(entry)
    let list = entries.isEmpty ? "[]" : "[\n    \(entries.joined(separator: ",\n    ")),\n  ]"
    let body = model.mayBeIsolated ? unisolated("metadata", as: "() -> \(type)") + "()" : list
    let metadata: DeclSyntax = """
      nonisolated \(opened)\(overriding)\(raw: kind) var schemaMetadata: \
      \(raw: type) {
        \(raw: body)
      }
      """
    guard model.mayBeIsolated else { return [metadata] }
    return [metadata, "private static func _$metadata() -> \(raw: type) {\n  \(raw: list)\n}"]
  }

  /// A function of the class that makes key paths, which for a class of an actor only the actor may.
  ///
  /// The function has the isolation of the class, wherever that is from: an attribute, the
  /// superclass, a protocol. A macro sees names only.
  private func unisolated(_ function: String, as type: String) -> String {
    "_AppData.unisolated(\(model.name)._$\(function), as: (\(type)).self)"
  }

  /// Changes that no setter makes: an inverse, a rollback, another context's save.
  private var changing: [DeclSyntax] {
    let target = model.mayBeIsolated ? "model." : ""
    let cases = model.properties.enumerated().filter { !$1.isConstant }.map { index, property in
      "  case \(index): \(target)withMutation(keyPath: \\.\(property.name)) {}"
    }
    let isOwn = model.superclass == nil
    let number = "property\(isOwn ? "" : " - \(model.name)._$first")"
    let toSuper = "super._$changing(property)"
    func choice(_ number: String, _ rest: String) -> String {
      "switch \(number) {\n\((cases + ["  default: \(rest)"]).joined(separator: "\n"))\n  }"
    }
    var body = choice(number, isOwn ? "break" : toSuper)
    if model.mayBeIsolated {
      let type = "(\(model.name), Swift.Int) -> Swift.Void"
      body = unisolated("changed", as: type) + "(self, \(number))"
      if !isOwn { body += "\n  \(toSuper)" }
    }
    let changing: DeclSyntax = """
      nonisolated \(opened)\(overriding)func _$changing(_ property: Swift.Int) {
        \(raw: body)
      }
      """
    guard model.mayBeIsolated else { return [changing] }
    return [
      changing,
      """
      private static func _$changed(_ model: \(name), _ property: Swift.Int) {
        \(raw: choice("property", "break"))
      }
      """,
    ]
  }

  /// Puts what `let` properties hold into the storage: they have no accessors that could.
  private var constants: DeclSyntax? {
    let lines = model.properties.enumerated().filter(\.element.isConstant).map { index, property in
      "  _AppData.initialize\(property.suffix)(_$backingData, \(place(index)), \\.\(property.name), \(property.name))"
    }
    if model.superclass == nil {
      // For subclasses to override.
      if lines.isEmpty, model.isFinal { return nil }
      return """
        nonisolated \(opened)func _$writeConstants() {
        \(raw: lines.joined(separator: "\n"))
        }
        """
    }
    guard !lines.isEmpty else { return nil }
    return """
      nonisolated \(opened)override func _$writeConstants() {
        super._$writeConstants()
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  /// A property's number among all of the class.
  private func place(_ index: Int) -> String {
    model.mayInherit ? "\(model.name)._$first + \(index)" : "\(index)"
  }

  private func entry(_ property: ModelDeclaration.Property) -> String {
    let path = "\\\(model.name).\(property.name)"
    let value =
      property.defaultValue.map { "_AppData.defaultValue(for: \(path), \($0))" } ?? "nil"
    let metadata =
      if let arguments = property.relationship {
        "_AppData.Schema.Relationship(\(arguments.trimmedDescription))"
      } else if let arguments = property.attribute {
        "_AppData.Schema.Attribute(\(arguments.trimmedDescription))"
      } else {
        "nil"
      }
    return "_AppData.Schema.PropertyMetadata(name: \(property.nameLiteral), keypath: \(path), "
      + "defaultValue: \(value), metadata: \(metadata))"
  }

  private func entry(_ macro: MacroExpansionDeclSyntax) -> String {
    let kind = macro.macroName.text
    let arguments = macro.arguments.trimmedDescription
    return "_AppData.Schema.PropertyMetadata(name: \"_AppData.Schema.\(kind)\", "
      + "keypath: \\\(model.name).persistentModelID, defaultValue: nil, "
      + "metadata: _AppData.Schema.\(kind)<\(model.name)>(\(arguments)))"
  }

  /// Makes an object of stored values; `nil` where the superclass's serves, and with it all of its
  /// initializers: a class that has one of its own inherits none.
  private var initializer: DeclSyntax? {
    if model.superclass != nil, !model.hasInitializer,
      !model.properties.contains(where: { $0.isConstant || $0.needsInitializer })
    {
      return nil
    }
    // One with an observer was refused, and has no storage of its own.
    let kept = model.properties.enumerated().filter { $0.element.declaration.observer == nil }
    var lines = kept.map { index, property in
      property.isConstant
        ? "\(property.name) = _AppData.constant\(property.suffix)(backingData, \(place(index)), \\\(model.name).\(property.name))"
        : "\(property.storageName) = _AppData.NoType()"
    }
    var backing = model.name
    if let superclass = model.superclass {
      backing = "\(superclass).Root"
      lines += ["super.init(backingData: backingData)", "_$join()"]
    } else {
      lines.append("_AppData.adopt(self, &_$backingData, backingData)")
    }
    let required = model.isFinal && model.superclass == nil ? "" : "required "
    return """
      nonisolated \(access)\(raw: required)init(backingData: any _AppData.BackingData<\(raw: backing)>) {
        \(raw: lines.joined(separator: "\n  "))
      }
      """
  }
}

extension ModelDeclaration.Property {
  /// The name without the backticks of an escaped identifier.
  var plainName: String { Self.plain(name) }

  /// The name as a literal: one in backticks may have quotation marks in it (SE-0451).
  var nameLiteral: String { StringLiteralExprSyntax(content: plainName).description }

  private static func plain(_ name: String) -> String {
    var plain = name
    plain.unicodeScalars.removeAll { $0 == "`" }
    return plain
  }

  /// The name of the stand-in for its storage.
  var storageName: String { Self.storageName(of: name) }

  /// The name of the stand-in for a property's storage: `_name`, in backticks where it has to be.
  static func storageName(of name: String) -> String {
    let plain = plain(name)
    let isPlain = plain.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
        || byte == 0x5F
    }
    return isPlain ? "_\(plain)" : "`_\(plain)`"
  }

  /// The suffix of the functions that read and write it.
  var suffix: String { attribute?.isTransformable == true ? "Transformable" : "" }

  /// Whether an initializer has to give it its first value.
  var needsInitializer: Bool {
    guard defaultValue == nil, let binding = declaration.bindings.first,
      let type = binding.typeAnnotation?.type
    else { return false }
    return !type.is(OptionalTypeSyntax.self)
      && !type.trimmedDescription.hasPrefix("Optional<")
  }
}
