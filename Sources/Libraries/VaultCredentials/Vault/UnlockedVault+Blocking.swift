package import VaultSealing
package import VaultStorage

// What the calls do on the calling thread, where that is a few lines over a snapshot or an edit.

extension UnlockedVault.Blocking {
  /// Verifies every seal of the vault and of its earlier versions, and what surrounds them.
  ///
  /// Nothing is changed.
  ///
  /// - Returns: What was found; names appear nowhere.
  /// - Throws: ``CredentialError`` if the file cannot be read at all.
  public func check() throws -> CheckReport {
    var check = VaultCheck(vault)
    return try check.run()
  }

  /// Takes back the last changes of items that a person made.
  ///
  /// A secret that was set becomes an earlier version, and the one before it is current again;
  /// removed items come out of the trash; new ones go there; names, tags, notes and attributes are
  /// as they were: each as far as it still is what the change made it. What other machines changed,
  /// or a program stored for itself, stays. Called again, it takes itself back. What was removed for
  /// good stays gone.
  ///
  /// - Parameters:
  ///   - steps: How many changes, 1 or more, newest first; `nil` for the last one, which may itself
  ///     have been taken back.
  ///   - origin: Whose: a person's, or what a program stored last.
  /// - Returns: The effects, by name.
  /// - Throws: ``CredentialError`` with code `.versionNotFound` if there is nothing to take back,
  ///   `.changedMeanwhile` if all of it was changed since, `.itemExists` if a name has been given to
  ///   another item, `.damaged`, or what ``edit(_:)`` throws.
  @discardableResult
  public func undo(
    steps: Int? = nil, of origin: ChangeOrigin = .person
  ) throws -> [UndoneChange] {
    try undo(steps: steps, of: origin) { _, _ in }
  }

  /// Takes back as the other one does, unless somebody objects.
  ///
  /// - Parameters:
  ///   - steps: How many changes.
  ///   - origin: Whose.
  ///   - check: Gets the vault as it was and as it would be; what it throws leaves all as it was.
  /// - Returns: The effects, by name.
  /// - Throws: As the other one does; what `check` throws.
  package func undo(
    steps: Int?, of origin: ChangeOrigin,
    checking check: (_ before: VaultSnapshot, _ after: VaultEdit) throws -> Void
  ) throws -> [UndoneChange] {
    try edit { edit in
      let undone = try edit.undo(steps: steps, of: origin)
      try check(edit.formerSnapshot, edit)
      return undone
    }
  }

  // MARK: - Settings

  /// How long the vault stays open after it was opened, as it was set for this vault.
  ///
  /// - Returns: Seconds; 0 if it never stays open, `nil` if nothing was set: then 15 minutes.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func sessionSetting() throws -> Int? {
    try vault.snapshot(only: .noItems).index.sessionSeconds
  }

  /// Sets how long the vault stays open after it was opened, on every machine; a session that is
  /// there is not touched, but for 0, which ends it.
  ///
  /// - Parameter seconds: 0 for never, at most 30 days; `nil` for the standard again.
  /// - Throws: ``CredentialError`` with code `.invalidValue`, or what writing throws.
  public func setSession(seconds: Int?) throws {
    if let seconds, !(0...Session.maximumSeconds).contains(seconds) {
      throw CredentialError(.invalidValue, "a session lasts at most 30 days")
    }
    try vault.commit { edit in
      edit.index.settings[VaultIndex.sessionSetting] = seconds.map(String.init)
    }
    if seconds == 0 { _ = try vault.locked.blocking.lock() }
  }

  /// Where the vault lies.
  package var location: StoreLocation { vault.locked.folder.location }

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
