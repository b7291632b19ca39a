import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// A crash anywhere, a copied home, files that were put back.
struct CrashTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    var machines = try TwoMachines()
    machines.second.exchange.tuning.baseStep = 0
    self.machines = machines
  }

  /// Kills a synchronization at its 1st, 3rd, 6th, 10th, … call of the system, to the last, and
  /// goes on after each.
  ///
  /// The simulator kills at the others.
  @Test(arguments: [false, true])
  func aFailureAnywhereLosesNothingAndRepeatsNothing(_ writesSnapshots: Bool) throws {
    var second = second
    // With each change comes another one, in parts that are put before their record.
    if writesSnapshots { second.exchange.tuning.snapshotStep = 0 }
    var round = 0
    var fired = true
    while fired, round < 60 {
      round += 1
      try laptop.set("token", "l\(round)")
      try first.synchronize()
      try desktop.set("other", "d\(round)")
      let plan = FaultPlan(.kill, at: round * (round + 1) / 2)
      do {
        _ = try System.withFaults(plan) { try second.synchronize() }
      } catch {
        #expect(plan.hasFired, "\(error)")
      }
      fired = plan.hasFired
      try second.synchronize()
      try first.synchronize()
      #expect(try laptop.contents() == desktop.contents())
      #expect(try laptop.get("token") == "l\(round)")
      let conflicts = try desktop.vault.blocking.read().items().filter {
        $0.conflictingVersion != nil
      }
      #expect(conflicts.isEmpty)
    }
    #expect(round > 3)
    #expect(!fired)
    #expect(engine.all.objects.isEmpty != writesSnapshots)
    _ = try first.synchronize()
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  @Test func aVaultFileThatWasPutBackTakesBackNothing() throws {
    let path = desktop.vault.blocking.path
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try laptop.set("token", "2")
    try laptop.set("new", "3")
    try first.synchronize()
    try second.synchronize()
    try old.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try second.synchronize()
    try first.synchronize()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "2")
      #expect(try machine.get("new") == "3")
    }
  }

  /// Nothing came to this machine since, so that its vault was not written by a merge.
  @Test func aVaultFileFromBeforeOwnChangesTakesBackNothing() throws {
    let path = desktop.vault.blocking.path
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try desktop.set("token", "2")
    try desktop.set("new", "3")
    try second.synchronize()
    try old.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try desktop.set("later", "4")
    try second.synchronize()
    try first.synchronize()
    for machine in [laptop, desktop] {
      #expect(
        try machine.contents().mapValues { $0.prefix(1) } == [
          "token": "2", "new": "3", "later": "4",
        ])
    }
  }

  @Test func aNewVaultKeyDoesNotEndTheSpace() throws {
    let key = try SecretBytes.random(count: 32)
    let rotated = try desktop.vault.blocking.rotate(to: [.keyFile(key)])
    try rotated.blocking.set(ItemName("token"), to: Secret("2"))
    try SyncedVault(rotated, engine: engine).synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == "2")
  }

  @Test func aHalfWrittenEndOfTheLogIsCutOff() throws {
    let log = desktop.vault.blocking.path + ".sync.log"
    let file = try #require(FileHandle(forWritingAtPath: log))
    try file.seekToEnd()
    try file.write(contentsOf: Data([200, 0, 0, 0, 1, 2, 3]))
    try file.close()
    try laptop.set("token", "2")
    try first.synchronize()
    try second.synchronize()
    #expect(try desktop.get("token") == "2")
    #expect(try second.synchronize().problems.isEmpty)
  }

  @Test func aDamagedMemoryOfTheSpaceIsToldAndTheVaultIsWhole() throws {
    let path = desktop.vault.blocking.path + ".sync"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[50] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    do {
      try second.synchronize()
      Issue.record("it is damaged")
    } catch let error as SyncError {
      #expect(error.code == .tampered)
    }
    #expect(try desktop.get("token") == "1")
  }
}
