import Foundation
import TestSupport
import Testing

struct AskpassTests {
  @Test func theRuleSaysWhichItemAnswers() throws {
    let links = try HelperLinks()
    func ask(_ prompt: String) throws -> VaultProcess.Result {
      try links.call("vault-askpass", [prompt])
    }
    try links.vault.set("ssh/home/d/.ssh/id", "by name")
    #expect(try ask("Enter passphrase for key '/home/d/.ssh/id': ").text == "by name\n")
    let other = try ask("Enter passphrase for key '/home/d/.ssh/other': ")
    #expect(other.status == 1)
    #expect(other.text.isEmpty)
    _ = try links.vault(
      "set", "any", "--stdin", "--attribute", "askpass=/home/d/.ssh/id", input: "by attribute")
    #expect(try ask("Enter passphrase for key '/home/d/.ssh/id': ").text == "by attribute\n")
    _ = try links.vault(
      "set", "second", "--stdin", "--attribute", "askpass=/home/d/.ssh/id", input: "2")
    #expect(try ask("Enter passphrase for key '/home/d/.ssh/id': ").status == 1)
    try links.vault.set("ssh/d@host", "host")
    #expect(try ask("d@host's password: ").text == "host\n")
    #expect(try ask("e@host's password: ").status == 1)
    try links.vault.set("sudo/d", "root")
    #expect(try ask("[sudo] password for d: ").text == "root\n")
    try links.vault.set("sudo/d", "two\nlines")
    #expect(try ask("[sudo] password for d: ").text.isEmpty)
    #expect(try links.call("vault-askpass", []).status == 1)
    #expect(
      try links.call(
        "vault-askpass", ["Allow use of key? "], adding: ["SSH_ASKPASS_PROMPT": "confirm"]
      ).status == 1)
    let locked = try links.call(
      "vault-askpass", ["d@host's password: "], adding: try links.locked())
    #expect(locked.status == 77)
    #expect(locked.text.isEmpty)
  }

  @Test func gitsPromptsFindTheCredentialHelpersItems() throws {
    let links = try HelperLinks()
    _ = try links.call(
      "git-credential-vault", ["store"],
      input: "protocol=https\nhost=example.com\nusername=a@b\npassword=pw\n")
    #expect(
      try links.call("vault-askpass", ["Username for 'https://example.com': "]).text == "a@b\n")
    #expect(
      try links.call("vault-askpass", ["Password for 'https://a%40b@example.com': "]).text
        == "pw\n")
    #expect(
      try links.call("vault-askpass", ["Password for 'https://c@example.com': "]).status == 1)
  }

  @Test(
    .enabled(
      if: ["ssh-agent", "ssh-add", "ssh-keygen"].allSatisfy(HelperLinks.isInstalled),
      "OpenSSH's client is not installed"))
  func sshAddOpensAnEncryptedKey() throws {
    let links = try HelperLinks()
    let key = "\(links.home)/id"
    try links.vault.set("ssh\(key)", "pass phrase")
    // -P is on the line: this key is nobody's.
    let script = """
      ssh-keygen -q -t ed25519 -N 'pass phrase' -f "$1" </dev/null &&
      eval "$(ssh-agent -s)" >/dev/null && trap 'ssh-agent -k >/dev/null' EXIT &&
      export SSH_ASKPASS_REQUIRE=force SSH_ASKPASS="$2/vault-askpass" &&
      ssh-add -q "$1" </dev/null && ssh-add -l
      """
    let result = try links.run("sh", ["-c", script, "sh", key, links.folder])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("ED25519"))
  }

  /// Debian 12's ssh-keygen asks without the file, newer ones with it: git signs by either.
  @Test(
    .enabled(
      if: ["git", "ssh-keygen"].allSatisfy(HelperLinks.isInstalled),
      "git and ssh-keygen are not installed"))
  func gitSignsWithAnEncryptedKeyOfSSH() throws {
    let links = try HelperLinks()
    let key = "\(links.home)/id"
    try links.vault.set("ssh\(key)", "pass phrase")
    let script = """
      set -e
      ssh-keygen -q -t ed25519 -N 'pass phrase' -f "$1" </dev/null
      export SSH_ASKPASS_REQUIRE=force SSH_ASKPASS="$2/vault-askpass"
      git init -q "$3"; cd "$3"
      git config user.name d; git config user.email d@example.com
      git config gpg.format ssh; git config user.signingkey "$1$4"
      git commit -q -S --allow-empty -m signed </dev/null
      printf 'd@example.com %s\\n' "$(cat "$1.pub")" > signers
      git config gpg.ssh.allowedSignersFile "$PWD/signers"
      git verify-commit HEAD
      cd "$(dirname "$1")"; ssh-keygen -y -f "$(basename "$1")" </dev/null
      """
    for suffix in ["", ".pub"] {
      let folder = "\(links.home)/repository\(suffix)"
      try? FileManager.default.removeItem(atPath: key)
      let result = try links.run("sh", ["-c", script, "sh", key, links.folder, folder, suffix])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text.contains("ssh-ed25519"))
      #expect(result.errors.contains("Good \"git\" signature"))
    }
  }
}
