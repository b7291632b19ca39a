import Foundation
import TestSupport
import Testing

/// KeePassXC as the desktop keyring: it adds attributes to every item, makes and deletes items by
/// prompts that ask nobody, and finds nothing by a search for no attributes.
@Suite(
  .enabled(if: KeyringSession.hasKeePassXC, "needs keepassxc, Xvfb, dbus-daemon and secret-tool"))
struct KeePassXCTests {
  private func vault(
    _ session: KeyringSession, _ arguments: [String], input: String = ""
  ) throws -> KeyringSession.Run {
    try session.run(
      VaultProcess.path, arguments + ["--no-session", "--keyring-timeout", "60s"],
      input: Data(input.utf8))
  }

  private func copies(_ name: String, in session: KeyringSession) throws -> [String] {
    let run = try session.run(
      "/usr/bin/secret-tool", ["search", "--all", "service", "vault", "username", name])
    return run.text.split(separator: "\n").filter { $0.hasPrefix("secret = ") }
      .map { String($0.dropFirst("secret = ".count)) }
  }

  @Test func theVaultIsMadeAndOpenedAndItsCopiesAreWrittenChangedWithdrawnListedAndAdopted() throws
  {
    let session = try KeyringSession(.keePassXC)
    let status = try vault(session, ["keyring", "status", "--json"])
    #expect(status.text.contains("keepassxc") && status.text.contains("unlocked"), "\(status.text)")

    // Made, with one key in the keyring, and opened by it.
    let made = try vault(session, ["set", "a", "--stdin"], input: "one")
    try #require(made.status == 0, "\(made.errors)")
    let keys = try session.run(
      "/usr/bin/secret-tool", ["search", "--all", "service", "vault-key"])
    #expect(keys.text.split(separator: "\n").count { $0.hasPrefix("secret = ") } == 1)
    #expect(try vault(session, ["get", "a"]).text == "one")
    #expect(try copies("a", in: session) == ["one"])

    // Changed in place, withdrawn by name.
    let changed = try vault(session, ["set", "a", "--stdin"], input: "two")
    #expect(changed.status == 0 && changed.errors.isEmpty, "\(changed.errors)")
    #expect(try copies("a", in: session) == ["two"])
    let added = try vault(session, ["key", "add", "--keyring"])
    #expect(added.status == 0, "\(added.errors)")

    // Listed with their owners, and another program's taken in.
    let store = try session.run(
      "/usr/bin/secret-tool", ["store", "--label", "Mail", "server", "mail.example", "user", "me"],
      input: Data("theirs".utf8))
    try #require(store.status == 0, "\(store.errors)")
    let list = try vault(session, ["keyring", "list"])
    #expect(list.text.contains("vault: a") && list.text.contains("this vault"), "\(list.text)")
    #expect(list.text.contains("Mail"), "\(list.text)")
    let adopted = try vault(session, ["keyring", "adopt", "Mail"])
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(try vault(session, ["get", "mail.example/me"]).text == "theirs")
    #expect(try copies("mail.example/me", in: session) == ["theirs"])
    let sync = try vault(session, ["keyring", "sync", "--json"])
    #expect(sync.compactText.contains("\"current\":2"), "\(sync.text)")

    let removed = try vault(session, ["remove", "a"])
    #expect(removed.status == 0 && removed.errors.isEmpty, "\(removed.errors)")
    #expect(try copies("a", in: session) == [])
    let off = try vault(session, ["keyring", "publish", "off"])
    #expect(off.status == 0, "\(off.errors)")
    #expect(try copies("mail.example/me", in: session) == [])
  }
}
