import Synchronization

/// Values of the program that a predicate computes when it gets to them.
///
/// `wanted == nil || $0.kind == wanted!.lowercased()` unwraps nothing before its guard was asked.
extension _AppData {
  /// A value that is computed when it is reached, once.
  public struct Deferred<Output>: StandardPredicateExpression, Codable, Sendable {
    fileprivate let memo: Memo<Output>

    fileprivate init(_ memo: Memo<Output>) { self.memo = memo }

    /// The value.
    ///
    /// - Parameter bindings: Not needed.
    /// - Returns: The value.
    /// - Throws: An error where the computation has no value: `nil` unwrapped, no such element.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output { try memo.value() }

    /// Throws: a computation cannot be decoded.
    public init(from decoder: any Decoder) throws {
      throw Uncodable.error(decoder, "a computation of a predicate")
    }

    /// Throws: a computation cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
      throw Uncodable.error(encoder, "a computation of a predicate", memo.source ?? "")
    }
  }

  /// Makes a value that is computed when it is reached.
  ///
  /// - Parameters:
  ///   - source: The expression as it is written; `nil` if it reads more than `captured`.
  ///   - captured: What it is computed from, as it is now.
  ///   - value: Computes it.
  /// - Returns: The expression.
  public static func buildDeferred<each Captured, Output>(
    _ source: String?, _ captured: repeat each Captured,
    @_implicitSelfCapture value: @escaping (repeat each Captured) throws -> Output
  ) -> Call<Output> {
    var parts: [Any] = []
    repeat parts.append(each captured)
    let memo = Memo(source, parts) { try value(repeat each captured) }
    let node = Deferred(memo)
    return call(Function(source ?? "a computed value", Foundation.Expression<Output> { node }))
  }

  /// A model that is computed where it is reached: the store knows it by its identifier only.
  @available(
    *, unavailable,
    message: "a predicate cannot hold a model: compare its persistentModelID, as a value"
  )
  public static func buildDeferred<each Captured, Output: PersistentModel>(
    _ source: String?, _ captured: repeat each Captured,
    @_implicitSelfCapture value: @escaping (repeat each Captured) throws -> Output
  ) -> CapturedModel<Output> {
    CapturedModel()
  }

  /// A model, or none, that is computed where it is reached.
  @available(
    *, unavailable,
    message: "a predicate cannot hold a model: compare its persistentModelID, as a value"
  )
  public static func buildDeferred<each Captured, Output: PersistentModel>(
    _ source: String?, _ captured: repeat each Captured,
    @_implicitSelfCapture value: @escaping (repeat each Captured) throws -> Output?
  ) -> CapturedModel<Output?> {
    CapturedModel()
  }

  /// A computation, and its result when there is one.
  // A closure of the program's is not Sendable. It is the only one that has the captured values,
  // which are copies; as with a value computed at once, nothing else is promised about them.
  fileprivate final class Memo<Output>: @unchecked Sendable {
    let source: String?
    let captured: [Any]
    private let compute: () throws -> Output
    // Guarded by the lock.
    private var result: Result<Output, any Error>?
    private let lock = Mutex(())

    init(_ source: String?, _ captured: [Any], _ compute: @escaping () throws -> Output) {
      self.source = source
      self.captured = captured
      self.compute = compute
    }

    func value() throws -> Output {
      if let known = known { return try known.get() }
      // Without the lock: it is the program's code, and may evaluate the predicate itself.
      let computed = Result { try compute() }
      lock.withLock { _ in result = result ?? computed }
      return try (known ?? computed).get()
    }

    private var known: Result<Output, any Error>? { lock.withLock { _ in result } }
  }
}

extension _AppData.Deferred: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws -> Term {
    do {
      return .captured(try memo.value())
    } catch {
      throw EvaluationFailure("\(error)")
    }
  }
}

extension _AppData.Deferred: ComparableByParts {
  var parts: [Any]? { memo.source.map { [$0] + memo.captured } }
}

/// Swift's evaluation would end here, for every row: `nil` unwrapped, no such element.
struct EvaluationFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

// MARK: What ends a program elsewhere

extension _AppData {
  /// The value of an optional.
  ///
  /// - Throws: An error for `nil`.
  public static func unwrapped<Value>(_ optional: Value?) throws -> Value {
    guard let optional else {
      throw EvaluationFailure("found nil while unwrapping a value of \(Value?.self)")
    }
    return optional
  }

