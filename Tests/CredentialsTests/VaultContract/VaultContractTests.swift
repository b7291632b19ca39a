import Foundation
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// The vault does the same whatever opens it, with copies in a keyring and without.
struct VaultContractTests {
  @Test(arguments: Arrangement.all)
  func secretsAndFieldsComeBackExactly(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    let secrets: [[UInt8]] = [[], [0], [0xFF, 0xFE], Array("pa\u{DF}\r\n".utf8), Array(0...255)]
    for (number, bytes) in secrets.enumerated() {
      let secret = Secret(try SecretBytes(copying: bytes))
      try vault.open.set(name("s/\(number)"), to: secret)
      try vault.open.set(name("s/\(number)"), to: secret, field: "again")
    }
    let reopened = try vault.reopened()
    for (number, bytes) in secrets.enumerated() {
      let expected = try SecretBytes(copying: bytes)
      let item = try name("s/\(number)")
      #expect(try reopened.get(item).bytes.isEqual(to: expected))
      #expect(try reopened.get(item, field: "again").bytes.isEqual(to: expected))
      #expect(try reopened.fields(of: item) == ["again"])
      #expect(try reopened.fingerprint(of: item).length == bytes.count)
    }
    let several = try reopened.get([name("s/1"), name("s/3")])
    #expect(several.mapValues(\.count) == [try name("s/1"): 1, try name("s/3"): 6])
    #expect(try !reopened.check().isDamaged)
  }

  @Test(arguments: Arrangement.all)
  func whatIsKnownOfAnItemIsKeptAndChanged(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    var changes = ItemChanges()
    changes.kind = .login
    changes.note = "a note"
    changes.tags = ["work", "ci"]
    changes.attributes = ["server": "example.com"]
    changes.expires = Date(timeIntervalSince1970: 4_000_000_000)
    let made = try vault.open.set(name("a"), to: Secret("1"), changes: changes)
    #expect(made.isNew)
    var later = ItemChanges()
    later.note = "another"
    later.expires = .some(nil)
    try vault.open.update(name("a"), later)
    let item = try vault.reopened().item(name("a"))
    #expect(item.kind == .login)
    #expect(item.note == "another")
    #expect(item.tags == ["ci", "work"])
    #expect(item.attributes == ["server": "example.com"])
    #expect(item.expires == nil)
    #expect(item.version == 1)
    #expect(item.trashed == nil)
  }

  @Test(arguments: Arrangement.all)
  func earlierVersionsAreReadAndRestored(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    for secret in ["one", "two", "three"] { try vault.open.set(name("a"), to: Secret(secret)) }
    let reopened = try vault.reopened()
    #expect(try reopened.history(of: name("a")).map(\.version) == [3, 2, 1])
    #expect(try reopened.get(name("a"), version: 1).text == "one")
    let restored = try reopened.restore(name("a"), version: 1)
    #expect(restored.version == 4)
    #expect(try vault.open.get(name("a")).text == "one")
    #expect(try vault.open.get(name("a"), version: 3).text == "three")
  }

  @Test(arguments: Arrangement.all)
  func removedItemsComeBackAndPurgedOnesDoNot(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    var trash = ItemQuery()
    trash.isInTrash = true
    for text in ["a", "b", "c"] { try vault.open.set(name(text), to: Secret(text)) }
    try vault.open.remove([name("a"), name("b")])
    #expect(try vault.open.items().map(\.name.text) == ["c"])
    #expect(try vault.open.items(matching: trash).map(\.name.text) == ["a", "b"])
    #expect(code { _ = try vault.open.get(name("a")) } == .itemNotFound)
    try vault.reopened().restore(name("a"))
    #expect(try vault.open.get(name("a")).text == "a")
    try vault.open.remove(name("c"), purge: true)
    #expect(try vault.open.items(matching: trash).map(\.name.text) == ["b"])
    #expect(try vault.open.emptyTrash() == 1)
    #expect(try vault.reopened().items().map(\.name.text) == ["a"])
  }

  @Test(arguments: Arrangement.all)
  func itemsAreRenamedAndCopied(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    try vault.open.set(name("a"), to: Secret("1"))
    try vault.open.set(name("a"), to: Secret("me"), field: "user")
    let before = try vault.open.item(name("a"))
    let renamed = try vault.open.rename(name("a"), to: name("b"))
    #expect(renamed.id == before.id)
    let copied = try vault.open.copy(name("b"), to: name("c"))
    #expect(copied.id != before.id)
    let reopened = try vault.reopened()
    #expect(try reopened.items().map(\.name.text) == ["b", "c"])
    for text in ["b", "c"] {
      #expect(try reopened.get(name(text)).text == "1")
      #expect(try reopened.get(name(text), field: "user").text == "me")
    }
  }

