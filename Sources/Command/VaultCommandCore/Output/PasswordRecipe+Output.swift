package import VaultPasswords
import VaultTerminal

extension PasswordRecipe {
  /// The bits as they are printed, rounded down so that they never promise too much.
  package var shownBits: Double { (bits * 10).rounded(.down) / 10 }

  /// Prints the strength of the recipe's passwords to stderr, with a warning if they are weak.
  package func tell() {
    StandardError.note("\(shownBits) bits: \(summary)")
    if isWeak {
      StandardError.note(
        "that is weak: anyone with a hash of it can try every candidate",
        hint: "make it longer: use at least 64 bits")
    }
  }
}