  /// An element of a collection.
  ///
  /// - Throws: An error where there is none.
  public static func element<Elements: Collection>(
    _ elements: Elements, _ index: Elements.Index, _ value: @autoclosure () -> Elements.Element
  ) throws -> Elements.Element {
    guard index >= elements.startIndex, index < elements.endIndex else {
      throw EvaluationFailure("index \(index) is out of range")
    }
    return elements[index]
  }

  /// Some elements of a collection.
  ///
  /// - Throws: An error where there are not as many.
  public static func element<Elements: Collection>(
    _ elements: Elements, _ range: Range<Elements.Index>,
    _ value: @autoclosure () -> Elements.SubSequence
  ) throws -> Elements.SubSequence {
    guard range.lowerBound >= elements.startIndex, range.upperBound <= elements.endIndex else {
      throw EvaluationFailure("range \(range) is out of range")
    }
    return elements[range]
  }

  /// What another subscript gives.
  @_disfavoredOverload
  public static func element<Base, Index, Value>(
    _ base: Base, _ index: Index, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  /// A sum of integers.
  ///
  /// - Throws: An error where there is none in the type's range.
  public static func sum<Value: FixedWidthInteger>(
    _ left: Value, _ right: Value, _ value: @autoclosure () -> Value
  ) throws -> Value {
    try exact(left.addingReportingOverflow(right), "+", left, right)
  }

  /// Another sum.
  @_disfavoredOverload
  public static func sum<Left, Right, Value>(
    _ left: Left, _ right: Right, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  /// A difference of integers.
  ///
  /// - Throws: An error where there is none in the type's range.
  public static func difference<Value: FixedWidthInteger>(
    _ left: Value, _ right: Value, _ value: @autoclosure () -> Value
  ) throws -> Value {
    try exact(left.subtractingReportingOverflow(right), "-", left, right)
  }

  /// Another difference.
  @_disfavoredOverload
  public static func difference<Left, Right, Value>(
    _ left: Left, _ right: Right, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  /// A product of integers.
  ///
  /// - Throws: An error where there is none in the type's range.
  public static func product<Value: FixedWidthInteger>(
    _ left: Value, _ right: Value, _ value: @autoclosure () -> Value
  ) throws -> Value {
    try exact(left.multipliedReportingOverflow(by: right), "*", left, right)
  }

  /// Another product.
  @_disfavoredOverload
  public static func product<Left, Right, Value>(
    _ left: Left, _ right: Right, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  /// A quotient of integers.
  ///
  /// - Throws: An error where there is none in the type's range.
  public static func quotient<Value: FixedWidthInteger>(
    _ left: Value, _ right: Value, _ value: @autoclosure () -> Value
  ) throws -> Value {
    try exact(left.dividedReportingOverflow(by: right), "/", left, right)
  }

  /// Another quotient.
  @_disfavoredOverload
  public static func quotient<Left, Right, Value>(
    _ left: Left, _ right: Right, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  /// A remainder of integers.
  ///
  /// - Throws: An error where there is none in the type's range.
  public static func remainder<Value: FixedWidthInteger>(
    _ left: Value, _ right: Value, _ value: @autoclosure () -> Value
  ) throws -> Value {
    try exact(left.remainderReportingOverflow(dividingBy: right), "%", left, right)
  }

  /// Another remainder.
  @_disfavoredOverload
  public static func remainder<Left, Right, Value>(
    _ left: Left, _ right: Right, _ value: @autoclosure () -> Value
  ) throws -> Value {
    value()
  }

  private static func exact<Value: FixedWidthInteger>(
    _ result: (partialValue: Value, overflow: Bool), _ sign: String, _ left: Value, _ right: Value
  ) throws -> Value {
    guard !result.overflow else {
      throw EvaluationFailure("\(left) \(sign) \(right) is no \(Value.self)")
    }
    return result.partialValue
  }

  /// A range.
  ///
  /// - Throws: An error where it would end before it begins.
  public static func range<Bound: Comparable>(_ lower: Bound, _ upper: Bound) throws -> Range<Bound>
  {
    guard lower <= upper else { throw EvaluationFailure("no range from \(lower) to \(upper)") }
    return lower..<upper
  }

  /// A range with its upper bound.
  ///
  /// - Throws: An error where it would end before it begins.
  public static func closedRange<Bound: Comparable>(
    _ lower: Bound, _ upper: Bound
  ) throws -> ClosedRange<Bound> {
    guard lower <= upper else { throw EvaluationFailure("no range from \(lower) to \(upper)") }
    return lower...upper
  }
}
