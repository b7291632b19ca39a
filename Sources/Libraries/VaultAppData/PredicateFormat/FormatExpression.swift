import VaultStorage

/// A condition of the format language as an expression of a predicate.
struct FormatExpression<Model: PersistentModel>: StandardPredicateExpression {
  let variable: PredicateExpressions.Variable<Model>
  let format: PredicateFormat
  /// The only object that may match; `nil` for all.
  var only: PersistentIdentifier?

  /// Asks the store, so that there is one meaning: the object's pending changes count.
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let model = try variable.evaluate(bindings)
    guard let context = model.modelContext else {
      throw SwiftDataError.missingModelContext.saying(
        "a predicate of a format is evaluated for objects of a context only")
    }
    let (format, id) = (format, model.persistentModelID)
    let one = Foundation.Predicate<Model> {
      FormatExpression(variable: $0, format: format, only: id)
    }
    return try context.fetchCount(FetchDescriptor(predicate: one)) > 0
  }

  init(
    variable: PredicateExpressions.Variable<Model>, format: PredicateFormat,
    only: PersistentIdentifier? = nil
  ) {
    self.variable = variable
    self.format = format
    self.only = only
  }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a format is not decoded"))
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      format.format,
      .init(
        codingPath: encoder.codingPath,
        debugDescription: "the arguments of a predicate's format have no coding"))
  }
}

extension FormatExpression: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    let root = try translator.term(variable)
    let translation = FormatTranslation(translator, root: root)
    let condition = try translation.condition(format.condition)
    guard let only else { return .boolean("(\(condition))") }
    let isIt = try translator.equality(root, .captured(only), in: PredicateFormat.self)
    let one = try translator.scalar(isIt, in: PredicateFormat.self)
    return .boolean("(\(one.sql) AND (\(condition)))")
  }
}
