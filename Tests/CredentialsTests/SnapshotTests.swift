import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// A snapshot answers from the moment it was read.
struct SnapshotTests {
  let test: ThrowawayVault
  let vault: UnlockedVault.Blocking

  init() throws {
    test = try ThrowawayVault()
    vault = test.open.blocking
  }

  @Test func itAnswersFromTheMomentItWasRead() throws {
    let name = try ItemName("token")
    try vault.set(name, to: Secret("one"))
    let snapshot = try vault.read()
    try vault.set(name, to: Secret("two"))
    try vault.set(try ItemName("other"), to: Secret("x"))

    #expect(snapshot.items().map(\.name) == [name])
    #expect(try snapshot.secret(of: snapshot.item(name)).text == "one")
    #expect(try vault.read().secret(of: vault.item(name)).text == "two")
  }

  @Test func inPlaceItAnswersFromTheFileThatWasRead() throws {
    let name = try ItemName("token")
    try vault.set(name, to: Secret("one"))
    let snapshot = try vault.readInPlace()
    // Another file has the vault's name now, and the one that was read none: the second write takes
    // the name of the previous generation from it.
    try vault.set(name, to: Secret("half"))
    try vault.set(name, to: Secret("two"))

    #expect(try snapshot.secret(of: snapshot.item(name)).text == "one")
    #expect(try vault.readInPlace().secret(of: vault.item(name)).text == "two")
  }

