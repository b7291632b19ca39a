import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

struct BackupTests {
  @Test func aBackupIsVerifiedAndRestoredWithItsHistoryAndTrash() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    for text in ["one", "two", "three"] { try open.set(name("k"), to: Secret(text)) }
    try open.set(name("gone"), to: Secret("trashed"))
    try open.remove(name("gone"))
    let path = "\(vault.home.path)/backup"
    let summary = try open.backUp(to: path)
    #expect(summary.items == 1)
    #expect(summary.earlierVersions == 3)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let elsewhere = try TemporaryHome()
    let key = vault.key
    let locked = try LockedVault(location: elsewhere.location, options: vault.options).blocking
    #expect(try locked.checkBackup(path, with: [.key { key }]) == summary)
    try locked.restore(from: path)
    let restored = try locked.unlock(with: [.key { key }]).blocking
    #expect(try restored.get(name("k")).text == "three")
    #expect(try restored.get(name("k"), version: 1).text == "one")
    #expect(try restored.restore(name("gone")).name.text == "gone")
    #expect(code { try locked.restore(from: path) } == .vaultExists)
  }

  @Test func aBackupIsToldWhenItsNameIsOnTheDisk() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    // The file is synced, then its folder.
    for number in 1...2 {
      let plan = FaultPlan(.error(EIO), at: number, of: [.sync])
      let failure = code {
        _ = try System.withFaults(plan) {
          try vault.open.blocking.backUp(to: "\(vault.home.path)/backup")
        }
      }
      #expect(plan.hasFired)
      #expect(failure == (number == 1 ? .cannotCreate : .notDurable))
    }
    let left = vault.home.names().filter { $0.hasPrefix("backup") }
    #expect(left == ["backup"])
  }

  @Test func everyDamagedByteOfABackupIsFound() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    let path = "\(vault.home.path)/backup"
    _ = try vault.open.blocking.backUp(to: path)
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let elsewhere = try TemporaryHome()
    let locked = try LockedVault(location: elsewhere.location, options: vault.options).blocking
    for offset in stride(from: 0, to: whole.count, by: 13) {
      var changed = whole
      changed[offset] ^= 4
      try rewrite(changed, at: path)
      #expect(code { try locked.restore(from: path) } == .damaged, "byte \(offset)")
    }
    #expect(try !locked.exists())
    try rewrite(Array(whole.dropLast(40)), at: path)
    #expect(code { try locked.restore(from: path) } == .damaged)
  }
}
