import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A store that lies in another place, machines of one name, a code that two have used: each is
/// told once, and nobody has to leave.
struct MovingTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  @Test func aMachineGoesOnWithTheStoreInItsNewPlace() throws {
    let new = MemoryEngine()
    new.all = engine.all
    engine.isAway = true
    let moved = try first.moved(to: new, at: "elsewhere")
    try laptop.set("token", "2")
    #expect(try moved.synchronize().sent > 0)
    #expect(try SyncedVault.store(of: laptop.vault) == "elsewhere")
    #expect(try SyncedVault(laptop.vault, engine: new).synchronize().sent == 0)
    try second.moved(to: new, at: "elsewhere").synchronize()
    #expect(try desktop.get("token") == "2")
  }

  @Test func aPlaceThatLacksSomethingIsNotFollowed() throws {
    let old = engine.all
    try desktop.set("token", "of the desktop")
    try second.synchronize()
    try first.synchronize()
    // Another space's, one of before, and none at all.
    for contents in [old, MemoryEngine().all] {
      let other = MemoryEngine()
      other.all = contents
      let error = #expect(throws: SyncError.self) { try first.moved(to: other, at: "elsewhere") }
      #expect(error?.code == .rolledBack)
      #expect(try SyncedVault.store(of: laptop.vault) == "memory")
    }
    #expect(try first.synchronize().problems.isEmpty)
    // A person may insist, where the space is there.
    let other = MemoryEngine()
    other.all = old
    let moved = try first.moved(to: other, at: "elsewhere", acceptingRollback: true)
    try moved.synchronize(acceptingRollback: true)
    #expect(try laptop.get("token") == "of the desktop")
  }

  @Test func machinesOfOneNameAreNumbered() throws {
    let other = try SyncMachine("desktop")
    let third = try other.joining(first, engine)
    #expect(try third.status().label == "desktop-2")
    for one in [first, second] { try one.synchronize() }
    for one in [first, second, third] {
      #expect(try Set(one.devices().map(\.label)) == ["laptop", "desktop", "desktop-2"])
    }
    #expect(try first.remove("desktop").label == "desktop")
    #expect(throws: SyncError.self) { try second.synchronize() }
    #expect(try third.synchronize().problems.isEmpty)
    // The same line once more hits nobody else; who comes back has the name again.
    #expect(throws: SyncError.self) { try first.remove("desktop") }
    #expect(try third.status().label == "desktop-2")
    try SyncedVault.leave(desktop.vault, in: engine)
    let back = try desktop.joining(first, engine)
    #expect(try back.status().label == "desktop")
  }

  /// Two that join without knowing each other: the one that is let in second hears its name once.
  @Test func aMachineHearsThatItIsCalledOtherwise() throws {
    let (one, two) = (try SyncMachine("new"), try SyncMachine("new"))
    let codes = [try first.invite().text, try first.invite().text]
    func join(_ machine: SyncMachine, _ code: SecretBytes) throws -> SyncedVault {
      try SyncedVault.join(
        machine.vault, in: engine, at: "memory", invitation: code, label: machine.label)
    }
    var fourth: SyncedVault?
    let third = try engine.apart {
      try join(one, codes[0])
    } and: {
      fourth = try join(two, codes[1])
    }
    let other = try #require(fourth)
    try engine.apart({ try third.synchronize() }, and: { try other.synchronize() })
    try first.synchronize()
    let reports = [try third.synchronize(), try other.synchronize()]
    #expect(reports.compactMap(\.renamed) == ["new-2"])
    #expect(try Set([third, other].map { try $0.status().label }) == ["new", "new-2"])
    #expect(try third.synchronize().renamed == nil && other.synchronize().renamed == nil)
  }

  /// Whoever has a member's key may say anything in its claim: it gets no name of somebody else.
  @Test func nobodyTakesANameFromSomebodyWhoWasLetInBefore() throws {
    var space = try PaperSpace()
    try space.add("desk", .writer)
    try space.add("admin", .admin)
    // Of one name by their own words, though one machine knew nothing of the other one.
    try space.claimLabeled("desk", as: "thief", by: "founder")
    let labels = space.roster.present.map { "\($0.label)" }.sorted()
    #expect(labels == ["admin", "desk", "desk-2", "founder"])
    let (desk, thief) = (
      try #require(space.people["desk"]?.stream), try #require(space.people["thief"]?.stream)
    )
    #expect(space.roster.members[desk]?.label == "desk")
    // Nor does it when that one is removed.
    try space.remove("desk", by: "founder")
    #expect(space.roster.members[thief]?.label == "desk-2")
  }

  @Test func aCodeThatTwoHaveUsedIsToldOnce() throws {
    let code = try first.invite()
    let (one, two) = (try SyncMachine("one"), try SyncMachine("two"))
    let joined = try [one, two].map { machine in
      try SyncedVault.join(
        machine.vault, in: engine, at: "memory", invitation: code.text, label: machine.label)
    }
    for vault in joined { _ = try? vault.synchronize() }
    #expect(try first.synchronize().refused.count == 1)
    #expect(try second.synchronize().refused.count == 1)
    for one in [first, second] {
      try laptop.set("token", "\(Int.random(in: 0...1_000_000))")
      #expect(try one.synchronize().refused.isEmpty)
    }
    // Nobody can let it in by a code that is used up.
    let refused = try #require(
      try joined.first { (try? $0.synchronize()) == nil }?.status().label)
    #expect(throws: SyncError.self) { try first.admit(refused) }
  }
}

/// What a person sees of a long run.
struct SyncProgressTests {
  @Test func aMachineThatJoinsShowsHowManyRecordsHaveCome() throws {
    let machines = try TwoMachines()
    for number in 0..<12 {
      try machines.laptop.set("item", "\(number)")
      try machines.first.synchronize()
    }
    let seen = Mutex<[VaultProgress]>([])
    var options = VaultOptions.alone
    options.progress = { progress in seen.withLock { $0.append(progress) } }
    options.now = { machines.laptop.time.next() }
    let home = try TemporaryHome()
    let key = try SecretBytes.random(count: 32)
    let vault = try LockedVault(location: home.location, options: options).blocking
      .create(slots: [.keyFile(key)])
    let code = try machines.first.invite()
    _ = try SyncedVault.join(
      vault, in: machines.engine, at: "memory", invitation: code.text, label: "server")
    for phase in [VaultProgress.Phase.fetching, .opening] {
      let told = seen.withLock { $0.filter { $0.phase == phase } }
      #expect(told.contains { $0.done > 10 && $0.done == $0.total }, "\(phase)")
      #expect(told.allSatisfy { $0.done <= $0.total })
    }
  }
}
