package import VaultDataStore
import VaultStorage

/// A stored property of a model class.
package struct PropertyDescription: @unchecked Sendable {
  // Immutable; a default value is what the class's source says and is only ever copied.

  /// The kind of value that the property holds.
  package enum Kind: Sendable, Equatable {
    /// A value in a column. `isRaw`: the raw value of an enum or option set.
    case attribute(StoredType, isRaw: Bool)
    /// One model at most.
    case toOne
    /// Models in order.
    case toMany
  }

  package let name: String
  /// The slot's number: the place among the class's stored properties.
  package let index: Int
  package let keyPath: AnyKeyPath
  package let valueType: any Any.Type
  /// `valueType` without `Optional`.
  package let plainType: any Any.Type
  package let isOptional: Bool
  package let defaultValue: Any?
  /// A ``Schema/Attribute`` or a ``Schema/Relationship``, as the class declares it.
  package let metadata: Any?
  package let kind: Kind
  /// The class of the related models.
  package let destination: (any PersistentModel.Type)?

  init(_ metadata: Schema.PropertyMetadata, index: Int) {
    name = metadata.name
    self.index = index
    keyPath = metadata.keypath
    valueType = type(of: metadata.keypath).valueType
    let optional = valueType as? any OptionalValue.Type
    plainType = optional?.wrappedType ?? valueType
    isOptional = optional != nil
    defaultValue = metadata.defaultValue
    self.metadata = metadata.metadata
    if let model = plainType as? any PersistentModel.Type {
      kind = .toOne
      destination = model
    } else if let collection = valueType as? any RelationshipCollection.Type {
      kind = .toMany
      destination = collection.elementType
    } else {
      kind = Self.attribute(plainType)
      destination = nil
    }
  }

  private static func attribute(_ type: any Any.Type) -> Kind {
    if let stored = type as? any _AppData.StoredValue.Type {
      return .attribute(stored.storedType, isRaw: false)
    }
    if type is any Decodable.Type, let raw = type as? any RawRepresentable.Type,
      let stored = raw.rawType as? any _AppData.StoredValue.Type
    {
      return .attribute(stored.storedType, isRaw: true)
    }
    return .attribute(.json, isRaw: false)
  }

  package var isToOne: Bool { kind == .toOne }
  package var isRelationship: Bool { destination != nil }

  /// The options of an attribute's declaration.
  var attribute: Schema.Attribute? { metadata as? Schema.Attribute }

  /// The transformer that turns the attribute into data, if there is one.
  var transformer: AttributeTransformer? {
    attribute?.transformerName.map { AttributeTransformer(name: $0) }
  }

  /// Whether it is declared with `let`: its key path writes nothing.
  var isConstant: Bool { !(keyPath is any WritablePath) }

  /// Whether it is observed and undone, but not kept.
  var isEphemeral: Bool { attribute?.options.contains(.ephemeral) == true }

  /// A value of the property's type, or of what it wraps, as the store keeps it.
  ///
  /// - Returns: `nil` for a value that this property cannot hold.
  package func slot(of value: Any) -> _AppData.Slot? {
    if let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrapped else { return .null }
      return slot(of: wrapped)
    }
    if let transformer { return .boxed(_AppData.TransformedBox(value, transformer)) }
    if let stored = value as? any _AppData.StoredValue { return stored.slot }
    if case .attribute(_, isRaw: true) = kind, let raw = value as? any RawRepresentable,
      let stored = raw.rawValue as? any _AppData.StoredValue
    {
      return stored.slot
    }
    if let model = value as? any PersistentModel {
      return .integer(model.persistentModelID.key)
    }
    if let value = value as? any Encodable { return ValueCoding.box(value) }
    return nil
  }
}

private protocol WritablePath {}
extension WritableKeyPath: WritablePath {}

extension RelationshipCollection {
  fileprivate static var elementType: any PersistentModel.Type { PersistentElement.self }
}

extension RawRepresentable {
  fileprivate static var rawType: any Any.Type { RawValue.self }
}
