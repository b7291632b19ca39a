import VaultStorage

extension LockedVault {
  /// The key files that the user of this vault trusts.
  package var keyFileTrust: KeyFileTrust {
    KeyFileTrust(stateFolder: folder.location.state, whenTrusted: options.whenKeyFileTrusted)
  }
}

extension UnlockedVault.Blocking {
  /// The key files that the user of this vault trusts.
  package var keyFileTrust: KeyFileTrust { vault.locked.keyFileTrust }
}
