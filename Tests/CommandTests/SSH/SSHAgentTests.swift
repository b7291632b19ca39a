import Foundation
import TestSupport
import Testing

/// `vault ssh-agent`: what a client of its own sees, also one that no library lets be.
struct SSHAgentTests {
  @Test(
    .enabled(if: PythonScript.hasPython, "needs python3"),
    arguments: ["protocol", "lies", "crowd", "locks"])
  func theAgentAnswersAClientOfItsOwn(test: String) throws {
    let bench = try SSHBench()
    var more: [String: String] = [:]
    if test == "protocol" {
      let rsa = try bench.shell(
        "ssh-keygen -q -t rsa -b 2048 -N '' -f id && \"$VAULT\" -q ssh import c id")
      try #require(rsa.status == 0, "\(rsa.errors)")
      more["TEST_RSA"] = rsa.text.trimmingCharacters(in: .newlines)
      more["TEST_KEYS"] = (bench.keys + [more["TEST_RSA"] ?? ""]).joined(separator: "\n")
    }
    let run = try bench.client(test, adding: more)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bench.isClean())
  }

  /// ssh-agent(1): SIGUSR1 removes what was added, and the agent stays.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aSignalRemovesWhatWasAdded() throws {
    let run = try SSHBench().shell(
      """
      "$VAULT" ssh-agent --foreground >said & agent=$!
      n=0; until [ -s said ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      eval "$(cat said)"
      ssh-keygen -q -t ed25519 -N '' -f new && ssh-add -q new && ssh-add -l | wc -l
      kill -USR1 $agent
      n=0; until [ "$(ssh-add -l | wc -l)" = 2 ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      ssh-add -q new && ssh-add -l | wc -l
      kill $agent; wait $agent
      """)
    #expect(run.text == "3\n3\n", "\(run.text) \(run.errors)")
  }

  /// 64 clients, each of which has signed; the figure of the release is in Benchmarks/RESULTS.md.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func manyClientsCostLittle() throws {
    let run = try SSHBench().client("memory")
    let numbers = run.text.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    #expect(run.status == 0 && numbers.count == 2, "\(run.errors)")
    #expect((numbers.last ?? .max) < 16 << 10, "KiB of its own: \(numbers)")
  }

  @Test(
    .enabled(if: PythonScript.hasPython && geteuid() == 0, "needs python3 and root"))
  func anotherUserIsNotServed() throws {
    let bench = try SSHBench()
    let folder = "/tmp/vault-ssh-test-\(UUID().uuidString)"
    let socket = "\(folder)/agent"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = PythonScript.location("ssh_agent.py")
    let run = try bench.shell(
      """
      "$VAULT" ssh-agent --no-session --foreground --at '\(socket)' >said & agent=$!
      n=0; until [ -s said ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      cat said
      chmod 0666 '\(socket)'
      # The script may lie where only this user may look.
      python3 - stranger <'\(script)'
      status=$?
      kill $agent; wait $agent
      exit $status
      """, adding: ["TEST_SOCKET": socket])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasSuffix("; export SSH_AUTH_SOCK;\n"))
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aSocketAtAPathIsOneAgents() throws {
    let run = try SSHBench().shell(
      """
      "$VAULT" ssh-agent --foreground >said & agent=$!
      n=0; until [ -s said ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      eval "$(cat said)"
      ssh-add -l | wc -l
      timeout 60 "$VAULT" ssh-agent --foreground; echo $?
      kill -9 $agent; wait $agent
      # What a dead one has left gives way; what is no socket stays.
      "$VAULT" ssh-agent --foreground >said2 & agent=$!
      n=0; until [ -s said2 ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      ssh-add -l | wc -l
      kill $agent; wait $agent
      mkdir -p "$XDG_RUNTIME_DIR/vault-ssh"
      echo mine >"$SSH_AUTH_SOCK"
      timeout 60 "$VAULT" ssh-agent --foreground; echo $?
      cat "$SSH_AUTH_SOCK"
      """)
    #expect(run.text == "2\n69\n2\n69\nmine\n", "\(run.text) \(run.errors)")
    #expect(run.errors.contains("is there already"))
  }

  /// In a folder that everybody may write, anybody can put a socket of his own in its place.
  @Test(arguments: [
    ("open/s", Int32(64), "others may write"), ("file", 73, "no socket"), ("''", 64, "--at"),
    (String(repeating: "n", count: 120), 73, "107 bytes"),
  ])
  func whereNobodyIsToListenIsSaid(_ place: String, _ status: Int32, _ said: String) throws {
    let run = try SSHBench().shell(
      "mkdir open; chmod 777 open; echo mine >file; timeout 60 \"$VAULT\" ssh-agent --foreground "
        + "--at \(place)")
    #expect(run.status == status && run.errors.contains(said), "\(run.errors)")
    #expect(run.errors.contains("hint: "), "\(run.errors)")
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func sshAddAddsListsAndRemoves() throws {
    let bench = try SSHBench()
    let script = """
      ssh-keygen -q -t ed25519 -N '' -f new && ssh-keygen -q -t rsa -b 2048 -N '' -f rsa
      ssh-keygen -q -t ecdsa -b 521 -N '' -f ec
      ssh-add -q new rsa ec; ssh-add -q -t 1 new
      ssh-add -l | wc -l
      ssh-add -T ec.pub || echo no
      echo x | ssh-keygen -q -Y sign -n file -f rsa.pub >signed || echo no
      while ssh-add -T new.pub 2>/dev/null; do :; done
      ssh-add -l | wc -l
      ssh-add -q -d rsa; ssh-add -D; ssh-add -l | wc -l
      """
    let run = try bench.agent([], script)
    #expect(run.text == "5\n4\n2\n", "\(run.text) \(run.errors)")
    // Neither on the disk nor in the vault.
    #expect(try bench.vault("list").text == "a/key\nb\n")
    let readOnly = try bench.agent(
      ["--read-only"], "ssh-add -q new; ssh-add -q -t 9 ec; ssh-add -D; ssh-add -l | wc -l")
    #expect(readOnly.text == "2\n", "\(readOnly.text)")
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func onlyWhatMatchesIsServed() throws {
    let bench = try SSHBench()
    let run = try bench.agent(["--only", "a/*"], "ssh-add -L")
    #expect(run.text == bench.keys[0] + "\n", "\(run.errors)")
    // What is made meanwhile is there at once.
    let later = try bench.agent(
      [],
      "VAULT_KEY_FILE='\(bench.vault.keyFile)' \"$VAULT\" -q ssh keygen c >made; ssh-add -L | grep -c -f made"
    )
    #expect(later.text == "1\n", "\(later.errors)")
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aLockedVaultSignsNothing() throws {
    let bench = try SSHBench()
    let run = try bench.agent(
      ["--key-file", bench.vault.keyFile],
      """
      printf '%s\\n' "$TEST_KEYS" | head -n 1 >key.pub
      echo x | ssh-keygen -q -Y sign -n file -f key.pub >signed && echo one
      "$VAULT" lock -q
      echo x | ssh-keygen -q -Y sign -n file -f key.pub >signed || echo none
      ssh-add -l | wc -l
      """, adding: ["VAULT_KEY_FILE": ""])
    #expect(run.text == "one\nnone\n2\n", "\(run.text) \(run.errors)")
  }

  @Test func linesThatContradictThemselvesAreRefused() throws {
    let vault = try ThrowawayVault()
    for line in [
      ["ssh-agent"], ["ssh-agent", "--foreground", "--socket"],
      ["ssh-agent", "--at", "x", "--", "true"],
      ["ssh-agent", "--foreground", "--", "true"], ["ssh", "keygen", "x", "--type", "dsa"],
      ["ssh", "keygen", "x", "--comment", "a\nb"], ["ssh-agent", "--socket"],
    ] {
      let run = try vault.command.run(line)
      #expect(run.status == 64 && !run.errors.isEmpty, "\(line): \(run.errors)")
    }
    #expect(try vault("list").text.isEmpty)
  }
}
