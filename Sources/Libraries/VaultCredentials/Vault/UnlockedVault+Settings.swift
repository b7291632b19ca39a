extension VaultIndex {
  /// The setting that says how long a session lasts, in seconds.
  static let sessionSetting = "session"
  /// The setting that counts secrets set while one slot alone opens the vault.
  static let reminderSetting = "reminder"
  /// The setting that says when a copied secret is cleared, in seconds.
  static let clipboardSetting = "clipboard"

  /// How long the vault stays open after it was opened; `nil` if nothing was set.
  var sessionSeconds: Int? { settings[Self.sessionSetting].flatMap { Int($0) } }
}
