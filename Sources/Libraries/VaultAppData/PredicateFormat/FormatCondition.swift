/// A condition of the format language.
indirect enum FormatCondition: Sendable {
  case constant(Bool)
  case and(FormatCondition, FormatCondition)
  case or(FormatCondition, FormatCondition)
  case not(FormatCondition)
  case compare(FormatComparison)
}

/// Two values, and what is asked of them.
struct FormatComparison: Sendable {
  /// Of how many of the objects that the left side leads to it must be true.
  enum Quantity: Sendable { case one, any, all, none }

  enum Sign: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case between, isIn, beginsWith, contains, endsWith, like, matches
  }

  /// What makes two letters the same.
  struct Options: OptionSet, Sendable {
    let rawValue: Int
    static let ignoresCase = Options(rawValue: 1)
    static let ignoresMarks = Options(rawValue: 2)
    static let isLocalized = Options(rawValue: 4)
  }

  var quantity = Quantity.one
  let left: FormatValue
  let sign: Sign
  let options: Options
  let right: FormatValue
}

/// A value of the format language, and where it stands.
struct FormatValue: Sendable {
  indirect enum Kind: Sendable {
    /// A value of the program, or one that is written in the format.
    case constant((any Sendable)?)
    /// The object that is looked at.
    case root
    /// The variable of a SUBQUERY.
    case variable(String)
    /// A property, or a function of a collection such as `@count`.
    case member(FormatValue, String)
    case element(FormatValue, at: FormatValue)
    case end(FormatValue, isFirst: Bool)
    case count(FormatValue)
    case list([FormatValue])
    case arithmetic(String, FormatValue, FormatValue)
    case call(String, [FormatValue])
    case subquery(FormatValue, variable: String, FormatCondition)
    case choice(FormatCondition, FormatValue, FormatValue)
  }

  let kind: Kind
  /// The place in the format, counted from 0.
  let position: Int
}

/// An error of a format, with its place.
enum FormatFailure {
  static func at(_ position: Int, _ message: String) -> SwiftDataError {
    SwiftDataError.invalidPredicateFormat.saying("character \(position + 1): \(message)")
  }
}
