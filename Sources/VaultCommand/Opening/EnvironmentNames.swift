/// The variables that the command reads.
///
/// None of HashiCorp's, whose `vault` may be installed too.
package enum EnvironmentNames {
  /// Where vaults lie.
  package static let home = "VAULT_HOME"
  /// Which vault.
  package static let vaultName = "VAULT_NAME"
  /// A file with the passphrase.
  package static let passphraseFile = "VAULT_PASSPHRASE_FILE"
  /// A key-file.
  package static let keyFile = "VAULT_KEY_FILE"

  /// What no child gets.
  package static let all = [home, vaultName, passphraseFile, keyFile]
}
