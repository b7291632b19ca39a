package import VaultStorage

/// A condition on the rows of an entity, in terms of its properties.
///
/// ```
/// expression = term { "or" term }
/// term       = factor { "and" factor }
/// factor     = "not" factor | "(" expression ")" | condition
/// condition  = path [ comparison operand | "is" ["not"] "null" | ["not"] "in" "(" value,… ")" ]
/// comparison = "=" "!=" "<" "<=" ">" ">=" "contains" "startsWith" "endsWith" "like"
/// operand    = value | path
/// value      = 'text' | "text" | number | true | false | null
/// path       = name { "." name }
/// ```
///
/// A path goes through relationships: `trip.name`. Through one that leads to many, it asks for
/// some; `stops.count` is their number. A condition without comparison asks whether it is true.
package indirect enum DataStoreExpression: Sendable, Equatable {
  package enum Comparison: String, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case lessOrEqual = "<="
    case less = "<"
    case greaterOrEqual = ">="
    case greater = ">"
    case contains, startsWith, endsWith, like
  }

  package enum Value: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case real(Double)
    /// Digits that fit neither: compared as text or decimal number.
    case number(String)
    case boolean(Bool)
    case null
  }

  package enum Operand: Sendable, Equatable {
    case value(Value)
    case path([String])
  }

  case and(DataStoreExpression, DataStoreExpression)
  case or(DataStoreExpression, DataStoreExpression)
  case not(DataStoreExpression)
  case compare([String], Comparison, Operand)
  case among([String], [Value])
  case isTrue([String])

  /// Reads an expression.
  ///
  /// - Throws: ``StorageError`` with code `.invalidQuery`, saying where.
  package init(_ text: String) throws(StorageError) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// Words, symbols, texts and numbers of an expression.
private struct ExpressionParser {
  private enum Token: Equatable {
    case word(String)
    case value(DataStoreExpression.Value)
    case symbol(String)
    case end
  }

  private var tokens: [(token: Token, position: Int)] = []
  private var next = 0
  private var depth = 0
  // Far below what a thread's stack holds.
  private static let deepest = 100

  init(_ text: String) throws(StorageError) {
    let characters = Array(text.unicodeScalars)
    var index = 0
    while index < characters.count {
      let start = index
      let character = characters[index]
      if character.properties.isWhitespace {
        index += 1
      } else if character == "'" || character == "\"" {
        let value = try Self.text(characters, &index, quote: character)
        tokens.append((.value(.text(value)), start))
      } else if Self.isLetter(character) || character == "_" {
        while index < characters.count, Self.isPartOfName(characters[index]) { index += 1 }
        tokens.append((.word(Self.text(characters[start..<index])), start))
      } else if Self.isDigit(character) || character == "-" {
        index += 1
        while index < characters.count, Self.isPartOfNumber(characters, index) { index += 1 }
        let number = try Self.number(Self.text(characters[start..<index]), at: start)
        tokens.append((.value(number), start))
      } else {
        let two = Self.text(characters[index..<min(index + 2, characters.count)])
        let symbol = ["<=", ">=", "!=", "==", "<>"].contains(two) ? two : String(character)
        guard symbol.utf8.count == 2 || "=<>().,".unicodeScalars.contains(character) else {
          throw Self.failure("'\(character)' has no meaning", at: start)
        }
        index += symbol.utf8.count
        tokens.append((.symbol(["==": "=", "<>": "!="][symbol] ?? symbol), start))
      }
    }
    tokens.append((.end, characters.count))
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.numericType != nil
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    // A letter may be several scalars: Unicode Standard Annex 31, XID_Continue.
    scalar.properties.isXIDContinue || isDigit(scalar)
  }

  private static func isPartOfNumber(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    let scalar = scalars[index]
    if isDigit(scalar) || scalar == "." || scalar == "e" || scalar == "E" { return true }
    return (scalar == "+" || scalar == "-")
      && (scalars[index - 1] == "e" || scalars[index - 1] == "E")
  }

  private static func text(
    _ characters: [Unicode.Scalar], _ index: inout Int, quote: Unicode.Scalar
  ) throws(StorageError) -> String {
    let start = index
    var text = String.UnicodeScalarView()
    index += 1
    while index < characters.count {
      if characters[index] == quote {
        // Twice is once, as in SQL.
        guard index + 1 < characters.count, characters[index + 1] == quote else {
          index += 1
          return String(text)
        }
        index += 1
      }
      text.append(characters[index])
      index += 1
    }
    throw failure("the text that begins here has no end", at: start)
  }

