/// A predicate in the format language of `NSPredicate`, for code that comes from Core Data and for
/// conditions that are made at run time.
///
/// ```swift
/// let format = try PredicateFormat("name BEGINSWITH[cd] %@ AND ANY stops.days > %d", "os", 2)
/// let trips = try context.fetch(FetchDescriptor<Trip>(predicate: format.predicate()))
/// ```
///
/// Arguments are values and never parsed: `%@` takes any value that the store knows, a collection
/// of them for `IN` and `BETWEEN`, a `PersistentIdentifier` for a model, or `nil`; `%d`, `%i`,
/// `%u`, `%ld`, `%lu`, `%lld`, `%llu` and `%x` take an integer; `%f`, `%lf` and `%g` a number; `%K`
/// takes the path of a property. A specifier within quotes is text. What is entered by a person
/// belongs in an argument: as part of the format it could be anything.
///
/// The condition becomes SQL, as `#Predicate` does. The language and what each part means here are
/// described in Documentation/design/core-data.md. Not part of SwiftData.
public struct PredicateFormat: Hashable, Sendable, CustomStringConvertible {
  /// The text of the format, without the arguments.
  public let format: String
  let condition: FormatCondition
  private let identity = FormatIdentity()

  /// Reads a format.
  ///
  /// - Parameters:
  ///   - format: Such as `"days > %d AND name CONTAINS[c] %@"`.
  ///   - arguments: A value for each specifier, in their order.
  /// - Throws: ``SwiftDataError/invalidPredicateFormat``, saying at which character, counted from
  ///   1.
  public init(_ format: String, _ arguments: (any Sendable)?...) throws {
    try self.init(format, arguments: arguments)
  }

  /// Reads a format, with the arguments in an array.
  ///
  /// - Parameters:
  ///   - format: Such as `"days > %d AND name CONTAINS[c] %@"`.
  ///   - arguments: A value for each specifier, in their order.
  /// - Throws: ``SwiftDataError/invalidPredicateFormat``, saying at which character, counted from
  ///   1.
  public init(_ format: String, arguments: [(any Sendable)?]) throws {
    self.format = format
    var parser = try FormatParser(format, arguments)
    condition = try parser.whole()
  }

  /// The condition as a predicate.
  ///
  /// Names are looked up when it is used: a property that the class does not store is
  /// ``SwiftDataError/unsupportedPredicate`` then, with the place in the format. A predicate made
  /// of a format can be evaluated for objects of a context only, cannot be encoded, and does not
  /// print.
  ///
  /// - Parameter type: The class of the objects.
  /// - Returns: The predicate.
  public func predicate<Model: PersistentModel>(
    for type: Model.Type = Model.self
  ) -> Foundation.Predicate<Model> {
    Foundation.Predicate<Model> { FormatExpression(variable: $0, format: self) }
  }

  /// The text of the format, without the arguments.
  public var description: String { format }

  /// Whether both were made by the same call, or are copies of it: arguments have no equality.
  public static func == (left: Self, right: Self) -> Bool { left.identity === right.identity }

  /// Feeds the identity to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}

private final class FormatIdentity: Sendable {}

extension SwiftDataError {
  /// The format of a predicate cannot be read, or an argument does not fit.
  ///
  /// Not among SwiftData's errors; the message says at which character.
  public static let invalidPredicateFormat = Self("invalidPredicateFormat")
}
