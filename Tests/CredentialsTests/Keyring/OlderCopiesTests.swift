import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// A vault file of a version that kept the state of copies in it: `Vectors/Copies/README.md`.
struct OlderCopiesTests {
  private static let key: [UInt8] = [
    0xc9, 0x06, 0xc7, 0xfb, 0x48, 0xee, 0xa5, 0xa6, 0xd7, 0xdc, 0xec, 0xe8,
    0xca, 0xd6, 0x5b, 0xe4, 0xa7, 0xb9, 0x7d, 0x93, 0xab, 0x23, 0xa3, 0x6a,
    0x1a, 0xfa, 0x15, 0x69, 0xc4, 0x84, 0x54, 0x8c,
  ]

  private let home: TemporaryHome
  private let keyring = TestKeyring()
  private let vault: LockedVault

  init() throws {
    home = try TemporaryHome()
    let folder = "\(home.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let vector = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Vectors/Copies/secrets.vault")
    try #require(
      FileManager.default.createFile(
        atPath: "\(folder)/secrets.vault", contents: try Data(contentsOf: vector),
        attributes: [.posixPermissions: 0o600]))
    var options = VaultOptions()
    options.sessionSeconds = 0
    options.use(keyring)
    vault = try LockedVault(location: home.location, options: options)
    for name in ["published", "outdated", "removed"] {
      keyring.store(
        try Secret("secret of \(name)"),
        attributes: ["service": Self.service, "username": name, "application": "vault"])
    }
  }

  private static let service = "vault:da85f237"

  private func open() throws -> UnlockedVault.Blocking {
    try vault.blocking.unlock(with: [.key { try SecretBytes(copying: Self.key) }]).blocking
  }

  private func states(_ vault: UnlockedVault.Blocking) throws -> [String: Item.PublishedCopy] {
    Dictionary(
      uniqueKeysWithValues: try vault.items().map { ($0.name.text, $0.publishedCopy) })
  }

  private func copy(_ name: String) -> String? {
    keyring.secret(service: Self.service, username: name)?.text
  }

  @Test func itIsReadAsItWasWritten() throws {
    let open = try open()
    #expect(
      try states(open) == [
        "published": .published, "outdated": .pending, "waiting": .pending, "private": .none,
      ])
    #expect(try open.get(ItemName("published")).text == "secret of published")
    let report = try open.copies()
    #expect(report.current == 1 && report.pending == 3)
  }

  @Test func whatItSaysOfCopiesIsTakenOverOnce() throws {
    let open = try open()
    let before = try vault.blocking.summary().generation
    #expect(try open.synchronizeCopies().current == 3)
    #expect(try vault.blocking.summary().generation == before + 1)
    #expect(
      try states(open) == [
        "published": .published, "outdated": .published, "waiting": .published, "private": .none,
      ])
    #expect(copy("outdated") == "newer secret of outdated")
    #expect(copy("waiting") == "secret of waiting")
    #expect(copy("removed") == nil && copy("private") == nil)
    try open.synchronizeCopies()
    #expect(try vault.blocking.summary().generation == before + 1)
  }

  @Test func theNextChangeTakesItOver() throws {
    let open = try open()
    try open.set(ItemName("new"), to: Secret("x"))
    #expect(copy("new") == "x" && copy("published") == "secret of published")
    // What was left by others is done, too.
    #expect(copy("outdated") == "newer secret of outdated" && copy("removed") == nil)
    #expect(try states(open)["published"] == .published)
  }
}
