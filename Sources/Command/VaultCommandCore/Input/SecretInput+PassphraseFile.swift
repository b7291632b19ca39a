package import VaultCredentials
package import VaultSealing
import VaultStorage
package import VaultTerminal

extension SecretInput {
  /// Reads a file with a passphrase or another secret, which nobody else may read or write; a pipe
  /// has no mode to check.
  ///
  /// - Throws: `TerminalError` with code `.inputUnreadable` or `.tooLong`, `CredentialError` with
  ///   code `.unsafeFile`.
  package static func read(
    passphraseFile path: String, as kind: GuardedFile.Kind = .passphrase, limit: Int
  ) throws -> SecretBytes {
    try read(file: path, limit: limit) { file in
      try GuardedFile.check(file, path: path, as: kind)
    }
  }
}
