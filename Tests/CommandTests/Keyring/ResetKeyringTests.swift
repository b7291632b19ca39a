import Foundation
import TestSupport
import Testing

/// A keyring that its owner has reset, as people do when its password no longer fits: the files of
/// before are put aside, and another keyring is made.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct ResetKeyringTests {
  private let session: KeyringSession

  init() throws { session = try KeyringSession(.unlocked) }

  private func vault(_ arguments: String..., input: String = "") throws -> KeyringSession.Run {
    try session.run(VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8))
  }

  /// Takes the vault's key out of the keyring; a copy of the keyring's file of before stays if
  /// `keeping` names one.
  private func reset(keeping name: String?) throws {
    let folder = "\(session.home)/.local/share/keyrings"
    if let name {
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: "\(folder)/\(name)").deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(folder)/login.keyring", toPath: "\(folder)/\(name)")
    }
    let cleared = try session.run("/usr/bin/secret-tool", ["clear", "service", "vault-key"])
    try #require(cleared.status == 0, "\(cleared.errors)")
  }

  @Test(
    arguments: [
      nil, "login.keyring.old", "login_1.keyring", "../keyrings.bak/login.keyring",
      "old/login.keyring", "../keyrings-2025/old/login.keyring",
    ] as [String?])
  func everyVerbSaysWhichFileOpensTheVaultAgain(_ kept: String?) throws {
    let made = try vault("set", "a", "--stdin", input: "one")
    try #require(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("nothing else"), "\(made.errors)")
    #expect(made.errors.contains("key add --recovery"), "\(made.errors)")
    try reset(keeping: kept)
    for words in [["get", "a"], ["set", "a", "--stdin"], ["unlock"], ["check", "--salvage"]] {
      let run = try session.run(
        VaultProcess.path, words + (words[0] == "unlock" ? [] : ["--no-session"]),
        input: Data("two".utf8))
      #expect(run.status == 77, "\(words) \(run.errors)")
      #expect(run.errors.contains("it was reset"), "\(words) \(run.errors)")
      let file = kept.map { name in
        let path = URL(fileURLWithPath: "\(session.home)/.local/share/keyrings/\(name)")
        return "a vault's key is in \(path.standardizedFileURL.path)"
      }
      #expect(
        run.errors.contains(file ?? "/.local/share/keyrings, back from a backup"), "\(run.errors)")
    }
  }

  /// What the hint says helps: the file takes its place again, and the keyring is started anew.
  @Test func theFileOfBeforeOpensTheVaultAgain() throws {
    try #require(try vault("set", "a", "--stdin", input: "one").status == 0)
    let kept = "login.keyring.old"
    try reset(keeping: kept)
    #expect(try vault("get", "a").status == 77)
    let folder = "\(session.home)/.local/share/keyrings"
    try FileManager.default.removeItem(atPath: "\(folder)/login.keyring")
    try FileManager.default.moveItem(
      atPath: "\(folder)/\(kept)", toPath: "\(folder)/login.keyring")
    let again = try startAnew(password: "test")
    try #require(again.status == 0, "\(again.errors)")
    #expect(try vault("get", "a").text == "one")
  }

  /// Starts the keyring's program again, with this password for the keyring `login`.
  private func startAnew(password: String) throws -> KeyringSession.Run {
    try session.run(
      "/bin/bash",
      [
        "-c",
        """
        for fd in $(ls /proc/self/fd); do [ "$fd" -lt 3 ] || eval "exec $fd>&-"; done
        owner() { dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
          org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets 2>/dev/null | tail -1; }
        old=$(owner)
        printf '\(password)' | gnome-keyring-daemon --replace --unlock --components=secrets >/dev/null 2>&1
        for try in $(seq 3000); do
          new=$(owner); [ -z "$new" ] || [ "$new" = "$old" ] || exit 0
          sleep 0.02
        done
        exit 1
        """,
      ])
  }

  /// A keyring that was put aside is another collection: its own password opens it, and the vault.
  @Test func aKeyringThatWasPutAsideIsUnlockedByItsPassword() throws {
    try #require(try vault("set", "a", "--stdin", input: "one").status == 0)
    let folder = "\(session.home)/.local/share/keyrings"
    try FileManager.default.moveItem(
      atPath: "\(folder)/login.keyring", toPath: "\(folder)/login_old.keyring")
    try #require(try startAnew(password: "new").status == 0)
    #expect(try vault("get", "a").status == 77)
    func unlock(_ password: String) throws -> KeyringSession.Run {
      try vault("keyring", "unlock", "--keyring-password", "stdin", input: password)
    }
    let wrong = try unlock("wrong")
    #expect(wrong.status == 77, "\(wrong.errors)")
    let right = try unlock("test")
    #expect(right.status == 0, "\(right.errors)")
    #expect(try vault("get", "a").text == "one")
  }

  @Test func anotherWayInIsSaidFirst() throws {
    try #require(try vault("set", "a", "--stdin", input: "one").status == 0)
    let key = "\(session.home)/key"
    try #require(try vault("key", "add", "--new-key-file", key).status == 0)
    try reset(keeping: nil)
    let refused = try vault("get", "a")
    #expect(refused.status == 77)
    #expect(refused.errors.contains("hint: it is unlocked by: key file"), "\(refused.errors)")
    #expect(refused.errors.contains("key add --keyring"), "\(refused.errors)")
    let status = try vault("status", "--key-file", key)
    #expect(status.status == 0)
    #expect(status.errors.contains("it was reset"), "\(status.errors)")
    #expect(status.errors.contains("key add --keyring"), "\(status.errors)")
    let keyring = try vault("keyring", "status")
    #expect(keyring.text.contains("without-key"), "\(keyring.text)")
    #expect(keyring.errors.contains("it was reset"), "\(keyring.errors)")
    #expect(try vault("status", "--json", "--key-file", key).text.contains("keyring-without-key"))
    let added = try vault("key", "add", "--keyring", "--key-file", key)
    #expect(added.status == 0, "\(added.errors)")
    #expect(try vault("get", "a").text == "one")
    #expect(try vault("status").errors.contains("reset") == false)
    #expect(try vault("keyring", "status").text.contains("unlocked"))
  }
}

