// What `blocking` does with the desktop keyring, off Swift's cooperative threads.

extension UnlockedVault {
  /// How the copies in the keyring stand; see ``Blocking/copies()``.
  public func copies() async throws -> CopyReport {
    try await offCooperativeThreads { try self.blocking.copies() }
  }

  /// Brings the copies in the keyring up to date; see ``Blocking/synchroniseCopies(overwriting:)``.
  @discardableResult
  public func synchroniseCopies(overwriting: Bool = false) async throws -> CopyReport {
    try await offCooperativeThreads {
      try self.blocking.synchroniseCopies(overwriting: overwriting)
    }
  }

  /// Takes secrets that other programs changed into the vault; see ``Blocking/takeChangedCopies()``.
  @discardableResult
  public func takeChangedCopies() async throws -> [ItemName] {
    try await offCooperativeThreads { try self.blocking.takeChangedCopies() }
  }

  /// Whether copies of new items go to the keyring; see ``Blocking/isPublishing()``.
  public func isPublishing() async throws -> Bool {
    try await offCooperativeThreads { try self.blocking.isPublishing() }
  }

  /// Switches publishing on or off; see ``Blocking/setPublishing(_:of:)``.
  public func setPublishing(_ isOn: Bool, of names: [ItemName]? = nil) async throws {
    try await offCooperativeThreads { try self.blocking.setPublishing(isOn, of: names) }
  }

  /// Every item of the desktop keyring; see ``Blocking/keyringEntries()``.
  public func keyringEntries() async throws -> [KeyringEntry] {
    try await offCooperativeThreads { try self.blocking.keyringEntries() }
  }

  /// Takes an item of another program's into the vault; see ``Blocking/adopt(_:as:replacing:)``.
  @discardableResult
  public func adopt(
    _ entry: KeyringEntry, as name: ItemName? = nil, replacing isReplacing: Bool = false
  ) async throws -> Item {
    try await offCooperativeThreads {
      try self.blocking.adopt(entry, as: name, replacing: isReplacing)
    }
  }
}
