/// Reads the format language of `NSPredicate`.
///
/// ```
/// or         = and { ("OR" | "||") and }
/// and        = not { ("AND" | "&&") not }
/// not        = ("NOT" | "!") not | comparison
/// comparison = ["ANY" | "SOME" | "ALL" | "NONE"] sum [sign [ "[" options "]" ] sum]
/// sum        = product { ("+" | "-") product }
/// product    = factor { ("*" | "/") factor }
/// factor     = "-" factor | primary { "." name | "[" index "]" }
/// primary    = "(" or ")" | "{" sum, … "}" | value | name | function "(" sum, … ")" | …
/// ```
///
/// Parentheses hold a condition or a value: which of the two is known when they are closed.
struct FormatParser {
  private enum Part {
    case condition(FormatCondition)
    case value(FormatValue)
  }

  private typealias Token = FormatLexer.Token

  private let tokens: [(token: FormatLexer.Token, position: Int)]
  private var arguments: ArraySlice<(any Sendable)?>
  private var next = 0
  private var depth = 0
  private var variables: [String] = []
  // Far below what a thread's stack holds.
  private static let deepest = 100

  init(_ format: String, _ arguments: [(any Sendable)?]) throws {
    tokens = try FormatLexer.tokens(of: format)
    self.arguments = arguments[...]
  }

  /// Reads the whole format.
  ///
  /// - Throws: ``SwiftDataError/invalidPredicateFormat``.
  mutating func whole() throws -> FormatCondition {
    let found = try condition()
    guard token == .end else { throw failure("this does not belong here") }
    guard arguments.isEmpty else {
      throw failure("\(arguments.count) arguments have no specifier; one within quotes is text")
    }
    return found
  }

  // MARK: Tokens

  private var token: FormatLexer.Token { tokens[next].token }
  private var position: Int { tokens[next].position }

  private func failure(_ message: String, at place: Int? = nil) -> SwiftDataError {
    FormatFailure.at(place ?? position, message)
  }

  private mutating func take(_ symbol: String) -> Bool {
    guard token == .symbol(symbol) else { return false }
    next += 1
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard case .word(let found) = token, found.uppercased() == word else { return false }
    next += 1
    return true
  }

  private mutating func expect(_ symbol: String) throws {
    guard take(symbol) else { throw failure("'\(symbol)' is missing") }
  }

  // MARK: Conditions

  private mutating func condition() throws -> FormatCondition {
    let start = position
    return try condition(of: or(), at: start)
  }

  private func condition(of part: Part, at place: Int) throws -> FormatCondition {
    if case .condition(let condition) = part { return condition }
    throw failure("a comparison is missing, such as 'isDone == YES'", at: place)
  }

  private func value(of part: Part, at place: Int) throws -> FormatValue {
    if case .value(let value) = part { return value }
    throw failure("a value is missing; this is a condition", at: place)
  }