/// A keyring that was put aside, where nobody has made another one yet.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct PutAsideKeyringTests {
  @Test(arguments: [KeyringSession.State.unlocked, .noPassword])
  func everyVerbSaysWhichFileOpensTheVaultAgain(_ state: KeyringSession.State) throws {
    let session = try KeyringSession(state)
    func vault(_ words: [String]) throws -> KeyringSession.Run {
      try session.run(VaultProcess.path, words + ["--no-session"], input: Data("one".utf8))
    }
    try #require(try vault(["set", "a", "--stdin"]).status == 0)
    let folder = "\(session.home)/.local/share/keyrings"
    try FileManager.default.moveItem(atPath: folder, toPath: "\(folder).old")
    try session.logInAgain()
    for words in [["get", "a"], ["set", "a", "--stdin"], ["check"], ["list"], ["undo"]] {
      let run = try vault(words)
      #expect(run.status == 77 || run.status == 69, "\(words) \(run.status) \(run.errors)")
      #expect(
        run.errors.contains("a vault's key is in \(folder).old/login.keyring"),
        "\(words) \(run.errors)")
      // One that is kept as text has no password.
      #expect(run.errors.contains("password that it had") == (state == .unlocked))
    }
    let status = try vault(["keyring", "status"])
    #expect(status.errors.contains("\(folder).old/login.keyring"), "\(status.errors)")
    // What is said helps.
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: "\(folder).old", toPath: folder)
    try session.logInAgain()
    if state == .unlocked {
      let unlocked = try session.run(
        VaultProcess.path, ["keyring", "unlock", "--keyring-password", "stdin"],
        input: Data("test".utf8))
      try #require(unlocked.status == 0, "\(unlocked.errors)")
    }
    #expect(try vault(["get", "a"]).text == "one")
  }
}
