import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultStorage

/// An earlier version that another program drops while this one reads: a change, and no damage.
struct DroppedVersionTests {
  /// A vault with as many earlier versions as are kept, of which the oldest goes when a reader has begun.
  private func reading(
    _ phase: VaultProgress.Phase, _ body: (UnlockedVault.Blocking) throws -> Void
  ) throws {
    let vault = try ThrowawayVault()
    let writer = vault.open.blocking
    for number in 0..<14 { try writer.set(name("k"), to: Secret("v\(number)")) }
    let rounds = Atomic<Int>(0)
    var options = vault.options
    options.progress = { progress in
      guard progress.phase == phase, progress.done == 0 else { return }
      guard rounds.wrappingAdd(1, ordering: .relaxed).newValue <= 3 else { return }
      _ = try? writer.set(name("k"), to: Secret("while it reads"))
    }
    let reader = try LockedVault(location: vault.location, options: options).blocking
      .unlock(with: [.key { [key = vault.key] in key }]).blocking
    try body(reader)
    #expect(rounds.load(ordering: .relaxed) > 0)
  }

  @Test func aCheckTellsOfNoDamage() throws {
    try reading(.verifying) { reader in
      let report = try reader.check()
      #expect(!report.isDamaged && report.items == 1)
    }
  }

  @Test func aBackupIsOfTheVaultAsItIsThen() throws {
    try reading(.reading) { reader in
      let (bytes, summary) = try reader.backup(named: "b")
      #expect(summary.items == 1 && !bytes.isEmpty)
    }
  }

  /// Bytes that are gone and still named are damage, as before.
  @Test func aVersionThatIsNamedAndMissingIsDamage() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    let connection = try SQLiteConnection(path: vault.location.store)
    try connection.execute("DELETE FROM credentials_blobs")
    connection.close()
    #expect(try vault.open.blocking.check().findings.map(\.code).contains("version-damaged"))
    #expect(code { _ = try vault.open.blocking.get(name("k"), version: 1) } == .damaged)
  }
}
