import Foundation
import TestSupport
import Testing

/// A gnome-keyring without a password, as desktops with automatic login have it: it is kept as
/// text, and a secret of several lines makes it unreadable at the next login.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct ClearKeyringTests {
  private let session: KeyringSession

  init() throws { session = try KeyringSession(.noPassword) }

  private func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
    try session.run(VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8))
  }

  private func secretTool(_ arguments: [String], input: String = "") throws -> String {
    try session.run("/usr/bin/secret-tool", arguments, input: Data(input.utf8)).text
  }

  @Test(arguments: [
    "-----BEGIN KEY-----\nMIIabc\n-----END KEY-----\n", "  two blanks", "blank at the end ",
    "a\\nb\\tc\\\\d", "tab\tinside", "cr\r", "\u{1}\u{7F}",
  ])
  func noSecretThatSuchAKeyringBreaksGetsThere(secret: String) throws {
    _ = try secretTool(
      ["store", "--label=other", "service", "other", "username", "me"], input: "hello")
    #expect(try vault(["set", "plain", "--stdin", "--exact"], input: "plain").status == 0)
    let stored = try vault(["set", "odd", "--stdin", "--exact"], input: secret)
    #expect(stored.status == 0, "\(stored.errors)")
    #expect(stored.errors.contains("has no copy of it: odd"), "\(stored.errors)")
    #expect(try secretTool(["lookup", "service", "vault", "username", "plain"]) == "plain")
    #expect(try secretTool(["lookup", "service", "vault", "username", "odd"]) == "")
    try session.logInAgain()
    #expect(try secretTool(["lookup", "service", "other", "username", "me"]) == "hello")
    #expect(try vault(["get", "plain"]).text == "plain")
    #expect(try vault(["get", "odd"]).output == Data(secret.utf8))
    // Nothing is offered as another program's change, and nothing taken.
    let synchronized = try vault(["keyring", "sync", "--take"])
    #expect(!synchronized.errors.contains("changed"), "\(synchronized.errors)")
    #expect(try vault(["get", "odd"]).output == Data(secret.utf8))
  }

  @Test func itIsToldAtTheFirstSetInTheStatusAndByEachCheck() throws {
    // The daemon has just begun, and nobody has unlocked anything: that needs nobody.
    let first = try vault(["set", "one", "--stdin", "--quiet"], input: "s")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.contains("warning: the desktop keyring has no password"))
    #expect(try vault(["status"]).text.contains("no password"))
    #expect(try vault(["keyring", "status"]).text.contains("in clear"))
    let status = try vault(["keyring", "status", "--json"])
    #expect(status.compactText.contains(#""keepsInClear":true"#))
    #expect(try vault(["check"]).text.contains("the desktop keyring has no password"))
    let audit = try vault(["audit"])
    #expect((audit.text + audit.errors).contains("the desktop keyring has no password"))
  }

  /// A key file opens the vault, and copies of all items lie there as text.
  @Test func itIsToldWhereItOnlyHasCopies() throws {
    let words = "the desktop keyring has no password: the copies of its items are kept"
    let key = ["--key-file", "\(session.home)/key"]
    #expect(try vault(["init", "--no-recovery"] + key).status == 0)
    #expect(try vault(["set", "one", "--stdin"] + key, input: "s").status == 0)
    #expect(try !vault(["check"] + key).text.contains("no password"))
    let on = try vault(["keyring", "publish", "on"] + key)
    #expect(on.errors.contains(words), "\(on.errors)")
    #expect(on.errors.contains("keyring publish off"))
    for verb in [["check"], ["audit"], ["status"]] {
      let run = try vault(verb + key)
      #expect((run.text + run.errors).contains(words), "\(verb): \(run.text)")
    }
    #expect(try vault(["keyring", "publish", "off"] + key).status == 0)
    #expect(try !vault(["check"] + key).text.contains("no password"))
  }
}

extension KeyringSession {
  /// Ends the daemon, and starts another one that reads the keyring's file.
  func logInAgain() throws {
    let run = try run(
      "/bin/bash",
      [
        "-c",
        """
        # The daemon outlives this shell, and must keep nothing open by which its end is known.
        for fd in $(ls /proc/self/fd); do [ "$fd" -lt 3 ] || eval "exec $fd>&-"; done
        owner() { dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
          org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets 2>/dev/null | tail -1; }
        old=$(owner)
        gnome-keyring-daemon --replace --components=secrets </dev/null >/dev/null 2>&1 &
        for try in $(seq 3000); do
          new=$(owner); [ -z "$new" ] || [ "$new" = "$old" ] || exit 0
          sleep 0.02
        done
        exit 1
        """,
      ])
    try #require(run.status == 0, "\(run.errors)")
  }
}

