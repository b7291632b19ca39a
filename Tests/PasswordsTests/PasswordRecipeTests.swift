import Foundation
import Testing
import VaultPasswords
import VaultSealing

struct PasswordRecipeTests {
  private func text(_ recipe: PasswordRecipe) throws -> String {
    let made = try recipe.makePassword()
    return try #require(made.withBytes { $0.text(0..<$0.byteCount) })
  }

  /// All printable characters except these.
  private func all(but kept: String) -> Set<Unicode.Scalar> {
    Set(CharacterClass.allCases.flatMap(\.characters)).subtracting(kept.unicodeScalars)
  }

  @Test func theFourClassesArePrintableASCII() {
    let all = CharacterClass.allCases.flatMap(\.characters)
    #expect(Set(all) == Set((0x21...0x7E).compactMap { Unicode.Scalar(UInt32($0)) }))
    #expect(all.count == 94)
  }

  @Test func everyClassIsPresentAndNothingElse() throws {
    for length in [4, 5, 20, 300] {
      let recipe = try PasswordRecipe(length: length, classes: CharacterClass.allCases)
      for _ in 0..<50 {
        let made = Set(try text(recipe).unicodeScalars)
        for kind in CharacterClass.allCases {
          #expect(!made.isDisjoint(with: kind.characters), "\(kind)")
        }
      }
      #expect(try text(recipe).utf8.count == length)
    }
    let digits = try PasswordRecipe(
      length: 200, classes: [.digits], excluding: CharacterClass.lookAlikes)
    #expect(Set(try text(digits)).isSubset(of: "3479"))
  }

  /// Counts all passwords of small recipes one by one.
  @Test(arguments: [
    (2, "ab0"), (3, "ab0"), (4, "abC01!"), (5, "aB0!"), (3, "abcdXYZ"), (4, "aB0!"), (6, "aB0"),
    (1, "abcde"),
  ])
  func theBitsAreExact(length: Int, characters: String) throws {
    let scalars = Array(characters.unicodeScalars)
    let kinds = CharacterClass.allCases.filter { kind in
      kind.characters.contains { scalars.contains($0) }
    }
    let recipe = try PasswordRecipe(
      length: length, classes: kinds, excluding: all(but: characters))
    var count = 0
    var total = 1
    for _ in 0..<length { total *= scalars.count }
    for number in 0..<total {
      var rest = number
      var found: Set<Unicode.Scalar> = []
      for _ in 0..<length {
        found.insert(scalars[rest % scalars.count])
        rest /= scalars.count
      }
      if kinds.allSatisfy({ !found.isDisjoint(with: $0.characters) }) { count += 1 }
    }
    #expect(abs(recipe.bits - log2(Double(count))) < 1e-9, "\(count)")
  }

  /// Each of the four possible passwords comes a quarter of the time.
  ///
  /// The limit is six standard deviations of 20,000 draws.
  @Test func noPasswordIsLikelierThanAnother() throws {
    let recipe = try PasswordRecipe(
      length: 2, classes: [.lower, .digits], excluding: all(but: "ab0"))
    #expect(abs(recipe.bits - 2) < 1e-9)
    var counts: [String: Int] = [:]
    for _ in 0..<20_000 { counts[try text(recipe), default: 0] += 1 }
    #expect(Set(counts.keys) == ["a0", "b0", "0a", "0b"])
    for (password, count) in counts {
      #expect(abs(count - 5_000) < 6 * 62, "\(password): \(count)")
    }
  }

