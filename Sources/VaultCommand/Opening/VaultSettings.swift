import Synchronization
import VaultCredentials
import VaultStorage
import VaultTerminal

/// Which vault a line means, and how it may be opened.
package struct VaultSettings: Equatable, Sendable {
  package var home: String?
  package var vaultName: String?
  package var writesJSON = false
  package var passphrase: SecretSource?
  package var keyFile: String?
  package var keyringTimeout: Int?
  package var acceptsRollback = false
  package var usesSession = true
  package var usesKeyring = true
  package var requiresEncryptedSession = false
  /// How long a session is to last; the standard where it was not said.
  package var sessionSeconds: Int?

  package init() {}

  /// The vault, not open.
  ///
  /// - Parameters:
  ///   - name: Another vault than the one the line means.
  ///   - asksNobody: Whether the keyring shows no prompt and no session begins: for a look.
  /// - Returns: The vault; nothing is read yet.
  /// - Throws: `CredentialError` with code `.configuration`.
  func locked(named name: String? = nil, asksNobody: Bool = false) throws -> LockedVault {
    var options = VaultOptions()
    options.acceptsRollback = acceptsRollback
    options.usesKeyring = usesKeyring
    options.requiresEncryptedKeyringSession = requiresEncryptedSession
    options.remindsOfSingleSlot = StandardError.isTerminal
    options.allowsKeyringPrompt = ProcessState.hasDisplay && !asksNobody
    if options.allowsKeyringPrompt { options.keyringPrompt = KeyringPromptCancellation.watch() }
    if ProgressLine.isShown { options.progress = VaultProgressLines().show }
    if let keyringTimeout { options.keyringTimeout = .seconds(keyringTimeout) }
    if let sessionSeconds { options.sessionSeconds = sessionSeconds }
    if !usesSession || asksNobody { options.sessionSeconds = 0 }
    options.desktopKeyring = Self.keyrings.withLock { keyrings in
      let keyring = keyrings[options.allowsKeyringPrompt] ?? options.makeKeyring()
      keyrings[options.allowsKeyringPrompt] = keyring
      return keyring
    }
    return try LockedVault(
      location: location(),
      name: name ?? vaultName ?? ProcessState.variable(EnvironmentNames.vaultName),
      options: options)
  }

  /// One for all vaults that a command opens, by whether it may ask: one that hangs is waited for once.
  private static let keyrings = Mutex<[Bool: any DesktopKeyring]>([:])

  func location() throws -> StoreLocation {
    if let home = home ?? ProcessState.variable(EnvironmentNames.home) {
      return StoreLocation(home: home)
    }
    return try StoreLocation()
  }
}
