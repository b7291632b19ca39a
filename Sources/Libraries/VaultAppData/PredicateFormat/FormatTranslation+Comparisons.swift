import VaultStorage

/// Comparisons: numbers, texts, lists.
extension FormatTranslation {
  /// A comparison whose left side is known.
  func compare(_ left: Term, _ comparison: FormatComparison) throws -> SQLFragment {
    try at(comparison.left.position) {
      switch comparison.sign {
      case .equal, .notEqual:
        let (left, right) = try operands(left, comparison)
        return try sql(
          translator.equality(
            left, right, isNegated: comparison.sign == .notEqual, in: Self.node))
      case .less: return try ordered(left, "<", comparison)
      case .lessOrEqual: return try ordered(left, "<=", comparison)
      case .greater: return try ordered(left, ">", comparison)
      case .greaterOrEqual: return try ordered(left, ">=", comparison)
      case .between: return try between(left, comparison)
      case .isIn: return try isIn(left, comparison)
      case .contains: return try contains(left, comparison)
      case .beginsWith, .endsWith, .like, .matches: return try text(left, comparison)
      }
    }
  }

  private func sql(_ term: Term) throws -> SQLFragment {
    try translator.scalar(term, in: Self.node).sql
  }

  /// A test that is NULL where an operand is.
  private func exact(_ test: SQLFragment, _ operands: Term...) -> SQLFragment {
    guard isExact, operands.contains(where: { isNullable($0) }) else { return test }
    return "COALESCE(\(test), 0)"
  }

  private func isNullable(_ term: Term) -> Bool {
    switch term {
    case .scalar(let scalar): scalar.isOptional || scalar.mayBeNaN
    case .captured(let value): (value as? any OptionalValue)?.isNil == true
    case .null: true
    default: translator.isOptional(term)
    }
  }

  /// Both sides, with the right one as a value of the left one's type, or the other way round.
  private func operands(
    _ left: Term, _ comparison: FormatComparison
  ) throws -> (Term, Term) {
    let right = try term(comparison.right)
    return try operands(left, right, comparison, at: comparison.right.position)
  }

  private func operands(
    _ left: Term, _ right: Term, _ comparison: FormatComparison, at position: Int
  ) throws -> (Term, Term) {
    let first = try FormatCoercion.term(left, like: right, at: comparison.left.position)
    let second = try FormatCoercion.term(right, like: left, at: position)
    guard !comparison.options.isEmpty else { return (first, second) }
    return (try folded(first, comparison), try folded(second, comparison))
  }

  private func ordered(
    _ left: Term, _ sign: String, _ comparison: FormatComparison
  ) throws -> SQLFragment {
    let (left, right) = try operands(left, comparison)
    let test = try sql(translator.comparison(left, sign, right, in: Self.node))
    return exact(test, left, right)
  }

  private func between(_ left: Term, _ comparison: FormatComparison) throws -> SQLFragment {
    let bounds = try list(comparison.right)
    guard let bounds, bounds.count == 2 else {
      throw Self.failure(comparison.right.position, "BETWEEN takes two values: {1, 10}")
    }
    let position = comparison.right.position
    let (value, lower) = try operands(left, bounds[0], comparison, at: position)
    let upper = try operands(left, bounds[1], comparison, at: position).1
    let least = try sql(translator.comparison(value, ">=", lower, in: Self.node))
    let most = try sql(translator.comparison(value, "<=", upper, in: Self.node))
    return exact("(\(least) AND \(most))", value, lower, upper)
  }

  /// The values of a list, or of a collection that is an argument; `nil` for anything else.
  private func list(_ value: FormatValue) throws -> [Term]? {
    if case .list(let values) = value.kind { return try values.map(term) }
    guard case .constant(let constant) = value.kind, let constant, !(constant is String),
      let sequence = constant as? any Sequence
    else { return nil }
    return sequence.terms
  }

  private func isIn(_ left: Term, _ comparison: FormatComparison) throws -> SQLFragment {
    let position = comparison.right.position
    if let members = try list(comparison.right) {
      var constants: [Any] = []
      var tests: [SQLFragment] = []
      let own = try folded(keyed(left), comparison)
      for member in members {
        let (_, value) = try operands(left, member, comparison, at: position)
        if case .captured(let constant) = value, comparison.options.isEmpty, isColumn(own) {
          constants.append(constant)
        } else if case .null = value, comparison.options.isEmpty, isColumn(own) {
          constants.append(Int?.none as Any)
        } else {
          tests.append(try sql(translator.equality(own, value, in: Self.node)))
        }
      }
      if !constants.isEmpty {
        tests.append(try sql(translator.contains(.captured(constants), own, in: Self.node)))
      }
      return tests.isEmpty ? "0" : exact("(\(.joined(tests, by: " OR ")))", own)
    }
    let whole = try term(comparison.right)
    if translator.isText(whole) {
      return try textContains(whole, left, comparison)
    }
    return try element(keyed(left), in: whole, at: position)
  }

  private func isColumn(_ term: Term) -> Bool {
    if case .scalar = term { true } else { false }
  }

  /// An object as its key.
  private func keyed(_ term: Term) throws -> Term {
    guard case .model = term else { return term }
    return .scalar(try translator.scalar(term, in: Self.node))
  }

