/// Makes a condition on models that the store carries out.
///
/// ```swift
/// let search = "rome"
/// let descriptor = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.name.localizedStandardContains(search) && $0.end != nil })
/// ```
///
/// It takes the place of Foundation's macro for models, and makes the same type. Everything in the
/// closure that does not depend on its parameter is a value, computed when the predicate is made; if
/// that might end the program (`wanted!`, `list[0]`), it is computed where the evaluation reaches it.
///
/// - Parameter body: One expression.
// Of the same shape as Foundation's, with one constraint more: a macro of one parameter is checked
// in another order, and loses where an optional chain is compared by ==.
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "VaultAppDataMacros", type: "PredicateMacro")

/// Makes a value of models that a predicate asks for by `evaluate`.
///
/// ```swift
/// let length = #Expression<Trip, Int> { $0.name.count }
/// let long = #Predicate<Trip> { length.evaluate($0) > 20 }
/// ```
///
/// It takes the place of Foundation's macro for models, as ``Predicate(_:)`` does.
///
/// - Parameter body: One expression.
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> =
  #externalMacro(module: "VaultAppDataMacros", type: "ModelExpressionMacro")
