import TestSupport
import Testing
import VaultCredentials
import VaultSync

/// Changes of one item that did not know of each other: what of
/// Documentation/design/sync-format.md, section 4, no other suite shows.
struct ConcurrentChangesTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    machines = try TwoMachines()
  }

  private func meet() throws {
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    #expect(try laptop.contents() == desktop.contents())
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  private func change(_ machine: SyncMachine, _ change: (inout ItemChanges) -> Void) throws {
    var changes = ItemChanges()
    change(&changes)
    try machine.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
  }

  private func item(_ machine: SyncMachine, _ name: String = "token") throws -> Item {
    try machine.vault.blocking.read().item(ItemName(name))
  }

  @Test func tagsAreJoinedButForThoseThatWereKnownAndTakenAway() throws {
    try change(laptop) { $0.tags = ["both", "gone"] }
    try meet()
    try change(laptop) { $0.tags = ["both", "laptop"] }
    try change(desktop) { $0.tags = ["both", "gone", "desktop"] }
    try meet()
    #expect(try Set(item(desktop).tags) == ["both", "laptop", "desktop"])
  }

  @Test func attributesAreMergedByTheirNamesAndTheLaterNoteAndExpiryStay() throws {
    try change(laptop) {
      $0.attributes = ["one": "laptop"]
      $0.note = "laptop"
    }
    desktop.time.advance(60_000)
    try change(desktop) {
      $0.attributes = ["other": "desktop"]
      $0.note = "desktop"
    }
    try meet()
    for machine in [laptop, desktop] {
      let item = try item(machine)
      #expect(item.attributes["one"] == "laptop" && item.attributes["other"] == "desktop")
      #expect(item.note == "desktop" && item.lostValues.map(\.value) == ["laptop"])
    }
  }

  @Test func equalValuesAreNoConflict() throws {
    try laptop.set("token", "2")
    desktop.time.advance(60_000)
    try desktop.set("token", "2")
    try meet()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "2")
      #expect(try item(machine).conflicts.isEmpty)
    }
  }

  /// An undo gives the value back, on all machines: what the others have heard is settled, and a mark
  /// that comes back names a version that there is.
  @Test(arguments: [true, false])
  func anUndoOfWhatWasTakenIsTheSameForAll(_ isHeard: Bool) throws {
    try laptop.set("token", "l")
    var changes = ItemChanges()
    changes.note = "note l"
    try laptop.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    desktop.time.advance(60_000)
    try desktop.set("token", "d")
    changes.note = "note d"
    try desktop.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    try meet()
    #expect(try item(laptop).conflicts.count == 2)
    try first.resolve(ItemName("token"), taking: "laptop")
    if isHeard { try meet() }
    #expect(try laptop.get("token") == "l")
    try laptop.vault.blocking.undo()
    func check() throws {
      for machine in [laptop, desktop] {
        let item = try item(machine)
        let versions = try machine.vault.blocking.history(of: ItemName("token")).map(\.version)
        for conflict in item.conflicts {
          if let version = conflict.version { #expect(versions.contains(version)) }
        }
      }
    }
    try check()
    try meet()
    try check()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "d" && item(machine).note == "note d")
      #expect(try machine.values(of: "token") == ["1", "l", "d"])
    }
    #expect(try item(desktop).conflicts.isEmpty == isHeard)
    // What the others have heard is settled is still to be settled where that was undone.
    #expect(try item(laptop).lostValues.map(\.value) == ["note l"])
    if !isHeard { #expect(try item(laptop).lostValues == item(desktop).lostValues) }
    for one in [first, second] { #expect(try one.synchronize().sent == 0) }
  }

  /// What was settled without taking anything, and undone when the others had heard of it: nothing is
  /// lost, and the settling can be done again.
  @Test(arguments: [true, false])
  func anUndoOfWhatWasLeftAsItIsCanBeUndone(_ isHeard: Bool) throws {
    try laptop.set("token", "l")
    desktop.time.advance(60_000)
    try desktop.set("token", "d")
    try meet()
    #expect(try item(laptop).conflicts.count == 1)
    try first.resolve(ItemName("token"))
    if isHeard { try meet() }
    for _ in 0..<3 {
      try laptop.vault.blocking.undo()
      try meet()
      #expect(try laptop.get("token") == "d" && desktop.get("token") == "d")
      #expect(try laptop.values(of: "token") == ["1", "l", "d"])
    }
  }

  /// Three notes met, and the one that was taken is given up again: all three are there.
  @Test func anUndoLosesNoneOfThreeNotes() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    for one in [first, second, third, first, second] { try one.synchronize() }
    for (number, machine) in [laptop, desktop, server].enumerated() {
      machine.time.advance(Int64(number) * 60_000)
      var changes = ItemChanges()
      changes.note = "note \(machine.label)"
      try machine.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    }
    func rounds() throws {
      for _ in 0..<3 { for one in [first, second, third] { try one.synchronize() } }
    }
    try rounds()
    try first.resolve(ItemName("token"), taking: "desktop")
    try rounds()
    #expect(try item(server).note == "note desktop")
    try laptop.vault.blocking.undo()
    try rounds()
    let kept = try [item(laptop).note] + item(laptop).lostValues.map(\.value)
    #expect(kept.sorted() == ["note desktop", "note laptop", "note server"])
    #expect(try item(desktop).note == item(laptop).note)
    // Made again, it is settled as before.
    try laptop.vault.blocking.undo()
    try rounds()
    for machine in [laptop, desktop, server] {
      #expect(try item(machine).note == "note desktop" && item(machine).lostValues.isEmpty)
    }
    for one in [first, second, third] { #expect(try one.synchronize().sent == 0) }
  }

  @Test func aNewNameAndANewValueAreBothTaken() throws {
    try laptop.vault.blocking.edit { _ = try $0.rename(ItemName("token"), to: ItemName("key")) }
    try desktop.set("token", "2")
    try meet()
    #expect(try laptop.contents().keys.sorted() == ["key"])
    #expect(try laptop.get("key") == "2")
    #expect(try item(laptop, "key").conflicts.isEmpty)
  }

  /// The desktop leaves, and joins again after the laptop has removed the item for good.
  ///
  /// - Parameter value: What it writes before that; by its clock, a year before the removal.
  /// - Returns: Its part in the space.
  /// - Throws: What none of this should throw.
  private func joinAgain(with value: String? = nil) throws -> SyncedVault {
    try SyncedVault.leave(desktop.vault, in: engine)
    desktop.time.advance(-365 * 86_400_000)
    if let value { try desktop.set("token", value) }
    try laptop.vault.blocking.edit { try $0.purge(ItemName("token")) }
    try first.synchronize()
    let second = try desktop.joining(first, engine)
    for one in [second, first] { try one.synchronize() }
    for machine in [laptop, desktop] { #expect(try machine.contents().isEmpty) }
    return second
  }

  private func names(_ machine: SyncMachine) throws -> [String] {
    try machine.vault.blocking.shared { try $0.items().items.values.map(\.name) }
  }

  @Test func aValueThatWasNeverToldOutlivesARemovalWhereAMachineJoinsAgain() throws {
    let second = try joinAgain(with: "2")
    for machine in [laptop, desktop] { #expect(try names(machine) == ["token"]) }
    try laptop.vault.blocking.edit { _ = try $0.restore(ItemName("token")) }
    for one in [first, second] { try one.synchronize() }
    for machine in [laptop, desktop] { #expect(try machine.get("token") == "2") }
  }

  @Test func whatAllKnewWhenItWasRemovedIsGoneWhereAMachineJoinsAgain() throws {
    _ = try joinAgain()
    for machine in [laptop, desktop] { #expect(try names(machine).isEmpty) }
  }

  @Test func whatIsMadeAnewAfterARemovalHasALifeOfItsOwn() throws {
    try laptop.vault.blocking.edit { try $0.purge(ItemName("token")) }
    try meet()
    try desktop.set("token", "new")
    try meet()
    #expect(try laptop.get("token") == "new")
    #expect(try laptop.values(of: "token") == ["new"])
  }

  /// Whoever takes an item out of the trash has not settled what met in it.
  @Test func twoValuesAreStillTwoWhenTheItemComesOutOfTheTrash() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    try laptop.set("token", "of the laptop")
    try desktop.set("token", "of the desktop")
    try first.synchronize()
    try second.synchronize()
    try desktop.vault.blocking.edit { try $0.remove(ItemName("token")) }
    try second.synchronize()
    // It hears of both values and of the trash at once.
    try third.synchronize()
    try server.vault.blocking.restore(ItemName("token"))
    for _ in 0..<2 { for one in [third, first, second] { try one.synchronize() } }
    for machine in [laptop, desktop, server] {
      #expect(try item(machine).conflicts.map(\.kind) == [.secret], "\(machine.label)")
      #expect(try machine.values(of: "token").isSuperset(of: ["of the laptop", "of the desktop"]))
    }
  }
}