  private mutating func or() throws -> Part {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw failure("too deep") }
    let start = position
    var left = try and()
    while take(word: "OR") || take("||") {
      let begin = position
      let right = try condition(of: and(), at: begin)
      left = .condition(.or(try condition(of: left, at: start), right))
    }
    return left
  }

  private mutating func and() throws -> Part {
    let start = position
    var left = try not()
    while take(word: "AND") || take("&&") {
      let begin = position
      let right = try condition(of: not(), at: begin)
      left = .condition(.and(try condition(of: left, at: start), right))
    }
    return left
  }

  private mutating func not() throws -> Part {
    var isNegated = false
    var isMeant = false
    while take(word: "NOT") || take("!") {
      isNegated.toggle()
      isMeant = true
    }
    guard isMeant else { return try comparison() }
    let start = position
    let found = try condition(of: comparison(), at: start)
    return .condition(isNegated ? .not(found) : found)
  }

  private mutating func quantity() -> FormatComparison.Quantity {
    if take(word: "ANY") || take(word: "SOME") { return .any }
    if take(word: "ALL") { return .all }
    return take(word: "NONE") ? .none : .one
  }

  private mutating func comparison() throws -> Part {
    let start = position
    let quantity = quantity()
    let left = try sum()
    guard let sign = try sign() else {
      guard quantity == .one else { throw failure("a comparison is missing", at: start) }
      return left
    }
    let options = try options(sign)
    let begin = position
    let comparison = FormatComparison(
      quantity: quantity, left: try value(of: left, at: start), sign: sign, options: options,
      right: try value(of: sum(), at: begin))
    return .condition(.compare(comparison))
  }

  private mutating func sign() throws -> FormatComparison.Sign? {
    let signs: [String: FormatComparison.Sign] = [
      "==": .equal, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
      ">=": .greaterOrEqual, "BETWEEN": .between, "IN": .isIn, "BEGINSWITH": .beginsWith,
      "CONTAINS": .contains, "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
    ]
    switch token {
    case .symbol(":="): throw failure("an assignment is not a condition")
    case .symbol(let symbol):
      guard let sign = signs[symbol] else { return nil }
      next += 1
      return sign
    case .word(let word):
      let word = word.uppercased()
      if word.hasPrefix("UTI-") { throw failure("\(word): Linux has no uniform type identifiers") }
      if word == "NOT" { throw failure("NOT stands before a comparison: 'NOT name IN %@'") }
      guard let sign = signs[word] else { return nil }
      next += 1
      return sign
    default: return nil
    }
  }

  private mutating func options(
    _ sign: FormatComparison.Sign
  ) throws -> FormatComparison.Options {
    guard take("[") else { return [] }
    let start = position
    guard case .word(let letters) = token else { throw failure("c, d, n or l is missing") }
    next += 1
    try expect("]")
    var options: FormatComparison.Options = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.ignoresCase)
      case "d": options.insert(.ignoresMarks)
      case "l": options.insert(.isLocalized)
      // Normalized: as texts are stored and compared anyway.
      case "n": break
      default: throw failure("'\(letter)' is not one of c, d, n and l", at: start)
      }
    }
    return options
  }

  // MARK: Values

  private mutating func sum() throws -> Part {
    let start = position
    var left = try product()
    while let sign = ["+", "-"].first(where: { token == .symbol($0) }) {
      next += 1
      let begin = position
      let right = try value(of: product(), at: begin)
      left = arithmetic(sign, try value(of: left, at: start), right, start)
    }
    return left
  }

  private mutating func product() throws -> Part {
    let start = position
    var left = try factor()
    while let sign = ["*", "/"].first(where: { token == .symbol($0) }) {
      next += 1
      let begin = position
      let right = try value(of: factor(), at: begin)
      left = arithmetic(sign, try value(of: left, at: start), right, start)
    }
    if token == .symbol("**") { throw failure("'**' is not supported") }
    return left
  }

  private func arithmetic(
    _ sign: String, _ left: FormatValue, _ right: FormatValue, _ place: Int
  ) -> Part {
    .value(FormatValue(kind: .arithmetic(sign, left, right), position: place))
  }

  private mutating func factor() throws -> Part {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 3 * Self.deepest else { throw failure("too deep") }
    let start = position
    if take("-") {
      let begin = position
      let operand = try value(of: factor(), at: begin)
      if case .constant(let constant) = operand.kind {
        if let integer = constant as? Int64 { return constantPart(-integer, start) }
        if let real = constant as? Double { return constantPart(-real, start) }
      }
      let zero = FormatValue(kind: .constant(Int64(0)), position: start)
      return arithmetic("-", zero, operand, start)
    }
    var part = try primary()
    while case .value(let base) = part {
      if take(".") {
        part = .value(try member(of: base))
      } else if take("[") {
        part = .value(try element(of: base))
      } else {
        break
      }
    }
    return part
  }

  private func constantPart(_ value: (any Sendable)?, _ place: Int) -> Part {
    .value(FormatValue(kind: .constant(value), position: place))
  }

  private mutating func member(of base: FormatValue) throws -> FormatValue {
    let place = position
    switch token {
    // Behind a dot no word is reserved.
    case .word(let name), .name(let name), .function(let name):
      next += 1
      return FormatValue(kind: .member(base, name), position: place)
    case .specifier("K"): return try path(from: base)
    default: throw failure("a property's name is missing")
    }
  }

  private mutating func element(of base: FormatValue) throws -> FormatValue {
    let place = position
    let kind: FormatValue.Kind
    if take(word: "FIRST") {
      kind = .end(base, isFirst: true)
    } else if take(word: "LAST") {
      kind = .end(base, isFirst: false)
    } else if take(word: "SIZE") {
      kind = .count(base)
    } else {
      kind = .element(base, at: try value(of: sum(), at: place))
    }
    try expect("]")
    return FormatValue(kind: kind, position: place)
  }

  private mutating func primary() throws -> Part {
    let place = position
    let token = token
    next += 1
    switch token {
    case .text(let text): return constantPart(text, place)
    case .integer(let value): return constantPart(value, place)
    case .real(let value): return constantPart(value, place)
    case .specifier("K"):
      next -= 1
      return .value(try path(from: FormatValue(kind: .root, position: place)))
    case .specifier(let specifier): return try argument(specifier, place)
    case .variable(let name):
      guard variables.contains(name) else {
        throw failure("$\(name) has no value: only SUBQUERY has variables", at: place)
      }
      return .value(FormatValue(kind: .variable(name), position: place))
    case .name(let name): return .value(property(name, place))
    case .function(let name): return .value(property(name, place))
    case .selector(let name): return .value(try call(name, place))
    case .word(let word): return try reserved(word, place)
    case .symbol("("):
      let part = try or()
      try expect(")")
      return part
    case .symbol("{"): return .value(try list(until: "}", place))
    case .symbol(let symbol): throw failure("'\(symbol)' is not expected here", at: place)
    case .end: throw failure("a value is missing at the end", at: place)
    }
  }

  private func property(_ name: String, _ place: Int) -> FormatValue {
    FormatValue(
      kind: .member(FormatValue(kind: .root, position: place), name), position: place)
  }

  private mutating func reserved(_ word: String, _ place: Int) throws -> Part {
    switch word.uppercased() {
    case "NIL", "NULL": return constantPart(nil, place)
    case "TRUE", "YES": return constantPart(true, place)
    case "FALSE", "NO": return constantPart(false, place)
    case "TRUEPREDICATE": return .condition(.constant(true))
    case "FALSEPREDICATE": return .condition(.constant(false))
    case "SELF": return .value(FormatValue(kind: .root, position: place))
    case "SUBQUERY": return .value(try subquery(place))
    case "TERNARY": return .value(try choice(place))
    case "CAST": return .value(try call("CAST", place))
    case "FUNCTION", "FETCH", "ANYKEY", "UNION", "INTERSECT", "MINUS":
      throw failure("\(word.uppercased()) is not supported", at: place)
    case "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
      "BETWEEN", "ANY", "SOME", "ALL", "NONE":
      throw failure("'\(word)' is a reserved word: a property of this name is #\(word)", at: place)
    default:
      if token == .symbol("(") { return .value(try call(word, place)) }
      return .value(property(word, place))
    }
  }

  private mutating func list(until end: String, _ place: Int) throws -> FormatValue {
    var values: [FormatValue] = []
    if !take(end) {
      repeat {
        let begin = position
        values.append(try value(of: sum(), at: begin))
      } while take(",")
      try expect(end)
    }
    return FormatValue(kind: .list(values), position: place)
  }

  private mutating func call(_ name: String, _ place: Int) throws -> FormatValue {
    try expect("(")
    guard case .list(let values) = try list(until: ")", place).kind else {
      throw failure("values are missing", at: place)
    }
    return FormatValue(kind: .call(name, values), position: place)
  }

  private mutating func subquery(_ place: Int) throws -> FormatValue {
    try expect("(")
    let begin = position
    let collection = try value(of: sum(), at: begin)
    try expect(",")
    guard case .variable(let name) = token else { throw failure("a variable is missing: $x") }
    next += 1
    try expect(",")
    variables.append(name)
    defer { variables.removeLast() }
    let test = try condition()
    try expect(")")
    return FormatValue(kind: .subquery(collection, variable: name, test), position: place)
  }

  private mutating func choice(_ place: Int) throws -> FormatValue {
    try expect("(")
    let test = try condition()
    try expect(",")
    let first = try value(of: sum(), at: position)
    try expect(",")
    let second = try value(of: sum(), at: position)
    try expect(")")
    return FormatValue(kind: .choice(test, first, second), position: place)
  }

  // MARK: Arguments

  private mutating func nextArgument(_ place: Int) throws -> (any Sendable)? {
    guard let first = arguments.first else {
      throw failure("there is no argument for this specifier", at: place)
    }
    arguments.removeFirst()
    return first
  }

  private mutating func argument(_ specifier: String, _ place: Int) throws -> Part {
    let letters: Set<String> = ["d", "i", "u", "x", "X", "o", "c", "D", "U", "O"]
    let reals: Set<String> = ["f", "F", "g", "G", "e", "E", "a", "A"]
    let last = specifier.last.map(String.init) ?? ""
    if specifier == "@" { return constantPart(try nextArgument(place), place) }
    if letters.contains(last) {
      let value = try nextArgument(place)
      guard value is any BinaryInteger else {
        throw failure("%\(specifier) takes an integer", at: place)
      }
      return constantPart(value, place)
    }
    if reals.contains(last) {
      let value = try nextArgument(place)
      if let real = value as? any BinaryFloatingPoint { return constantPart(Double(real), place) }
      if let integer = value as? any BinaryInteger { return constantPart(Double(integer), place) }
      throw failure("%\(specifier) takes a number", at: place)
    }
    let hint = ["s", "S"].contains(last) ? ": %@ takes a String" : ""
    throw failure("%\(specifier) has no meaning\(hint)", at: place)
  }

  /// The path that an argument names: parts between dots, never anything else of the language.
  private mutating func path(from base: FormatValue) throws -> FormatValue {
    let place = position
    next += 1
    guard let path = try nextArgument(place) as? String else {
      throw failure("%K takes a String", at: place)
    }
    var value = base
    let names = path.split(separator: ".", omittingEmptySubsequences: false)
    for (number, name) in names.enumerated() {
      guard !name.isEmpty else { throw failure("the path of %K has an empty part", at: place) }
      if number == 0, name.uppercased() == "SELF" { continue }
      value = FormatValue(kind: .member(value, String(name)), position: place)
    }
    return value
  }
}
