package import VaultCredentials
package import VaultSealing
import VaultTerminal

/// Runs the command of `--passphrase cmd:COMMAND`, whose output is the passphrase.
package enum PassphraseCommand {
  /// Returns what `command` prints, read from a pipe straight into locked memory.
  ///
  /// It runs under `/bin/sh`, without the variables that name other sources of a key. Its stdin is
  /// empty, because ours may carry the secret to store.
  ///
  /// - Throws: ``CommandError`` with code `passphrase-command-failed`.
  package static func output(
    of command: String, for option: String, as kind: GuardedFile.Kind = .passphrase
  ) throws -> SecretBytes {
    func failed(_ why: String) -> CommandError {
      CommandError(
        .passphraseCommandFailed, "the command of \(option) gave no \(kind.content): \(why)",
        hint: "run it by itself to see what it says")
    }
    guard
      let run = try ChildProgram.run(
        ["/bin/sh", "-c", command], input: .nothing, limit: SecretSource.maximumLength)
    else { throw failed("it could not be started") }
    if let signal = run.signal { throw failed("signal \(signal) ended it") }
    guard run.exitStatus == 0 else { throw failed("it ended with status \(run.exitStatus)") }
    return run.output
  }
}
