package import VaultCredentials
import VaultTerminal

/// The words of a prompt for a key of a vault.
///
/// With git, docker and direnv asking too, and with several vaults, a person must see which one is
/// meant: the vault is named unless it is the only one and the default.
package enum VaultQuestion {
  /// `Passphrase`, or `Passphrase for vault 'work'`.
  package static func text(_ what: String, for vault: LockedVault) -> String {
    if let name = vault.name { return "\(what) for vault '\(Sanitizer.visible(name))'" }
    return vault.hasNamedVaults ? "\(what) for the default vault" : what
  }
}
