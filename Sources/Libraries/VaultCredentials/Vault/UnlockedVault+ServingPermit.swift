extension ServingPermit {
  /// Asks for leave.
  ///
  /// - Parameter vault: The open vault that is to be served.
  /// - Throws: ``CredentialError`` with a storage error's code if the state folder cannot be
  ///   written.
  package convenience init(_ vault: UnlockedVault.Blocking) throws {
    let opened = vault.vault
    try self.init(toServe: opened.vaultID, at: opened.locked.folder.location)
  }
}
