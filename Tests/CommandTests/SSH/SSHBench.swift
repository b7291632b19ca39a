import Foundation
import TestSupport

/// A vault with keys of ssh, and what runs with its agent.
struct SSHBench {
  static let hasSSH = ["ssh", "ssh-add", "ssh-keygen"].allSatisfy(HelperLinks.isInstalled)
  static let hasGit = hasSSH && HelperLinks.isInstalled("git")

  let vault: ThrowawayVault
  /// The lines of the keys: one of Ed25519, then one of ECDSA.
  let keys: [String]

  init() throws {
    let vault = try ThrowawayVault()
    self.vault = vault
    keys = try [("a/key", "ed25519"), ("b", "ecdsa-p256")].map { name, type in
      let made = try vault("ssh", "keygen", name, "--type", type, "--no-session")
      guard made.status == 0 else { throw ThrowawayVault.Refusal(description: made.errors) }
      return made.text.trimmingCharacters(in: .newlines)
    }
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.createDirectory(
      atPath: "\(home)/.ssh", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  var home: String { vault.home.path }
  /// Where sockets are made, so that what is left behind is seen.
  var runtime: String { "\(home)/run" }

  /// Variables of every line.
  var variables: [String: String] {
    [
      "XDG_RUNTIME_DIR": runtime, "TMPDIR": "/tmp", "VAULT": VaultProcess.path,
      "TEST_KEYS": keys.joined(separator: "\n"), "PYTHONDONTWRITEBYTECODE": "1",
      "LC_ALL": "C.UTF-8", "VAULT_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never",
    ]
  }

  /// Runs the command with an agent for a line of the shell.
  func agent(
    _ options: [String] = [], _ script: String, adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try vault.command.run(
      ["ssh-agent", "--no-session"] + options + ["--", "/bin/sh", "-c", script],
      adding: variables.merging(more) { $1 })
  }

  /// Runs a test of `ssh_agent.py` with an agent.
  func client(
    _ test: String, _ options: [String] = [], adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try vault.command.run(
      ["ssh-agent", "--no-session"] + options
        + ["--", "python3", PythonScript.location("ssh_agent.py"), test],
      adding: variables.merging(more) { $1 })
  }

  /// Runs a line of the shell without an agent.
  func shell(_ script: String, adding more: [String: String] = [:]) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home, environment: vault.command.environment, executable: "/bin/sh"
    ).run(["-c", script], adding: variables.merging(more) { $1 })
  }

  /// A program that answers with a word, and notes what it was asked.
  func asker(_ word: String) throws -> [String: String] {
    let path = "\(home)/ask"
    try "#!/bin/sh\necho \"$1\" >> '\(home)/questions'\n\(word)\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return ["VAULT_ASKPASS": path]
  }

  /// What was asked.
  var questions: [String] {
    ((try? String(contentsOfFile: "\(home)/questions", encoding: .utf8)) ?? "")
      .split(separator: "\n").map(String.init)
  }

  /// Makes a real sshd, without a port, behind the names `store` and `jump`.
  func makeServer() throws {
    let made = try shell(
      """
      set -e
      umask 077
      PATH=$PATH:/usr/sbin:/sbin
      mkdir ~/server && cd ~/server
      ssh-keygen -q -t ed25519 -N '' -f host
      printf '%s\\n' "$TEST_KEYS" >authorized
      cat >config <<END
      HostKey $HOME/server/host
      AuthorizedKeysFile $HOME/server/authorized
      StrictModes no
      UsePAM no
      PidFile none
      PermitRootLogin yes
      END
      for name in store jump; do cat >>~/.ssh/config <<END
      Host $name
        User $(id -un)
        ProxyCommand $(command -v sshd) -i -f $HOME/server/config
        UserKnownHostsFile $HOME/.ssh/known_hosts
        StrictHostKeyChecking accept-new
        LogLevel ERROR
      END
      done
      """)
    guard made.status == 0 else { throw ThrowawayVault.Refusal(description: made.errors) }
  }

  /// Whether nothing is left where sockets are made; waits for the process that cleans up.
  func isClean() throws -> Bool {
    for _ in 0..<6000 {
      let left = try FileManager.default.subpathsOfDirectory(atPath: runtime)
      // The program's own folders stay, and no socket in them.
      let own =
        ["vault", "vault/serving"] + ["", "/changed", "/watching"].map { "vault-approve\($0)" }
      if left.allSatisfy(own.contains) { return true }
      usleep(10_000)
    }
    return false
  }
}
