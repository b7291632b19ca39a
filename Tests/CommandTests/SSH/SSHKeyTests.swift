import Foundation
import TestSupport
import Testing

/// `vault ssh keygen`, `import`, `public`; `connect ssh`, `connect git-sign`.
struct SSHKeyTests {
  @Test(
    .enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"),
    arguments: [
      ("ed25519", "OpenSSH", ""), ("ed25519", "OpenSSH", "pass phrase"),
      ("rsa", "PEM", "pass phrase"),
      ("rsa", "PKCS8", "pass phrase"), ("ecdsa", "PKCS8", ""),
    ])
  func keysOfAnyFormatAreImported(type: String, format: String, passphrase: String) throws {
    let bench = try SSHBench()
    let made = try bench.shell(
      "ssh-keygen -q -t \(type) \(format == "OpenSSH" ? "" : "-m \(format)") -C mine -N '\(passphrase)' -f id && umask 077 && printf '\(passphrase)' >words && printf wrong >wrong"
    )
    try #require(made.status == 0, "\(made.errors)")
    let key = "\(bench.home)/id"
    if !passphrase.isEmpty {
      let closed = try bench.vault("ssh", "import", "k", key)
      #expect(closed.status == 77 && closed.errors.contains("has a passphrase"), "\(closed.errors)")
      let wrong = try bench.vault(
        "ssh", "import", "k", key, "--key-passphrase", "file:\(bench.home)/wrong")
      #expect(wrong.status == 77 && wrong.errors.contains("not that of the key"), "\(wrong.errors)")
    }
    let source = passphrase.isEmpty ? [] : ["--key-passphrase", "file:\(bench.home)/words"]
    let imported = try bench.vault.command.run(
      ["ssh", "import", "k", key, "--comment", "mine"] + source)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.text == (try String(contentsOfFile: "\(key).pub", encoding: .utf8)))
    #expect(try bench.vault("ssh", "public", "k").text == imported.text)
    let again = try bench.vault.command.run(["ssh", "import", "k", key] + source)
    #expect(again.status == 1 && again.errors.contains("is there already"), "\(again.errors)")
    // The file is as it was: the passphrase is taken off a copy in memory.
    #expect(try bench.shell("ssh-keygen -y -P '\(passphrase)' -f id >/dev/null").status == 0)
    // As other programs read it.
    let other = try bench.shell("\"$VAULT\" get k | ssh-keygen -y -f /dev/stdin")
    #expect(imported.text.hasPrefix(other.text.trimmingCharacters(in: .newlines)))
  }

  /// A unit that lies elsewhere, by a link: its text goes with it.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aUnitAtTheEndOfALinkIsRemovedWithIt() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      """
      "$VAULT" connect ssh -q && mkdir ~/dotfiles && cd ~/.config/systemd/user
      mv vault-ssh-agent.service ~/dotfiles && ln -s ~/dotfiles/vault-ssh-agent.service .
      "$VAULT" disconnect ssh; ls ~/dotfiles; find ~/.config -name 'vault-*'
      """)
    #expect(run.status == 0 && run.text.contains("to which a link leads"), "\(run.errors)")
    #expect(!run.text.contains("\nvault-ssh-agent.service"), "\(run.text)")
    #expect(!run.text.hasSuffix("vault-ssh-agent.service\n"), "\(run.text)")
  }

  @Test func whatIsNoKeyIsRefused() throws {
    let bench = try SSHBench()
    for (text, code) in [
      ("", "ssh-not-a-key"), ("ssh-ed25519 AAAA me\n", "ssh-not-a-key"),
      (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        "ssh-not-a-key"
      ),
      (
        "-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----\n",
        "ssh-key-unsupported"
      ),
    ] {
      let run = try bench.vault("ssh", "import", "x", "-", "--json", input: text)
      #expect(run.status == 65 && run.errors.contains(code), "\(run.errors) \(run.text)")
    }
    #expect(try bench.vault("ssh", "public", "a/key", "--json").text.contains("\"publicKey\""))
    try bench.vault.set("token", "s3cr3t")
    #expect(try bench.vault("ssh", "public", "token").errors.contains("is no key of ssh"))
  }

  /// `set --kind ssh-key` has no public key beside it: it is read from the secret.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aKeyThatCameBySetIsServed() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      """
      ssh-keygen -q -t ed25519 -C mine -N '' -f id && "$VAULT" -q set c --file id --kind ssh-key
      "$VAULT" ssh public c && "$VAULT" ssh-agent --only c -- ssh-add -L && cat id.pub
      """)
    let lines = run.text.split(separator: "\n")
    #expect(lines.count == 3 && Set(lines).count == 1, "\(run.text) \(run.errors)")
  }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func connectSSHWritesAndTakesOut() throws {
    let bench = try SSHBench()
    let before = "Host store\n  User me\n"
    let config = "\(bench.home)/.ssh/config"
    try before.write(toFile: config, atomically: true, encoding: .utf8)
    let run = try bench.shell("\"$VAULT\" connect ssh && \"$VAULT\" connect ssh")
    #expect(run.status == 0 && run.errors.contains("there is nothing to do"), "\(run.errors)")
    let socket = "\(bench.runtime)/vault-ssh/agent"
    let shown = try bench.shell("ssh -F ~/.ssh/config -G store | grep -i identityagent")
    #expect(shown.text == "identityagent \(socket)\n", "\(shown.text)")
    // A command with an agent of its own keeps that one.
    let own = try bench.agent(
      ["--read-only"], "ssh -F ~/.ssh/config -G store | grep -ci identityagent")
    #expect(own.text == "0\n", "\(own.text) \(own.errors)")
    // Its `.pub` files are ones that ssh reads.
    let listed = try bench.shell("ssh-keygen -l -f ~/.ssh/vault/a-key.pub")
    #expect(listed.status == 0, "\(listed.errors)")
    let systemd = "\(bench.home)/.config/systemd/user"
    let unit = try String(contentsOfFile: "\(systemd)/vault-ssh-agent.service", encoding: .utf8)
    #expect(unit.contains("ssh-agent --socket"))
    #expect(try bench.shell("\"$VAULT\" disconnect ssh").status == 0)
    #expect(try String(contentsOfFile: config, encoding: .utf8) == before)
    #expect(try bench.shell("find ~/.ssh ~/.config -type f -o -type l").text == config + "\n")
    // Another agent for all hosts is not passed over.
    try "IdentityAgent ~/other\n".write(toFile: config, atomically: true, encoding: .utf8)
    let refused = try bench.shell("\"$VAULT\" connect ssh")
    #expect(
      refused.status == 1 && refused.errors.contains("names another agent"), "\(refused.errors)")
  }

  /// A line that a store or `set` brings is one line, and nothing for a terminal.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aCommentIsOneLine() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      "ssh-keygen -q -t ed25519 -N '' -C \"$(printf 'a\\nssh-ed25519 AAAA b\\033[2J')\" -f id "
        + "&& \"$VAULT\" -q ssh import c id && \"$VAULT\" ssh public c "
        + "&& \"$VAULT\" -q set d --file id --kind ssh-key "
        + "--attribute \"public-key=$(printf '%s x\\nmore\\n' \"$(cut -d' ' -f1,2 id.pub | head -n 1)\")\"; "
        + "\"$VAULT\" ssh public d")
    #expect(run.text.split(separator: "\n").count == 3, "\(run.text) \(run.errors)")
    #expect(!run.text.contains("\u{1B}"))
  }

  /// One item that is none, or too long, is left out by name, and does not stop the others.
  @Test func whatCannotBeReadIsLeftOut() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      "head -c 200000 /dev/zero | tr '\\0' x >big && \"$VAULT\" -q set big --file big --kind ssh-key "
        + "&& timeout 60 \"$VAULT\" ssh public")
    #expect(run.status == 0 && run.text.split(separator: "\n").count == 2, "\(run.text)")
    #expect(run.errors.contains("big is left out"), "\(run.errors)")
    #expect(try bench.vault("ssh", "public", "big").status == 65)
  }

  /// What a person added to a file of ours is neither overwritten nor removed.
  @Test(.enabled(if: SSHBench.hasGit, "git and OpenSSH's programs are not installed"))
  func addedSignersStay() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      """
      "$VAULT" -q connect git-sign a/key
      echo 'other@example.com ssh-ed25519 AAAA' >>~/.config/git/vault-allowed-signers
      "$VAULT" -q connect git-sign b; echo $?
      "$VAULT" -q disconnect git-sign; echo $?
      grep -c other@ ~/.config/git/vault-allowed-signers
      """)
    #expect(run.text.hasSuffix("1\n1\n1\n"), "\(run.text) \(run.errors)")
    #expect(run.errors.contains("has been changed since"), "\(run.errors)")
  }

  @Test(.enabled(if: SSHBench.hasGit, "git and OpenSSH's programs are not installed"))
  func gitSignsAndVerifies() throws {
    let bench = try SSHBench()
    let run = try bench.shell(
      """
      git config --global user.name me && git config --global user.email me@example.com
      cp ~/.gitconfig before
      "$VAULT" -q connect git-sign; echo $?
      "$VAULT" -q connect git-sign a/key >wrote || exit 9
      git init -q repo && cd repo && git config user.signingkey | cut -c 1-16
      "$VAULT" ssh-agent --confirm --no-session -- sh -c '
        git commit -q -S --allow-empty -m one && git commit -q -S --allow-empty -m two &&
        git tag -s -m three three && git verify-commit HEAD~1 HEAD && git verify-tag three'
      echo $?
      "$VAULT" -q disconnect git-sign >wrote && cmp ~/.gitconfig ~/before; find ~/.config -type f
      """, adding: bench.asker("echo run"))
    #expect(run.text == "64\nkey::ssh-ed25519\n0\n", "\(run.text) \(run.errors)")
    #expect(
      run.errors.components(separatedBy: "Good \"git\" signature for me@example.com").count == 4)
    #expect(bench.questions.count == 1, "\(bench.questions)")
  }
}
