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
    [
      """
      nonisolated \(access)static let _$description = _AppData.ModelDescription(\(name).self)
      """,
      """
      @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData: _AppData.Storage<\(name)> = \
      _AppData.newStorage(\(name)._$description)
      """,
      """
      nonisolated \(access)var persistentBackingData: any _AppData.BackingData<\(name)> {
        get { _$backingData.backingData }
        set { _$backingData = _AppData.Storage(newValue) }
      }
      """,
      """
      nonisolated \(access)var _$record: _AppData.Record? { _$backingData.record }
      """,
      """
      nonisolated \(access)\(raw: kind) func _$make(_ record: _AppData.Record) -> Self {
        self.init(backingData: _AppData.ModelBackingData<\(name)>(record))
      }
      """,
      schemaMetadata,
      initializer,
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
      changing,
    ] + (constants.map { [$0] } ?? [])
  }

  private var name: TokenSyntax { .identifier(model.name) }
  private var access: TokenSyntax { .identifier(model.access) }
  private var kind: String { model.isFinal ? "static" : "class" }

  private var schemaMetadata: DeclSyntax {
    let entries = model.properties.map(entry) + model.macros.map(entry)
    let list = entries.isEmpty ? "[]" : "[\n    \(entries.joined(separator: ",\n    ")),\n  ]"
    return """
      nonisolated \(access)\(raw: kind) var schemaMetadata: \
      [_AppData.Schema.PropertyMetadata] {
        \(raw: list)
      }
      """
  }

  /// Changes that no setter makes: an inverse, a rollback, another context's save.
  private var changing: DeclSyntax {
    let cases = model.properties.enumerated().filter { !$1.isConstant }.map { index, property in
      "  case \(index): withMutation(keyPath: \\.\(property.name)) {}"
    }
    return """
      nonisolated \(access)func _$changing(_ property: Swift.Int) {
        switch property {
      \(raw: (cases + ["  default: break"]).joined(separator: "\n"))
        }
      }
      """
  }

  /// Puts what `let` properties hold into the storage: they have no accessors that could.
  private var constants: DeclSyntax? {
    let lines = model.properties.enumerated().filter(\.element.isConstant).map { index, property in
      "  _AppData.initialize\(property.suffix)(_$backingData, \(index), \\.\(property.name), \(property.name))"
    }
    guard !lines.isEmpty else { return nil }
    return """
      nonisolated \(access)func _$writeConstants() {
      \(raw: lines.joined(separator: "\n"))
      }
      """
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
    return "_AppData.Schema.PropertyMetadata(name: \"\(property.plainName)\", keypath: \(path), "
      + "defaultValue: \(value), metadata: \(metadata))"
  }

  private func entry(_ macro: MacroExpansionDeclSyntax) -> String {
    let kind = macro.macroName.text
    let arguments = macro.arguments.trimmedDescription
    return "_AppData.Schema.PropertyMetadata(name: \"_AppData.Schema.\(kind)\", "
      + "keypath: \\\(model.name).persistentModelID, defaultValue: nil, "
      + "metadata: _AppData.Schema.\(kind)<\(model.name)>(\(arguments)))"
  }

  private var initializer: DeclSyntax {
    // One with an observer was refused, and has no storage of its own.
    let kept = model.properties.enumerated().filter { $0.element.declaration.observer == nil }
    let lines = kept.map { index, property in
      property.isConstant
        ? "\(property.name) = _AppData.constant\(property.suffix)(backingData, \(index), \\\(model.name).\(property.name))"
        : "_\(property.plainName) = _AppData.NoType()"
    }
    let required = model.isFinal ? "" : "required "
    return """
      nonisolated \(access)\(raw: required)init(backingData: any _AppData.BackingData<\(name)>) {
        \(raw: (lines + ["_AppData.adopt(self, &_$backingData, backingData)"]).joined(separator: "\n  "))
      }
      """
  }
}

extension ModelDeclaration.Property {
  /// The name without the backticks of an escaped identifier.
  var plainName: String { name.filter { $0 != "`" } }

  /// The suffix of the functions that read and write it.
  var suffix: String { declaration.isTransformable ? "Transformable" : "" }
}
