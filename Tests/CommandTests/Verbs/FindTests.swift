import Foundation
import TestSupport
import Testing

/// Finding items by what is known of them.
struct FindTests {
  private func vault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for name in [
      "github", "work/github", "github-old", "my-github", "web/shop", "web/mail", "tagged",
    ] {
      try vault.set(name, "secret of \(name)")
    }
    func change(_ words: String...) throws {
      let changed = try vault.command.run(["set"] + words)
      #expect(changed.status == 0, "\(changed.errors)")
    }
    try change(
      "web/shop", "--field", "user=GitHub@example.com", "--open", "plan", "--field", "plan=gold")
    try change("web/mail", "--field", "url=https://ann@mail.github.example/login?x=1")
    try change("tagged", "--tag", "github", "--note", "moved to Köln")
    try change("web/mail", "--field", "url=https://ann@mail.github.example/login?x=1")
    try change("my-github", "--attribute", "service=api", "--attribute", "account=me")
    try change("github-old", "--attribute", "service=api", "--attribute", "account=you")
    return vault
  }

  private func found(_ vault: ThrowawayVault, _ words: String...) throws -> [String] {
    try vault.command.run(["list"] + words).text.split(separator: "\n").map(String.init)
  }

  @Test func theBestPlaceOfAWordComesFirst() throws {
    let vault = try vault()
    // The name, its last part, where a part begins, within it; then user, address, tag.
    #expect(
      try found(vault, "github") == [
        "github", "work/github", "github-old", "my-github", "web/shop", "web/mail", "tagged",
      ])
    #expect(try found(vault, "GITHUB") == found(vault, "github"))
    #expect(try found(vault, "ithub").first == "github")
  }

  @Test(arguments: [
    ("github@example.com", "web/shop"), ("mail.github", "web/mail"), ("moved", "tagged"),
    ("KÖLN", "tagged"), ("köln", "tagged"),
  ])
  func usersAddressesAndNotesAreFoundInAnyCase(word: String, name: String) throws {
    #expect(try found(try vault(), word) == [name])
  }

  /// "ß" is "SS" in capital letters; a letter and its accent may be two scalars.
  @Test(arguments: [
    ("straße", ["straße", "STRASSE"]), ("STRASSE", ["straße", "STRASSE"]),
    ("strasse", ["straße", "STRASSE"]), ("Straẞe", ["straße", "STRASSE"]),
    ("école", ["ÉCOLE"]), ("e\u{301}cole", ["ÉCOLE"]), ("ΟΔΟΣ", ["οδος"]), ("οδος", ["οδος"]),
    ("JOSÉ", ["ÉCOLE"]), ("ecole", []), ("groß", ["οδος"]), ("GROSS", ["οδος"]),
  ])
  func lettersOfAllScriptsAreFoundInAnyCase(word: String, names: [String]) throws {
    let vault = try ThrowawayVault()
    for name in ["straße", "STRASSE", "ÉCOLE", "οδος"] { try vault.set(name, "x") }
    #expect(try vault("set", "ÉCOLE", "--field", "user=Jose\u{301}").status == 0)
    #expect(try vault("set", "οδος", "--note", "Groß geschrieben").status == 0)
    #expect(try Set(found(vault, word)) == Set(names))
  }

  @Test func severalWordsAreFoundWhereverTheyAre() throws {
    let vault = try vault()
    #expect(try found(vault, "shop github@example") == ["web/shop"])
    #expect(try found(vault, "gold SHOP") == ["web/shop"])
    #expect(try found(vault, "köln tagged github") == ["tagged"])
    #expect(try found(vault, "shop nothing") == [])
    // As it was typed comes first.
    try vault.set("moved to", "x")
    try vault.set("to moved", "x")
    #expect(try found(vault, "moved to") == ["moved to", "tagged", "to moved"])
    #expect(try found(vault, " shop ") == ["web/shop"])
    // Without the quotes the line says where they go.
    let said = try vault("list", "shop", "gold")
    #expect(
      said.status == 64 && said.errors.contains("hint: vault list 'shop gold'"), "\(said.errors)")
    #expect(try vault("list", "*", "gold").errors.contains("one pattern at a time"))
  }

  @Test func neitherASecretNorAConcealedFieldIsSearched() throws {
    let vault = try vault()
    #expect(try found(vault, "secret") == [])
    // What is open is the person's choice, as for `show`.
    #expect(try found(vault, "gold") == ["web/shop"])
    #expect(
      try vault("set", "web/shop", "--conceal", "plan", "--conceal", "user").status == 0)
    #expect(try found(vault, "gold") == [])
    #expect(try found(vault, "github@example") == [])
  }

  @Test func otherConditionsHoldForWhatAWordFinds() throws {
    let vault = try vault()
    #expect(try found(vault, "github", "--tag", "github") == ["tagged"])
    #expect(try vault("remove", "work/github", "web/shop").status == 0)
    #expect(try found(vault, "github", "--trash") == ["work/github"])
    #expect(try !found(vault, "github").contains("work/github"))
    #expect(try vault("list", "nothing", "--exit-code").status == 1)
    let json = try vault("list", "github", "--json").text
    let first = try #require(json.range(of: "\"github\""))
    let last = try #require(json.range(of: "\"tagged\""))
    #expect(first.lowerBound < last.lowerBound)
  }

  @Test func attributesFindItems() throws {
    let vault = try vault()
    #expect(try found(vault, "--attribute", "service=api") == ["github-old", "my-github"])
    #expect(
      try found(vault, "--attribute", "service=api", "--attribute", "account=me") == ["my-github"])
    #expect(try found(vault, "--attribute", "service=API") == [])
    #expect(
      try vault("get", "--attribute", "service=api", "--attribute", "account=you").text
        == "secret of github-old")
    let several = try vault("get", "--attribute", "service=api")
    #expect(several.status == 64)
    #expect(several.output.isEmpty)
    #expect(several.errors.contains("2 items have this attribute"))
    #expect(several.errors.contains("name one of them: github-old, my-github"))
    let none = try vault("get", "--attribute", "service=other")
    #expect(none.status == 1)
    #expect(none.errors.contains("no item has this attribute"))
    #expect(try vault("get", "my-github", "--attribute", "service=api").status == 64)
    #expect(try vault("get", "--attribute", "service").status == 64)
    #expect(try vault("list", "--attribute", "=x").status == 64)
    let json = try vault(
      "get", "--attribute", "account=me", "--field", "user", "--json")
    #expect(json.errors.contains("field"), "\(json.errors)")
  }

  @Test func theLongListHasUserAndHost() throws {
    let vault = try vault()
    let lines = try found(vault, "--long")
    func login(_ name: String) -> [Substring] {
      lines.first { $0.hasPrefix("\(name) ") }?.split(separator: " ").suffix(2) ?? []
    }
    #expect(login("web/shop") == ["GitHub@example.com", "-"], "\(lines)")
    #expect(login("web/mail") == ["-", "mail.github.example"], "\(lines)")
    #expect(login("my-github") == ["me", "-"])
    #expect(login("work/github") == ["-", "-"])
  }

  @Test func aMissingItemIsFoundByItsUser() throws {
    let vault = try vault()
    let missing = try vault("get", "github@example.com")
    #expect(missing.status == 1)
    #expect(missing.output.isEmpty)
    #expect(
      missing.errors.contains("did you mean: web/shop, which was found by GitHub@example.com"))
  }

  /// A damaged item is passed over; it says so itself when it is read.
  @Test func whatIsDamagedIsPassedOver() throws {
    let vault = try vault()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    bytes[bytes.count - 20] ^= 1
    try bytes.write(to: URL(fileURLWithPath: vault.path))
    let all = try vault("list", "github")
    #expect(all.status == 0, "\(all.errors)")
    #expect(all.text.contains("work/github\n"))
  }
}
