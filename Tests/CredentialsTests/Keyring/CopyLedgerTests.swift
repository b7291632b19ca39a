import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// What is known of copies lies in `store.sqlite`, and can be lost.
struct CopyLedgerTests {
  private let keyring = TestKeyring()
  private let test: InMemoryVault
  private let vault: UnlockedVault.Blocking

  init() throws {
    var options = VaultOptions()
    options.use(keyring)
    test = try InMemoryVault(options: options)
    vault = test.open.blocking
    try vault.setPublishing(true)
  }

  private func name(_ text: String) throws -> ItemName { try ItemName(text) }

  private var folder: URL { URL(fileURLWithPath: test.vault.path).deletingLastPathComponent() }

  private func copy(_ name: String) -> String? {
    keyring.secret(service: "vault:\(test.open.id.prefix(8))", username: name)?.text
  }

  private func count(_ name: String) -> Int {
    keyring.attributes.count { $0["username"] == name }
  }

  private func generation() throws -> UInt64 { try test.vault.blocking.summary().generation }

  /// The bytes of the store and the files beside it.
  private func store() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("store.sqlite") {
      files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return files
  }

  private func replaceStore(by files: [String: Data]) throws {
    for name in try store().keys {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
    for (name, bytes) in files {
      let file = folder.appendingPathComponent(name)
      try bytes.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
  }

  @Test func aChangeWithACopyIsOneWrite() throws {
    let before = try generation()
    #expect(try vault.set(name("a"), to: Secret("1")).item.publishedCopy == .published)
    #expect(try generation() == before + 1)
    try vault.set(name("a"), to: Secret("2"))
    try vault.rename(name("a"), to: name("b"))
    try vault.remove(name("b"))
    #expect(try generation() == before + 4)
    #expect(keyring.attributes.filter { $0["service"] != "vault-key" }.isEmpty)
  }

  @Test func copiesAreKnownAgainAfterTheStoreWasDeleted() throws {
    try vault.set(name("a"), to: Secret("1"))
    try vault.set(name("b"), to: Secret("2"))
    try replaceStore(by: [:])
    #expect(try vault.items().map(\.publishedCopy) == [.pending, .pending])
    #expect(try vault.synchronizeCopies().current == 2)
    #expect(try vault.items().map(\.publishedCopy) == [.published, .published])
    #expect(count("a") == 1 && count("b") == 1)
    try vault.remove(name("a"))
    #expect(count("a") == 0)
  }

  @Test func anOlderStoreIsBroughtUpToDate() throws {
    try vault.set(name("a"), to: Secret("1"))
    try vault.set(name("gone"), to: Secret("x"))
    let older = try store()
    try vault.set(name("a"), to: Secret("2"))
    try vault.set(name("b"), to: Secret("3"))
    try vault.remove(name("gone"))
    try replaceStore(by: older)
    #expect(try vault.synchronizeCopies().current == 2)
    #expect(copy("a") == "2" && copy("b") == "3" && count("gone") == 0)
    try vault.set(name("a"), to: Secret("4"))
    #expect(copy("a") == "4" && count("a") == 1)
  }

  @Test func whatANextCommandFindsMarkedItDoes() throws {
    keyring.state = .noProvider
    try vault.set(name("a"), to: Secret("1"))
    #expect(try vault.item(name("a")).publishedCopy == .pending)
    keyring.state = .unlocked
    try vault.set(name("b"), to: Secret("2"))
    #expect(copy("a") == "1" && copy("b") == "2")
    #expect(try vault.items().map(\.publishedCopy) == [.published, .published])
  }

  @Test func aCommandMakesUpForADeletedStore() throws {
    try vault.set(name("a"), to: Secret("1"))
    try replaceStore(by: [:])
    try vault.set(name("b"), to: Secret("2"))
    #expect(try vault.items().map(\.publishedCopy) == [.published, .published])
    #expect(count("a") == 1)
  }

  @Test func aRotationTakesTheLedgerAlong() throws {
    try vault.set(name("a"), to: Secret("1"))
    let rotated = try vault.rotate(to: [.keyFile(SecretBytes.random(count: 32))]).blocking
    #expect(try rotated.item(name("a")).publishedCopy == .published)
    try rotated.set(name("a"), to: Secret("2"))
    #expect(copy("a") == "2" && count("a") == 1)
    #expect(try rotated.copies().current == 1)
  }

  @Test func namesAndHashesAreNotReadableInTheStore() throws {
    try vault.set(name("a-name-to-look-for"), to: Secret("1"))
    for bytes in try store().values {
      #expect(bytes.range(of: Data("a-name-to-look-for".utf8)) == nil)
    }
  }
}