/// A keyring whose file lies where this process does not look: its daemon has another home.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct KeyringOutOfSightTests {
  private func vault(
    _ session: KeyringSession, _ home: TemporaryHome, _ arguments: [String], input: String = ""
  ) throws -> KeyringSession.Run {
    try session.run(
      VaultProcess.path, arguments, input: Data(input.utf8),
      adding: [
        "HOME": home.path, "XDG_DATA_HOME": "\(home.path)/data",
        "XDG_STATE_HOME": "\(home.path)/state",
      ])
  }

  @Test func withoutAPasswordItIsNotCalledLocked() throws {
    let session = try KeyringSession(.noPassword)
    let home = try TemporaryHome()
    let status = try vault(session, home, ["keyring", "status", "--json"])
    #expect(status.compactText.contains(#""state":"unlocked""#), "\(status.text)")
    let stored = try vault(session, home, ["set", "one", "--stdin", "--no-session"], input: "s")
    #expect(stored.status == 0, "\(stored.errors)")
    #expect(try vault(session, home, ["get", "one", "--no-session"]).text == "s")
    // What such a keyring may break gets no copy, since nothing says how it is kept.
    let odd = try vault(session, home, ["set", "odd", "--stdin", "--no-session"], input: "a\nb\n")
    #expect(odd.errors.contains("has no copy of it: odd"), "\(odd.errors)")
  }

  /// The daemon's own variables say where its files lie; the kernel shows them to root, and to its user
  /// where the daemon has no capability.
  @Test(.enabled(if: geteuid() == 0, "the kernel shows a daemon's variables to root"))
  func theDaemonsVariablesSayHowItIsKept() throws {
    let session = try KeyringSession(.noPassword)
    let home = try TemporaryHome()
    let status = try vault(session, home, ["keyring", "status", "--json"])
    #expect(status.compactText.contains(#""keepsInClear":true"#), "\(status.text)")
    let first = try vault(session, home, ["set", "one", "--stdin", "--no-session"], input: "s")
    #expect(
      first.errors.contains("warning: the desktop keyring has no password"), "\(first.errors)")
    let other = try KeyringSession(.unlocked)
    let kept = try vault(other, TemporaryHome(), ["keyring", "status", "--json"])
    #expect(kept.compactText.contains(#""keepsInClear":false"#), "\(kept.text)")
  }

  @Test func withAPasswordItStaysLockedAndNobodyIsAsked() throws {
    let session = try KeyringSession(.unlocked)
    let home = try TemporaryHome()
    let stored = try vault(session, home, ["set", "one", "--stdin", "--no-session"], input: "s")
    try #require(stored.status == 0, "\(stored.errors)")
    let lock = try session.run(
      "/usr/bin/dbus-send",
      [
        "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.Lock",
        "array:objpath:/org/freedesktop/secrets/collection/login",
      ])
    try #require(lock.status == 0, "\(lock.errors)")
    for _ in 0..<3 {
      #expect(try vault(session, home, ["get", "one", "--no-session"]).status == 77)
    }
    let unlocked = try vault(
      session, home, ["keyring", "unlock", "--keyring-password", "stdin"],
      input: KeyringSession.password)
    #expect(unlocked.status == 0, "\(unlocked.errors)")
    #expect(try vault(session, home, ["get", "one", "--no-session"]).text == "s")
    // Nothing is locked any more: no password is wanted.
    let again = try vault(session, home, ["keyring", "unlock"])
    #expect(again.status == 0 && again.errors.contains("already unlocked"), "\(again.errors)")
  }
}

/// The same with a keyring that has a password: all of it gets there.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct EncryptedKeyringTests {
  @Test func aSecretOfSeveralLinesHasItsCopyAndNothingIsSaidOfClearText() throws {
    let session = try KeyringSession(.unlocked)
    let stored = try session.run(
      VaultProcess.path, ["set", "pem", "--stdin", "--no-session"], input: Data("a\\n\nb".utf8))
    #expect(stored.status == 0 && !stored.errors.contains("password"), "\(stored.errors)")
    let copy = try session.run(
      "/usr/bin/secret-tool", ["lookup", "service", "vault", "username", "pem"])
    #expect(copy.text == "a\\n\nb")
  }
}
