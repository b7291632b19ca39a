extension PersistentModel {
  /// The value of a property, or the reason why it cannot be read.
  ///
  /// A property itself cannot throw. One with `.encrypt` that does not open, or one whose stored
  /// value does not decode as the type that it has now, shows its default value, or an empty one,
  /// and the context's next ``ModelContext/save()`` throws the error; what is in the store stays as
  /// it is. This throws at once:
  ///
  /// ```swift
  /// let name = try trip.opened(\.name)
  /// ```
  ///
  /// Not part of SwiftData.
  ///
  /// - Parameter property: Any property.
  /// - Returns: Its value.
  /// - Throws: ``SwiftDataError/sealedAttribute``, or ``SwiftDataError/modelValidationFailure`` for
  ///   a value that does not decode, naming class, property and object;
  ///   ``SwiftDataError/missingRow``; a `StorageError`.
  public func opened<Value>(_ property: KeyPath<Self, Value>) throws -> Value {
    if let record = _$record?.current, let index = record.description.index(of: property),
      let context = record.readingContext
    {
      try context.home.use.during(.load, record) { try context.loading.open(index, of: record) }
      if !record.description.decodes(record.slots[index], index), let plan = record.entity {
        throw plan.failure(record, index, "does not decode as \(Value.self)")
      }
    }
    return self[keyPath: property]
  }
}
