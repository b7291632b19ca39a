import Foundation
import TestSupport
import Testing

/// Programs behind the wall: ssh with keys that it does not see, pip, npm, and what takes its token
/// from the environment.
@Suite(.enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"))
struct GuardProgramsTests {
  /// Whether a pip is there that runs a program `keyring`.
  private static let hasPip: Bool = ["/usr/bin/python3", "python3"].contains { python in
    let ask = "import pip,sys; sys.exit(tuple(map(int, pip.__version__.split('.')[:2])) < (23,1))"
    return (try? PythonScript.run("/usr/bin/env", [python, "-c", ask]).status) == 0
  }
  private static let hasNPM = FileManager.default.isExecutableFile(atPath: "/usr/bin/npm")

  /// A bench with two keys of ssh, and their public lines.
  private func benchWithKeys() throws -> (bench: GuardBench, lines: [String: String]) {
    let bench = try GuardBench()
    var lines: [String: String] = [:]
    for name in ["ssh/in", "ssh/out"] {
      let made = try bench.vault("ssh", "keygen", name, "--no-session")
      guard made.status == 0 else { throw ThrowawayVault.Refusal(description: made.errors) }
      lines["KEY_\(name.suffix(3).replacingOccurrences(of: "/", with: "").uppercased())"] =
        made.text.trimmingCharacters(in: .newlines)
    }
    return (bench, lines)
  }

  /// The adversary has a shell: it signs with the key that is let out, and that is all.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func sshSignsWithTheKeysThatAreLetOut() throws {
    let (bench, lines) = try benchWithKeys()
    try "host.example ssh-ed25519 AAAA\n".write(
      toFile: "\(bench.home)/.ssh/known_hosts", atomically: true, encoding: .utf8)
    let run = try bench.inside(
      "--only 'ssh/in' --ssh --env KEY_IN --env KEY_OUT",
      """
      [ "$(ssh-add -L | cut -d ' ' -f 1,2)" = "$(echo "$KEY_IN" | cut -d ' ' -f 1,2)" ] && echo one
      echo "$KEY_IN" >in.pub; echo "$KEY_OUT" >out.pub
      for key in in out; do
        echo x | ssh-keygen -q -Y sign -n file -f $key.pub >$key.sig 2>/dev/null && echo $key
      done
      ssh-keygen -q -t ed25519 -N '' -f new; ssh-add -q new 2>/dev/null || echo refused
      rm new; ls -A ~/.ssh; cat ~/.ssh/known_hosts
      grep -rl --exclude-dir=bin 'OPENSSH PRIVATE KEY' ~ /run 2>/dev/null || echo none
      """, adding: lines)
    #expect(
      run.text == "one\nin\nrefused\nknown_hosts\nhost.example ssh-ed25519 AAAA\nnone\n",
      "\(run.text) \(run.errors)")
    let log = try bench.vault("log", "ssh/in", "--no-session").text
    #expect(log.contains("ssh-agent for 'file'") && log.contains("bwrap"), "\(log)")
    #expect(try bench.vault("log", "ssh/out", "--no-session").text.isEmpty)
    #expect(try bench.isClean())
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func withoutSSHThereIsNoAgent() throws {
    let (bench, _) = try benchWithKeys()
    let run = try bench.inside(
      "--only '*'", "echo \"${SSH_AUTH_SOCK-none}\"; ls -A ~/.ssh /run/vault-guard 2>/dev/null")
    #expect(run.text == "none\n/run/vault-guard:\nbin\nsocket\n", "\(run.text) \(run.errors)")
    let refused = try bench.inside("--ssh", "true")
    #expect(refused.status == 64 && refused.errors.contains("--ssh needs --only"))
  }

  /// A link in the place of the list of hosts could lead to any file.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aLinkInThePlaceOfKnownHostsIsNotFollowed() throws {
    let (bench, _) = try benchWithKeys()
    try FileManager.default.createSymbolicLink(
      atPath: "\(bench.home)/.ssh/known_hosts", withDestinationPath: "\(bench.home)/.ssh/id")
    let run = try bench.inside("--only 'ssh/in' --ssh", "ls -A ~/.ssh; ssh-add -L | wc -l")
    #expect(run.text == "1\n", "\(run.text) \(run.errors)")
  }

  /// A person is asked; other programs of the user are not answered, nor is anybody after a lock.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func keysAskAndEndWithTheLineAndTheLock() throws {
    let (bench, lines) = try benchWithKeys()
    let ask = "\(bench.home)/other/ask"
    try "#!/bin/sh\necho \"$1\" >>'\(bench.home)/questions'\necho once\n".write(
      toFile: ask, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: ask)
    let run = try bench.shell(
      """
      cat >work <<'END'
      echo "$KEY_IN" >in.pub
      sign() { echo x | ssh-keygen -q -Y sign -n file -f in.pub >sig 2>/dev/null && echo signed || echo refused; }
      sign; touch first; until [ -e second ]; do sleep 0.01; done
      sign; ssh-add -L | wc -l
      END
      "$VAULT" -q guard --only 'ssh/*' --ssh --confirm --env KEY_IN -- /bin/sh work >said & guard=$!
      n=0; until [ -e first ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      SSH_AUTH_SOCK=$(echo ../run/vault-guard-*/ssh) ssh-add -L >stranger 2>&1 || echo not served
      "$VAULT" lock -q; touch second; wait $guard; cat said stranger
      """, adding: lines.merging(["VAULT_ASKPASS": ask]) { $1 })
    #expect(
      run.text.hasPrefix("not served\nsigned\nrefused\n2\n") && !run.text.contains("ssh-ed25519"),
      "\(run.text) \(run.errors)")
    let questions = try String(contentsOfFile: "\(bench.home)/questions", encoding: .utf8)
    #expect(
      questions.contains("ssh-keygen (process")
        && questions.contains("something in the namespace 'file' with 'ssh/in'"), "\(questions)")
    #expect(try bench.isClean())
  }

  /// A real login from behind the wall, at a server outside, and the host by its name.
  @Test(.enabled(if: LoopbackSSH.works, "needs OpenSSH's server"))
  func sshLogsInFromBehindTheWall() throws {
    let (bench, lines) = try benchWithKeys()
    let run = try bench.shell(
      """
      PATH=$PATH:/usr/sbin:/sbin; umask 077; mkdir ~/server
      ssh-keygen -q -t ed25519 -N '' -f ~/server/host; echo "$KEY_IN" >~/server/authorized
      cat >~/server/config <<END
      HostKey $HOME/server/host
      AuthorizedKeysFile $HOME/server/authorized
      StrictModes no
      UsePAM no
      PidFile none
      PermitRootLogin yes
      END
      /usr/bin/python3 - "$(command -v sshd)" ~/server/config >port <<'END' &
      import socket, subprocess, sys
      listening = socket.create_server(("127.0.0.1", 0))
      print(listening.getsockname()[1], flush=True)
      connection, _ = listening.accept()
      subprocess.run([sys.argv[1], "-i", "-f", sys.argv[2]], stdin=connection, stdout=connection)
      END
      n=0; until [ -s port ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      echo "[127.0.0.1]:$(cat port) $(cut -d ' ' -f 1,2 ~/server/host.pub)" >~/.ssh/known_hosts
      timeout 300 "$VAULT" -q guard --only 'ssh/in' --ssh -- \
        ssh -o BatchMode=yes -o UserKnownHostsFile="$HOME/.ssh/known_hosts" -p "$(cat port)" \
        127.0.0.1 echo in
      """, adding: lines)
    #expect(run.text == "in\n", "\(run.text) \(run.errors)")
    let log = try bench.vault("log", "ssh/in", "--no-session").text
    #expect(log.contains("(known)") && log.contains("ssh <"), "\(log)")
  }

  private func run(_ test: String) throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      "exec /usr/bin/python3 '\(PythonScript.location("guard_index.py"))' \(test) \"$VAULT\" \"$PWD\"",
      adding: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
    #expect(run.status == 0, "\(test): \(run.errors)")
  }

  @Test(.enabled(if: hasPip, "needs pip of 23.1 or newer"))
  func pipGetsThePasswordOfItsIndexAlone() throws { try run("pip") }

  @Test(.enabled(if: hasNPM, "needs /usr/bin/npm"))
  func npmTakesItsTokenFromTheEnvironment() throws { try run("npm") }

  /// By bytes of its own choice, too, a program reads no item by the vault's own service.
  @Test func noItemIsReadByTheVaultsOwnService() throws {
    let bench = try GuardBench()
    try bench.vault.set("plain", "secret-plain")
    let run = try bench.python(
      "--only '*'",
      """
      import json, os, socket, struct
      for words in (["get", "vault", "plain"], ["get", "vault", "git/good.example/me"], ["set", "a", "b"],
                    ["del", "a", "b"], ["get", "--mode", "creds", "vault"], []):
          head = json.dumps({"face": "keyring", "words": words}).encode()
          with socket.socket(socket.AF_UNIX) as client:
              client.connect(os.environ["VAULT_GUARD"])
              client.sendall(struct.pack("<IH", 2 + len(head), len(head)) + head)
              data = b""
              while part := client.recv(65536):
                  data += part
          print(data[6:6 + struct.unpack_from("<H", data, 4)[0]].decode(), data.count(b"secret-"))
      """)
    let lines = run.text.split(separator: "\n")
    #expect(lines.count == 6, "\(run.text) \(run.errors)")
    for line in lines { #expect(line.contains("failure") && line.hasSuffix(" 0"), "\(line)") }
  }
}
