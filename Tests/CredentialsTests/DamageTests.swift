import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// Every way of changing the file is seen, and an answer is right or an error.
struct DamageTests {
  @Test func everyFlippedBitIsReportedAndCostsAtMostOneItem() throws {
    let vault = try ThrowawayVault()
    let secrets = ["one": "first secret", "two": "second secret", "three": "third secret"]
    for (item, text) in secrets { try vault.open.blocking.set(name(item), to: Secret(text)) }
    let url = URL(fileURLWithPath: vault.path)
    let whole = try [UInt8](Data(contentsOf: url))
    let key = vault.key
    let locked = try vault.locked.blocking
    let itemsStart = whole.count - 3 * 104
    for offset in whole.indices {
      var changed = whole
      changed[offset] ^= 1 << UInt8(offset % 8)
      try rewrite(changed, at: vault.path)
      if offset < itemsStart {
        #expect(code { _ = try locked.unlock(with: [.key { key }]) } == .damaged, "byte \(offset)")
        continue
      }
      let open = try locked.unlock(with: [.key { key }]).blocking
      var damaged = 0
      for (item, text) in secrets {
        do {
          #expect(try open.get(name(item)).text == text, "byte \(offset)")
        } catch let error as CredentialError {
          #expect(error.code == .damaged)
          damaged += 1
        }
      }
      #expect(damaged == 1, "byte \(offset) costs \(damaged) items")
      #expect(try open.check().isDamaged, "byte \(offset)")
    }
    try rewrite(whole, at: vault.path)
    #expect(
      try locked.unlock(with: [.key { key }]).blocking.get(name("one")).text == "first secret")
  }

  @Test func everyTruncationAndExtensionIsReported() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("secret"))
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    let key = vault.key
    let locked = try vault.locked.blocking
    var changed = stride(from: 0, to: whole.count, by: 7).map { Array(whole[..<$0]) }
    changed += [1, 2, 16, 64].map { whole + [UInt8](repeating: 0, count: $0) }
    changed += [16, 64, 512].map { size in
      Array(whole[size..<2 * size] + whole[..<size] + whole[(2 * size)...])
    }
    for bytes in changed {
      try rewrite(bytes, at: vault.path)
      #expect(
        code { _ = try locked.unlock(with: [.key { key }]) } == .damaged, "\(bytes.count) bytes")
    }
  }

  @Test func damageOfOneItemDoesNotSpreadWhenTheFileIsWritten() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("one"))
    try vault.open.blocking.set(name("b"), to: Secret("two"))
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    bytes[bytes.count - 1] ^= 1
    try rewrite(bytes, at: vault.path)
    try vault.open.blocking.set(name("c"), to: Secret("three"))
    let results = ["a", "b"].map { item in
      code { _ = try vault.open.blocking.get(name(item)) }
    }
    #expect(results.filter { $0 == .damaged }.count == 1)
    #expect(results.filter { $0 == nil }.count == 1)
    #expect(try vault.open.blocking.get(name("c")).text == "three")
    let lost = results[0] == .damaged ? "a" : "b"
    try vault.open.blocking.set(name(lost), to: Secret("again"))
    #expect(vault.open.blocking.takeNotices().map(\.code).contains(.historyLost))
    #expect(try vault.open.blocking.get(name(lost)).text == "again")
  }

  @Test func aDamagedItemKeepsNoOtherCopyWaiting() throws {
    let keyring = TestKeyring(.noProvider)
    let vault = try ThrowawayVault { $0.use(keyring) }
    let open = vault.open.blocking
    try open.setPublishing(true)
    try open.set(name("a"), to: Secret("one"))
    try open.set(name("b"), to: Secret("two"))
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    bytes[bytes.count - 1] ^= 1
    try rewrite(bytes, at: vault.path)
    keyring.state = .unlocked
    try open.set(name("c"), to: Secret("three"))
    #expect(keyring.attributes.contains { $0["username"] == "c" })
    #expect(keyring.attributes.count { ["a", "b"].contains($0["username"]) } == 1)
  }

  @Test func partsOfTwoVaultsAreNotExchanged() throws {
    let one = try ThrowawayVault()
    try one.open.blocking.set(name("k"), to: Secret("one"))
    let first = try [UInt8](Data(contentsOf: URL(fileURLWithPath: one.path)))
    try one.open.blocking.set(name("k"), to: Secret("two"))
    let second = try [UInt8](Data(contentsOf: URL(fileURLWithPath: one.path)))
    let key = one.key
    let header = 64 + 153 + 32
    let locked = try one.locked.blocking
    try rewrite(Array(first[..<header] + second[header...]), at: one.path)
    #expect(code { _ = try locked.unlock(with: [.key { key }]) } == .damaged)
    let items = first.count - 104
    try rewrite(Array(first[..<items] + second[items...]), at: one.path)
    #expect(
      code { _ = try locked.unlock(with: [.key { key }]).blocking.get(name("k")) } == .damaged)
  }

  @Test func anOlderFileWarnsReadersAndStopsWriters() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("old"))
    let old = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    try vault.open.blocking.set(name("k"), to: Secret("new"))
    try rewrite(old, at: vault.path)
    let open = try vault.reopened()
    #expect(try open.blocking.get(name("k")).text == "old")
    #expect(open.blocking.takeNotices().map(\.code) == [.rolledBack])
    #expect(code { try open.blocking.set(name("k"), to: Secret("x")) } == .rolledBack)
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path))) == old)
    var knowing = vault
    knowing.options.acceptsRollback = true
    try knowing.reopened().blocking.set(name("k"), to: Secret("x"))
    #expect(try vault.reopened().blocking.get(name("k")).text == "x")
  }

  @Test func aForkOfTheSameAndOfALongerBranchIsSeen() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("common"))
    let common = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    // Another machine goes on from the same file: another home with a record of its own.
    let elsewhere = try TemporaryHome()
    let folder = "\(elsewhere.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try rewrite(common, at: "\(folder)/secrets.vault")
    let key = vault.key
    let other = try LockedVault(location: elsewhere.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking
    try vault.open.blocking.set(name("k"), to: Secret("here"))
    for (count, text) in [(1, "there"), (2, "there again")] {
      _ = count
      try other.set(name("k"), to: Secret(text))
      let branch = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets.vault")))
      try rewrite(branch, at: vault.path)
      let open = try vault.reopened().blocking
      #expect(try open.get(name("k")).text == text)
      #expect(open.takeNotices().map(\.code) == [.forked])
      #expect(code { try open.set(name("k"), to: Secret("x")) } == .forked)
    }
  }

  @Test func aForgedRecordIsToldAndAMissingOneIsNot() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let state = vault.state
    let seen = try FileManager.default.contentsOfDirectory(atPath: state)
      .first { $0.hasSuffix(".seen") }
    let path = "\(state)/\(try #require(seen))"
    var record = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(record.count == 76)
    record[22] ^= 1
    try rewrite(record, at: path)
    #expect(code { _ = try vault.open.blocking.get(name("k")) } == .damaged)
    try FileManager.default.removeItem(atPath: path)
    #expect(try vault.open.blocking.get(name("k")).text == "one")
  }

  @Test func filesOpenToOthersAreRefused() throws {
    let vault = try ThrowawayVault()
    for mode in [0o644, 0o660, 0o606] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: vault.path)
      #expect(code { _ = try vault.reopened() } == .unsafeFile)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault.path)
    _ = try vault.reopened()
  }
}

/// Overwrites a file with mode 0600.
func rewrite(_ bytes: [UInt8], at path: String) throws {
  try? FileManager.default.removeItem(atPath: path)
  try #require(
    FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
}
