package import VaultCredentials
import VaultProtocols
import VaultTerminal

extension UsageAccount {
  /// What the environment says of a use: why, in the words of whoever runs this command.
  package static var stated: UsageAccount {
    UsageAccount(
      reason: ProcessState.variable(EnvironmentNames.reason).flatMap(ApprovalQuestion.bounded))
  }
}
