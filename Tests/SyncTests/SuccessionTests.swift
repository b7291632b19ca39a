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

  /// Whoever has a copy of a home has its keys: when the copy is removed, its machine takes others.
  @Test(arguments: [true, false])
  func aCopyThatWasRemovedReadsNothingAfterItsMachineHasSynchronized(_ byItself: Bool) throws {
    let other = try desktop.copied()
    let thief = try SyncedVault(other.vault, engine: engine)
    try thief.synchronize()
    #expect(try second.synchronize().copies == ["desktop-2"])
    try synchronizeAll([thief, second, first])
    if byItself {
      let removal = try second.remove("desktop-2")
      #expect(removal.hasNewKeys && removal.sharesKeysWith == nil)
    } else {
      let removal = try first.remove("desktop-2")
      #expect(removal.sharesKeysWith == "desktop" && !removal.hasNewKeys)
      #expect(removal.name == "desktop-2" && removal.isOnlyOneOfItsName)
      // Until then nobody begins epochs in vain.
      for _ in 0..<3 { #expect(try first.synchronize().sent == 0) }
      let report = try second.synchronize()
      #expect(report.hasNewKeys && report.successor == nil && report.problems.isEmpty)
    }
    try first.synchronize()
    for (machine, name) in [(laptop, "from the laptop"), (desktop, "from the desktop")] {
      try machine.set(name, "after the removal")
    }
    try synchronizeAll([second, first])
    for machine in [laptop, desktop] {
      #expect(try machine.get("from the laptop") == "after the removal")
      #expect(try machine.get("from the desktop") == "after the removal")
    }
    #expect(throws: SyncError.self) { try thief.synchronize() }
    // Everything is at rest, and nobody is listed twice.
    for one in [first, second, first, second] {
      let report = try one.synchronize()
      #expect(report.sent == 0 && !report.hasNewKeys && report.problems.isEmpty)
    }
    #expect(Set(try labels(first)) == ["laptop", "desktop"])
    #expect(try first.items(exposedTo: "desktop-2").map(\.text) == ["token"])
    #expect(try keys(of: other).isDisjoint(with: try epochs(of: "from the desktop")))
  }

  /// The copy is removed while its machine is put back from a backup: that takes the old keys, too.
  @Test func aMachineThatWasPutBackEndsTheKeysThatACopyHas() throws {
    let kept = try HomeFiles(of: desktop.home)
    let other = try desktop.copied()
    let thief = try SyncedVault(other.vault, engine: engine)
    try thief.synchronize()
    try synchronizeAll([second, first, thief])
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    try again.synchronize()
    try synchronizeAll([first, again])
    try first.remove("desktop-2")
    try synchronizeAll([again, first])
    try back.set("later", "after the removal")
    try synchronizeAll([again, first])
    #expect(try laptop.get("later") == "after the removal")
    #expect(Set(try labels(first)) == ["laptop", "desktop"])
    #expect(try first.items(exposedTo: "desktop-2").map(\.text) == ["token"])
    #expect(try keys(of: other).isDisjoint(with: try epochs(of: "later")))
    for one in [first, again] { #expect(try one.synchronize().sent == 0) }
  }

  /// A run that takes other keys is ended anywhere.
  @Test func otherKeysAreTakenByTheNextRunIfOneIsEnded() throws {
    var (call, isCutOff) = (0, true)
    while isCutOff {
      call += 1
      let machines = try TwoMachines()
      let other = try machines.desktop.copied()
      let thief = try SyncedVault(other.vault, engine: machines.engine)
      try thief.synchronize()
      try synchronizeAll([machines.second, machines.first])
      try machines.first.remove("desktop-2")
      machines.engine.failsAfter = call
      do {
        try machines.second.synchronize()
        isCutOff = false
      } catch let error as SyncError where error.code == .unavailable {}
      machines.engine.failsAfter = nil
      try synchronizeAll([machines.second, machines.first])
      try machines.desktop.set("later", "after the removal")
      try synchronizeAll([machines.second, machines.first])
      #expect(try machines.laptop.get("later") == "after the removal")
      #expect(Set(try labels(machines.first)) == ["laptop", "desktop"], "call \(call)")
      #expect(try machines.first.items(exposedTo: "desktop-2").map(\.text) == ["token"])
    }
    #expect(call > 2)
  }

  /// What a put-back home wrote is not the copy's that was removed.
  @Test func aRevertTakesNothingBackThatTheMachineItselfWrote() throws {
    let kept = try HomeFiles(of: desktop.home)
    let other = try desktop.copied()
    try other.set("of the copy", "x")
    let thief = try SyncedVault(other.vault, engine: engine)
    try thief.synchronize()
    try synchronizeAll([second, first])
    let before = Date(timeIntervalSince1970: 0)
    try desktop.set("of the desktop", "1")
    try synchronizeAll([second, first])
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    try synchronizeAll([again, first])
    try first.remove("desktop-2", revertingSince: before)
    try synchronizeAll([again, first])
    for machine in [laptop, back] {
      #expect(try machine.get("of the desktop") == "1")
      #expect(throws: (any Error).self) { try machine.get("of the copy") }
    }
  }

  /// A member who makes machines by copies of his home does not do it unseen, and they do not stay
  /// unsaid.
  @Test func anAdminHearsOfCopies() throws {
    let other = try desktop.copied()
    let shadow = try SyncedVault(other.vault, engine: engine)
    try shadow.synchronize()
    try second.synchronize()
    let report = try first.synchronize()
    #expect(report.copiesOfOthers.map(\.label) == ["desktop-2"])
    #expect(report.copiesOfOthers.map(\.original) == ["desktop"])
    #expect(try first.synchronize().copiesOfOthers.isEmpty)
    #expect(try second.synchronize().copiesOfOthers.isEmpty)
    let removal = try first.remove("desktop")
    #expect(removal.copies == ["desktop-2"])
    #expect(try first.copies(of: "desktop").map(\.label) == ["desktop-2"])
    #expect(try first.remove("desktop-2").copies.isEmpty)
    try laptop.set("later", "1")
    try first.synchronize()
    #expect(throws: SyncError.self) { try shadow.synchronize() }
    for name in ["desktop", "desktop-2"] {
      #expect(try first.items(exposedTo: name).map(\.text) == ["token"])
    }
  }

  /// The new computer takes out the old one, of whose home it is a copy.
  @Test func aCopyTakesOutItsOriginal() throws {
    let other = try desktop.copied()
    let copied = try SyncedVault(other.vault, engine: engine)
    try synchronizeAll([copied, second, first])
    #expect(try labels(copied) == ["laptop", "desktop", "desktop-2"])
    try copied.remove("desktop")
    try synchronizeAll([copied, first])
    #expect(throws: SyncError.self) { try second.synchronize() }
    #expect(try labels(first) == ["laptop", "desktop-2"])
    #expect(try first.synchronize().sent == 0)
  }

  /// A backup that is put back again and again: the parts before are named.
  @Test func aHomeThatIsPutBackAgainNamesWhatWentOnBefore() throws {
    let kept = try HomeFiles(of: desktop.home)
    for number in 1...3 {
      let back = try desktop.puttingBack(kept)
      let again = try SyncedVault(back.vault, engine: engine)
      let report = try again.synchronize()
      #expect(report.siblings.count == number - 1)
      #expect(report.successor?.hasPrefix("desktop") == true)
      try first.synchronize()
    }
  }

  /// What no machine can be called by the command is no name.
  @Test(arguments: [
    "\u{1b}[31mred\u{1b}[0m\nann  owner", "", "\u{202E}desk", "a b",
    String(repeating: "x", count: 3000),
  ])
  func aNameThatIsNoneIsNotShown(_ label: String) throws {
    let member = try HostileMember(desktop, engine)
    try member.goOn(as: label)
    try first.synchronize()
    #expect(try labels(first).count == 2)
    let name = try #require(try labels(first).first { $0 != "laptop" })
    #expect(name.hasPrefix("machine-") && name.utf8.count == 16)
    #expect(try first.log().allSatisfy { ["laptop", "desktop", name].contains($0.device) })
    try first.remove(name)
    #expect(try labels(first) == ["laptop"])
  }
}
