extension PredicateExpressions {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// A model that a predicate captures: the store knows it by its identifier only.
  @available(
    *, unavailable,
    message: "a predicate cannot hold a model: compare its persistentModelID, as a value"
  )
  public static func build_Arg<Model: PersistentModel>(
    _ model: Model
  ) -> _AppData.CapturedModel<Model> {
    _AppData.CapturedModel()
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// A model, or none, that a predicate captures: the store knows it by its identifier only.
  @available(
    *, unavailable,
    message: "a predicate cannot hold a model: compare its persistentModelID, as a value"
  )
  public static func build_Arg<Model: PersistentModel>(
    _ model: Model?
  ) -> _AppData.CapturedModel<Model?> {
    _AppData.CapturedModel()
  }
}

extension _AppData {
  /// The place of a captured model in a predicate, which does not compile.
  public struct CapturedModel<Output>: StandardPredicateExpression, Codable, Sendable {
    /// Throws: there is no such value.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      throw EvaluationFailure("a predicate cannot hold a model")
    }
  }
}
