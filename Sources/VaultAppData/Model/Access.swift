/// What the accessors that `@Model` makes call: the property's number takes the place of a search
/// for its key path, and its type chooses the overload when the program is compiled.
extension _AppData {
  /// The storage of an object that is being made.
  public static func newBackingData<Model>(
    _ description: ModelDescription
  ) -> any BackingData<Model> where Model: PersistentModel {
    // An object that is made from a row has its storage already.
    if let record = Materialization.record, record.isBeingMade, record.description === description {
      return ModelBackingData(record)
    }
    return ModelBackingData(Record(description, key: DetachedKey.make()))
  }

  /// Ends the making of an object from stored values.
  public static func adopt<Model: PersistentModel>(_ model: Model) {
    model.record?.model = model
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
}

// MARK: Attributes with a column type of their own

extension _AppData {
  /// Reads an attribute.
  public static func value<Model, Value: StoredValue>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getTransformableValue(forKey: path) }
    return Value(slot: record.slot(index)) ?? record.missing(index, as: Value.self)
  }

  /// Writes an attribute.
  public static func setValue<Model: PersistentModel, Value: StoredValue>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = data._$record else {
      return data.setTransformableValue(forKey: path, to: value)
    }
    record.set(index, value.slot)
  }

  /// Writes an attribute in an initializer.
  public static func initialize<Model, Value: StoredValue>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>, _ value: Value
  ) {
    guard let record = data._$record else {
      return data.setTransformableValue(forKey: path, to: value)
    }
    if !record.isBeingMade { record.initialize(index, value.slot) }
  }
}

// MARK: Enums and option sets by their raw value

extension _AppData {
  /// Reads an attribute.
  public static func value<Model, Value: RawRepresentable & Decodable>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return Value.RawValue(slot: record.slot(index)).flatMap(Value.init)
      ?? record.missing(index, as: Value.self)
  }

  /// Reads an attribute that may be `nil`.
  public static func value<Model, Value: RawRepresentable & Decodable>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>
  ) -> Value? where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return Value.RawValue(slot: record.slot(index)).flatMap(Value.init)
  }

  /// Writes an attribute.
  public static func setValue<Model: PersistentModel, Value: RawRepresentable & Encodable>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>,
    _ value: Value
  ) where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.set(index, value.rawValue.slot)
  }

  /// Writes an attribute that may be `nil`.
  public static func setValue<Model: PersistentModel, Value: RawRepresentable & Encodable>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>,
    _ value: Value?
  ) where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.set(index, value?.rawValue.slot ?? .null)
  }

  /// Writes an attribute in an initializer.
  public static func initialize<Model, Value: RawRepresentable & Encodable>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>, _ value: Value
  ) where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    if !record.isBeingMade { record.initialize(index, value.rawValue.slot) }
  }

  /// Writes an attribute that may be `nil` in an initializer.
  public static func initialize<Model, Value: RawRepresentable & Encodable>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>, _ value: Value?
  ) where Value.RawValue: StoredValue {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
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
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return record.decoded(index, as: Value.self)
  }

  /// Writes an attribute.
  @_disfavoredOverload
  public static func setValue<Model: PersistentModel, Value: Encodable>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.set(index, ValueCoding.box(value))
  }

  /// Writes an attribute in an initializer.
  @_disfavoredOverload
  public static func initialize<Model, Value: Encodable>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>, _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    if !record.isBeingMade { record.initialize(index, ValueCoding.box(value)) }
  }
}

// MARK: Relationships

extension _AppData {
  /// Reads a relationship to one model.
  public static func value<Model, Value: PersistentModel>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return record.relatedOrMissing(index, as: Value.self)
  }

  /// Reads a relationship to one model at most.
  public static func value<Model, Value: PersistentModel>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>
  ) -> Value? {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return record.related(index) as? Value
  }

  /// Reads a relationship to many models.
  public static func value<Model, Value: RelationshipCollection>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value {
    guard let record = data._$record else { return data.getValue(forKey: path) }
    return record.relatedMany(index, as: Value.self)
  }

  /// Writes a relationship to one model.
  public static func setValue<Model: PersistentModel, Value: PersistentModel>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.adopt(model)
    record.setRelated(index, value)
  }

  /// Writes a relationship to one model at most.
  public static func setValue<Model: PersistentModel, Value: PersistentModel>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>,
    _ value: Value?
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.adopt(model)
    record.setRelated(index, value)
  }

  /// Writes a relationship to many models.
  public static func setValue<Model: PersistentModel, Value: RelationshipCollection>(
    of model: Model, _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    record.adopt(model)
    record.setRelatedMany(index, Record.models(value))
  }

  /// Writes a relationship to one model in an initializer.
  public static func initialize<Model, Value: PersistentModel>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>, _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    if !record.isBeingMade {
      record.initialize(index, .models(ModelList([value])))
    }
  }

  /// Writes a relationship to one model at most in an initializer.
  public static func initialize<Model, Value: PersistentModel>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>, _ value: Value?
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    if !record.isBeingMade {
      record.initialize(index, value.map { .models(ModelList([$0])) } ?? .null)
    }
  }

  /// Writes a relationship to many models in an initializer.
  public static func initialize<Model, Value: RelationshipCollection>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>, _ value: Value
  ) {
    guard let record = data._$record else { return data.setValue(forKey: path, to: value) }
    if !record.isBeingMade {
      record.initialize(index, .models(ModelList(Record.models(value))))
    }
  }
}
