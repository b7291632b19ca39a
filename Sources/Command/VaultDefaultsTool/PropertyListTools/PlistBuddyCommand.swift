import VaultStorage

/// A line of PlistBuddy: a command and its words.
///
/// Quotes, double or single, hold words together and go. A backslash makes the next scalar an
/// ordinary one, `\n` and `\t` aside; before a colon it stays, for the entry.
struct PlistBuddyCommand {
  /// The command, in lower case.
  let name: String
  private var rest: Substring.UnicodeScalarView
  /// Whether a quote does not end.
  let hasOpenQuote: Bool

  init(_ line: String) {
    var scalars = line.unicodeScalars[...]
    while let last = scalars.last, Self.isBlank(last) { scalars.removeLast() }
    let word = scalars.prefix { !Self.isBlank($0) }
    name = String(Substring(word)).lowercased()
    rest = scalars.dropFirst(word.count).drop(while: Self.isBlank)
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in rest {
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
      }
    }
    hasOpenQuote = quote != nil
  }

  /// The next word; empty if there is none.
  mutating func word() -> String {
    var word = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    while let scalar = rest.popFirst() {
      if scalar == "\\", let next = rest.popFirst() {
        word.append(contentsOf: Self.escaped(next, keepsColon: true))
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if quote == nil, Self.isBlank(scalar) {
        break
      } else {
        word.append(scalar)
      }
    }
    rest = rest.drop(while: Self.isBlank)
    return String(word)
  }

  /// Everything that is left, as one value.
  mutating func value() -> String {
    var value = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    while let scalar = rest.popFirst() {
      if scalar == "\\", let next = rest.popFirst() {
        value.append(contentsOf: Self.escaped(next, keepsColon: false))
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
      } else {
        value.append(scalar)
      }
    }
    return String(value)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || (0x09...0x0d).contains(scalar.value)
  }

  private static func escaped(
    _ scalar: Unicode.Scalar, keepsColon: Bool
  ) -> String.UnicodeScalarView {
    switch scalar {
    case "n": "\n".unicodeScalars
    case "t": "\t".unicodeScalars
    case ":" where keepsColon, "\\" where keepsColon: "\\\(scalar)".unicodeScalars
    default: String(scalar).unicodeScalars
    }
  }
}
