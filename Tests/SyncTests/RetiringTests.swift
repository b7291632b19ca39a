import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// What everybody has found right who is in goes from the store, behind a snapshot; and nobody is
/// harmed by that who did not know of it.
struct RetiringTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    var machines = try TwoMachines()
    machines.first.exchange.tuning.snapshotStep = 0
    machines.first.exchange.tuning.retirementStep = 1
    self.machines = machines
  }

  private func reached(_ label: String) throws -> UInt64 {
    let known = try KnownSpace(laptop)
    return UInt64(try engine.all.retired[known.space]?[known.stream(label)] ?? 0)
  }

  /// Changes, until a snapshot of them is retired.
  private func retire(_ others: [SyncedVault] = []) throws {
    for round in 0..<3 {
      try laptop.set("token", "l\(round)")
      try desktop.set("other", "d\(round)")
      for one in [first, second] + others { try one.synchronize() }
    }
    for _ in 0..<3 { for one in [first, second] + others { try one.synchronize() } }
  }

  private func kept(_ machine: SyncMachine) throws -> Set<String> {
    try machine.values(of: "token").union(machine.values(of: "other"))
  }

  private let all: Set<String> = ["1", "l0", "l1", "l2", "d0", "d1", "d2"]

  @Test func firstRecordsGoAndANewMachineHasEverything() throws {
    try retire()
    #expect(try reached("laptop") > 0 && reached("desktop") > 0)
    let third = try SyncMachine("third")
    let joined = try third.joining(first, engine)
    #expect(try kept(third) == all)
    for one in [first, second, joined, first] { try one.synchronize() }
    // It goes on: what the new one writes comes to the others, and is retired in its turn.
    try third.set("mine", "3")
    for _ in 0..<4 { for one in [joined, first, second] { try one.synchronize() } }
    #expect(try laptop.get("mine") == "3")
    for one in [first, second, joined] {
      let report = try one.synchronize()
      #expect(report.problems.isEmpty && report.sent == 0)
    }
  }

  /// A machine that is off has not said that the snapshot is right: then nothing goes.
  @Test func whoIsOffKeepsAllRecords() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    try first.synchronize()
    try retire()
    #expect(try reached("laptop") == 0)
    // It comes back, and has everything from the records.
    try third.synchronize()
    #expect(try kept(server) == all)
    try retire([third])
    #expect(try reached("laptop") > 0)
  }

  /// A removed one is waited for no longer.
  @Test func whoWasRemovedIsNotAsked() throws {
    let server = try SyncMachine("server")
    _ = try server.joining(first, engine)
    try first.synchronize()
    try retire()
    #expect(try reached("laptop") == 0)
    try first.remove("server")
    try retire()
    #expect(try reached("laptop") > 0)
  }

  /// An invitation that names no snapshot, or an older one: nothing goes while it is open.
  @Test func anOpenInvitationKeepsWhatItNeeds() throws {
    let code = try first.invite(seconds: 86_400)
    try retire()
    #expect(try reached("laptop") == 0)
    let third = try SyncMachine("third")
    let joined = try SyncedVault.join(
      third.vault, in: engine, at: "memory", invitation: code.text, label: "third")
    try joined.synchronize()
    #expect(try kept(third) == all)
    try retire([joined])
    #expect(try reached("laptop") > 0)
  }

  /// The only machine with a recovery code is lost after it retired: the code still opens everything.
  @Test func aRecoveryCodeOpensWhatIsLeft() throws {
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try laptop.vault.blocking.addSlot(slot)
    try first.synchronize()
    try retire()
    #expect(try reached("laptop") > 0)
    let rescue = try SyncMachine("rescue")
    let joined = try SyncedVault.join(
      rescue.vault, in: engine, at: "memory", invitation: code.bytes, label: "rescue")
    try joined.synchronize()
    #expect(try kept(rescue) == all)
    try joined.remove("laptop")
    try rescue.set("token", "after")
    try joined.synchronize()
    try second.synchronize()
    #expect(try desktop.get("token") == "after")
  }

  /// A home of before the snapshot is put back: it begins again by itself, and loses nothing.
  @Test(arguments: [true, false])
  func aHomeOfBeforeGoesOn(_ hasChanges: Bool) throws {
    // It has the key of the newest epoch.
    for one in [second, first, second] { try one.synchronize() }
    let kept = try HomeFiles(of: desktop.home)
    try retire()
    #expect(try reached("laptop") > 0)
    let back = try desktop.puttingBack(kept)
    if hasChanges { try back.set("mine", "typed on the old home") }
    let again = try SyncedVault(back.vault, engine: engine)
    let report = try again.synchronize()
    #expect(report.problems.isEmpty)
    for _ in 0..<3 { for one in [first, again] { try one.synchronize() } }
    #expect(try self.kept(back) == all)
    if hasChanges { #expect(try laptop.get("mine") == "typed on the old home") }
    #expect(try laptop.contents() == back.contents())
    #expect(try again.synchronize().sent == 0)
  }

  /// What such a machine has of its own records begins behind the snapshot: it mends no more than that,
  /// and goes on for years.
  @Test func whoBeganAgainMendsWhatItHas() throws {
    for one in [second, first, second] { try one.synchronize() }
    let kept = try HomeFiles(of: desktop.home)
    try retire()
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    for _ in 0..<3 { for one in [again, first] { try one.synchronize() } }
    for day in 1...3 {
      for machine in [laptop, back] { machine.time.advance(2 * 86_400_000) }
      try back.set("day", "\(day)")
      for one in [again, first] {
        let report = try one.synchronize()
        #expect(report.mended == 0 && report.problems.isEmpty)
      }
    }
    #expect(try laptop.get("day") == "3")
    let third = try SyncMachine("third")
    third.time.advance(6 * 86_400_000)
    _ = try third.joining(first, engine)
    #expect(try self.kept(third) == all)
  }

  // MARK: - Who is against it

  /// Numbers that nothing has: they count for nothing, and nobody stops at them.
  @Test func aSnapshotWithNumbersThatNothingHasIsRefused() throws {
    for one in [second, first, second] { try one.synchronize() }
    let hostile = try HostileMember(desktop, engine)
    let snapshot = try hostile.known.snapshot(hostile.known.history)
    try engine.put(snapshot.objects, in: hostile.known.space)
    let frontier = snapshot.operation.frontier.mapValues { _ in UInt64.max }
    try hostile.write { known in
      [.snapshot(SnapshotOperation(frontier: frontier, chunks: snapshot.operation.chunks))]
    }
    for _ in 0..<3 { try first.synchronize() }
    #expect(try reached("laptop") == 0)
    #expect(try laptop.get("token") == "1")
  }

  /// Somebody who was removed, or does not know what the others have confirmed, says that a machine
  /// was out before: what all had found right stays, and the machine is out.
  @Test func aRemovalFromBeforeTakesNothingAway() throws {
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try laptop.vault.blocking.addSlot(slot)
    try first.synchronize()
    let before = engine.all
    try retire()
    #expect(try reached("desktop") > 0)
    let now = engine.all
    // By the code, at a store that shows an old state.
    engine.all = before
    let rescue = try SyncMachine("rescue")
    let joined = try SyncedVault.join(
      rescue.vault, in: engine, at: "memory", invitation: code.bytes, label: "rescue")
    try joined.synchronize()
    try joined.remove("desktop")
    engine.all = engine.all.joined(now)
    try first.synchronize()
    #expect(try kept(laptop) == all)
    #expect(try first.devices().first { $0.label == "desktop" }?.isRemoved == true)
    // And the one who did it comes to the same.
    let report = try joined.synchronize()
    #expect(report.problems.isEmpty)
    for _ in 0..<2 { for one in [first, joined] { try one.synchronize() } }
    #expect(try rescue.contents() == laptop.contents())
    #expect(try kept(rescue) == all)
  }

  /// A newer snapshot, which not everybody has found right, has something of a machine that an admin
  /// removes who does not know of it: who began with that one has to go back to what is left, and
  /// tells nobody what was removed.
  @Test(arguments: [true, false])
  func aRemovalBehindWhatIsRetiredTakesItBack(_ crashes: Bool) throws {
    for one in [second, first] { try one.synchronize() }
    try first.setRole(.admin, of: "desktop")
    try retire()
    let reachedBefore = try reached("laptop")
    #expect(reachedBefore > 0)
    let (server, late) = (try SyncMachine("server"), try SyncMachine("late"))
    let third = try server.joining(first, engine)
    for one in [first, second, third] { try one.synchronize() }
    var quiet = first
    quiet.exchange.tuning.retirementStep = .max
    let joined = try engine.apart {
      try server.set("token", "taken back")
      try third.synchronize()
      try quiet.synchronize()
      let joined = try late.joining(quiet, engine)
      #expect(try late.get("token") == "taken back")
      return joined
    } and: {
      try second.remove("server")
    }
    if crashes {
      let (files, contents) = (try HomeFiles(of: late.home), engine.all)
      for call in [1, 4, 8, 12, 16, 20, 24, 28, 32, 40, 50, 60] {
        engine.all = contents
        let copy = try late.puttingBack(files, keepsFolders: true)
        let again = try SyncedVault(copy.vault, engine: engine)
        _ = try? System.withFaults(FaultPlan(.kill, at: call)) { try again.synchronize() }
        let reopened = try SyncMachine(at: copy.home, like: copy)
        let last = try SyncedVault(reopened.vault, engine: engine)
        #expect(try last.synchronize().problems.isEmpty, "call \(call)")
        #expect(try reopened.get("token") == "l2", "call \(call)")
      }
    } else {
      #expect(try joined.synchronize().problems.isEmpty)
      #expect(try late.get("token") == "l2")
    }
    for one in [quiet, second, quiet] { try one.synchronize() }
    #expect(try laptop.get("token") == "l2")
    #expect(try desktop.get("token") == "l2")
  }

  /// A record that says so alone counts for nothing: not a reader's, not of a snapshot that somebody
  /// has not found right, not of something that is no snapshot.
  @Test(arguments: [SyncRole.reader, .writer, .admin])
  func aWordAloneRetiresNothing(_ role: SyncRole) throws {
    let server = try SyncMachine("server")
    var quiet = first
    quiet.exchange.tuning.snapshotStep = 1 << 20
    let third = try server.joining(quiet, engine, role: role)
    for _ in 0..<2 { for one in [quiet, second, third] { try one.synchronize() } }
    try laptop.set("token", "2")
    // Nobody but its writer has confirmed it.
    try first.synchronize()
    let known = try KnownSpace(laptop)
    let snapshot = try #require(
      known.history.all.last { record in
        record.content.operations.contains { if case .snapshot = $0 { true } else { false } }
      })
    let hostile = try HostileMember(server, engine)
    let seen = Sighting(
      stream: snapshot.stream, sequence: snapshot.sequence, hash: snapshot.hash)
    try hostile.write(seen: [seen]) { known in
      [
        .confirm(snapshot.stream, sequence: snapshot.sequence),
        .retire(snapshot.stream, sequence: snapshot.sequence),
        .retire(snapshot.stream, sequence: 1), .retire(known.stream, sequence: 1),
      ]
    }
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    let after = try KnownSpace(laptop)
    let roster = Roster(after.history.records, upTo: after.history.frontier)
    #expect(roster.retirements.allSatisfy { $0.record.stream != hostile.known.stream })
  }

  /// A store that says that records have gone, and shows no snapshot that an admin has found right:
  /// nothing is begun again, and nothing is lost.
  @Test func aStoreThatOnlySaysSoIsNotBelieved() throws {
    var quiet = first
    quiet.exchange.tuning.snapshotStep = 1 << 20
    let have = try #require(try KnownSpace(desktop).history.frontier[KnownSpace(laptop).stream])
    for value in ["not", "2"] {
      try laptop.set("token", value)
      try quiet.synchronize()
    }
    let known = try KnownSpace(laptop)
    engine.lies { contents in contents.retired[known.space] = [known.stream: Int(have) + 1] }
    let report = try second.synchronize()
    #expect(report.problems.map(\.code) == [.withheld])
    #expect(try desktop.get("token") == "1")
    engine.lies(nil)
    #expect(try second.synchronize(acceptingRollback: true).problems.isEmpty)
    #expect(try desktop.get("token") == "2")
  }

  /// A writer makes a snapshot, and the store hides the records that it stands in for: who was away
  /// does not begin with it, since no admin has found it right.
  @Test func aWritersSnapshotAloneIsNotBegunWith() throws {
    let kept = try HomeFiles(of: laptop.home)
    try desktop.set("token", "2")
    try second.synchronize()
    let hostile = try HostileMember(desktop, engine)
    let snapshot = try hostile.known.snapshot(hostile.known.history)
    try engine.put(snapshot.objects, in: hostile.known.space)
    try hostile.write { _ in [.snapshot(snapshot.operation)] }
    engine.lies { contents in
      for (stream, count) in snapshot.operation.frontier {
        contents.retired[hostile.known.space, default: [:]][stream] = Int(count)
      }
    }
    let back = try laptop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    let report = try again.synchronize()
    #expect(report.problems.contains { $0.code == .withheld })
    #expect(try back.get("token") == "1")
    engine.lies(nil)
    for _ in 0..<2 { for one in [again, second] { try one.synchronize(acceptingRollback: true) } }
    #expect(try back.get("token") == "2")
  }
}
