/// Reads a password's pattern into the pieces of a recipe.
///
/// `PasswordRecipe.init(pattern:excluding:)` lists the placeholders.
struct PatternReader {
  private let pattern: [Unicode.Scalar]
  private let excluded: Set<Unicode.Scalar>
  private var position = 0

  init(_ pattern: [Unicode.Scalar], excluding excluded: Set<Unicode.Scalar>) {
    self.pattern = pattern
    self.excluded = excluded
  }

  mutating func read() throws(PasswordError) -> [PasswordRecipe.Piece] {
    var pieces: [PasswordRecipe.Piece] = []
    while let scalar = next() {
      switch scalar {
      case "\\": pieces.append(literal(try escaped()))
      case "[": pieces.append(try choice(try set()))
      case "{":
        guard let last = pieces.last else { throw refused("nothing stands before the '{'") }
        let count = try repetitions()
        guard pieces.count + count <= PasswordRecipe.lengths.upperBound else { throw tooLong() }
        pieces += Array(repeating: last, count: count - 1)
      case "]", "}": throw refused("a '\(scalar)' has no beginning: write \\\(scalar) for itself")
      case "w": pieces.append(.word(isCapitalized: false))
      case "W": pieces.append(.word(isCapitalized: true))
      default:
        if let values = Self.placeholder(scalar) {
          pieces.append(try choice(values))
        } else if scalar.isASCII, scalar.properties.isAlphabetic {
          throw refused("'\(scalar)' stands for nothing: write \\\(scalar) for itself")
        } else {
          pieces.append(literal(scalar))
        }
      }
      guard pieces.count <= PasswordRecipe.lengths.upperBound else { throw tooLong() }
    }
    guard !pieces.isEmpty else { throw refused("it is empty") }
    return pieces
  }

  private mutating func next() -> Unicode.Scalar? {
    guard position < pattern.count else { return nil }
    defer { position += 1 }
    return pattern[position]
  }

  private mutating func escaped() throws(PasswordError) -> Unicode.Scalar {
    guard let scalar = next() else { throw refused("it ends with a '\\'") }
    return scalar
  }

  /// The characters up to the next `]`.
  private mutating func set() throws(PasswordError) -> [Unicode.Scalar] {
    var values: [Unicode.Scalar] = []
    while let scalar = next() {
      switch scalar {
      case "]": return values
      case "\\": values.append(try escaped())
      case "-":
        // A hyphen that is first or last in the set is the character itself.
        guard let first = values.last, position < pattern.count, pattern[position] != "]" else {
          values.append(scalar)
          continue
        }
        let following = try escaped()
        let last = following == "\\" ? try escaped() : following
        guard first <= last, last.value - first.value < 1024 else {
          throw refused("the range \(first)-\(last) goes backwards or too far")
        }
        values += CharacterClass.scalars(first...last)
      default: values.append(scalar)
      }
    }
    throw refused("a '[' has no ']'")
  }

  /// The number up to the next `}`.
  private mutating func repetitions() throws(PasswordError) -> Int {
    var digits = ""
    while let scalar = next() {
      guard scalar == "}" else {
        digits.unicodeScalars.append(scalar)
        continue
      }
      guard let count = Int(digits), PasswordRecipe.lengths.contains(count) else { break }
      return count
    }
    throw refused("a '{' is followed by no number and '}'")
  }

  private func literal(_ scalar: Unicode.Scalar) -> PasswordRecipe.Piece {
    .literal(Array(String(scalar).utf8))
  }

  private func choice(_ scalars: [Unicode.Scalar]) throws(PasswordError) -> PasswordRecipe.Piece {
    let left = Set(scalars).subtracting(excluded).sorted()
    guard !left.isEmpty else { throw refused("nothing is left of one of its sets") }
    return .choice(left.map { Array(String($0).utf8) })
  }

  private func tooLong() -> PasswordError {
    refused("it stands for more than \(PasswordRecipe.lengths.upperBound) pieces")
  }

  private func refused(_ reason: String) -> PasswordError { PasswordError(.pattern(reason)) }

  private static func placeholder(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    let lower = CharacterClass.lower.characters
    let upper = CharacterClass.upper.characters
    let digits = CharacterClass.digits.characters
    func vowels(_ letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
      letters.filter { "aeiouAEIOU".unicodeScalars.contains($0) }
    }
    func consonants(_ letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
      letters.filter { !"aeiouAEIOU".unicodeScalars.contains($0) }
    }
    return switch scalar {
    case "l": lower
    case "u": upper
    case "L": lower + upper
    case "d": digits
    case "a": lower + digits
    case "U": upper + digits
    case "A": lower + upper + digits
    case "h": digits + CharacterClass.scalars("a"..."f")
    case "H": digits + CharacterClass.scalars("A"..."F")
    case "v": vowels(lower)
    case "Z": vowels(upper)
    case "V": vowels(lower + upper)
    case "c": consonants(lower)
    case "z": consonants(upper)
    case "C": consonants(lower + upper)
    case "p": Array(",.;:".unicodeScalars)
    case "b": Array("()[]{}<>".unicodeScalars)
    case "s": CharacterClass.symbols.characters
    case "S": lower + upper + digits + CharacterClass.symbols.characters
    default: nil
    }
  }
}