  private func element(
    _ element: Term, in whole: Term, at position: Int
  ) throws -> SQLFragment {
    switch whole {
    case .rows, .elements, .scalar:
      let found = try translator.exists(whole, in: Self.node) { member in
        let value = try FormatCoercion.term(element, like: member, at: position)
        return try sql(translator.equality(member, value, in: Self.node))
      }
      return try sql(found)
    default: throw Self.failure(position, "this is not a collection")
    }
  }

  private func contains(_ left: Term, _ comparison: FormatComparison) throws -> SQLFragment {
    let right = try term(comparison.right)
    if translator.isText(left) { return try textContains(left, right, comparison) }
    guard comparison.options.isEmpty else {
      throw Self.failure(comparison.right.position, "CONTAINS of a collection takes no options")
    }
    return try element(right, in: left, at: comparison.left.position)
  }

  // MARK: Texts

  private func textContains(
    _ whole: Term, _ part: Term, _ comparison: FormatComparison
  ) throws -> SQLFragment {
    let whole = try folded(whole, comparison)
    let part = try folded(part, comparison)
    return exact(try sql(translator.textContains(whole, part, in: Self.node)), whole, part)
  }

  private func text(_ left: Term, _ comparison: FormatComparison) throws -> SQLFragment {
    let right = try term(comparison.right)
    guard translator.isText(left), translator.isText(right) else {
      throw Self.failure(comparison.left.position, "this comparison is for texts")
    }
    if comparison.sign == .matches { return try matches(left, right, comparison) }
    let whole = try folded(left, comparison)
    let part = try folded(right, comparison)
    let test =
      switch comparison.sign {
      case .beginsWith: try translator.startsWith(whole, part, in: Self.node)
      case .endsWith: try translator.textFunction("vault_ends", whole, part, in: Self.node)
      default: try translator.textFunction("vault_like", whole, part, in: Self.node)
      }
    return exact(try sql(test), whole, part)
  }

  /// A regular expression for the whole text.
  ///
  /// Letters in it are not folded: `\W` would become `\w`.
  private func matches(
    _ left: Term, _ right: Term, _ comparison: FormatComparison
  ) throws -> SQLFragment {
    guard case .captured(let value) = right, let pattern = value as? String else {
      throw Self.failure(comparison.right.position, "MATCHES takes a regular expression as a text")
    }
    do {
      _ = try Regex(pattern)
    } catch {
      throw Self.failure(comparison.right.position, "this is not a regular expression: \(error)")
    }
    var whole = left
    var options = comparison.options
    if options.contains(.ignoresMarks) {
      options = .ignoresMarks
      whole = try folded(left, options)
    }
    let isFree = comparison.options.contains(.ignoresCase)
    let test = try translator.textFunction(
      "vault_matches_all", whole, .captured(isFree ? "(?i)\(pattern)" : pattern), in: Self.node)
    return exact(try sql(test), whole)
  }

  private func folded(_ term: Term, _ comparison: FormatComparison) throws -> Term {
    try folded(term, comparison.options)
  }

  /// A text with what does not count taken away.
  private func folded(_ term: Term, _ options: FormatComparison.Options) throws -> Term {
    guard !options.isEmpty else { return term }
    if case .null = term { return term }
    guard translator.isText(term) else {
      throw SwiftDataError.unsupportedPredicate.saying("[c], [d] and [l] are for texts")
    }
    if case .captured(let value) = term {
      return .captured(FormatFolding.folded("\(value)", options))
    }
    var scalar = try translator.scalar(term, in: Self.node)
    let code = SQLFragment(String(options.rawValue))
    scalar.sql = "vault_fold(\(scalar.sql), \(code))"
    scalar.form = .string
    scalar.order = nil
    return .scalar(scalar)
  }
}

extension Sequence {
  /// The elements as values of the program.
  fileprivate var terms: [Term] {
    map { element in
      if let optional = element as? any OptionalValue {
        return optional.wrapped.map { .captured($0) } ?? .null
      }
      return .captured(element)
    }
  }
}

/// Letters that count as the same.
enum FormatFolding {
  /// A text with what does not count taken away.
  static func folded(_ text: String, _ options: FormatComparison.Options) -> String {
    var folding: String.CompareOptions = []
    if options.contains(.ignoresCase) { folding.insert(.caseInsensitive) }
    if options.contains(.ignoresMarks) { folding.insert(.diacriticInsensitive) }
    let locale = options.contains(.isLocalized) ? Locale.current : nil
    return text.folding(options: folding, locale: locale)
  }

  /// Whether a text has the form of a pattern: `*` is any characters, `?` is one.
  static func isLike(_ text: String, _ pattern: String) -> Bool {
    let (text, pattern) = (Array(text), Array(pattern))
    var (at, place) = (0, 0)
    // Where to go on when the characters behind the last star do not fit.
    var star: (place: Int, at: Int)?
    while at < text.count {
      if place + 1 < pattern.count, pattern[place] == "\\", pattern[place + 1] == text[at] {
        (at, place) = (at + 1, place + 2)
      } else if place < pattern.count, pattern[place] == "*" {
        star = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] != "\\",
        pattern[place] == "?" || pattern[place] == text[at]
      {
        (at, place) = (at + 1, place + 1)
      } else if let last = star {
        star = (last.place, last.at + 1)
        (at, place) = (last.at + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
