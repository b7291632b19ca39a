import VaultCredentials
import VaultProtocols
import VaultTerminal

/// The environment variables of the command.
///
/// HashiCorp's `vault`, which may be installed too, uses none of them.
package enum EnvironmentNames {
  /// The directory of the vaults.
  package static let home = "VAULT_HOME"
  /// The name of the vault.
  package static let vaultName = "VAULT_NAME"
  /// The path of a file with the passphrase.
  package static let passphraseFile = KeyPlace.passphraseFileVariable
  /// The passphrase itself, as CI systems pass secrets on.
  package static let passphrase = KeyPlace.passphraseVariable
  /// The path of a key file.
  package static let keyFile = KeyPlace.keyFileVariable
  /// The program that shows long lists.
  package static let pager = Pager.variable

  /// The program that asks for a passphrase where a served keyring is locked.
  package static let askpass = AskpassProgram.variable

  /// "debug" to say on stderr what was tried to unlock the vault.
  package static let log = "VAULT_LOG"

  /// Not empty for output without decoration.
  package static let plain = OutputOptions.plainVariable

  /// Whether ssh asks the agent that runs this command, rather than the one of a unit.
  package static let sshAgent = SSHAgentUnit.variable

  /// The socket of `vault guard`, by which a program knows that it is behind the wall.
  package static let `guard` = GuardRequest.variable

  /// Why a program wants an item, in its own words.
  package static let reason = ApprovalQuestion.reasonVariable

  /// Those that no child process gets.
  package static let hidden = [home, vaultName, passphraseFile, passphrase, keyFile, pager]

  /// All of them.
  package static let all = hidden + [askpass, log, plain, reason, sshAgent, `guard`]
}