  @Test(arguments: Arrangement.all)
  func theLastChangeIsTakenBack(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    try vault.open.set(name("a"), to: Secret("1"))
    try vault.open.set(name("a"), to: Secret("2"))
    #expect(try vault.open.undo().map(\.kind) == [.changedBack])
    #expect(try vault.reopened().get(name("a")).text == "1")
    try vault.open.undo()
    #expect(try vault.open.get(name("a")).text == "2")
    try vault.open.remove(name("a"))
    #expect(try vault.open.undo().map(\.kind) == [.restored])
    try vault.open.set(name("b"), to: Secret("new"))
    #expect(try vault.open.undo().map(\.kind) == [.removed])
    #expect(try vault.reopened().items().map(\.name.text) == ["a"])
  }

  @Test(arguments: Arrangement.all)
  func whatIsMissingOrTakenIsAnErrorAndChangesNothing(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    try vault.open.set(name("a"), to: Secret("1"))
    try vault.open.set(name("b"), to: Secret("2"))
    func state() throws -> [String] {
      try vault.reopened().items().map { "\($0.name.text) \($0.version) \($0.modified)" }
    }
    let before = try state()
    let open = vault.open
    #expect(code { _ = try open.get(name("none")) } == .itemNotFound)
    #expect(code { _ = try open.get(name("a"), field: "none") } == .fieldNotFound)
    #expect(code { _ = try open.get(name("a"), version: 7) } == .versionNotFound)
    #expect(try open.get([name("a"), name("none")]).keys.map(\.text) == ["a"])
    #expect(code { try open.rename(name("a"), to: name("b")) } == .itemExists)
    #expect(code { try open.copy(name("none"), to: name("c")) } == .itemNotFound)
    // Several at once: all of them, or none.
    #expect(code { try open.remove([name("a"), name("none")]) } == .itemNotFound)
    #expect(try state() == before)
  }

  @Test(arguments: Arrangement.all)
  func itemsAreFoundByNameTagAndAttribute(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    var changes = ItemChanges()
    changes.tags = ["ci"]
    changes.attributes = ["server": "example.com"]
    changes.expires = Date(timeIntervalSince1970: 1_000_000_000)
    try vault.open.set(name("work/a"), to: Secret("1"), changes: changes)
    try vault.open.set(name("work/b"), to: Secret("2"))
    try vault.open.set(name("home/c"), to: Secret("3"))
    func found(_ change: (inout ItemQuery) -> Void) throws -> [String] {
      var query = ItemQuery()
      change(&query)
      return try vault.open.items(matching: query).map(\.name.text)
    }
    #expect(try found { _ in } == ["home/c", "work/a", "work/b"])
    #expect(try found { $0.pattern = "work/*" } == ["work/a", "work/b"])
    #expect(try found { $0.tag = "ci" } == ["work/a"])
    #expect(try found { $0.attributes = ["server": "example.com"] } == ["work/a"])
    #expect(try found { $0.expiresBefore = Date() } == ["work/a"])
  }

  @Test(arguments: Arrangement.all)
  func copiesFollowTheVaultWherePublishingIsOn(arrangement: Arrangement) throws {
    let vault = try ArrangedVault(arrangement)
    let isOn = arrangement.isPublishing
    func expectCopies(_ copies: [String: String], _ comment: Comment) {
      #expect(vault.copies == (isOn ? copies : [:]), comment)
    }
    #expect(try vault.open.isPublishing() == isOn)
    try vault.open.set(name("a"), to: Secret("1"))
    try vault.open.set(name("b"), to: Secret("2"))
    expectCopies(["a": "1", "b": "2"], "set")
    try vault.open.set(name("a"), to: Secret("1+"))
    try vault.open.rename(name("b"), to: name("c"))
    expectCopies(["a": "1+", "c": "2"], "changed and renamed")
    // The keyring goes away, and what was changed meanwhile is brought to it by the next change.
    vault.keyring.state = .noProvider
    try vault.open.set(name("a"), to: Secret("1++"))
    #expect(code { try vault.open.remove(name("c")) } == (isOn ? .copyRemains : nil))
    #expect(try vault.open.items().map(\.publishedCopy) == [isOn ? .pending : .none])
    expectCopies(["a": "1+", "c": "2"], "while the keyring is away")
    vault.keyring.state = .unlocked
    try vault.open.set(name("d"), to: Secret("4"))
    expectCopies(["a": "1++", "d": "4"], "when the keyring is back")
    #expect(try vault.open.copies().pending == 0)
    try vault.open.setPublishing(false)
    #expect(vault.copies.isEmpty)
    #expect(try vault.reopened().get(name("a")).text == "1++")
  }
}
