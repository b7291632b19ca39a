import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a machine changed since a moment is taken back when it is removed, and nothing else.
struct RevertingTests {
  let engine = MemoryEngine()
  let time = SyncMachine.TestTime()
  let machines: [SyncMachine]
  let stores: [MemoryPreferences]
  var synced: [SyncedVault]

  /// Two admins and a writer, who have been in for a while.
  init() throws {
    let (engine, time) = (engine, time)
    let machines = try ["laptop", "desktop", "server"].map { try SyncMachine($0, time) }
    for name in ["token", "db", "cert", "old"] { try machines[0].set(name, "1") }
    var synced = [try machines[0].founding(engine)]
    synced.append(try machines[1].joining(synced[0], engine, role: .admin))
    synced.append(try machines[2].joining(synced[0], engine, role: .admin))
    stores = machines.map { _ in MemoryPreferences() }
    for number in synced.indices { synced[number].preferences = stores[number] }
    self.machines = machines
    self.synced = synced
    try rounds()
  }

  private var laptop: SyncMachine { machines[0] }
  private var desktop: SyncMachine { machines[1] }
  private var server: SyncMachine { machines[2] }
  private var first: SyncedVault { synced[0] }

  private func rounds(_ numbers: [Int] = [0, 1, 2], _ count: Int = 3) throws {
    for _ in 0..<count { for number in numbers { try synced[number].synchronize() } }
  }

  /// A moment with a day before and a day behind it.
  private func aDayLater() -> Date {
    time.advance(86_400_000)
    let moment = Date(timeIntervalSince1970: Double(time.next()) / 1000)
    time.advance(86_400_000)
    return moment
  }

  private func describe(_ machine: SyncMachine, _ name: String, note: String) throws {
    var changes = ItemChanges()
    changes.note = note
    changes.tags = ["evil"]
    try machine.vault.blocking.edit { _ = try $0.update(ItemName(name), changes) }
  }

  private func outcomes(_ reversion: SyncReversion) -> [String: SyncReversion.Outcome] {
    Dictionary(reversion.items.map { ($0.name, $0.outcome) }) { one, _ in one }
  }

  private func expectEqual(to contents: [String: String]) throws {
    try rounds([0, 2])
    for machine in [laptop, server] { #expect(try machine.contents() == contents) }
    for one in [synced[0], synced[2]] { #expect(try one.synchronize().sent == 0) }
  }

  @Test func everyKindOfChangeIsTakenBackForAll() throws {
    try desktop.set("db", "honest")
    try describe(desktop, "cert", note: "before")
    try rounds()
    let before = try laptop.contents()
    let moment = aDayLater()
    try desktop.set("db", "evil")
    try describe(desktop, "cert", note: "evil")
    try desktop.vault.blocking.remove(ItemName("token"))
    try desktop.vault.blocking.remove(ItemName("old"), purge: true)
    try desktop.set("made", "evil")
    try rounds()
    #expect(try laptop.contents() != before)
    let shown = try first.changes(by: "desktop", since: moment)
    #expect(try first.synchronize().sent == 0)
    #expect(
      outcomes(shown) == [
        "db": .reverted, "cert": .reverted, "token": .reverted, "old": .restored, "made": .trashed,
      ])
    #expect(shown.items.first { $0.name == "cert" }?.properties == ["note"])
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(done.items == shown.items && done.preferences == shown.preferences)
    try expectEqual(to: before)
    // Nothing is lost: what was taken back is an earlier version, or in the trash.
    #expect(try server.values(of: "db").contains("evil"))
    let removed = try server.vault.blocking.items(matching: .trash).map(\.name.text)
    #expect(removed == ["made"])
    #expect(throws: SyncError.self) { try synced[1].synchronize() }
    // It is done.
    #expect(try first.changes(by: "desktop", since: moment).isEmpty)
  }

  @Test func aPersonMayTakeTheTakingBackBack() throws {
    let moment = aDayLater()
    try desktop.set("db", "better")
    try rounds()
    try first.remove("desktop", revertingSince: moment)
    #expect(try laptop.get("db") == "1")
    try laptop.vault.blocking.undo()
    try rounds([0, 2])
    #expect(try server.get("db") == "better")
  }

  @Test func whatOthersChangedSinceStays() throws {
    let moment = aDayLater()
    try desktop.set("db", "evil")
    try desktop.set("made", "evil")
    try desktop.set("token", "evil")
    try rounds()
    try server.set("db", "servers")
    try server.set("made", "servers")
    try rounds()
    // It did not know of this one.
    try describe(server, "token", note: "servers")
    try rounds([0, 2])
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(outcomes(done) == ["made": .kept, "token": .reverted])
    try rounds([0, 2])
    for machine in [laptop, server] {
      #expect(try machine.get("db") == "servers" && machine.get("made") == "servers")
      #expect(try machine.get("token") == "1")
      #expect(try machine.vault.blocking.item(ItemName("token")).note == "servers")
    }
  }

  @Test func aMachineThatIsOutAlreadyIsRevertedToo() throws {
    let before = try laptop.contents()
    let moment = aDayLater()
    try desktop.set("db", "evil")
    try rounds()
    try first.remove("desktop")
    try rounds([0, 2])
    #expect(try server.get("db") == "evil")
    // By another admin than the one who removed it.
    #expect(
      outcomes(try synced[2].remove("desktop", revertingSince: moment)) == ["db": .reverted])
    try expectEqual(to: before)
  }

