package import VaultSealing

/// How many guesses a passphrase stands, as somebody who knows how people choose them would guess.
///
/// After Daniel Wheeler, "zxcvbn: Low-Budget Password Strength Estimation" (USENIX Security 2016): the
/// passphrase is cut into common passwords and words, walks on the keyboard, sequences, repetitions, dates
/// and single characters, the way that costs the fewest guesses. It errs on the low side.
///
/// The bytes are read where they lie; what is kept of them is lengths and costs.
package struct PassphraseStrength: Equatable, Sendable {
  /// What most of a weak passphrase is.
  package enum Pattern: Equatable, Sendable {
    case commonPassword
    case commonWord
    case keyboardWalk
    case sequence
    case repetition
    case date
    /// No pattern: it is what it looks like.
    case characters
  }

  /// The logarithm of the guesses, to base 2.
  package let bits: Double
  /// The pattern that covers most of it.
  package let pattern: Pattern

  /// Below this a passphrase is refused: a thousand processors need less than three days.
  package static let floor = 30.0

  package var isWeak: Bool { bits < Self.floor }

  /// The estimate for a passphrase; of a very long one, the first 64 bytes count.
  package init(_ passphrase: SecretBytes) {
    let estimate = passphrase.withBytes { bytes in
      var search = PassphraseSearch(bytes)
      return search.best(bytes)
    }
    bits = estimate.bits
    pattern = estimate.pattern
  }

  /// The time that somebody who holds the file and a thousand processors needs on average, in words.
  ///
  /// A guess takes half a second of one processor: the key derivation is calibrated to that.
  package var timeToGuess: String {
    var seconds = 0.5 / 1_000
    for _ in 0..<Int(max(0, min(200, bits.rounded() - 1))) { seconds *= 2 }
    let units: [(String, Double)] = [
      ("years", 31_557_600), ("months", 2_629_800), ("days", 86_400), ("hours", 3_600),
      ("minutes", 60),
    ]
    for (name, length) in units where seconds >= 2 * length {
      let count = seconds / length
      return count > 1e6 ? "more than a million \(name)" : "about \(Int(count)) \(name)"
    }
    return "no time at all"
  }

  /// One line on what a weak one is and what is better.
  package var advice: String {
    switch pattern {
    case .commonPassword: "many people use it: choose four random words"
    case .commonWord: "common words in an order of one's own are guessed: choose four random ones"
    case .keyboardWalk: "keys beside each other are guessed early: choose four random words"
    case .sequence, .repetition: "what goes on by a rule is guessed early: choose four random words"
    case .date: "dates are guessed early: choose four random words"
    case .characters: "it is short: choose four random words"
    }
  }
}
