import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A home that was put back from a backup, a copied one, and one on another machine go on by
/// themselves, and nothing that either of two homes has is lost.
struct SuccessionTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func synchronizeAll(_ all: [SyncedVault]) throws {
    for _ in 0..<3 { for one in all { try one.synchronize() } }
  }

  private func labels(_ synced: SyncedVault) throws -> [String] {
    try synced.devices().filter { !$0.isRemoved }.map(\.label)
  }

  /// The files of a home as they were: put back as a backup is, or with a whole disk, in folders that
  /// are the same ones.
  @Test(arguments: [true, false], [true, false])
  func aHomeThatWasPutBackInItsPlaceGoesOn(_ hasChanges: Bool, _ withItsDisk: Bool) throws {
    let kept = try HomeFiles(of: desktop.home)
    try desktop.set("token", "2")
    try desktop.set("lost", "from before")
    try second.synchronize()
    let back = try desktop.puttingBack(kept, keepsFolders: withItsDisk)
    if hasChanges { try back.set("token", "from the backup") }
    let again = try SyncedVault(back.vault, engine: engine)
    let report = try again.synchronize()
    #expect(report.successor == "desktop")
    #expect(report.problems.isEmpty)
    #expect(try again.synchronize().successor == nil)
    try synchronizeAll([first, again])
    #expect(try labels(first) == ["laptop", "desktop"])
    for machine in [laptop, back] {
      #expect(try machine.get("lost") == "from before")
      let values: Set<String> = hasChanges ? ["1", "2", "from the backup"] : ["1", "2"]
      #expect(try machine.values(of: "token") == values)
    }
    // It writes, and the others hear it.
    try back.set("later", "3")
    try synchronizeAll([again, first])
    #expect(try laptop.get("later") == "3")
    #expect(try again.synchronize().sent == 0)
  }

  /// The only owner's home is put back: whoever could be let in before can be let in afterwards.
  @Test func theOnlyOwnerStaysOne() throws {
    let kept = try HomeFiles(of: laptop.home)
    try laptop.set("token", "2")
    try first.synchronize()
    let back = try laptop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    let third = try SyncMachine("third")
    let joined = try third.joining(again, engine)
    try synchronizeAll([again, second, joined])
    #expect(try labels(second).sorted() == ["desktop", "laptop", "third"])
    #expect(try third.get("token") == "2")
    try again.remove("desktop")
    #expect(throws: SyncError.self) { try second.synchronize() }
    #expect(try again.rotate() >= 2)
    try synchronizeAll([again, joined])
  }

  @Test func aHomeOnAnotherMachineGoesOn() throws {
    // Only the data travels; what a machine knows of itself does not.
    let state = "\(desktop.home.path)/vault/state"
    let device = try FileManager.default.contentsOfDirectory(atPath: state)
      .filter { $0.hasPrefix("device") }
    #expect(device.count == 1)
    try FileManager.default.removeItem(atPath: "\(state)/\(device[0])")
    try desktop.set("token", "2")
    #expect(try second.synchronize().successor == "desktop")
    try synchronizeAll([first, second])
    #expect(try laptop.get("token") == "2")
    #expect(try labels(first) == ["laptop", "desktop"])
  }

  /// Neither home puts the other one out, whichever writes first.
  @Test(arguments: [true, false])
  func aCopyAndItsOriginalBothStayIn(_ copyIsFirst: Bool) throws {
    let other = try desktop.copied()
    try other.set("of the copy", "1")
    try desktop.set("of the original", "2")
    try desktop.set("token", "of the original")
    try other.set("token", "of the copy")
    let copied = try SyncedVault(other.vault, engine: engine)
    if copyIsFirst {
      #expect(try copied.synchronize().successor == "desktop")
      let report = try second.synchronize()
      #expect(report.copies == ["desktop-2"] && report.problems.isEmpty)
    } else {
      try second.synchronize()
      #expect(try copied.synchronize().problems.isEmpty)
      #expect(try second.synchronize().copies == ["desktop-2"])
    }
    try synchronizeAll([copied, second, first])
    #expect(try second.synchronize().copies.isEmpty)
    for machine in [laptop, desktop, other] {
      #expect(try machine.get("of the copy") == "1")
      #expect(try machine.get("of the original") == "2")
      #expect(
        try machine.values(of: "token") == ["1", "of the original", "of the copy"])
    }
    #expect(try labels(first) == ["laptop", "desktop", "desktop-2"])
    // Either of them can be removed alone.
    try first.remove("desktop-2")
    try second.synchronize()
    #expect(throws: SyncError.self) { try copied.synchronize() }
  }

  /// Three copies at once, as of a machine's image.
  @Test func manyCopiesAreManyMachines() throws {
    let copies = try (0..<3).map { _ in try desktop.copied() }
    for (number, machine) in copies.enumerated() { try machine.set("n\(number)", "x") }
    let synced = try copies.map { try SyncedVault($0.vault, engine: engine) }
    try synchronizeAll(synced + [first])
    #expect(try labels(first).count == 4)
    #expect(Set(try labels(first)).count == 4)
    for number in 0..<3 { #expect(try laptop.get("n\(number)") == "x") }
  }

  /// What is here replaces nothing that the other home wrote later.
  @Test func whatWasWrittenLaterIsNotReplacedByAnOldBackup() throws {
    try desktop.set("token", "2")
    try second.synchronize()
    try first.synchronize()
    let other = try desktop.copied()
    try desktop.set("token", "3")
    var changes = ItemChanges()
    changes.note = "a later note"
    try desktop.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    try second.synchronize()
    try first.synchronize()
    let back = try SyncedVault(other.vault, engine: engine)
    try back.synchronize()
    try synchronizeAll([back, first, second])
    for machine in [laptop, desktop, other] {
      #expect(try machine.get("token") == "3")
      #expect(try machine.vault.blocking.item(ItemName("token")).note == "a later note")
    }
  }

  @Test func aMachineThatWasRemovedDoesNotComeBackByItsBackup() throws {
    let other = try desktop.copied()
    try first.remove("desktop")
    let back = try SyncedVault(other.vault, engine: engine)
    do {
      try back.synchronize()
      Issue.record("it was removed")
    } catch let error as SyncError {
      #expect(error.code == .removed)
    }
    try first.synchronize()
    #expect(try labels(first) == ["laptop"])
  }

  /// The removal is not in the store yet when the thief's copy goes on.
  @Test func aThiefsCopyIsOutWithTheMachine() throws {
    let other = try desktop.copied()
    let thief = try SyncedVault(other.vault, engine: engine)
    let kept = engine.all
    try first.remove("desktop")
    let after = engine.all
    engine.all = kept
    try thief.synchronize()
    engine.all = engine.all.joined(after)
    try other.set("token", "of the thief")
    try laptop.set("secret", "after the removal")
    try first.synchronize()
    #expect(throws: SyncError.self) { try thief.synchronize() }
    try first.synchronize()
    #expect(try labels(first) == ["laptop"])
    #expect(try laptop.get("token") == "1")
    #expect(throws: (any Error).self) { try other.get("secret") }
  }

  /// A store that is itself put back with the home shows nothing of what was written since.
  @Test func nothingIsWrittenTwiceUnderOneNumber() throws {
    let other = try desktop.copied()
    let kept = engine.all
    try desktop.set("token", "2")
    try second.synchronize()
    let later = engine.all
    engine.all = kept
    try other.set("token", "3")
    let back = try SyncedVault(other.vault, engine: engine)
    try back.synchronize()
    try first.synchronize()
    // Then a file syncer brings what the machine had written before its disk broke.
    engine.all = engine.all.joined(later)
    try synchronizeAll([back, first])
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try first.status().forks.isEmpty)
    #expect(try laptop.values(of: "token") == ["1", "2", "3"])
    #expect(try labels(first).count == 2)
  }

  /// A run that is ended anywhere can be done again.
  @Test func aRunThatEndsInBetweenLeavesNothing() throws {
    var (call, isCutOff) = (0, true)
    while isCutOff {
      call += 1
      let machines = try TwoMachines()
      let kept = try HomeFiles(of: machines.desktop.home)
      try machines.desktop.set("token", "2")
      try machines.second.synchronize()
      let back = try machines.desktop.puttingBack(kept)
      let again = try SyncedVault(back.vault, engine: machines.engine)
      machines.engine.failsAfter = call
      do {
        try again.synchronize()
        isCutOff = false
      } catch let error as SyncError where error.code == .unavailable {}
      machines.engine.failsAfter = nil
      try again.synchronize()
      try machines.first.synchronize()
      try again.synchronize()
      #expect(try labels(machines.first) == ["laptop", "desktop"], "call \(call)")
      #expect(try back.get("token") == "2")
    }
    #expect(call > 3)
  }

  @Test func aCopyThatLeavesTakesNobodyOut() throws {
    let other = try desktop.copied()
    #expect(try SyncedVault.leave(other.vault, in: engine))
    try second.synchronize()
    try first.synchronize()
    #expect(try labels(first) == ["laptop", "desktop"])
    // One that has gone on is a machine, which leaves as any other.
    let third = try desktop.copied()
    let copied = try SyncedVault(third.vault, engine: engine)
    try copied.synchronize()
    try second.synchronize()
    #expect(try SyncedVault.leave(third.vault, in: engine))
    try first.synchronize()
    try second.synchronize()
    #expect(try labels(first) == ["laptop", "desktop"])
  }

  @Test func aMachineThatWentOnLeavesWholly() throws {
    let kept = try HomeFiles(of: desktop.home)
    try desktop.set("token", "2")
    try second.synchronize()
    let back = try desktop.puttingBack(kept)
    try SyncedVault(back.vault, engine: engine).synchronize()
    #expect(try SyncedVault.leave(back.vault, in: engine))
    try first.synchronize()
    #expect(try labels(first) == ["laptop"])
    try first.rotate()
    #expect(try labels(first) == ["laptop"])
  }

  @Test func keysOfEpochsReachItInEitherStream() throws {
    let kept = try HomeFiles(of: desktop.home)
    try first.rotate()
    try laptop.set("new", "1")
    try first.synchronize()
    try second.synchronize()
    try desktop.set("mine", "2")
    try second.synchronize()
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    try again.synchronize()
    #expect(try back.get("new") == "1")
    try first.synchronize()
    try first.rotate()
    try laptop.set("newest", "3")
    try first.synchronize()
    try again.synchronize()
    #expect(try back.get("newest") == "3")
  }

  /// The store shows less than this machine has sent: nothing is written to it, in no stream.
  @Test func aStoreThatWasPutBackIsNotWrittenTo() throws {
    let before = engine.all
    try desktop.set("token", "2")
    try second.synchronize()
    let other = try desktop.copied()
    engine.all = before
    let back = try SyncedVault(other.vault, engine: engine)
    do {
      try back.synchronize()
      Issue.record("the store was put back")
    } catch let error as SyncError {
      #expect(error.code == .rolledBack)
    }
    #expect(engine.all.records == before.records)
    #expect(try back.synchronize(acceptingRollback: true).successor == "desktop")
    try first.synchronize()
    #expect(try laptop.get("token") == "2")
  }
}
