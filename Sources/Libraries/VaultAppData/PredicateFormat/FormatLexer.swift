/// The words of a format.
///
/// In scalars: a quote with a combining mark behind it is one character, and still a quote.
struct FormatLexer {
  enum Token: Equatable {
    /// A name or a reserved word.
    case word(String)
    /// A name behind `#`, which is never a reserved word.
    case name(String)
    /// The variable behind `$`.
    case variable(String)
    /// A function of a collection, with its `@`.
    case function(String)
    /// A function's name with its colons, as `add:to:`.
    case selector(String)
    case text(String)
    case integer(Int64)
    case real(Double)
    /// What stands behind `%`.
    case specifier(String)
    case symbol(String)
    case end
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0

  private init(_ format: String) { scalars = Array(format.unicodeScalars) }

  /// Takes a format apart.
  ///
  /// - Throws: ``SwiftDataError/invalidPredicateFormat``.
  static func tokens(of format: String) throws -> [(token: Token, position: Int)] {
    var lexer = FormatLexer(format)
    var tokens: [(Token, Int)] = []
    while true {
      while let scalar = lexer.next, scalar.properties.isWhitespace { lexer.index += 1 }
      let start = lexer.index
      guard let first = lexer.next else {
        tokens.append((.end, start))
        return tokens
      }
      tokens.append((try lexer.token(first), start))
    }
  }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private func peek(_ offset: Int) -> Unicode.Scalar? {
    index + offset < scalars.count ? scalars[index + offset] : nil
  }

  private mutating func token(_ first: Unicode.Scalar) throws -> Token {
    switch first {
    case "'", "\"": return .text(try quoted(first))
    case "0"..."9": return try number()
    case "." where peek(1).map(Self.isDigit) == true: return try number()
    case "#": return .name(try word(after: first, "a name"))
    case "$": return .variable(try word(after: first, "a variable's name"))
    case "@": return .function("@" + (try word(after: first, "a function's name")))
    case "%": return .specifier(try specifier())
    case _ where Self.isLetter(first): return wordOrSelector()
    default: return try symbol(first)
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isXIDStart || scalar == "_"
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  // MARK: Words

  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = next, scalar.properties.isXIDContinue || scalar == "_" {
      word.append(scalar)
      index += 1
    }
    return String(word)
  }

  private mutating func word(after mark: Unicode.Scalar, _ what: String) throws -> String {
    index += 1
    guard let scalar = next, Self.isLetter(scalar) else {
      throw FormatFailure.at(index, "\(what) is missing behind '\(mark)'")
    }
    return word()
  }

  private mutating func wordOrSelector() -> Token {
    var found = word()
    // The only reserved words with hyphens.
    if found.uppercased() == "UTI" {
      for ending in ["-CONFORMS-TO", "-EQUALS"] {
        let end = min(index + ending.utf8.count, scalars.count)
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: scalars[index..<end])
        if String(rest).uppercased() == ending {
          index = end
          return .word(found + ending)
        }
      }
    }
    guard next == ":", peek(1) != "=" else { return .word(found) }
    while next == ":" {
      index += 1
      found += ":" + word()
    }
    return .selector(found)
  }

  // MARK: Values

  private mutating func quoted(_ quote: Unicode.Scalar) throws -> String {
    let start = index
    var text = String.UnicodeScalarView()
    index += 1
    while let scalar = next {
      index += 1
      if scalar == quote { return String(text) }
      text.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw FormatFailure.at(start, "the text that begins here has no end")
  }

  private mutating func escaped() throws -> Unicode.Scalar {
    let start = index - 1
    guard let scalar = next else { throw FormatFailure.at(start, "nothing follows the backslash") }
    index += 1
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "0": return "\0"
    case "\\", "'", "\"": return scalar
    case "u", "x":
      var digits = ""
      let count = scalar == "u" ? 4 : 2
      while digits.utf8.count < count, let digit = next, digit.properties.isASCIIHexDigit {
        digits.unicodeScalars.append(digit)
        index += 1
      }
      guard digits.utf8.count == count, let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw FormatFailure.at(start, "this is not the number of a character") }
      return scalar
    default: throw FormatFailure.at(start, "'\\\(scalar)' has no meaning")
    }
  }

  private mutating func number() throws -> Token {
    let start = index
    if next == "0", let mark = peek(1), let radix = ["x": 16, "o": 8, "b": 2][mark] {
      index += 2
      guard let value = Int64(word(), radix: radix) else {
        throw FormatFailure.at(start, "this is not an integer")
      }
      return .integer(value)
    }
    var text = ""
    while let scalar = next {
      let isExponent = scalar == "e" || scalar == "E"
      let isSign = (scalar == "+" || scalar == "-") && (text.last == "e" || text.last == "E")
      // In `array[0].name` the number ends before the dot.
      let isPoint = scalar == "." && peek(1).map(Self.isDigit) == true
      guard Self.isDigit(scalar) || isExponent || isSign || isPoint else { break }
      text.unicodeScalars.append(scalar)
      index += 1
    }
    if let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else {
      throw FormatFailure.at(start, "this is not a number")
    }
    return .real(value)
  }

  private mutating func specifier() throws -> String {
    let start = index
    index += 1
    if next == "@" || next == "%" || next == "K" {
      defer { index += 1 }
      return next.map { String(Character($0)) } ?? ""
    }
    var text = ""
    while let scalar = next, Self.isLetter(scalar), text.utf8.count < 3 {
      text.unicodeScalars.append(scalar)
      index += 1
      if !["h", "l", "q", "z", "t", "j"].contains(scalar) { break }
    }
    guard !text.isEmpty else { throw FormatFailure.at(start, "'%' needs a letter behind it") }
    return text
  }

  private mutating func symbol(_ first: Unicode.Scalar) throws -> Token {
    if let second = peek(1) {
      let two = String(Character(first)) + String(Character(second))
      let meanings = [
        "==": "==", ">=": ">=", "=>": ">=", "<=": "<=", "=<": "<=", "!=": "!=", "<>": "!=",
        "&&": "&&", "||": "||", "**": "**", ":=": ":=",
      ]
      if let meaning = meanings[two] {
        index += 2
        return .symbol(meaning)
      }
    }
    guard "()[]{},.<>=!+-*/".unicodeScalars.contains(first) else {
      throw FormatFailure.at(index, "'\(first)' has no meaning")
    }
    index += 1
    return .symbol(first == "=" ? "==" : String(Character(first)))
  }
}
