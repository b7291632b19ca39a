import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// Copies in the keyring, with one that is in any state a test wants.
struct CopyTests {
  private let keyring = TestKeyring()
  private let test: InMemoryVault
  private let open: UnlockedVault.Blocking
  private let service: String

  init() throws {
    var options = VaultOptions()
    options.use(keyring)
    test = try InMemoryVault(options: options)
    open = test.open.blocking
    service = "vault:\(test.open.id.prefix(8))"
    try open.setPublishing(true)
  }

  private func name(_ text: String) throws -> ItemName { try ItemName(text) }

  /// An item as ours are, with what some keyrings add.
  private func store(_ secret: String, _ name: String, adding more: [String: String] = [:]) throws {
    var attributes = ["service": service, "username": name, "application": "vault"]
    attributes.merge(more) { $1 }
    keyring.store(try Secret(secret), attributes: attributes)
  }

  private func count(_ name: String) -> Int {
    keyring.attributes.count { $0["username"] == name }
  }

  private func copy(_ name: String) -> String? {
    keyring.secret(service: service, username: name)?.text
  }

  @Test func severalCopiesOfANameBecomeOne() throws {
    try open.set(name("a"), to: Secret("1"))
    try open.set(name("a"), to: Secret("2"))
    // What two commands at once once left: the loser's copy beside the winner's.
    try store("1", "a", adding: ["Path": "/a"])
    try store("2", "a", adding: ["Path": "/b"])
    #expect(try open.copies().pending == 1)
    #expect(try open.synchronizeCopies().current == 1)
    #expect(count("a") == 1 && copy("a") == "2")
    try store("1", "a", adding: ["Path": "/c"])
    try open.remove(name("a"))
    #expect(count("a") == 0)
  }

  @Test func aCopyThatSaysItIsCurrentAndIsNotIsWrittenAnew() throws {
    try open.set(name("a"), to: Secret("1"))
    keyring.state = .noProvider
    try open.set(name("a"), to: Secret("2"))
    // It was written, and the command was killed before that was noted; then the item was set once
    // more.
    keyring.state = .unlocked
    try store("2", "a")
    keyring.state = .noProvider
    try open.set(name("a"), to: Secret("3"))
    keyring.state = .unlocked
    let report = try open.synchronizeCopies()
    #expect(report.current == 1 && report.changedByOthers.isEmpty && report.pending == 0)
    #expect(copy("a") == "3" && count("a") == 1)
  }

  @Test func whatAnItemInTheTrashOnceHeldIsWithdrawnAndWhatNobodyHeldIsNot() throws {
    try open.set(name("a"), to: Secret("1"))
    try open.remove(name("a"))
    try store("1", "a")
    try store("never held", "b")
    let report = try open.synchronizeCopies()
    #expect(report.leftovers == ["b"])
    #expect(count("a") == 0 && copy("b") == "never held")
    #expect(try open.synchronizeCopies(overwriting: true).leftovers == [])
    #expect(count("b") == 0)
  }

  @Test func anItemThatWasRemovedAndSetAgainKeepsItsCopy() throws {
    try open.set(name("a"), to: Secret("1"))
    keyring.state = .locked
    #expect(throws: CredentialError.self) { try open.remove(name("a")) }
    try open.set(name("a"), to: Secret("2"))
    try open.set(name("b"), to: Secret("b"))
    try open.rename(name("b"), to: name("c"))
    keyring.state = .unlocked
    try open.set(name("d"), to: Secret("d"))
    #expect(copy("a") == "2" && count("a") == 1)
    #expect(count("b") == 0 && copy("c") == "b" && copy("d") == "d")
    #expect(try open.copies().current == 3)
  }

  @Test func aForeignItemIsToldAdoptableAndNeverOverwritten() throws {
    keyring.store(
      try Secret("theirs"), attributes: ["service": service, "username": "a"], label: "x")
    try open.set(name("a"), to: Secret("ours"))
    let notice = try #require(open.takeNotices().first { $0.code == .copyForeign })
    #expect(notice.message.hasSuffix(": a"))
    #expect(try open.synchronizeCopies(overwriting: true).foreign == ["a"])
    #expect(copy("a") == "theirs" && count("a") == 1)
    let entry = try #require(try open.keyringEntries().first { $0.label == "x" })
    #expect(!entry.isOurs)
    #expect(try open.takeChangedCopies() == [name("a")])
    #expect(try open.get(name("a")).text == "theirs")
    #expect(try open.synchronizeCopies().current == 1)
    try open.set(name("a"), to: Secret("newer"))
    #expect(copy("a") == "newer" && count("a") == 1)
  }

  @Test func manyCopiesAreMadeInPortionsTheOwnOneFirst() throws {
    keyring.state = .noProvider
    for number in 0..<100 { try open.set(name("a\(number)"), to: Secret("\(number)")) }
    keyring.state = .unlocked
    try open.set(name("zzz"), to: Secret("own"))
    #expect(copy("zzz") == "own")
    let pending = try open.copies().pending
    #expect(pending > 0 && pending < 100)
    #expect(open.takeNotices().contains { $0.code == .copiesPending })
    let report = try open.synchronizeCopies()
    #expect(report.current == 101 && report.pending == 0)
  }

  @Test func aKeyThatNoSlotGotIsTakenBackFromTheKeyring() throws {
    while try open.slots().count < 32 { try open.addSlot(.keyFile(SecretBytes.random(count: 32))) }
    let before = keyring.attributes.count
    #expect(throws: CredentialError.self) { try open.addSlot(.keyring()) }
    #expect(keyring.attributes.count == before)
    #expect(throws: CredentialError.self) {
      try test.vault.blocking.create(slots: [.keyring()])
    }
    #expect(keyring.attributes.count == before)
  }
}
