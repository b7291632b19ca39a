extension UnlockedVault.Blocking {
  /// The keys of the recovery codes that open the vault, in the order of their slots.
  ///
  /// - Returns: The keys; a code of which a version before this one made the slot has none.
  /// - Throws: ``CredentialError``.
  package func recoveryKeys() throws -> [RecoveryKeys] {
    let snapshot = try vault.snapshot(only: .noItems)
    return snapshot.file.header.slots.compactMap { RecoveryKeys(of: $0, in: snapshot.index) }
  }
}