  @Test func linesOfNamesAreTheNames() throws {
    #expect(try vault.read().nameLines().isEmpty)
    for name in ["web/b", "é", "web/a", "zz", "web"] {
      try vault.set(ItemName(name), to: Secret("x"))
    }
    try vault.remove(ItemName("zz"))
    let snapshot = try vault.read()
    #expect(String(decoding: snapshot.nameLines(), as: UTF8.self) == "web\nweb/a\nweb/b\né\n")
    var query = ItemQuery()
    query.folder = "web"
    #expect(
      String(decoding: snapshot.nameLines(matching: query), as: UTF8.self) == "web/a\nweb/b\n")
    query.isInTrash = true
    query.folder = nil
    #expect(String(decoding: snapshot.nameLines(matching: query), as: UTF8.self) == "zz\n")
  }

  @Test func itTellsWhatHasChangedSinceAnother() throws {
    let names = try (0..<8).map { try ItemName("item\($0)") }
    for name in names { try vault.set(name, to: Secret("one")) }
    let former = try vault.read()
    func changes() throws -> [String: String?] {
      let changes = try vault.read().changes(since: former)
      for (before, after) in changes {
        #expect(before == nil || after == nil || before?.id == after?.id)
      }
      return Dictionary(
        uniqueKeysWithValues: changes.map {
          ($0.before?.name.text ?? "new \($0.after?.name.text ?? "")", $0.after?.name.text)
        })
    }
    #expect(try changes() == [:])
    // All that come behind it in the file move, and have not changed.
    try vault.set(names[0], to: Secret(String(repeating: "longer", count: 100)))
    #expect(try changes() == ["item0": "item0"])
    try vault.rename(names[1], to: ItemName("another"))
    try vault.remove(names[2])
    try vault.remove(names[3], purge: true)
    try vault.set(ItemName("added"), to: Secret("x"))
    let expected = [
      "item0": "item0", "item1": "another", "item2": nil, "item3": nil, "new added": "added",
    ]
    #expect(try changes() == expected)
    // What went into the trash after it came was never there for who looks at both.
    try vault.remove(ItemName("added"))
    #expect(try changes() == expected.filter { $0.key != "new added" })

    let id = try former.item(names[1]).id
    #expect(try vault.read().item(withID: id)?.name.text == "another")
    #expect(try vault.read().item(withID: former.item(names[2]).id) == nil)
    #expect(try vault.read().item(withID: id.uppercased()) == nil)
    #expect(try vault.read().item(withID: "no id") == nil)
  }

  @Test func anItemOfItAnswersAlsoAfterARename() throws {
    let (name, other) = (try ItemName("github.com"), try ItemName("elsewhere"))
    try vault.set(name, to: Secret("mine"))
    let before = try vault.read()
    let item = try before.item(name)
    try vault.rename(name, to: other)
    try vault.set(name, to: Secret("somebody else's"))

    #expect(try before.secret(of: item).text == "mine")
    // Another snapshot finds it by its id, whatever it is called by now.
    let after = try vault.read()
    #expect(try after.secret(of: item).text == "mine")
    #expect(try after.secret(of: after.item(name)).text == "somebody else's")
  }

  @Test func secretsAndFieldsOfAnItemComeTogether() throws {
    let name = try ItemName("login")
    try vault.set(name, to: Secret("password"))
    try vault.set(name, to: Secret("me"), field: "user")
    let snapshot = try vault.read()
    let whole = try snapshot.secrets(of: snapshot.item(name))
    #expect(whole.item.name == name)
    #expect(whole.main.text == "password")
    #expect(whole.fields.mapValues(\.text) == ["user": "me"])
    #expect(try snapshot.fields(of: whole.item) == ["user"])
    #expect(
      try snapshot.fingerprint(of: whole.item, field: "user")
        == vault.fingerprint(of: name, field: "user"))
    #expect(throws: CredentialError.self) { try snapshot.secret(of: whole.item, field: "none") }
  }

  @Test func earlierVersionsAreReadWhenTheyAreAskedFor() throws {
    let name = try ItemName("token")
    try vault.set(name, to: Secret("one"))
    try vault.set(name, to: Secret("two"))
    let snapshot = try vault.read()
    let item = try snapshot.item(name)
    #expect(try snapshot.history(of: item).map(\.version) == [2, 1])
    #expect(try snapshot.secret(of: item, version: 1).text == "one")
  }

  @Test func anItemInTheTrashHasEarlierVersionsOnly() throws {
    let name = try ItemName("token")
    try vault.set(name, to: Secret("one"))
    try vault.remove(name)
    let snapshot = try vault.read()
    #expect(snapshot[name] == nil)
    var trash = ItemQuery()
    trash.isInTrash = true
    let item = try #require(snapshot.items(matching: trash).first)
    #expect(throws: CredentialError.self) { try snapshot.secret(of: item) }
    #expect(try snapshot.history(of: item).map(\.isCurrent) == [false])
    #expect(try snapshot.secret(of: item, version: 1).text == "one")
  }

  @Test func itIsReadOffTheCooperativeThreads() async throws {
    let vault = test.open
    let name = try ItemName("token")
    try await vault.set(name, to: Secret("one"))
    let snapshot = try await vault.read()
    #expect(try snapshot.secret(of: snapshot.item(name)).text == "one")
  }

  @Test func everyNameOfManyIsFound() throws {
    for number in 0..<40 { try vault.set(try ItemName("k\(number)"), to: Secret("\(number)")) }
    let snapshot = try vault.read()
    for number in 0..<40 {
      let item = try snapshot.item(ItemName("k\(number)"))
      #expect(try snapshot.secret(of: item).text == "\(number)")
    }
    #expect(snapshot[try ItemName("k40")] == nil)
  }

  /// Orders of bytes: a short name before a longer one, names that differ behind their first eight
  /// bytes, and letters of two bytes after all of ASCII.
  private static let names = [
    "a", "a/b", "aa", "item", "item/long-name-1", "item/long-name-10", "item/long-name-2", "item0",
    "z", "\u{E9}", "\u{E9}t\u{E9}", "\u{1F511}",
  ]

  @Test func namesComeInTheOrderOfTheirBytes() throws {
    for name in Self.names.reversed() { try vault.set(ItemName(name), to: Secret(name)) }
    #expect(try vault.read().names() == Self.names)
    #expect(try vault.items().map(\.name.text) == Self.names)
    // Also where some are records that were changed just now.
    let edited = try vault.edit { edit in
      try edit.set(ItemName("b"), to: Secret("new"))
      return edit.items().map(\.name.text)
    }
    #expect(edited == ["a", "a/b", "aa", "b"] + Self.names.dropFirst(3))
  }

  @Test func namesThatBeginWithATextAreThoseOfAllThatDo() throws {
    for name in Self.names { try vault.set(ItemName(name), to: Secret(name)) }
    try vault.set(ItemName("item1"), to: Secret("x"))
    try vault.remove(ItemName("item1"))
    for start in ["", "a", "a/", "item", "item/long-name-1", "item1", "\u{E9}", "e\u{301}", "x"] {
      #expect(
        try vault.names(beginningWith: start) == Self.names.filter { $0.hasPrefix(start) },
        "\(start)")
    }
  }

  @Test func fieldsKeepTheirOrderAndAreReplacedAndRemoved() throws {
    let name = try ItemName("login")
    try vault.set(name, to: Secret("main"))
    for field in ["user", "pin", "url", "\u{E9}"] {
      try vault.set(name, to: Secret("of \(field)"), field: field)
    }
    try vault.set(name, to: Secret("another"), field: "pin")
    var changes = SecretChanges()
    changes.removedFields = ["url"]
    _ = try vault.edit { [changes] in try $0.change(name, changes) }
    let secrets = try vault.read().secrets(of: vault.item(name))
    #expect(secrets.main.text == "main")
    #expect(
      secrets.fields.mapValues(\.text)
        == ["user": "of user", "pin": "another", "\u{E9}": "of \u{E9}"])
    #expect(try vault.fields(of: name) == ["pin", "user", "\u{E9}"])
    #expect(try vault.get(name, field: "e\u{301}").text == "of \u{E9}")
  }
}
