/// The functions that the accessors made by `@Model` call: a property's number replaces a search
/// for its key path, and its type chooses the overload when the program is compiled.
extension _AppData {
  /// The storage of an object that is being made.
  public static func newStorage<Model: PersistentModel>(
    _ description: ModelDescription
  ) -> Storage<Model> {
    // An object that is made from a row has its storage already.
    if let record = Materialization.record, record.isBeingMade, record.description === description {
      return Storage(record)
    }
    return Storage(Record(description, key: DetachedKey.make()))
  }

  /// Ends the making of an object from stored values.
  public static func adopt<Model: PersistentModel>(
    _ model: Model, _ storage: inout Storage<Model>, _ data: any BackingData<Model>
  ) {
    guard let record = data._$record else { return storage = Storage(data) }
    // Made for a record that the context knows, it has its storage already.
    if !storage.isOf(record) { storage = Storage(record) }
    record.lead(to: model)
    // An object of a subclass, which has values of its own to read from there.
    if ObjectIdentifier(record.description.type) != ObjectIdentifier(Model.self) {
      _ = model._$record
    }
  }

  /// Introduces an object that has just been made to its storage: what its initializer linked leads
  /// back to it, and it belongs to the context of what it leads to.
  public static func made<Model: PersistentModel>(_ model: Model) {
    guard let record = model._$record, record.state == .detached else { return }
    record.lead(to: model)
    model._$writeConstants()
    record.leadBack(to: model)
  }

  /// A default value, with the property's type.
  public static func defaultValue<Model, Value>(
    for path: KeyPath<Model, Value>, _ value: Value
  ) -> Any? { value }

  /// The value of a property that is declared with `let`.
  public static func constant<Model, Value: Decodable>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return record.decoded(index, as: Value.self)
  }

  /// The value of a property that is declared with `let` and that a value transformer makes data.
  public static func constantTransformable<Model, Value>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getTransformableValue(forKey: path) }
    return record.decodedUnconstrained(index, as: Value.self)
  }
}

// MARK: Subclasses

extension _AppData {
  /// Makes the storage of a subclass's values that of the inherited ones too.
  ///
  /// A superclass cannot know, before its initializer has run, whose object it begins: until then
  /// each class has the values of its own properties.
  ///
  /// - Parameters:
  ///   - own: The subclass's.
  ///   - inherited: The superclass's record.
  /// - Returns: The record for the superclass to use; `nil` if it does already.
  public static func join<Model: PersistentModel>(
    _ own: inout Storage<Model>, _ inherited: Record?
  ) -> Record? {
    guard let record = own.record, let inherited else {
      preconditionFailure("\(Model.self): a subclass's values lie in the library's own storage")
    }
    if record === inherited { return nil }
    if inherited.description.descends(from: record.description) {
      // Made of stored values, which are all there.
      own = Storage(inherited)
      return nil
    }
    record.inherit(from: inherited)
    return record
  }

  /// The storage of a subclass's values in a record that has the inherited ones, too.
  public static func ownStorage<Model: PersistentModel>(_ record: Record?) -> Storage<Model> {
    guard let record else {
      preconditionFailure("\(Model.self): a subclass's values lie in the library's own storage")
    }
    return Storage(record)
  }

  /// The value of a subclass's property that is declared with `let`.
  @_disfavoredOverload
  public static func constant<Root, Model, Value: Decodable>(
    _ data: any BackingData<Root>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else {
      preconditionFailure("\(Model.self): a subclass's values lie in the library's own storage")
    }
    return record.decoded(index, as: Value.self)
  }

  /// The value of a subclass's property that is declared with `let` and that a value transformer
  /// makes data.
  @_disfavoredOverload
  public static func constantTransformable<Root, Model, Value>(
    _ data: any BackingData<Root>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else {
      preconditionFailure("\(Model.self): a subclass's values lie in the library's own storage")
    }
    return record.decodedUnconstrained(index, as: Value.self)
  }
}