  private static func number(
    _ text: String, at position: Int
  ) throws(StorageError) -> DataStoreExpression.Value {
    if let integer = Int64(text) { return .integer(integer) }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    if !digits.isEmpty, digits.count >= text.utf8.count - 1,
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    {
      return .number(text)
    }
    guard let real = Double(text), real.isFinite else {
      throw failure("this is not a number", at: position)
    }
    // As it was written, where a floating-point number would be another: for decimals.
    return text.utf8.count(where: { $0 >= 0x30 && $0 <= 0x39 }) > 15 ? .number(text) : .real(real)
  }

  private static func failure(_ message: String, at position: Int) -> StorageError {
    StorageError(.invalidQuery, "the condition is wrong at character \(position + 1): \(message)")
  }

  // MARK: Rules

  mutating func whole() throws(StorageError) -> DataStoreExpression {
    let found = try expression()
    guard tokens[next].token == .end else { throw failure("this does not belong here") }
    return found
  }

  private mutating func expression() throws(StorageError) -> DataStoreExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw failure("too deep") }
    var left = try term()
    while take(word: "or") { left = .or(left, try term()) }
    return left
  }

  private mutating func term() throws(StorageError) -> DataStoreExpression {
    var left = try factor()
    while take(word: "and") { left = .and(left, try factor()) }
    return left
  }

  private mutating func factor() throws(StorageError) -> DataStoreExpression {
    var isNegated = false
    while take(word: "not") { isNegated.toggle() }
    let found: DataStoreExpression
    if take(symbol: "(") {
      found = try expression()
      guard take(symbol: ")") else { throw failure("')' is missing") }
    } else {
      found = try condition()
    }
    return isNegated ? .not(found) : found
  }

  private mutating func condition() throws(StorageError) -> DataStoreExpression {
    let path = try path()
    if take(word: "is") {
      let isNegated = take(word: "not")
      guard take(word: "null") else { throw failure("'null' is missing") }
      return .compare(path, isNegated ? .notEqual : .equal, .value(.null))
    }
    let isNegated = take(word: "not")
    if take(word: "in") {
      let found = DataStoreExpression.among(path, try list())
      return isNegated ? .not(found) : found
    }
    if let comparison = comparison() {
      let found = DataStoreExpression.compare(path, comparison, try operand())
      return isNegated ? .not(found) : found
    }
    guard !isNegated else { throw failure("'in' or a comparison is missing") }
    return .isTrue(path)
  }

  private mutating func comparison() -> DataStoreExpression.Comparison? {
    for comparison in DataStoreExpression.Comparison.allCases {
      let word = comparison.rawValue
      let isWord = word.unicodeScalars.first.map(Self.isLetter) == true
      if isWord ? take(word: word) : take(symbol: word) { return comparison }
    }
    return nil
  }

  private mutating func list() throws(StorageError) -> [DataStoreExpression.Value] {
    guard take(symbol: "(") else { throw failure("'(' is missing") }
    var values: [DataStoreExpression.Value] = []
    repeat {
      guard let value = value() else { throw failure("a value is missing") }
      values.append(value)
    } while take(symbol: ",")
    guard take(symbol: ")") else { throw failure("')' is missing") }
    return values
  }

  private mutating func operand() throws(StorageError) -> DataStoreExpression.Operand {
    if let value = value() { return .value(value) }
    return .path(try path())
  }

  private mutating func value() -> DataStoreExpression.Value? {
    if case .value(let value) = tokens[next].token {
      next += 1
      return value
    }
    if take(word: "true") { return .boolean(true) }
    if take(word: "false") { return .boolean(false) }
    return take(word: "null") ? .null : nil
  }

  private mutating func path() throws(StorageError) -> [String] {
    var names: [String] = []
    repeat {
      guard case .word(let name) = tokens[next].token else {
        throw failure("a property's name is missing")
      }
      names.append(name)
      next += 1
    } while take(symbol: ".")
    return names
  }

  private mutating func take(word: String) -> Bool {
    guard case .word(let found) = tokens[next].token, found.lowercased() == word.lowercased()
    else { return false }
    next += 1
    return true
  }

  private mutating func take(symbol: String) -> Bool {
    guard tokens[next].token == .symbol(symbol) else { return false }
    next += 1
    return true
  }

  private func failure(_ message: String) -> StorageError {
    Self.failure(message, at: tokens[next].position)
  }
}
