extension UnlockedVault {
  /// Verifies every seal of the vault and of its earlier versions, and what surrounds them.
  ///
  /// Nothing is changed.
  ///
  /// - Returns: What was found; names appear nowhere.
  /// - Throws: ``CredentialError`` if the file cannot be read at all.
  public func check() async throws -> CheckReport {
    try await waiting { try $0.check() }
  }
}