extension _AppData {
  /// The storage of an object's values: the library's record, or another implementation.
  ///
  /// A type that the accessors know, so that a value is reached without a search for a conformance.
  @safe public struct Storage<Model: PersistentModel> {
    /// The library's own storage, or another implementation's.
    private let holder: AnyObject
    @usableFromInline let pointer: Unmanaged<Record>?

    private final class Other {
      let data: any BackingData<Model>
      init(_ data: any BackingData<Model>) { self.data = data }
    }

    init(_ record: Record) {
      holder = record
      unsafe pointer = Unmanaged.passUnretained(record)
    }

    /// The storage that backing data stands for.
    public init(_ data: any BackingData<Model>) {
      let record = data._$record
      holder = record ?? (Other(data) as AnyObject)
      unsafe pointer = record.map { unsafe Unmanaged.passUnretained($0) }
    }

    func isOf(_ record: Record) -> Bool {
      unsafe pointer?.toOpaque() == Unmanaged.passUnretained(record).toOpaque()
    }

    /// The library's own storage; `nil` in another implementation.
    public var record: Record? { unsafe pointer?.takeUnretainedValue() }

    /// The storage for as long as a property is read.
    @inlinable public var reading: Reading<Model> { unsafe Reading(pointer) }

    /// The storage in the form that `init(backingData:)` takes.
    public var backingData: any BackingData<Model> {
      if let record { return ModelBackingData<Model>(record) }
      guard let other = holder as? Other else { preconditionFailure("a storage without values") }
      return other.data
    }
  }

  /// The storage of an object while one of its properties is read.
  ///
  /// Borrowed from the object, which holds the storage: saves a retain and a release that each
  /// property would take and give back.
  @safe public struct Reading<Model: PersistentModel> {
    @usableFromInline let record: Unmanaged<Record>?

    @inlinable init(_ record: Unmanaged<Record>?) { unsafe self.record = unsafe record }

    /// The value in the library's own storage, or in another implementation's.
    @inlinable func value<Value>(
      _ read: (Record) -> Value, otherwise: () -> Value
    ) -> Value {
      guard let record = unsafe record else { return otherwise() }
      return unsafe record._withUnsafeGuaranteedRef(read)
    }
  }
}

// MARK: Attributes with a column type of their own

extension _AppData {
  /// Reads an attribute.
  @inlinable public static func value<Model, Value: StoredValue>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      Value(slot: $0.slot(index)) ?? $0.missing(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getTransformableValue(forKey: path())
    }
  }

  /// Writes an attribute.
  @inlinable public static func setValue<Model: PersistentModel, Value: StoredValue>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setTransformableValue(forKey: path(), to: value)
    }
    record.set(index, value.slot)
  }

  /// Writes an attribute in an initializer.
  @inlinable public static func initialize<Model, Value: StoredValue>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setTransformableValue(forKey: path(), to: value)
    }
    if !record.isBeingMade { record.initialize(index, value.slot) }
  }
}

// MARK: Enums and option sets by their raw value

