import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What two machines of a space do to their vaults.
struct SynchronizingTests {
  let engine = MemoryEngine()
  let laptop: SyncMachine
  let desktop: SyncMachine

  init() throws {
    laptop = try SyncMachine("laptop")
    desktop = try SyncMachine("desktop")
  }

  @Test func whatOneMachineHasComesToTheOther() throws {
    try laptop.set("api-token", "s3cr3t")
    try laptop.vault.blocking.edit { edit in
      var changes = ItemChanges()
      changes.note = "of the team"
      changes.tags = ["work"]
      try edit.set(ItemName("db"), to: Secret("one"), field: "user", changes: changes)
    }
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    #expect(try desktop.contents() == laptop.contents())
    #expect(try desktop.get("api-token") == "s3cr3t")

    try desktop.set("api-token", "changed")
    try desktop.set("new", "n")
    try second.synchronize()
    let report = try first.synchronize()
    #expect(report.changes.changed.map(\.text) == ["api-token"])
    #expect(report.changes.added.map(\.text) == ["new"])
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.values(of: "api-token") == ["s3cr3t", "changed"])
  }

  @Test func nothingNewIsNothingSent() throws {
    try laptop.set("a", "1")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    for _ in 0..<3 {
      try first.synchronize()
      try second.synchronize()
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: laptop.vault.blocking.path))
    let calls = engine.calls
    let report = try first.synchronize()
    #expect(report.sent == 0 && report.received == 0)
    #expect(engine.calls == calls + 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: laptop.vault.blocking.path)) == before)
  }

  @Test func everyKindOfChangeTravels() throws {
    try laptop.set("rename-me", "1")
    try laptop.set("trash-me", "2")
    try laptop.set("purge-me", "3")
    try laptop.set("annotate-me", "4")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try desktop.vault.blocking.edit { edit in
      try edit.rename(ItemName("rename-me"), to: ItemName("renamed"))
      try edit.remove(ItemName("trash-me"))
      try edit.purge(ItemName("purge-me"))
      var changes = ItemChanges()
      changes.note = "a note"
      changes.tags = ["t"]
      changes.attributes = ["service": "s"]
      try edit.update(ItemName("annotate-me"), changes)
    }
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.contents().keys.sorted() == ["annotate-me", "renamed"])
    let trash = try laptop.vault.blocking.read().items(matching: ItemQuery.trash)
    #expect(trash.map(\.name.text) == ["trash-me"])

    try laptop.vault.blocking.restore(ItemName("trash-me"))
    try first.synchronize()
    try second.synchronize()
    #expect(try desktop.get("trash-me") == "2")
  }

  @Test func twoValuesOfOneSecretAreBothKeptAndTold() throws {
    try laptop.set("token", "old")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("token", "of the laptop")
    desktop.time.advance(60_000)
    try desktop.set("token", "of the desktop")
    try first.synchronize()
    let met = try second.synchronize()
    #expect(met.changes.conflicts.map(\.name.text) == ["token"])
    try first.synchronize()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "of the desktop")
      #expect(try machine.values(of: "token") == ["old", "of the laptop", "of the desktop"])
      let item = try machine.vault.blocking.read().item(ItemName("token"))
      let version = try #require(item.conflictingVersion)
      let other = try machine.vault.blocking.read().secret(of: item, version: version)
      #expect(try other.string() == "of the laptop")
    }
    // Settled on one machine, it is settled on all.
    try laptop.vault.blocking.edit { _ = try $0.settle(ItemName("token"), takesOther: true) }
    try first.synchronize()
    try second.synchronize()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "of the laptop")
      #expect(
        try machine.vault.blocking.read().item(ItemName("token")).conflictingVersion == nil)
    }
    #expect(try second.synchronize().sent == 0)
    #expect(try first.synchronize().sent == 0)
  }

  @Test func keepingTheCurrentValueSettlesItEverywhere() throws {
    try laptop.set("token", "old")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("token", "l")
    try desktop.set("token", "d")
    try first.synchronize()
    try second.synchronize()
    let current = try desktop.get("token")
    try desktop.vault.blocking.edit { _ = try $0.settle(ItemName("token")) }
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == current)
    #expect(try laptop.vault.blocking.read().item(ItemName("token")).conflictingVersion == nil)
  }

  @Test func changesOfDifferentPropertiesAreBothKept() throws {
    try laptop.set("db", "p")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.vault.blocking.edit { edit in
      _ = try edit.set(ItemName("db"), to: Secret("me"), field: "user")
    }
    try desktop.vault.blocking.edit { edit in
      try edit.set(ItemName("db"), to: Secret("example.org"), field: "host")
      var changes = ItemChanges()
      changes.note = "n"
      try edit.update(ItemName("db"), changes)
    }
    try first.synchronize()
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.contents()["db"] == "p|host=example.org|user=me|n")
    #expect(try laptop.vault.blocking.read().item(ItemName("db")).conflictingVersion == nil)
  }

  @Test func aChangeOutlivesTheTrashAndComesBackFromAPurge() throws {
    try laptop.set("trashed", "1")
    try laptop.set("purged", "2")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.vault.blocking.edit { edit in
      try edit.remove(ItemName("trashed"))
      try edit.purge(ItemName("purged"))
    }
    try desktop.set("trashed", "1b")
    try desktop.set("purged", "2b")
    try first.synchronize()
    try second.synchronize()
    try first.synchronize()
    for machine in [laptop, desktop] {
      #expect(try machine.contents().mapValues { $0.prefix(2) } == ["trashed": "1b"])
      let trash = try machine.vault.blocking.read().items(matching: ItemQuery.trash)
      #expect(trash.map(\.name.text) == ["purged"])
    }
    try desktop.vault.blocking.restore(ItemName("purged"))
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.get("purged") == "2b")
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  @Test func twoNewItemsOfOneNameGetTwoNames() throws {
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("github", "l")
    desktop.time.advance(10_000)
    try desktop.set("github", "d")
    try first.synchronize()
    try second.synchronize()
    try first.synchronize()
    try second.synchronize()
    #expect(try laptop.contents() == ["github": "l|", "github~desktop": "d|"])
    #expect(try desktop.contents() == laptop.contents())
    #expect(try first.synchronize().sent == 0)
  }

  @Test func twoEqualItemsOfOneNameBecomeOne() throws {
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("github", "same")
    try desktop.set("github", "same")
    for _ in 0..<2 {
      try first.synchronize()
      try second.synchronize()
    }
    #expect(try laptop.contents() == ["github": "same|"])
    #expect(try desktop.contents() == laptop.contents())
    let ids = try [laptop, desktop].map {
      try $0.vault.blocking.read().item(ItemName("github")).id
    }
    #expect(ids[0] == ids[1])
  }

  /// Two people type the same, but what each of them had before is another thing.
  @Test func whatTwinsHadBeforeIsKept() throws {
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("github", "l")
    try laptop.set("github", "same")
    try desktop.set("github", "d")
    try desktop.set("github", "same")
    try desktop.vault.blocking.edit { edit in
      var changes = ItemChanges()
      changes.note = "n"
      changes.tags = ["t"]
      _ = try edit.update(ItemName("github"), changes)
    }
    for _ in 0..<3 {
      try first.synchronize()
      try second.synchronize()
    }
    #expect(try laptop.contents() == ["github": "same|t|n"])
    #expect(try desktop.contents() == laptop.contents())
    for machine in [laptop, desktop] {
      #expect(try machine.values(of: "github") == ["l", "d", "same"])
    }
    #expect(try first.synchronize().sent == 0)
  }

  /// A value that was taken back before anybody heard of it is an earlier version for all.
  @Test func aValueThatWasTakenBackIsKeptByAll() throws {
    try laptop.set("token", "1")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try laptop.set("token", "2")
    try laptop.vault.blocking.restore(ItemName("token"))
    #expect(try laptop.get("token") == "1")
    try first.synchronize()
    try second.synchronize()
    #expect(try desktop.values(of: "token") == ["1", "2"])
    #expect(try desktop.get("token") == "1")
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  @Test func aVaultWithItemsJoinsAndLosesNothing() throws {
    try laptop.set("both", "l")
    try laptop.set("laptop-only", "1")
    try desktop.set("both", "d")
    try desktop.set("desktop-only", "2")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    try first.synchronize()
    try second.synchronize()
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.contents().count == 4)
  }

  @Test func aClockThatIsAYearOffChangesNothingThatWasKnown() throws {
    try laptop.set("a", "1")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    desktop.time.advance(365 * 86_400_000)
    try desktop.set("a", "2")
    try second.synchronize()
    try first.synchronize()
    // The laptop's clock is a year behind, but it knew of the change.
    try laptop.set("a", "3")
    try first.synchronize()
    let report = try second.synchronize()
    #expect(report.changes.conflicts.isEmpty)
    #expect(try desktop.get("a") == "3")
    try laptop.vault.blocking.edit { try $0.purge(ItemName("a")) }
    try first.synchronize()
    try second.synchronize()
    #expect(try desktop.contents().isEmpty)
    #expect(
      try desktop.vault.blocking.read().items(matching: ItemQuery.trash).isEmpty)
  }

  /// What came from another machine is no step of this one's person.
  @Test func anUndoTakesBackNothingOfOtherMachines() throws {
    try laptop.set("a", "1")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    #expect(throws: CredentialError.self) { try desktop.vault.blocking.undo() }
    try desktop.set("mine", "x")
    try laptop.set("a", "2")
    for one in [first, second, first] { try one.synchronize() }
    try desktop.vault.blocking.undo()
    for one in [second, first] { try one.synchronize() }
    #expect(try laptop.contents() == ["a": "2|"])
    #expect(try laptop.values(of: "a") == ["1", "2"])
  }
}
