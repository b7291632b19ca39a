package import VaultSealing

// For a program that keeps a vault open and answers many questions from it.

extension UnlockedVault.Blocking {
  /// Reads the vault file if it is another one than before.
  ///
  /// - Parameter snapshot: The vault as it was read last.
  /// - Returns: The vault as it is now; `nil` if the file is still the same.
  /// - Throws: ``CredentialError``: what ``read()`` throws.
  package func read(unlessUnchangedSince snapshot: VaultSnapshot?) throws -> VaultSnapshot? {
    if let identity = snapshot?.file.identity, vault.locked.folder.identity() == identity {
      return nil
    }
    return try vault.snapshot()
  }

  /// The vault key, for another process of this program.
  ///
  /// It opens everything: hand it on through a pipe, never through a file or an argument.
  package var vaultKey: SecretBytes { vault.keys.vaultKey }
}

extension KeySource {
  /// The vault key itself, from another process of this program.
  ///
  /// - Parameter key: The 32 bytes.
  /// - Returns: The source; it starts no session.
  package static func vaultKey(_ key: SecretBytes) -> KeySource {
    KeySource(kind: .vaultKey(key), isRequired: true)
  }
}