  @Test func onlyAnAdminWhoComesBeforeMay() throws {
    let moment = aDayLater()
    try server.set("db", "2")
    try rounds()
    for (number, device) in [(2, "laptop"), (2, "desktop"), (1, "laptop"), (0, "laptop")] {
      #expect(throws: SyncError.self) {
        try synced[number].remove(device, revertingSince: moment)
      }
    }
    try first.setRole(.writer, of: "desktop")
    try rounds()
    #expect(throws: SyncError.self) { try synced[1].remove("server", revertingSince: moment) }
    #expect(throws: SyncError.self) { try first.remove("nobody", revertingSince: moment) }
    try rounds()
    #expect(try laptop.get("db") == "2")
    #expect(try first.devices().allSatisfy { !$0.isRemoved })
  }

  @Test func aClockThatWasPutBackDoesNotHideWhatKnowsLaterRecords() throws {
    let moment = aDayLater()
    try laptop.set("cert", "after")
    try rounds()
    time.advance(-5 * 86_400_000)
    try desktop.set("db", "evil")
    try synced[1].synchronize()
    time.advance(6 * 86_400_000)
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(outcomes(done) == ["db": .reverted])
    try rounds([0, 2])
    #expect(try laptop.get("db") == "1" && server.get("cert") == "after")
  }

  @Test func recordsThatNobodyHadSeenByThenAreCounted() throws {
    let moment = aDayLater()
    // It has seen nothing from after the moment, and says that it is older.
    time.advance(-4 * 86_400_000)
    try desktop.set("db", "evil")
    try synced[1].synchronize()
    time.advance(5 * 86_400_000)
    try first.synchronize()
    let shown = try first.changes(by: "desktop", since: moment)
    #expect(shown.isEmpty && shown.unseenRecords == 1)
    let earlier = moment.addingTimeInterval(-6 * 86_400)
    #expect(outcomes(try first.changes(by: "desktop", since: earlier)) == ["db": .reverted])
  }

  @Test func preferencesGetTheValuesBefore() throws {
    stores[0].set("theme", "dark", at: 10)
    for one in synced { _ = try one.addDomain("tool") }
    try rounds()
    let moment = aDayLater()
    stores[1].set("theme", "evil", at: time.next())
    stores[1].set("made", "evil", at: time.next())
    stores[2].set("own", "1", at: time.next())
    try rounds()
    #expect(stores[2].values() == ["theme": "evil", "made": "evil", "own": "1"])
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(done.preferences.map(\.key) == ["made", "theme"])
    try rounds([0, 2])
    for store in [stores[0], stores[2]] {
      #expect(store.values() == ["theme": "dark", "own": "1"])
    }
  }

  @Test func machinesThatItLetInStayWithWhatTheyWrote() throws {
    let moment = aDayLater()
    let phone = try SyncMachine("phone", time)
    let fourth = try phone.joining(synced[1], engine)
    try synced[1].synchronize()
    try phone.set("phones", "1")
    try desktop.set("db", "evil")
    try fourth.synchronize()
    try rounds()
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(outcomes(done) == ["db": .reverted])
    try rounds([0, 2])
    try fourth.synchronize()
    for machine in [laptop, server, phone] {
      #expect(try machine.get("phones") == "1" && machine.get("db") == "1")
    }
  }

  /// One that joined by a snapshot has not what the machine's changes replaced.
  @Test func whoJoinedByASnapshotFetchesWhatWasBefore() throws {
    let moment = aDayLater()
    try desktop.set("db", "evil")
    try rounds()
    var writer = first
    writer.exchange.tuning.snapshotStep = 0
    try writer.synchronize()
    try rounds()
    let tablet = try SyncMachine("tablet", time)
    let fifth = try tablet.joining(first, engine, role: .owner)
    try rounds()
    #expect(try tablet.get("db") == "evil")
    let done = try fifth.remove("desktop", revertingSince: moment)
    #expect(outcomes(done) == ["db": .reverted])
    try rounds([0, 2])
    for machine in [laptop, server, tablet] { #expect(try machine.get("db") == "1") }
  }

  /// What this vault has no room for was removed by nobody.
  @Test func itemsForWhichThisVaultHasNoRoomAreNotRemoved() throws {
    let long = String(repeating: "n", count: 60_000)
    for machine in [laptop, server] {
      try machine.vault.blocking.edit { edit in
        for number in 0..<140 {
          let name = try ItemName("\(machine.label)/\(number)")
          try edit.set(name, to: Secret("x"))
          var changes = ItemChanges()
          changes.note = long
          _ = try edit.update(name, changes)
        }
      }
    }
    try rounds([0, 2], 1)
    try first.synchronize()
    let held = try laptop.vault.blocking.items().count
    #expect(held > 140 && held < 284, "nothing was left out: \(held)")
    let moment = aDayLater()
    try desktop.set("db", "evil")
    try rounds([1, 0, 2], 1)
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(outcomes(done) == ["db": .reverted])
    try rounds([0, 2], 2)
    let names = try server.vault.blocking.items().map(\.name.text)
    #expect(names.count { $0.hasPrefix("server/") } == 140)
    #expect(try server.vault.blocking.items(matching: .trash).isEmpty)
    #expect(try server.get("db") == "1")
  }

  /// What a machine wrote before and after its home was put back is all its own.
  @Test(arguments: [true, false]) func aHomeThatWasPutBackIsRevertedWhole(_ isOutBefore: Bool)
    throws
  {
    let moment = aDayLater()
    try desktop.set("b1", "x")
    try synced[1].synchronize()
    let kept = try HomeFiles(of: desktop.home)
    try desktop.set("b2", "x")
    try synced[1].synchronize()
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    try again.synchronize()
    try back.set("b3", "x")
    try back.set("db", "evil")
    try again.synchronize()
    try rounds([0, 2])
    let shown = try first.changes(by: "desktop", since: moment)
    #expect(shown.items.map(\.name) == ["b1", "b2", "b3", "db"])
    if isOutBefore {
      try first.remove("desktop")
      #expect(try first.changes(by: "desktop", since: moment) == shown)
    }
    let done = try first.remove("desktop", revertingSince: moment)
    #expect(done.items == shown.items && done.label == "desktop")
    try rounds([0, 2])
    for machine in [laptop, server] {
      #expect(try machine.get("db") == "1")
      for name in ["b1", "b2", "b3"] {
        #expect(throws: (any Error).self) { try machine.get(name) }
      }
    }
    #expect(try first.devices().filter(\.isRemoved).map(\.label) == ["desktop"])
  }
}
