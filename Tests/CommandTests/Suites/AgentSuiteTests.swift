import Foundation
import TestSupport
import Testing

/// Tests that others have written of agents of ssh, with `vault ssh-agent` in the agent's place.
///
/// github.com/openssh/openssh-portable, `regress`, and github.com/git/git, `t/t7528`: each file of the
/// list, with the programs of its own sources. reviewed.md has what of theirs cannot be run, and why.
struct AgentSuiteTests {
  /// The tests in which an agent takes part, without those of tokens.
  static let scripts = [
    "agent.sh", "agent-timeout.sh", "agent-restrict.sh", "agent-subprocess.sh", "hostkey-agent.sh",
    "cert-file.sh", "sshsig.sh",
  ]

  private func run(
    _ words: [String], in vault: ThrowawayVault
  ) throws -> VaultProcess.Result {
    try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh"
    ).run(
      words,
      adding: [
        "VAULT": VaultProcess.path, "TMPDIR": "/tmp", "LC_ALL": "C",
        // Where the suite has a home of its own.
        "VAULT_KEY_FILE": vault.keyFile, "VAULT_HOME": "\(vault.home.path)/vault",
      ])
  }

  private func makeVault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    let made = try run(
      ["-c", "\"$VAULT\" init --key-file \"$VAULT_KEY_FILE\" --no-recovery -q"], in: vault)
    guard made.status == 0 else { throw ThrowawayVault.Refusal(description: made.errors) }
    return vault
  }

  @Test(
    .enabled(
      if: Suite.openSSH.hasBuilt("sshd", "ssh-keygen", "regress/timestamp"),
      "needs VAULT_TEST_SUITES with openssh-portable, built: scripts/fetch-suites"),
    .timeLimit(.minutes(30)), arguments: scripts)
  func openSSHsOwnTestsPass(script: String) throws {
    let vault = try makeVault()
    let run = try run(
      [
        PythonScript.location("openssh_regress.sh"), try #require(Suite.openSSH.folder), script,
      ], in: vault)
    #expect(run.status == 0, "\(run.text.suffix(4000)) \(run.errors.suffix(2000))")
    #expect(run.text.contains("\nok ") || run.text.hasPrefix("ok "), "\(run.text)")
  }

  @Test(
    .enabled(
      if: Suite.git.hasBuilt("git", "t/helper/test-tool"),
      "needs VAULT_TEST_SUITES with git, built: scripts/fetch-suites"), .timeLimit(.minutes(30)))
  func gitsTestOfSignaturesPasses() throws {
    let vault = try makeVault()
    let run = try run(
      [
        "-c",
        """
        set -e
        mkdir -p ~/bin ~/agents ~/trash
        ln -s "$2" ~/bin/ssh-agent
        cd "$1/t"
        AGENT_FOLDER=~/agents PATH=~/bin:$PATH sh ./t7528-signed-commit-ssh.sh --root="$HOME/trash" -v
        """, "sh", try #require(Suite.git.folder), PythonScript.location("openssh_agent.sh"),
      ], in: vault)
    #expect(run.status == 0, "\(run.text.suffix(4000)) \(run.errors.suffix(2000))")
    let agent = "sign commits using literal public keys with ssh-agent"
    #expect(run.text.contains(" - \(agent)\n"), "\(run.text)")
    #expect(!run.text.contains("not ok 2 "), "\(run.text)")
  }
}
