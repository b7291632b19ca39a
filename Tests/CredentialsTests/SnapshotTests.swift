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
}
