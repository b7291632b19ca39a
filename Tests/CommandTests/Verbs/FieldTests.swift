import Foundation
import TestSupport
import Testing

/// Details and fields of an item that are changed without its secret, and shown where they are
/// open.
struct FieldTests {
  /// What `show` writes, with single blanks.
  private func shown(_ vault: ThrowawayVault, _ words: String...) throws -> String {
    try vault.command.run(["show"] + words).text.replacing(#/ +/#, with: " ")
  }

  @Test func detailsAreChangedWithoutTheSecret() throws {
    let vault = try ThrowawayVault()
    try vault.set("web/new", "s3cr3t")
    let changed = try vault(
      "set", "web/new", "--tag", "shop", "--tag", "old", "--note", "the new one", "--expires",
      "2030-01-31", "--attribute", "server=example.com", "--kind", "login", "--json")
    #expect(changed.status == 0, "\(changed.errors)")
    #expect(changed.text.contains(#""version": 1"#))
    #expect(try vault("set", "web/new", "--untag", "old", "--untag", "none").status == 0)
    let page = try shown(vault, "web/new")
    for part in ["tags shop\n", "the new one", "2030-01-31", "server=example.com", "login"] {
      #expect(page.contains(part), "\(part) in \(page)")
    }
    #expect(try vault("get", "web/new").text == "s3cr3t")
    #expect(try vault("history", "web/new").text.split(separator: "\n").count == 1)
    // Only the last of the two changes is taken back.
    #expect(try vault("undo").status == 0)
    #expect(try shown(vault, "web/new").contains("tags old, shop\n"))
    #expect(try vault("list", "--tag", "old").text == "web/new\n")
  }

  @Test func withoutAnItemThereIsNothingToDescribe() throws {
    let vault = try ThrowawayVault()
    for line in [["set", "none", "--tag", "x"], ["set", "none", "--field", "user=bob"]] {
      let refused = try vault.command.run(line)
      #expect(refused.status == 64, "\(line)")
      #expect(refused.errors.contains("no terminal to ask for the secret"))
    }
    #expect(try vault("list").text == "")
  }

  @Test func oneLineMakesALoginAndOneUndoTakesItBack() throws {
    let vault = try ThrowawayVault()
    let made = try vault(
      "set", "web/new", "--field", "user=bob", "--field", "url=https://example.com/?a=b",
      "--generate", "--show", "--tag", "shop")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.text.count == 20)
    #expect(try vault("get", "web/new").text == made.text)
    #expect(try vault("get", "web/new", "--field", "url").text == "https://example.com/?a=b")
    #expect(try vault("history", "web/new").text.split(separator: "\n").count == 1)
    #expect(try vault("set", "web/new", "--field", "user=eve", "--field", "url=x").status == 0)
    #expect(try vault("history", "web/new").text.split(separator: "\n").count == 2)
    #expect(try vault("get", "web/new").text == made.text)
    #expect(try vault("undo").status == 0)
    #expect(try vault("get", "web/new", "--field", "user").text == "bob")
    #expect(try vault("get", "web/new", "--field", "url").text == "https://example.com/?a=b")
    // What is as it was makes no version.
    let before = try vault("history", "web/new").text
    #expect(
      try vault("set", "web/new", "--field", "user=bob", "--field", "url=https://example.com/?a=b")
        .status == 0)
    #expect(try vault("history", "web/new").text == before)
  }

  @Test(arguments: [
    ["--field", "pin=canary-9"], ["--field", "user=bob", "--field", "PIN=canary-9"],
    ["--field", "password=canary-9"], ["--field", "otp=canary-9"], ["--field", "=canary-9"],
    ["--field", "user=canary-9", "--conceal", "user"],
  ])
  func aSecretFieldIsNotTakenFromTheLine(words: [String]) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    for name in ["a", "new"] {
      let refused = try vault.command.run(["set", name] + words + ["--generate"])
      #expect(refused.status == 64, "\(refused.errors)")
      #expect(!refused.errors.contains("canary-9"))
    }
    #expect(try vault("get", "a").text == "s3cr3t")
    #expect(try vault("list").text == "a\n")
    #expect(try vault("history", "a").text.split(separator: "\n").count == 1)
  }

  @Test func refusedBeforeAVaultIsMade() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let refused = try vault.run(
      ["set", "a", "--field", "pin=1", "--generate", "--key-file", "\(home.path)/key"])
    #expect(refused.status == 64)
    #expect(home.names() == [])
  }

  @Test func openFieldsAreShownAndOthersAreNot() throws {
    let vault = try ThrowawayVault()
    try vault.set("web/a", "s3cr3t")
    for (field, value) in [("PIN", "1234"), ("user", "bob"), ("notes", "one\ntwo"), ("Web", "w")] {
      let set = try vault("set", "web/a", "--field", field, "--stdin", "--exact", input: value)
      #expect(set.status == 0)
    }
    let page = try shown(vault, "web/a")
    #expect(page.contains("user bob\n"))
    #expect(page.contains("notes one\n two\n"))
    #expect(page.contains("PIN 4 bytes, fingerprint "))
    #expect(!page.contains("s3cr3t"))
    let revealed = try shown(vault, "web/a", "--reveal")
    #expect(revealed.contains("secret s3cr3t\n"))
    #expect(revealed.contains("PIN 1234\n"))
    // Said otherwise, and kept.
    #expect(try vault("set", "web/a", "--open", "Web", "--conceal", "user").status == 0)
    let marked = try shown(vault, "web/a")
    #expect(marked.contains("Web w\n"))
    #expect(!marked.contains("bob"))
    #expect(!marked.contains("vault:fields"))
    #expect(try vault("set", "web/a", "--attribute", "server=x", "--field", "Web=y").status == 0)
    #expect(try shown(vault, "web/a").contains("Web y\n"))
    #expect(try vault("copy", "web/a", "web/b").status == 0)
    #expect(try !vault("show", "web/b").text.contains("bob"))
    let json = try JSONSerialization.jsonObject(with: vault("show", "web/b", "--json").output)
    let fields = try #require((json as? [String: Any])?["fields"] as? [String: [String: Any]])
    #expect(fields["Web"]?["value"] as? String == "y")
    #expect(fields["PIN"]?["isOpen"] as? Bool == false && fields["PIN"]?["value"] == nil)
    // An export keeps it.
    let export = try vault("export", "json", "--yes").output
    let other = try ThrowawayVault()
    let taken = try other.command.run(["import", "json", "-"], input: export)
    #expect(taken.status == 0, "\(taken.errors)")
    #expect(try shown(other, "web/b").contains("Web y\n"))
    #expect(try !other("show", "web/b").text.contains("bob"))
  }

  @Test func aFieldIsRemovedAndComesBack() throws {
    let vault = try ThrowawayVault()
    try vault.set("m", "s3cr3t")
    #expect(
      try vault("set", "m", "--open", "pin", "--field", "pin=1", "--field", "user=u").status == 0)
    let removed = try vault("remove", "m", "--field", "pin", "--field", "user", "--json")
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(removed.text.contains(#""version": 3"#))
    #expect(try vault("get", "m", "--field", "pin").status == 1)
    #expect(try vault("get", "m").text == "s3cr3t")
    // The next one of the name is not open.
    #expect(try vault("set", "m", "--field", "pin=2").status == 64)
    #expect(try vault("undo").status == 0)
    #expect(try vault("get", "m", "--field", "pin").text == "1")
    for (line, status) in [
      (["m", "--field", "none"], 1), (["none", "--field", "pin"], 1),
      (["m", "n", "--field", "pin"], 64), (["m", "--field", "pin", "--purge"], 64),
    ] {
      #expect(try vault.command.run(["remove"] + line).status == Int32(status), "\(line)")
    }
  }

  @Test func contradictoryOptionsAreRefused() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    for line in [
      ["set", "a", "--field", "x", "--field", "y", "--stdin"],
      ["set", "a", "--open", "x", "--conceal", "x"], ["set", "a", "--copy"],
      ["set", "a", "--field", "user=1", "--field", "user=2"],
      ["show", "a", "--reveal", "--qr"], ["get", "a", "--qr", "--copy"],
      ["get", "a", "--qr", "--json"],
    ] {
      #expect(try vault.command.run(line).status == 64, "\(line)")
    }
  }
}
