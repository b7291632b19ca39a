public import VaultCredentials
import VaultSealing
import VaultStorage

extension SyncedVault {
  /// How a vault stands to its space, without opening its records.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - preferences: The preferences of this machine, if they are to be looked at, too.
  /// - Returns: The state; `nil` if the vault belongs to no space.
  /// - Throws: ``SyncError`` with code `.tampered`, or what reading the vault throws.
  public static func overview(
    of vault: UnlockedVault, preferences: (any SyncedPreferences)? = nil
  ) throws -> SyncOverview? {
    guard let state = try Replica.remembered(of: vault)?.state else { return nil }
    let files = SyncFiles(vault: vault.blocking.path)
    let notes = files.notes()
    let told = state.applied.frontier[state.stream, default: 0]
    return SyncOverview(
      store: state.store, label: state.label,
      lastContact: state.lastContact,
      hasChanges: state.feed == nil && told > state.sent || files.isVaultNewer
        || !PreferencesExchange.areAtRest(state.preferences, preferences),
      failure: notes.failure?.code, failingSince: notes.failure?.since,
      waiting: notes.waiting.count, stopped: notes.stopped.count,
      isAutomatic: files.isAutomatic)
  }

  /// Whether changes are to be brought to the store by themselves; see
  /// ``setAutomatic(_:for:)``.
  ///
  /// - Parameter path: The vault file's path. Only one file beside it is looked for.
  /// - Returns: Whether that was switched on.
  public static func isAutomatic(vaultAt path: String) -> Bool {
    SyncFiles(vault: path).isAutomatic
  }

  /// Whether a vault belongs to a space, or did when this machine looked last.
  ///
  /// - Parameter path: The vault file's path. Only one file beside it is looked for.
  /// - Returns: Whether what the machine knew of a space lies there.
  public static func isJoined(vaultAt path: String) -> Bool { SyncFiles(vault: path).isJoined }

  /// Whether what this machine changes stays on it, since it only reads the space.
  ///
  /// - Parameter path: The vault file's path. Only one file beside it is looked for.
  /// - Returns: Whether the last run found it so.
  public static func isReader(vaultAt path: String) -> Bool { SyncFiles(vault: path).isReader }

  /// Whether what this machine changes stays on it, since it follows a feed.
  ///
  /// - Parameter path: The vault file's path. Only one file beside it is looked at.
  /// - Returns: Whether it follows one.
  package static func followsFeed(vaultAt path: String) -> Bool {
    SyncFiles(vault: path).followsFeed
  }

  /// The preference domains that a vault's machine has in the space.
  ///
  /// - Parameter vault: The vault.
  /// - Returns: Their names, sorted; none if the vault belongs to no space.
  /// - Throws: ``SyncError`` with code `.tampered`, or what reading the vault throws.
  public static func domains(of vault: UnlockedVault) throws -> [String] {
    try Replica.remembered(of: vault)?.state.preferences.domains.keys.sorted() ?? []
  }

  /// The preference domains whose changes are to be brought to the store by themselves.
  ///
  /// - Parameter path: The vault file's path. Only one file beside it is looked for.
  /// - Returns: Their names; none where that is switched off.
  public static func automaticDomains(vaultAt path: String) -> Set<String> {
    SyncFiles(vault: path).automaticDomains ?? []
  }

  /// Says that changes are to be brought to the store by themselves, or that they are not.
  ///
  /// Whoever changes the vault does it: this only remembers the wish, on this machine.
  ///
  /// - Parameters:
  ///   - isOn: The wish.
  ///   - vault: The vault.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`, `.inputOutput`.
  public static func setAutomatic(_ isOn: Bool, for vault: UnlockedVault) throws {
    let files = SyncFiles(vault: vault.blocking.path)
    try files.locked {
      guard let state = try Replica.remembered(of: vault)?.state else {
        throw try Replica.notJoined(vault)
      }
      try files.setAutomatic(isOn ? state.preferences.domains.keys.sorted() : nil)
    }
  }

}

extension SyncedVault {
  /// Begins to listen for changes of the space, if its store can tell: see
  /// ``SyncEngine/changes(in:)``.
  ///
  /// - Returns: The signal; `nil` from a store that cannot tell.
  /// - Throws: ``SyncError``.
  public func changes() throws -> (any StoreSignal)? {
    try engine.changes(in: files.reading { try replica.loadState().state.space })
  }
}
