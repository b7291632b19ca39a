/// A class whose objects a ``ModelContext`` keeps; `@Model` makes a class conform.
///
/// ```swift
/// @Model
/// final class Trip {
///   var name: String
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// Objects belong to the context that they were inserted into or fetched from, and are used where
/// it is used. Across actors, pass ``persistentModelID``.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The model at the root of a chain of subclasses.
  associatedtype Root: PersistentModel = Self

  /// Makes an object of stored values.
  init(backingData: any BackingData<Self>)
  /// The storage of the values.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The class's properties.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// The same in the form that the library works with; `@Model` makes it once for the class.
  static var _$description: _AppData.ModelDescription { get }
  /// The library's own storage; `nil` in another implementation.
  var _$record: _AppData.Record? { get }
  /// Makes the object of a record.
  static func _$make(_ record: _AppData.Record) -> Self
  /// Tells observers that a property changes by something else than its setter.
  func _$changing(_ property: Int)
  /// Puts what `let` properties hold into the storage.
  func _$writeConstants()
}

/// The collections that a relationship to many models can be.
public protocol RelationshipCollection {
  /// The related model.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The related model.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection
where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The related model.
  public typealias PersistentElement = Wrapped.Element
}

extension PersistentModel {
  /// The class's properties in the form that the library works with.
  public static var _$description: _AppData.ModelDescription {
    ModelDescription.remembered(Self.self)
  }

  /// Does nothing: a class that is written by hand has no registrar that is known here.
  public func _$changing(_ property: Int) {}

  /// Nothing: every property has accessors that write to the storage.
  public func _$writeConstants() {}

  /// The library's own storage, by way of ``persistentBackingData``.
  public var _$record: _AppData.Record? { persistentBackingData._$record }

  /// Makes the object of a record.
  public static func _$make(_ record: _AppData.Record) -> Self {
    Self(backingData: _AppData.ModelBackingData<Self>(record))
  }

  /// Makes the storage of a new object.
  public static func createBackingData<Q>() -> some BackingData<Q> where Q: PersistentModel {
    _AppData.ModelBackingData<Q>(for: Q.self)
  }

  /// The context that the object belongs to; `nil` before it is inserted, and after it was deleted
  /// and saved.
  public var modelContext: ModelContext? { _$record?.current.context }

  /// Which row of which store the object is; the same before and after it is saved.
  public var persistentModelID: PersistentIdentifier {
    persistentBackingData.persistentModelID
      ?? PersistentIdentifier(
        store: nil, entity: Self._$description.entityName, key: Int64(bitPattern: address))
  }

  private var address: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) | 1 << 63 }

  /// The same as ``persistentModelID``, unless the class has a property of this name.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether both are the same row.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left.persistentModelID == right.persistentModelID
  }

  /// Feeds the identity to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistentModelID) }

  /// Whether there is something to be saved.
  public var hasChanges: Bool { _$record?.hasChanges ?? false }

  /// Whether the object was deleted; stays true after saving.
  public var isDeleted: Bool { _$record?.current.isDeleted ?? false }

  var record: _AppData.Record? { _$record }
}

extension PersistentModel {
  /// Reads an attribute.
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// Reads a relationship to one model.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }

  /// Reads a relationship to one model at most.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    persistentBackingData.getValue(forKey: key)
  }

  /// Reads a relationship to many models.
  public func getValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Self, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: key)
  }

  /// Reads a relationship to many models.
  public func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Self, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: key)
  }

  /// Writes an attribute.
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    write(key) { $0.setValue(forKey: key, to: newValue) }
  }

  /// Writes a relationship to one model.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) {
    write(key) { $0.setValue(forKey: key, to: newValue) }
  }

  /// Writes a relationship to one model at most.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value?>, to newValue: Value?
  ) {
    write(key) { $0.setValue(forKey: key, to: newValue) }
  }

  /// Writes a relationship to many models.
  public func setValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    write(key) { $0.setValue(forKey: key, to: newValue) }
  }

  /// Writes a relationship to many models.
  public func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    write(key) { $0.setValue(forKey: key, to: newValue) }
  }

  private func write(_ key: AnyKeyPath, _ body: (any BackingData<Self>) -> Void) {
    let data = persistentBackingData
    data._$record?.adopt(self)
    body(data)
  }

  /// Reads an attribute that a value transformer makes data.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }

  /// Writes an attribute that a value transformer makes data.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    let data = persistentBackingData
    data._$record?.adopt(self)
    data.setTransformableValue(forKey: key, to: newValue)
  }
}
