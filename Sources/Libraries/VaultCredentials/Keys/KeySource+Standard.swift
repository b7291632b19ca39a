import VaultStorage

extension KeySource {
  /// Everything that may unlock a vault without asking anyone, in the order of the `vault` command.
  ///
  /// 1. the session in the kernel's keyring;
  /// 2. the key file that `VAULT_KEY_FILE` names, then the passphrase in the file that
  ///    `VAULT_PASSPHRASE_FILE` names, then the passphrase in `VAULT_PASSPHRASE`;
  /// 3. the desktop keyring;
  /// 4. `vault.key`, then `vault.passphrase`, in a service's `CREDENTIALS_DIRECTORY`.
  ///
  /// So a program works wherever the command does: on a desktop, over SSH, in a container and as a
  /// service. A program that can ask a person puts that question behind them:
  ///
  /// ```swift
  /// let ask = KeySource.passphrase { try Prompt.secret("Passphrase of the vault") }
  /// let vault = try await LockedVault(location: StoreLocation())
  ///   .unlock(with: KeySource.standard + [ask])
  /// ```
  ///
  /// The environment is read at each use of this property; files are read when their turn comes.
  /// Whatever is missing, or does not fit, leaves the turn to the next source.
  public static var standard: [KeySource] {
    KeyPlace.all(environment: StoreLocation.variable).map(\.source)
  }
}
