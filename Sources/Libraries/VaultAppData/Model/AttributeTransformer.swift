/// Attributes that a value transformer makes data: any type, kept as bytes.
extension _AppData {
  /// Reads an attribute that a value transformer makes data.
  public static func transformable<Model: PersistentModel, Value>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value {
    storage.value {
      $0.decodedUnconstrained(index, as: Value.self)
    } otherwise: {
      model.persistentBackingData.getTransformableValue(forKey: path())
    }
  }

  /// Writes an attribute that a value transformer makes data.
  public static func setTransformable<Model: PersistentModel, Value>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setTransformableValue(forKey: path(), to: value)
    }
    record.set(index, record.description.properties[index].slot(of: value) ?? .null)
  }

  /// Writes an attribute that a value transformer makes data, in an initializer.
  public static func initializeTransformable<Model: PersistentModel, Value>(
    _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>, _ value: Value
  ) {
    guard let record = storage.record else {
      return storage.backingData.setTransformableValue(forKey: path(), to: value)
    }
    if record.isBeingMade { return }
    record.initialize(index, record.description.properties[index].slot(of: value) ?? .null)
  }
}

extension _AppData {
  /// A value that a transformer makes data when it is written.
  final class TransformedBox: ValueBox, @unchecked Sendable {
    private let value: Any
    private let transformer: AttributeTransformer

    init(_ value: Any, _ transformer: AttributeTransformer) {
      self.value = value
      self.transformer = transformer
    }

    override var any: Any { value }
    override func data() throws -> Data? { try transformer.data(of: value) }
    override func encoded() throws -> String { throw transformer.failure(value) }
  }
}

/// The transformer of one attribute, found by its name when it is needed.
struct AttributeTransformer: Sendable {
  let name: String

  private func transformer(_ value: Any) throws -> ValueTransformer {
    if let found = ValueTransformer.registered(NSValueTransformerName(name)) { return found }
    throw failure(value)
  }

  /// A value as data.
  ///
  /// - Throws: `EncodingError` if there is no such transformer, or it does not turn the value into
  ///   data.
  func data(of value: Any) throws -> Data {
    let transformer = try transformer(value)
    let made =
      transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    if let data = made as? Data { return data }
    if let data = made as? NSData { return Data(referencing: data) }
    throw failure(value)
  }

  /// The value of data; `nil` if the transformer makes none.
  func value(of data: Data) -> Any? {
    guard let transformer = ValueTransformer.registered(NSValueTransformerName(name)) else {
      return nil
    }
    return transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
  }

  func failure(_ value: Any) -> EncodingError {
    let isKnown = ValueTransformer.registered(NSValueTransformerName(name)) != nil
    return .invalidValue(
      value,
      .init(
        codingPath: [],
        debugDescription: isKnown
          ? "the value transformer \(name) makes no data of a \(type(of: value))"
          : "no value transformer is registered as \(name)"))
  }
}
