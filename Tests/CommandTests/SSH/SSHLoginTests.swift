import Foundation
import TestSupport
import Testing

/// Real logins at a real sshd, by keys that are only in the vault.
@Suite(.enabled(if: LoopbackSSH.works, "needs OpenSSH's server"))
struct SSHLoginTests {
  @Test func aLoginNeedsNoFile() throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let run = try bench.agent([], "ssh -F ~/.ssh/config store echo in")
    #expect(run.text == "in\n", "\(run.errors)")
    let log = try bench.vault("log").text
    #expect(log.contains("at store (known)") && log.contains("ssh <"), "\(log)")
    #expect(try bench.isClean())
  }

  /// The host is named by what it has signed, also where known_hosts has hashes.
  @Test(arguments: [false, true])
  func theQuestionNamesTheHost(isHashed: Bool) throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let hash = isHashed ? "ssh-keygen -q -H -f ~/.ssh/known_hosts >/dev/null 2>&1;" : ""
    let run = try bench.agent(
      ["--confirm"],
      """
      ssh -F ~/.ssh/config store true; \(hash)
      ssh -F ~/.ssh/config store true
      ssh -F ~/.ssh/config jump echo in
      """, adding: bench.asker("echo run"))
    #expect(run.text == "in\n", "\(run.errors)")
    // The same host under another name has the same key: one answer.
    #expect(bench.questions.count == 1, "\(bench.questions)")
    let once = try bench.agent(
      ["--confirm"], "ssh -F ~/.ssh/config store echo in", adding: bench.asker("echo once"))
    #expect(once.text == "in\n")
    let question = try #require(bench.questions.last)
    #expect(
      question.contains(" at store (known)") && question.contains("ssh (process"), "\(question)")
  }

  @Test func anUnknownHostIsSaidToBeOne() throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let run = try bench.agent(
      ["--confirm"],
      "ssh -F ~/.ssh/config -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no store echo in",
      adding: bench.asker("echo once"))
    #expect(run.text == "in\n", "\(run.errors)")
    #expect(bench.questions.last?.contains("an UNKNOWN host (SHA256:") == true)
  }

  /// Whoever has the agent by forwarding signs, as the question says, and changes nothing.
  @Test func aForwardedAgentOnlySigns() throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let run = try bench.agent(
      ["--confirm"],
      """
      ssh -A -F ~/.ssh/config store 'echo "$SSH_AUTH_SOCK" >'"$HOME"'/far; ssh-add -l | wc -l; ssh-add -D 2>&1; cd '"$HOME"'; ssh-keygen -q -t ed25519 -N "" -f new
        ssh-add -q new 2>&1; ssh -F '"$HOME"'/.ssh/config jump echo there'
      # A server that ends with its connection leaves its folder.
      rm -r "$(dirname "$(cat ~/far)")" 2>/dev/null
      ssh-add -l | wc -l
      """, adding: bench.asker("echo once"))
    #expect(
      run.text.hasPrefix("2\n") && run.text.hasSuffix("there\n2\n"), "\(run.text) \(run.errors)")
    #expect(run.text.contains("Failed to remove all identities"))
    #expect(
      bench.questions.last?.contains("forwarded from store (known)") == true, "\(bench.questions)")
  }

  @Test func aJumpHostIsPassed() throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let run = try bench.agent(
      ["--confirm"],
      """
      ssh -F ~/.ssh/config -o ProxyCommand='ssh -F '"$HOME"'/.ssh/config jump '"$(sed -n 's/ *ProxyCommand //p' ~/.ssh/config | head -n 1)" store echo far
      """, adding: bench.asker("echo once"))
    #expect(run.text == "far\n", "\(run.errors)")
    #expect(bench.questions.count == 2, "\(bench.questions)")
  }

  /// `ssh-add -h`: a key for one host signs for no other.
  @Test func aKeyForOneHostIsForThatOne() throws {
    let bench = try SSHBench()
    try bench.makeServer()
    let run = try bench.agent(
      ["--only", "none"],
      """
      ssh-keygen -q -t ed25519 -N '' -f ~/one && cat ~/one.pub >>~/server/authorized
      key=$(cut -d ' ' -f 1,2 ~/server/host.pub)
      ssh-keygen -q -t ed25519 -N '' -f ~/else
      printf 'store %s\\nelse %s\\n' "$key" "$(cut -d ' ' -f 1,2 ~/else.pub)" >~/.ssh/known_hosts
      ssh-add -q -H ~/.ssh/known_hosts -h store ~/one
      ssh -F ~/.ssh/config -o StrictHostKeyChecking=yes store echo in
      ssh-add -D -q
      ssh-add -q -H ~/.ssh/known_hosts -h else ~/one
      ssh -F ~/.ssh/config store echo in || echo refused
      echo x | ssh-keygen -q -Y sign -n file -f ~/one.pub || echo refused
      """)
    #expect(run.text == "in\nrefused\nrefused\n", "\(run.text) \(run.errors)")
  }
}
