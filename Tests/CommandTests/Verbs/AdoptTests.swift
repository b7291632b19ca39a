import Foundation
import TestSupport
import Testing

/// Other programs' items in the keyring, listed and taken in; and a vault mended by its copies.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct AdoptTests {
  private func stored(
    _ secret: String, _ attributes: [String], in session: KeyringSession, label: String
  ) throws {
    let run = try session.run(
      "/usr/bin/secret-tool", ["store", "--label", label] + attributes, input: Data(secret.utf8))
    try #require(run.status == 0, "\(run.errors)")
  }

  @Test func itemsOfOtherProgramsAreListedAndTakenIn() throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    try stored(
      "gh-token", ["service", "gh:github.com", "username", "me"], in: vault.session, label: "gh")
    try stored(
      "pw", ["server", "mail.example", "user", "me", "protocol", "imap"],
      in: vault.session, label: "Mail")
    let list = try vault.run(["keyring", "list"], in: vault.session)
    #expect(list.status == 0, "\(list.errors)")
    #expect(list.text.contains("gh:github.com") && list.text.contains("Mail"))
    #expect(list.text.contains("this vault"))
    #expect(!list.text.contains("gh-token") && !list.text.contains("s3cr3t"))
    let some = try vault.run(
      ["keyring", "list", "--attribute", "protocol=imap", "--json"], in: vault.session)
    #expect(some.text.contains("mail.example") && !some.text.contains("gh:"))

    let adopt = try vault.run(["keyring", "adopt", "Mail"], in: vault.session)
    #expect(adopt.status == 0, "\(adopt.errors)")
    #expect(try vault.run(["get", "mail.example/me"], in: vault.session).text == "pw")
    let show = try vault.run(["show", "mail.example/me", "--json"], in: vault.session)
    #expect(show.text.contains("internet-password") && show.text.contains("imap"))
    let again = try vault.run(["keyring", "adopt", "Mail"], in: vault.session)
    #expect(again.status == 1, "\(again.errors)")
    let named = try vault.run(["keyring", "adopt", "gh", "--as", "work/gh"], in: vault.session)
    #expect(named.status == 0, "\(named.errors)")
    #expect(try vault.run(["get", "work/gh"], in: vault.session).text == "gh-token")
    #expect(try vault.run(["keyring", "adopt", "nothing"], in: vault.session).status == 1)
    let ours = try vault.run(["keyring", "adopt", "vault: api-token"], in: vault.session)
    #expect(ours.status == 64, "\(ours.errors)")
  }

  /// Nobody is asked for the vault's passphrase, only to see what lies in the keyring.
  @Test func aLockedVaultDoesNotHideThem() throws {
    let session = try KeyringSession(.unlocked)
    try stored("gh-token", ["service", "gh:github.com"], in: session, label: "gh")
    func run(_ words: String..., environment: [String] = []) throws -> KeyringSession.Run {
      try session.run(
        "/usr/bin/env", environment + [VaultProcess.path] + words + ["--no-session"])
    }
    let made = try run("init", "--passphrase", "env:PW", environment: ["PW=a good passphrase"])
    try #require(made.status == 0, "\(made.errors)")
    let list = try run("keyring", "list")
    #expect(list.status == 0, "\(list.errors)")
    #expect(list.text.contains("gh:github.com"))
    #expect(list.errors.contains("cannot be told"), "\(list.errors)")
    #expect(
      try run("keyring", "list", "--passphrase", "env:PW", environment: ["PW=no"]).status == 77)
  }

  @Test func allItemsOfOtherProgramsAreTakenInOnce() throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    for (secret, attributes) in [
      ("one", ["service", "a.example", "username", "me"]),
      ("two", ["service", "a.example", "username", "me", "extra", "x"]),
      ("three", ["service", "b.example"]), ("theirs", ["service", "c.example"]),
    ] {
      try stored(secret, attributes, in: vault.session, label: attributes[1])
    }
    try #require(
      try vault.run(["set", "c.example", "--stdin"], input: "mine", in: vault.session).status == 0)
    let all = try vault.run(["keyring", "adopt", "--all"], in: vault.session)
    #expect(all.status == 1, "\(all.errors)")
    #expect(all.errors.contains("adopted 3 (0 unchanged, 1 skipped)"), "\(all.errors)")
    #expect(all.errors.contains("skipped: c.example: "), "\(all.errors)")
    let got = try ["a.example/me", "a.example/me~2"].map {
      try vault.run(["get", $0], in: vault.session).text
    }
    #expect(Set(got) == ["one", "two"])
    #expect(try vault.run(["get", "b.example"], in: vault.session).text == "three")
    #expect(try vault.run(["get", "c.example"], in: vault.session).text == "mine")
    // A second time, nothing is new; one undo would have taken all of it back.
    let again = try vault.run(["keyring", "adopt", "--all", "--json"], in: vault.session)
    #expect(again.status == 1, "\(again.errors)")
    #expect(again.compactText.components(separatedBy: #""action":"same""#).count == 4)
    #expect(try vault.run(["undo"], in: vault.session).status == 0)
    #expect(try vault.run(["get", "b.example"], in: vault.session).status == 1)
    for wrong in [[], ["x", "--all"], ["--all", "--as", "y"]] {
      #expect(try vault.run(["keyring", "adopt"] + wrong, in: vault.session).status == 64)
    }
  }

  @Test func aForeignItemInThePlaceOfACopyBecomesTheCopy() throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    let service = "vault:\(try vault.id)"
    try stored(
      "theirs", ["service", service, "username", "x"], in: vault.session, label: "foreign")
    let set = try vault.run(["set", "x", "--stdin"], input: "mine", in: vault.session)
    #expect(set.status == 0 && set.errors.contains("was not changed"), "\(set.errors)")
    let lookup = ["lookup", "service", service, "username", "x"]
    #expect(try vault.session.run("/usr/bin/secret-tool", lookup).text == "theirs")
    try #require(try vault.run(["remove", "x"], in: vault.session).status == 0)
    let adopt = try vault.run(["keyring", "adopt", "foreign"], in: vault.session)
    #expect(adopt.status == 0, "\(adopt.errors)")
    #expect(try vault.run(["get", "x"], in: vault.session).text == "theirs")
    try #require(
      try vault.run(["set", "x", "--stdin"], input: "new", in: vault.session).status == 0)
    #expect(try vault.session.run("/usr/bin/secret-tool", lookup).text == "new")
  }

  @Test func aVaultThatIsLostComesBackFromItsCopies() throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    try #require(
      try vault.run(["set", "other", "--stdin"], input: "second", in: vault.session).status == 0)
    // The header's checksum no longer fits; its id can still be read.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    bytes[70] ^= 1
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: vault.path))
    try file.write(contentsOf: bytes)
    try file.close()
    try FileManager.default.removeItem(atPath: "\(vault.path).previous")
    #expect(try vault.run(["get", "other"], in: vault.session).status == 65)
    let salvage = try vault.run(["check", "--salvage"], in: vault.session)
    #expect(salvage.status == 0, "\(salvage.errors)")
    #expect(salvage.errors.contains("secrets.vault.damaged"))
    #expect(try vault.run(["get", "api-token"], in: vault.session).text == "s3cr3t")
    #expect(try vault.run(["get", "other"], in: vault.session).text == "second")
    #expect(try vault.run(["check"], in: vault.session).status == 0)
  }
}
