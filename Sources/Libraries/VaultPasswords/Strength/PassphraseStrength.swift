public import VaultSealing

/// An estimate of how many guesses a passphrase resists, made by a person or a program.
///
/// The estimate follows Daniel Wheeler, "zxcvbn: Low-Budget Password Strength Estimation" (USENIX
/// Security 2016). It cuts the passphrase into common passwords and words, walks on the keyboard,
/// sequences, repetitions, dates and single characters, in the way that costs the fewest guesses,
/// and errs on the low side. For a passphrase made from a ``PasswordRecipe``, use the recipe's
/// exact
/// ``PasswordRecipe/bits`` instead.
///
/// ```swift
/// let strength = PassphraseStrength(try SecretBytes(copying: Array("P4ssw0rd!".utf8)))
/// print(strength.isWeak, strength.pattern)   // true commonPassword
/// ```
///
/// The bytes are read in place. The estimate holds lengths and costs, nothing of the passphrase.
public struct PassphraseStrength: Equatable, Sendable {
  /// What most of a passphrase consists of.
  public enum Pattern: Equatable, Sendable {
    /// A password from lists of leaked ones.
    case commonPassword
    /// A frequent word or name.
    case commonWord
    /// Neighboring keys, such as `qwerty`.
    case keyboardWalk
    /// Consecutive characters, such as `abcd` or `9876`.
    case sequence
    /// The same piece several times.
    case repetition
    /// A year, or a day with its year.
    case date
    /// Characters without a pattern.
    case characters
  }

  /// The base-2 logarithm of the number of guesses.
  public let bits: Double
  /// The pattern that covers most of the passphrase.
  public let pattern: Pattern

  /// The bits that a vault's passphrase needs.
  ///
  /// With fewer, a thousand processors find it in less than three days.
  public static let minimumBits = 30.0

  /// Whether ``bits`` is below ``minimumBits``.
  public var isWeak: Bool { bits < Self.minimumBits }

  /// Estimates the strength of a passphrase.
  ///
  /// - Parameter passphrase: UTF-8. The estimate ignores everything after the first 64 bytes, which
  ///   makes it too low rather than too high.
  public init(_ passphrase: SecretBytes) {
    let estimate = passphrase.withBytes { bytes in
      var search = PassphraseSearch(bytes)
      return search.best(bytes)
    }
    bits = estimate.bits
    pattern = estimate.pattern
  }

  /// The average time that an attacker with the file and a thousand processors needs, in words.
  ///
  /// A guess takes half a second of one processor, which is what the key derivation is calibrated
  /// to.
  public var timeToGuess: String {
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

  /// A clause for a person on why a passphrase like this is weak, and what is better.
  public var advice: String {
    switch pattern {
    case .commonPassword: "this is a common password; choose four random words"
    case .commonWord: "common words are guessed early; choose four random ones"
    case .keyboardWalk: "keys beside each other are guessed early; choose four random words"
    case .sequence, .repetition: "sequences are easy to guess; choose four random words"
    case .date: "dates are guessed early; choose four random words"
    case .characters: "it is short; choose four random words"
    }
  }
}
