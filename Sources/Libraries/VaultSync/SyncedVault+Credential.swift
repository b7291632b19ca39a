public import VaultCredentials
public import VaultSealing

extension SyncedVault {
  /// Keeps the password of this vault's store, in the place of one before.
  ///
  /// - Parameter password: 1 to 4,096 bytes; `nil` takes it out.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.inputOutput`; what writing the vault throws.
  public func keepStorePassword(_ password: SecretBytes?) throws {
    let store = try files.reading { try replica.loadState().state.store }
    guard let password else {
      try vault.blocking.setKey(nil, for: StorePassword.purpose)
      return try files.replaceCredential(nil)
    }
    // A new key each time: what was sealed before opens no longer.
    let key = try SecretBytes.random(count: 32)
    let sealed = try password.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: StorePassword.context(store))
    }
    try files.replaceCredential(sealed)
    try vault.blocking.setKey(key, for: StorePassword.purpose)
  }

  /// The password that was kept for a vault's store.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - store: The store as ``store(of:)`` names it; another one has no password.
  /// - Returns: The password in locked memory; `nil` if there is none.
  /// - Throws: ``SyncError`` with code `.inputOutput`; what reading the vault throws.
  public static func storePassword(
    of vault: UnlockedVault, for store: String
  ) throws -> SecretBytes? {
    let files = SyncFiles(vault: vault.blocking.path)
    guard let sealed = try files.credential(),
      let key = try vault.blocking.key(for: StorePassword.purpose)
    else { return nil }
    return try? AuthenticatedEncryption.open(
      sealed, key: key, context: StorePassword.context(store))
  }
}
