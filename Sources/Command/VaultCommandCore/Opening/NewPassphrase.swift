package import VaultCredentials
import VaultPasswords
package import VaultSealing
import VaultTerminal

/// A new passphrase for the vault.
package enum NewPassphrase {
  /// Prompts for a passphrase twice.
  package static func ask(
    _ question: String = "New passphrase", label: String, acceptsWeak: Bool
  ) throws -> NewKeySlot {
    try slot(typed(question, acceptsWeak: acceptsWeak), label: label, acceptsWeak: true)
  }

  /// Prompts for a passphrase twice, until it is strong enough.
  ///
  /// - Parameters:
  ///   - question: The first question, without a colon.
  ///   - acceptsWeak: Whether any passphrase will do.
  ///   - option: The option that takes a source instead, for messages.
  /// - Returns: The passphrase in locked memory.
  /// - Throws: ``CommandError`` with code `no-terminal`; `TerminalError`.
  package static func typed(
    _ question: String = "New passphrase", acceptsWeak: Bool, option: String = "--passphrase"
  ) throws -> SecretBytes {
    while true {
      guard let passphrase = try Prompt.newSecret(question) else {
        throw CommandError(
          .noTerminal, "a passphrase is needed, and there is no terminal to ask on",
          hint: "give a source: \(option) env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND")
      }
      let strength = PassphraseStrength(passphrase)
      if passphrase.count > 0, acceptsWeak || !strength.isWeak {
        Prompt.tell(
          "Strength: about \(Int(strength.bits)) bits. Somebody who holds the file and a thousand "
            + "processors needs \(strength.timeToGuess) to guess it.")
        return passphrase
      }
      Prompt.tell(
        passphrase.count == 0
          ? "It is empty; choose four random words."
          : "Too weak (about \(Int(strength.bits)) bits): \(strength.advice).")
    }
  }

  /// Returns the slot of a passphrase from a source.
  ///
  /// - Throws: ``CommandError`` with code `weak-passphrase` below the floor.
  package static func slot(
    _ passphrase: SecretBytes, label: String, acceptsWeak: Bool
  ) throws -> NewKeySlot {
    .passphrase(try checked(passphrase, acceptsWeak: acceptsWeak), label: label)
  }

  /// Returns the passphrase if it is strong enough.
  ///
  /// - Throws: ``CommandError`` with code `weak-passphrase` below the floor.
  package static func checked(_ passphrase: SecretBytes, acceptsWeak: Bool) throws -> SecretBytes {
    guard passphrase.count > 0 else {
      throw CommandError(
        .weakPassphrase, "the passphrase is empty", hint: "check where it comes from")
    }
    let endsInReturn = passphrase.withBytes { $0.byte(at: $0.byteCount - 1) == 0x0D }
    let isMarked = passphrase.withBytes { bytes in
      bytes.byteCount >= 3 && bytes.matches([0xEF, 0xBB, 0xBF], at: 0..<3)
    }
    guard !endsInReturn, !isMarked else {
      throw CommandError.usage(
        "the new passphrase \(endsInReturn ? "ends in a carriage return" : "begins with a byte order mark")"
          + ", which nobody can type",
        hint:
          "save its file as UTF-8 with Unix line ends: sed -i '1s/^\\xef\\xbb\\xbf//;s/\\r$//' FILE"
      )
    }
    if acceptsWeak { return passphrase }
    let strength = PassphraseStrength(passphrase)
    guard !strength.isWeak else {
      throw CommandError(
        .weakPassphrase,
        "passphrase too weak: about \(Int(strength.bits)) bits, at least "
          + "\(Int(PassphraseStrength.minimumBits)) required",
        hint: "\(strength.advice), or insist with --allow-weak")
    }
    return passphrase
  }
}
