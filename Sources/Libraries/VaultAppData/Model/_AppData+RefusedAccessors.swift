// MARK: Everything that is not Codable: refused

extension _AppData {
  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func value<Model, Value>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value { fatalError() }

  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func setValue<Model: PersistentModel, Value>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>, _ value: Value
  ) {}

  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func initialize<Model, Value>(
    _ storage: Storage<Model>, _ index: Int, _ path: @autoclosure () -> KeyPath<Model, Value>,
    _ value: Value
  ) {}

  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func take<Model, Value>(
    of model: Model, _ storage: Reading<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>
  ) -> Value { fatalError() }

  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func put<Model: PersistentModel, Value>(
    of model: Model, _ storage: Storage<Model>, _ index: Int,
    _ path: @autoclosure () -> KeyPath<Model, Value>, _ value: Value
  ) {}

  /// Refuses a type that the store cannot keep, in words that name the remedy.
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; mark it @Transient, or use @Attribute(.transformable(by:))"
  )
  @_disfavoredOverload
  public static func constant<Model, Value>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value { fatalError() }

  /// Refuses a relationship that could not follow what other objects change.
  @available(*, unavailable, message: "a relationship must be declared with 'var'")
  public static func constant<Model, Value: PersistentModel>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value { fatalError() }

  /// Refuses a relationship that could not follow what other objects change.
  @available(*, unavailable, message: "a relationship must be declared with 'var'")
  public static func constant<Model, Value: PersistentModel>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value?>
  ) -> Value? { fatalError() }

  /// Refuses a relationship that could not follow what other objects change.
  @available(*, unavailable, message: "a relationship must be declared with 'var'")
  public static func constant<Model, Value: RelationshipCollection>(
    _ data: any BackingData<Model>, _ index: Int, _ path: KeyPath<Model, Value>
  ) -> Value { fatalError() }
}
