extension LockedVault {
  /// Ends the sessions of all vaults of this user, in every process.
  ///
  /// No file is read.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``CredentialError`` with code `.sessionUnavailable`, or what the kernel's keyring says.
  package static func lockAll() throws -> Bool { try Session.endAll() }
}
