import VaultCredentials
package import VaultSealing
import VaultStorage
package import VaultTerminal

extension SecretInput {
  /// Reads a passphrase file, which nobody else may read or write; a pipe has no mode to check.
  ///
  /// - Throws: `TerminalError` with code `.inputUnreadable` or `.tooLong`, `CredentialError` with
  ///   code `.unsafeFile`.
  package static func read(passphraseFile path: String, limit: Int) throws -> SecretBytes {
    try read(file: path, limit: limit) { descriptor in
      let status = try System.status(descriptor)
      guard status.isRegular else { return }
      try GuardedFile.check(status, path: path, what: "passphrase file")
    }
  }
}