  @Test func wordsComeFromTheListAndNoneIsAPrefixOfAnother() throws {
    let recipe = try PasswordRecipe(words: 100, separator: " ", isCapitalized: false)
    #expect(abs(recipe.bits - 100 * log2(7776)) < 1e-9)
    var seen: Set<Substring> = []
    for _ in 0..<1_000 { seen.formUnion(try text(recipe).split(separator: " ")) }
    // 100,000 draws miss a given word twice in a million.
    #expect(seen.count > 7_770 && seen.count <= 7_776)
    #expect(seen.isSuperset(of: ["abacus", "zoom", "yo-yo"]))
    #expect(seen.allSatisfy { (3...9).contains($0.utf8.count) })
    let sorted = seen.sorted()
    for (one, next) in zip(sorted, sorted.dropFirst()) { #expect(!next.hasPrefix(one)) }
    let capital = try text(PasswordRecipe(words: 3, separator: "·", isCapitalized: true))
    let parts = capital.split(separator: "·")
    #expect(parts.count == 3)
    for part in parts { #expect(seen.contains(Substring(part.lowercased()))) }
    #expect(parts.allSatisfy { $0.first?.isUppercase == true })
  }

  @Test(arguments: [
    ("l", "[a-z]", 26.0), ("u", "[A-Z]", 26), ("L", "[A-Za-z]", 52), ("d", "[0-9]", 10),
    ("a", "[a-z0-9]", 36), ("U", "[A-Z0-9]", 36), ("A", "[A-Za-z0-9]", 62), ("h", "[0-9a-f]", 16),
    ("H", "[0-9A-F]", 16), ("v", "[aeiou]", 5), ("Z", "[AEIOU]", 5), ("V", "[aeiouAEIOU]", 10),
    ("c", "[b-df-hj-np-tv-z]", 21), ("z", "[B-DF-HJ-NP-TV-Z]", 21),
    ("C", "[B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]", 42), ("p", "[,.;:]", 4),
    ("b", "[]()\\[{}<>]", 8), ("s", "[!-/:-@\\[-`{-~]", 32), ("S", "[!-~]", 94),
    ("w", "[a-z-]{3,9}", 7776), ("W", "[A-Z][a-z-]{2,8}", 7776), ("[xyz]", "[xyz]", 3),
    ("[a-c-]", "[abc-]", 4), ("[xx]", "x", 1), ("[\\]\\-]", "[]-]", 2), ("\\l", "l", 1),
    ("7 -", "7 -", 1), ("[üß]", "[üß]", 2),
  ])
  func aPlaceholderStandsForItsClass(pattern: String, expression: String, count: Double) throws {
    let recipe = try PasswordRecipe(pattern: pattern)
    #expect(abs(recipe.bits - log2(count)) < 1e-9)
    let regex = try NSRegularExpression(pattern: "^\(expression)$")
    for _ in 0..<40 {
      let made = try text(recipe)
      let range = NSRange(made.startIndex..., in: made)
      #expect(regex.firstMatch(in: made, range: range) != nil, "\(made)")
    }
  }

  @Test func aPatternIsReadFromLeftToRight() throws {
    let recipe = try PasswordRecipe(pattern: "W-d{3}\\x[ab]{2}")
    #expect(abs(recipe.bits - log2(7776.0 * 1000 * 4)) < 1e-9)
    let made = try text(recipe)
    #expect(made.wholeMatch(of: /[A-Z][a-z-]{2,8}-[0-9]{3}x[ab]{2}/) != nil, "\(made)")
    let left = try PasswordRecipe(pattern: "d{50}", excluding: Set("01234567".unicodeScalars))
    #expect(Set(try text(left)).isSubset(of: "89"))
    #expect(abs(left.bits - 50) < 1e-9)
  }

  @Test(arguments: [
    "", "q", "[abc", "]", "}", "{3}", "l{", "l{x}", "l{0}", "l{5000}", "l\\", "[z-a]", "[]",
    "l{4096}l",
  ])
  func anUnreadablePatternIsRefused(pattern: String) {
    let error = #expect(throws: PasswordError.self) { try PasswordRecipe(pattern: pattern) }
    #expect(error?.code == .invalidPattern)
    #expect(error?.message.hasPrefix("the pattern cannot be read: ") == true)
  }

  @Test func anImpossibleRecipeIsRefused() {
    let refused: [(PasswordError.Code, () throws -> PasswordRecipe)] = [
      (.invalidLength, { try PasswordRecipe(length: 0, classes: [.lower]) }),
      (.invalidLength, { try PasswordRecipe(length: 4097, classes: [.lower]) }),
      (.tooShort, { try PasswordRecipe(length: 3, classes: CharacterClass.allCases) }),
      (.noCharacters, { try PasswordRecipe(length: 3, classes: []) }),
      (
        .noCharacters,
        { try PasswordRecipe(length: 9, classes: [.digits], excluding: all(but: "a")) }
      ),
      (.invalidWordCount, { try PasswordRecipe(words: 0) }),
      (.invalidWordCount, { try PasswordRecipe(words: 101) }),
      (
        .separatorTooLong,
        { try PasswordRecipe(words: 2, separator: String(repeating: "-", count: 65)) }
      ),
    ]
    for (code, make) in refused {
      let error = #expect(throws: PasswordError.self) { try make() }
      #expect(error?.code == code)
    }
  }

  @Test func aClassNamedTwiceCountsOnce() throws {
    let once = try PasswordRecipe(length: 8, classes: [.lower, .digits])
    let twice = try PasswordRecipe(length: 8, classes: [.lower, .digits, .lower])
    #expect(twice.bits == once.bits)
    #expect(twice.summary == once.summary)
  }

  @Test func theDefaultsAreStrong() throws {
    let recipe = try PasswordRecipe()
    #expect(try text(recipe).utf8.count == 20)
    #expect(!recipe.isWeak)
    #expect(try !PasswordRecipe(words: 5).isWeak)
    #expect(try PasswordRecipe(words: 4).isWeak)
  }
}
