import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

struct RotationTests {
  @Test func afterARotationOldKeysOpenNothingAndHistoryStaysReadable() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    for text in ["one", "two"] { try open.set(name("k"), to: Secret(text)) }
    try open.set(name("gone"), to: Secret("trashed"))
    try open.remove(name("gone"))
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    let newKey = try SecretBytes.random(count: 32)
    let rotated = try open.rotate(to: [.keyFile(newKey)]).blocking
    #expect(!FileManager.default.fileExists(atPath: vault.path + ".previous"))
    #expect(try rotated.get(name("k")).text == "two")
    #expect(try rotated.get(name("k"), version: 1).text == "one")
    #expect(try rotated.restore(name("gone")).name.text == "gone")
    #expect(try rotated.get(name("gone")).text == "trashed")
    #expect(code { _ = try vault.reopened() } == .wrongKey)
    // Who had it open before is not told of damage.
    #expect(code { _ = try open.get(name("k")) } == .changedMeanwhile)
    #expect(code { try open.set(name("k"), to: Secret("x")) } == .changedMeanwhile)
    // The old file, put back, opens by the old key and is told as a rollback.
    try rewrite([UInt8](before), at: vault.path)
    let old = try vault.reopened().blocking
    #expect(code { try old.set(name("k"), to: Secret("x")) } != nil)
    let again = try LockedVault(location: vault.location, options: vault.options)
      .blocking
    #expect(code { _ = try again.unlock(with: [.key { newKey }]) } == .wrongKey)
  }

  @Test func whoHeldTheOldKeyHasNoKeyOfWhatIsWrittenAfterARotation() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    for text in ["one", "two"] { try open.set(name("k"), to: Secret(text)) }
    let purposes = ["history", "preferences of an application"]
    let old = try purposes.map { try open.currentDataKey(for: $0) }
    let rotated = try open.rotate(to: [.keyFile(SecretBytes.random(count: 32))]).blocking
    for (purpose, before) in zip(purposes, old) {
      let now = try rotated.currentDataKey(for: purpose)
      #expect(now.id != before.id)
      #expect(!now.key.isEqual(to: before.key))
      // What was sealed before still opens.
      #expect(try rotated.dataKey(id: before.id).isEqual(to: before.key))
    }
    try rotated.set(name("k"), to: Secret("three"))
    #expect(try rotated.get(name("k"), version: 1).text == "one")
    #expect(try rotated.get(name("k"), version: 2).text == "two")
    // With the last version that it seals the history's old key goes.
    try rotated.remove(name("k"), purge: true)
    #expect(code { _ = try rotated.dataKey(id: old[0].id) } == .damaged)
    #expect(try rotated.dataKey(id: old[1].id).isEqual(to: old[1].key))
  }

  @Test func aRotationThatFailsLeavesTheVaultAsItWas() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    bytes[bytes.count - 1] ^= 1
    try rewrite(bytes, at: vault.path)
    let newKey = try SecretBytes.random(count: 32)
    #expect(code { _ = try vault.open.blocking.rotate(to: [.keyFile(newKey)]) } == .damaged)
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path))) == bytes)
  }

  @Test func aCheckOfASoundVaultFindsNoDamage() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    let report = try vault.open.blocking.check()
    #expect(!report.isDamaged)
    #expect(report.items == 1)
    #expect(report.earlierVersions == 1)
    #expect(report.findings.map(\.code).contains("single-slot"))
  }

  @Test func aCheckFindsAnExchangedHistoryBlob() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two", "three"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    let store = "\(vault.data)/store.sqlite"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [
      store,
      "UPDATE credentials_blobs SET sealed = (SELECT sealed FROM credentials_blobs ORDER BY rowid LIMIT 1)",
    ]
    try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3"))
    try process.run()
    process.waitOrKill()
    #expect(process.terminationStatus == 0)
    #expect(code { _ = try vault.open.blocking.get(name("k"), version: 2) } == .damaged)
    #expect(try vault.open.blocking.get(name("k"), version: 1).text == "one")
    #expect(try vault.open.blocking.get(name("k")).text == "three")
    let report = try vault.open.blocking.check()
    #expect(report.findings.map(\.code).contains("version-damaged"))
    #expect(report.isDamaged)
  }

  @Test func oldCostsAreUpgraded() throws {
    let vault = try ThrowawayVault()
    let passphrase = try SecretBytes(copying: Array("correct horse".utf8))
    try vault.open.blocking.addSlot(.passphrase(passphrase, cost: .floor))
    let wrong = try SecretBytes(copying: Array("wrong".utf8))
    #expect(code { try vault.open.blocking.upgradeSlots(passphrase: wrong) } == .wrongKey)
    #expect(try vault.open.blocking.upgradeSlots(passphrase: passphrase) == 1)
    _ = try vault.locked.blocking.unlock(with: [.passphrase { passphrase }])
  }
}
