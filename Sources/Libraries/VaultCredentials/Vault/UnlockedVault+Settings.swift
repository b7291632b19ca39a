extension VaultIndex {
  /// The setting that says how long a session lasts, in seconds.
  static let sessionSetting = "session"
  /// The setting that counts secrets set while one slot alone opens the vault.
  static let reminderSetting = "reminder"
  /// The setting that says when a copied secret is cleared, in seconds.
  static let clipboardSetting = "clipboard"
}

extension UnlockedVault {
  /// How long the vault stays open after it was opened, as it was set for this vault.
  ///
  /// - Returns: Seconds; 0 if it never stays open, `nil` if nothing was set: then 15 minutes.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func sessionSetting() async throws -> Int? {
    try await waiting { try $0.sessionSetting() }
  }

  /// Sets how long the vault stays open after it was opened, on every machine; a session that is
  /// there is not touched, but for 0, which ends it.
  ///
  /// - Parameter seconds: 0 for never, at most 30 days; `nil` for the standard again.
  /// - Throws: ``CredentialError`` with code `.invalidValue`, or what writing throws.
  public func setSession(seconds: Int?) async throws {
    try await waiting { try $0.setSession(seconds: seconds) }
  }
}
