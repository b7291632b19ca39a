/// The environment variables of the command.
///
/// HashiCorp's `vault`, which may be installed too, uses none of them.
package enum EnvironmentNames {
  /// The directory of the vaults.
  package static let home = "VAULT_HOME"
  /// The name of the vault.
  package static let vaultName = "VAULT_NAME"
  /// The path of a file with the passphrase.
  package static let passphraseFile = "VAULT_PASSPHRASE_FILE"
  /// The path of a key file.
  package static let keyFile = "VAULT_KEY_FILE"

  /// All of them; no child process gets them.
  package static let all = [home, vaultName, passphraseFile, keyFile]
}