extension _AppData {
  /// Reads an attribute.
  @inlinable public static func value<Model, Value: RawRepresentable & Decodable>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value where Value.RawValue: StoredValue {
    storage.value {
      Value.RawValue(slot: $0.slot(index)).flatMap(Value.init)
        ?? $0.missing(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Reads an attribute that may be `nil`.
  @inlinable public static func value<Model, Value: RawRepresentable & Decodable>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value?>
  ) -> Value? where Value.RawValue: StoredValue {
    storage.value {
      Value.RawValue(slot: $0.slot(index)).flatMap(Value.init)
        ?? $0.unknownCase(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Writes an attribute.
  @inlinable
  public static func setValue<Model: PersistentModel, Value: RawRepresentable & Encodable>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) where Value.RawValue: StoredValue {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.set(index, value.rawValue.slot)
  }

  /// Writes an attribute that may be `nil`.
  @inlinable
  public static func setValue<Model: PersistentModel, Value: RawRepresentable & Encodable>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value?>,
    _ value: Value?
  ) where Value.RawValue: StoredValue {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.set(index, value?.rawValue.slot ?? .null)
  }

  /// Writes an attribute in an initializer.
  @inlinable public static func initialize<Model, Value: RawRepresentable & Encodable>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) where Value.RawValue: StoredValue {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade { record.initialize(index, value.rawValue.slot) }
  }

  /// Writes an attribute that may be `nil` in an initializer.
  @inlinable public static func initialize<Model, Value: RawRepresentable & Encodable>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value?>,
    _ value: Value?
  ) where Value.RawValue: StoredValue {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade {
      record.initialize(index, value?.rawValue.slot ?? .null)
    }
  }
}

// MARK: Everything else that is Codable, as JSON

extension _AppData {
  /// Reads an attribute.
  @_disfavoredOverload
  public static func value<Model, Value: Decodable>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      $0.decoded(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Writes an attribute.
  @_disfavoredOverload
  public static func setValue<Model: PersistentModel, Value: Encodable>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.set(index, ValueCoding.box(value))
  }

  /// Writes an attribute in an initializer.
  @_disfavoredOverload
  public static func initialize<Model, Value: Encodable>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade { record.initialize(index, ValueCoding.box(value)) }
  }
}

// MARK: Relationships

extension _AppData {
  /// Reads a relationship to one model.
  public static func value<Model, Value: PersistentModel>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      $0.relatedOrMissing(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Reads a relationship to one model at most.
  public static func value<Model, Value: PersistentModel>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value?>
  ) -> Value? {
    storage.value {
      $0.related(index) as? Value
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Reads a relationship to many models.
  public static func value<Model, Value: RelationshipCollection>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      $0.relatedMany(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Hands out the array of a relationship to many models, to be changed in place.
  public static func take<Model, Value: RelationshipCollection>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      $0.take(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getValue(forKey: path())
    }
  }

  /// Takes back an array that was handed out.
  public static func put<Model: PersistentModel, Value: RelationshipCollection>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.adopt(model)
    record.put(index, value)
  }

  /// Reads an array that is an attribute, to be changed in place.
  @_disfavoredOverload
  public static func take<Model, Value: Decodable>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    value(of: model, storage, index, path())
  }

  /// Writes an array that is an attribute.
  @_disfavoredOverload
  public static func put<Model: PersistentModel, Value: Encodable>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    setValue(of: model, storage, index, path(), value)
  }

  /// Writes a relationship to one model.
  public static func setValue<Model: PersistentModel, Value: PersistentModel>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.adopt(model)
    record.setRelated(index, value)
  }

  /// Writes a relationship to one model at most.
  public static func setValue<Model: PersistentModel, Value: PersistentModel>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value?>,
    _ value: Value?
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.adopt(model)
    record.setRelated(index, value)
  }

  /// Writes a relationship to many models.
  public static func setValue<Model: PersistentModel, Value: RelationshipCollection>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    record.adopt(model)
    record.setRelatedMany(index, Record.models(value))
  }

  /// Writes a relationship to one model in an initializer.
  public static func initialize<Model, Value: PersistentModel>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade {
      record.initialize(index, .models(ModelList([value])))
    }
  }

  /// Writes a relationship to one model at most in an initializer.
  public static func initialize<Model, Value: PersistentModel>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value?>,
    _ value: Value?
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade {
      record.initialize(index, value.map { .models(ModelList([$0])) } ?? .null)
    }
  }

  /// Writes a relationship to many models in an initializer.
  public static func initialize<Model, Value: RelationshipCollection>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setValue(forKey: path(), to: value)
    }
    if !record.isBeingMade {
      record.initialize(index, Record.models(value).map { .models(ModelList($0)) } ?? .null)
    }
  }
}
