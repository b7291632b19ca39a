/// The storage of an object's values.
public protocol BackingData<Model> {
  /// The class of the object.
  associatedtype Model: PersistentModel

  /// Makes the storage of a new object.
  init(for type: Model.Type)
  /// The object's identifier.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The state of the object in its storage.
  var metadata: Any { get }
  /// The library's own storage; `nil` in another implementation.
  var _$record: _AppData.Record? { get }

  /// Reads an attribute.
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  /// Reads a relationship to one model.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
  /// Reads a relationship to one model at most.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
  /// Reads a relationship to many models.
  func getValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement
  /// Reads a relationship to many models.
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement
  /// Writes an attribute.
  func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Writes a relationship to one model.
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Writes a relationship to one model at most.
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  /// Writes a relationship to many models.
  func setValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement
  /// Writes a relationship to many models.
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement
  /// Reads an attribute that a value transformer makes data.
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  /// Writes an attribute that a value transformer makes data.
  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
  /// Nothing: another implementation than the library's.
  public var _$record: _AppData.Record? { nil }
}

extension _AppData {
  /// The storage of the library: a record, and the class that it is seen as.
  public struct ModelBackingData<Model: PersistentModel>: BackingData {
    let record: Record

    /// Makes the storage of a new object.
    public init(for type: Model.Type) {
      record = Record(Model._$description, key: DetachedKey.make())
    }

    /// The storage that a record is.
    public init(_ record: Record) { self.record = record }

    /// The object's identifier.
    public var persistentModelID: PersistentIdentifier? {
      get { record.identifier }
      set { if record.state == .detached, let newValue { record.key = newValue.key } }
    }

    /// The class's description.
    public var metadata: Any { record.description }
    /// The values.
    public var _$record: Record? { record }
  }
}

extension _AppData.ModelBackingData {
  private func index(_ key: PartialKeyPath<Model>) -> Int {
    guard let index = record.description.index(of: key) else {
      preconditionFailure("\(record.description.entityName) stores no property \(key)")
    }
    return index
  }

  /// Reads an attribute.
  public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value {
    record.decoded(index(key), as: Value.self)
  }

  /// Reads a relationship to one model.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    record.relatedOrMissing(index(key), as: Value.self)
  }

  /// Reads a relationship to one model at most.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    record.related(index(key)) as? Value
  }

  /// Reads a relationship to many models.
  public func getValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    record.relatedMany(index(key), as: Value.self)
  }

  /// Reads a relationship to many models.
  public func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    record.relatedMany(index(key), as: Value.self)
  }

  /// Writes an attribute.
  public func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    let index = index(key)
    record.set(index, record.encoded(newValue, index))
  }

  /// Writes a relationship to one model.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) {
    record.setRelated(index(key), newValue)
  }

  /// Writes a relationship to one model at most.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Model, Value?>, to newValue: Value?
  ) {
    record.setRelated(index(key), newValue)
  }

  /// Writes a relationship to many models.
  public func setValue<Value: RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    record.setRelatedMany(index(key), _AppData.Record.models(newValue))
  }

  /// Writes a relationship to many models.
  public func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    record.setRelatedMany(index(key), _AppData.Record.models(newValue))
  }

  /// Reads an attribute that a value transformer makes data.
  public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    record.decodedUnconstrained(index(key), as: Value.self)
  }

  /// Writes an attribute that a value transformer makes data.
  public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    let index = index(key)
    record.set(index, record.description.properties[index].slot(of: newValue) ?? .null)
  }
}
