package import VaultSealing

// What the calls do on the calling thread, where that is a few lines over a snapshot or an edit.

extension UnlockedVault.Blocking {
  /// ``UnlockedVault/check()``, on the calling thread.
  public func check() throws -> CheckReport {
    var check = VaultCheck(vault)
    return try check.run()
  }

  /// ``UnlockedVault/undo(steps:of:)``, on the calling thread.
  @discardableResult
  public func undo(
    steps: Int? = nil, of origin: ChangeOrigin = .person
  ) throws -> [UndoneChange] {
    try edit { try $0.undo(steps: steps, of: origin) }
  }

  // MARK: - Settings

  /// ``UnlockedVault/sessionSetting()``, on the calling thread.
  public func sessionSetting() throws -> Int? {
    try vault.snapshot(only: .noItems).index.settings[VaultIndex.sessionSetting].flatMap { Int($0) }
  }

  /// ``UnlockedVault/setSession(seconds:)``, on the calling thread.
  public func setSession(seconds: Int?) throws {
    if let seconds, !(0...Session.maximumSeconds).contains(seconds) {
      throw CredentialError(.invalidValue, "a session lasts at most 30 days")
    }
    try vault.commit { edit in
      edit.index.settings[VaultIndex.sessionSetting] = seconds.map(String.init)
    }
    if seconds == 0 { _ = try vault.locked.blocking.lock() }
  }

  /// When a secret on the clipboard is cleared, as it was set for this vault; 0 for never, `nil` if
  /// nothing was set.
  package func clipboardSetting() throws -> Int? {
    try vault.snapshot(only: .noItems).index.settings[VaultIndex.clipboardSetting].flatMap {
      Int($0)
    }
  }

  /// Sets when a secret on the clipboard is cleared; `nil` for the standard again.
  package func setClipboard(seconds: Int?) throws {
    try vault.commit { edit in
      edit.index.settings[VaultIndex.clipboardSetting] = seconds.map(String.init)
    }
  }

  // MARK: - A program that keeps a vault open and answers many questions from it

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
