import Testing
import VaultPasswords
import VaultSealing

struct PassphraseStrengthTests {
  private func strength(_ text: String) throws -> PassphraseStrength {
    PassphraseStrength(try SecretBytes(copying: Array(text.utf8)))
  }

  private static let weak: [(String, PassphraseStrength.Pattern)] = [
    ("", .characters), ("password", .commonPassword), ("P4ssw0rd!", .commonPassword),
    ("qwertyuiop", .commonPassword), ("zxcvfrewq", .keyboardWalk), ("!QAZ2wsx", .keyboardWalk),
    ("aaaaaaaaaaaaaaaaaaaaaaaa", .repetition), ("abcabcabcabcabc", .repetition),
    ("abcdefghijklmnop", .sequence), ("98765432", .sequence), ("17.05.1984", .date),
    ("19840517", .date), ("michael1984", .commonPassword), ("hunter2hunter2", .repetition),
    ("k3Xq9", .characters), ("monkeydragon", .commonPassword),
  ]

  @Test(arguments: weak)
  func commonChoicesAreWeak(text: String, pattern: PassphraseStrength.Pattern) throws {
    let found = try strength(text)
    #expect(found.isWeak, "\(text): \(found.bits)")
    #expect(found.pattern == pattern, "\(text)")
  }

  @Test(arguments: [
    "correct horse battery staple", "k3Xq9vTz2LmP", "vzjqmxkwpyrthb", "Übergrößenträgerkäfig",
    "tr0ub4dor&3-and-more-of-it", "f7f1a0d3c5b29e8844aa",
  ])
  func longPassphrasesWithoutAPatternAreStrong(text: String) throws {
    let found = try strength(text)
    #expect(!found.isWeak, "\(text): \(found.bits)")
  }

  @Test func moreCharactersAreNeverWeaker() throws {
    var before = 0.0
    var text = ""
    for character in "x7!kQpz9#vLw2&mN" {
      text.append(character)
      let bits = try strength(text).bits
      #expect(bits >= before, "\(text)")
      before = bits
    }
  }

  @Test func theTimeIsThatOfAThousandProcessors() throws {
    #expect(try strength("password").timeToGuess == "no time at all")
    #expect(try strength("correct horse battery staple").timeToGuess.contains("year"))
  }
}
