import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// A machine joins with what the records come to, and with those behind it.
struct SnapshotJoinTests: SuiteOfTwoMachines {
  let machines: TwoMachines
  let space: SpaceID

  /// A space with a snapshot that both machines stand by, and something behind it.
  init() throws {
    var machines = try TwoMachines(role: .admin)
    for round in 0..<10 {
      try machines.laptop.set("token", "l\(round)")
      try machines.desktop.set("other", "d\(round)")
      for one in [machines.first, machines.second] { try one.synchronize() }
    }
    machines.first.exchange.tuning.snapshotStep = 0
    try machines.first.synchronize()
    machines.first.exchange.tuning.snapshotStep = 1 << 20
    try machines.second.synchronize()
    try machines.laptop.set("behind", "2")
    try machines.first.synchronize()
    self.machines = machines
    space = try #require(SpaceID(text: machines.first.status().space))
  }

  /// Makes the store show nothing of what the snapshot stands in for.
  private func hideWhatItCovers() throws {
    let frontier = try #require(KnownSpace(laptop).told.snapshots.last).operation.frontier
    let space = space
    engine.lies { contents in
      for (stream, sequence) in frontier {
        for number in 0..<Int(sequence) { contents.records[space]?[stream]?[number] = [] }
      }
    }
  }

  private func code(_ body: () throws -> Void) -> SyncError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SyncError)?.code ?? SyncError.Code(rawValue: "\(error)")
    }
  }

  private func joining(_ machine: SyncMachine, _ code: SecretBytes) throws -> SyncedVault {
    try SyncedVault.join(
      machine.vault, in: engine, at: "memory", invitation: code, label: machine.label)
  }

  @Test func itReadsTheSnapshotAndWhatIsBehindIt() throws {
    try hideWhatItCovers()
    let server = try SyncMachine("server")
    let third = try joining(server, try first.invite().text)
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try server.contents() == laptop.contents())
    #expect(try server.values(of: "token").count > 1)
    // It takes part as any other machine, also after it was started again.
    try server.set("mine", "3")
    try desktop.set("token", "d")
    for one in [second, third, first, second, third] {
      #expect(try one.synchronize().problems.isEmpty)
    }
    #expect(try desktop.get("mine") == "3")
    #expect(try server.contents() == laptop.contents())
    var again = try SyncedVault(
      SyncMachine(at: server.home, like: server).vault, engine: engine)
    again.exchange.tuning.baseStep = 0
    for round in 0..<3 {
      try laptop.set("token", "again\(round)")
      try first.synchronize()
      #expect(try again.synchronize().received == 1)
    }
    #expect(try server.get("token") == "again2")
    #expect(try third.status().devices == 3)
    #expect(try third.log().contains { $0.subject == "mine" })
    // A base that is lost is made again from the snapshot.
    try FileManager.default.removeItem(atPath: server.vault.blocking.path + ".sync.base")
    try laptop.set("token", "last")
    try first.synchronize()
    #expect(try again.synchronize().problems.isEmpty)
    #expect(try server.get("token") == "last")
  }

  /// `SYNC_ITEMS=10000` for as many items, and then how long it takes.
  @Test func itReadsLittleHoweverMuchWasChanged() throws {
    let wanted = ProcessInfo.processInfo.environment["SYNC_ITEMS"].flatMap { Int($0) }
    let count = wanted ?? 200
    var first = first
    for round in 0..<5 {
      try laptop.vault.blocking.edit { edit in
        for number in 0..<count {
          _ = try edit.set(ItemName("service-\(number)"), to: Secret("value \(number) \(round)"))
        }
      }
      if round == 4 { first.exchange.tuning.snapshotStep = 0 }
      try first.synchronize()
    }
    first.exchange.tuning.snapshotStep = 1 << 20
    let invitation = try first.invite()
    let all = engine.all.records.values.joined().flatMap(\.value).reduce(0) { $0 + $1.count }
    let server = try SyncMachine("server")
    let (before, generation) = (engine.bytesRead, try server.vault.blocking.fileMark().generation)
    let start = ContinuousClock.now
    let third = try joining(server, invitation.text)
    let own = try server.vault.blocking.fileMark().generation
    let joined = ContinuousClock.now - start
    #expect(try third.synchronize().problems.isEmpty)
    let (read, time) = (engine.bytesRead - before, ContinuousClock.now - start)
    if wanted != nil { print("\(count) items: \(read) bytes of \(all), \(joined) of \(time)") }
    #expect(read < all * 2 / 3 && read < 64 << 10 + count * 600)
    // Its key, then everything else at once.
    #expect(own == generation + 1)
    #expect(try server.vault.blocking.fileMark().generation == own + 1)
    #expect(try server.get("service-7") == "value 7 4")
  }

  @Test func aVaultThatHasItemsIsMergedWithIt() throws {
    try hideWhatItCovers()
    let server = try SyncMachine("server")
    try server.set("own", "o")
    try server.set("token", "another")
    let third = try joining(server, try first.invite().text)
    for one in [third, first, third] { try one.synchronize() }
    #expect(try laptop.get("own") == "o")
    #expect(try server.contents().keys == laptop.contents().keys)
    #expect(try Set(server.contents().values).contains { $0.hasPrefix("l9") })
  }

  /// The machine that joined counts as one that did not compare what was there before.
  @Test func itConfirmsOnlyWhatCameLater() throws {
    let server = try SyncMachine("server")
    let third = try joining(server, try first.invite().text)
    for one in [third, first, third] { try one.synchronize() }
    #expect(try KnownSpace(laptop).told.confirms.count == 1)
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    for one in [first, third, second, first] { try one.synchronize() }
    let told = try KnownSpace(laptop).told
    #expect(told.snapshots.count == 2 && told.confirms.count == 3)
  }

  @Test func aRecoveryCodeLeadsToTheNewestOne() throws {
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try laptop.vault.blocking.addSlot(slot)
    try first.synchronize()
    try laptop.set("token", "newer")
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try first.synchronize()
    try hideWhatItCovers()
    let rescue = try SyncMachine("rescue")
    let third = try joining(rescue, code.bytes)
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try rescue.get("token") == "newer")
  }

  @Test func withoutItsPartsAnInvitationNamesNone() throws {
    engine.all.objects = [:]
    let server = try SyncMachine("server")
    let third = try joining(server, try first.invite().text)
    try third.synchronize()
    #expect(try server.contents() == laptop.contents())
  }

  // MARK: - What a snapshot does not have

  /// A machine that nobody but the laptop has heard of writes something that the snapshot has; an
  /// admin who does not know of it removes that machine.
  private func removed(
    _ server: SyncMachine, _ late: SyncMachine
  ) throws -> SyncedVault {
    let third = try server.joining(first, engine)
    for one in [first, second] { try one.synchronize() }
    var first = first
    first.exchange.tuning.snapshotStep = 0
    let joined = try engine.apart {
      try server.set("token", "taken back")
      try third.synchronize()
      try first.synchronize()
      first.exchange.tuning.snapshotStep = 1 << 20
      let joined = try joining(late, try first.invite().text)
      try joined.synchronize()
      #expect(try late.get("token") == "taken back")
      return joined
    } and: {
      try second.remove("server")
    }
    try first.synchronize()
    #expect(try laptop.get("token") == "l9")
    return joined
  }

  @Test func whatARemovalTakesBackIsFetched() throws {
    let (server, late) = (try SyncMachine("server"), try SyncMachine("late"))
    let joined = try removed(server, late)
    let root = late.vault.blocking.path + ".sync.root"
    #expect(FileManager.default.fileExists(atPath: root))
    let kept = try Data(contentsOf: URL(fileURLWithPath: root))
    #expect(try joined.synchronize().problems.isEmpty)
    #expect(try late.get("token") == "l9")
    #expect(!FileManager.default.fileExists(atPath: root))
    for one in [first, second, joined, first] { try one.synchronize() }
    #expect(try late.contents() == laptop.contents())
    // A crash may leave the snapshot beside the log that has everything.
    try kept.write(to: URL(fileURLWithPath: root))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: root)
    try laptop.set("token", "after")
    try first.synchronize()
    #expect(try joined.synchronize().problems.isEmpty)
    #expect(try late.get("token") == "after")
  }

  /// Kills a machine at its 1st, 3rd, 6th, 10th, … call of the system while it fetches them.
  @Test func aCrashWhileTheyAreFetchedLosesNothing() throws {
    let (server, late) = (try SyncMachine("server"), try SyncMachine("late"))
    _ = try removed(server, late)
    let (files, contents) = (try HomeFiles(of: late.home), engine.all)
    var (round, fired) = (0, true)
    while fired, round < 60 {
      round += 1
      try files.put(into: late.home)
      engine.all = contents
      let machine = try SyncMachine(at: late.home, like: late)
      let plan = FaultPlan(.kill, at: round * (round + 1) / 2)
      do {
        let synced = try SyncedVault(machine.vault, engine: engine)
        _ = try System.withFaults(plan) { try synced.synchronize() }
      } catch {
        #expect(plan.hasFired, "\(error)")
      }
      fired = plan.hasFired
      let again = try SyncMachine(at: late.home, like: late)
      let synced = try SyncedVault(again.vault, engine: engine)
      for _ in 0..<2 { #expect(try synced.synchronize().problems.isEmpty, "round \(round)") }
      #expect(try again.get("token") == "l9")
      #expect(try again.contents() == laptop.contents())
    }
    #expect(round > 3)
    #expect(!fired)
  }

  @Test func aCrashWhileJoiningLeavesNothingBehind() throws {
    try hideWhatItCovers()
    var (round, fired) = (0, true)
    let invitation = try first.invite(uses: 50)
    while fired, round < 30 {
      round += 1
      let server = try SyncMachine("server\(round)")
      try server.set("mine", "\(round)")
      let plan = FaultPlan(.kill, at: round * (round + 1) / 2)
      do {
        _ = try System.withFaults(plan) { try joining(server, invitation.text) }
      } catch {
        #expect(plan.hasFired, "\(error)")
      }
      fired = plan.hasFired
      // It has joined, or it can.
      let again = try SyncMachine(at: server.home, like: server)
      let synced: SyncedVault
      do {
        synced = try SyncedVault(again.vault, engine: engine)
      } catch let error as SyncError where error.code == .notJoined {
        synced = try joining(again, invitation.text)
      }
      #expect(try synced.synchronize().problems.isEmpty, "round \(round)")
      #expect(try again.get("token") == "l9")
    }
    #expect(round > 3)
    #expect(!fired)
  }

  @Test func withoutTheFirstRecordsThatIsTold() throws {
    let (server, late) = (try SyncMachine("server"), try SyncMachine("late"))
    let joined = try removed(server, late)
    let space = space
    let stream = try #require(
      StreamID(text: first.devices().first { $0.label == "laptop" }?.id ?? ""))
    engine.lies { contents in
      let next = contents.records[space]?[stream]?[2] ?? []
      contents.records[space]?[stream]?[1] = next
    }
    #expect(code { _ = try joined.synchronize() } == .tampered)
    #expect(try late.get("token") == "taken back")
    _ = try joined.status()
    engine.lies(nil)
    #expect(try joined.synchronize().problems.isEmpty)
    #expect(try late.get("token") == "l9")
  }

  @Test func whatAMachineCouldReadIsKnownWithoutTheRecords() throws {
    let server = try SyncMachine("server")
    let third = try joining(server, try first.invite().text)
    try third.synchronize()
    try first.remove("desktop")
    try laptop.set("behind", "new")
    for one in [first, third] { try one.synchronize() }
    #expect(try third.items(exposedTo: "desktop").map(\.text) == ["other", "token"])
    #expect(
      try third.items(exposedTo: "desktop") == first.items(exposedTo: "desktop"))
    // What it had once read, and is the value again.
    try laptop.set("token", "quite new")
    for one in [first, third] { try one.synchronize() }
    #expect(try third.items(exposedTo: "desktop").map(\.text) == ["other"])
    try laptop.set("token", "l8")
    for one in [first, third] { try one.synchronize() }
    #expect(try third.items(exposedTo: "desktop").map(\.text) == ["other", "token"])
  }

  // MARK: - A hostile store

  enum Hostility: CaseIterable {
    case alteredPart, anotherPart, noPart, alteredRecord, noRecord, olderRecord, anotherSpace
    case alteredBehind, nothingBehind
  }

  @Test(arguments: Hostility.allCases)
  func aStoreThatLiesIsNoticed(_ hostility: Hostility) throws {
    // An older snapshot, to be shown in the place of the newer one.
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    try first.synchronize()
    first.exchange.tuning.snapshotStep = 1 << 20
    let told = try KnownSpace(laptop).told.snapshots
    try #require(told.count == 2)
    let (older, named) = (told[0], told[1])
    try laptop.set("token", "3")
    try first.synchronize()
    // A space of somebody else, with a snapshot of its own.
    let (other, stranger) = (MemoryEngine(), try SyncMachine("stranger"))
    var theirs = try stranger.founding(other)
    theirs.exchange.tuning.snapshotStep = 0
    try stranger.set("evil", "1")
    try theirs.synchronize()
    let foreign = try #require(
      try KnownSpace(stranger).told.snapshots.first.flatMap { snapshot in
        other.all.records.values.first?[snapshot.record.stream]?[Int(snapshot.record.sequence) - 1]
      })
    let foreignPart = try #require(other.all.objects.values.first?.values.first)
    let invitation = try first.invite()
    let (space, stream) = (space, named.record.stream)
    let place = Int(named.record.sequence) - 1
    let parts = named.operation.chunks.map(\.name)
    let olderPlace = Int(older.record.sequence) - 1
    engine.lies { contents in
      switch hostility {
      case .alteredPart: for name in parts { contents.objects[space]?[name]?[77] ^= 1 }
      case .anotherPart: for name in parts { contents.objects[space]?[name] = foreignPart }
      case .noPart: for name in parts { contents.objects[space]?[name] = nil }
      case .alteredRecord: contents.records[space]?[stream]?[place][200] ^= 1
      case .noRecord:
        let before = contents.records[space]?[stream]?.prefix(place) ?? []
        contents.records[space]?[stream] = Array(before)
      case .olderRecord:
        let older = contents.records[space]?[stream]?[olderPlace] ?? []
        contents.records[space]?[stream]?[place] = older
      case .anotherSpace: contents.records[space]?[stream]?[place] = foreign
      case .alteredBehind: contents.records[space]?[stream]?[place + 1][200] ^= 1
      case .nothingBehind:
        contents.records[space]?[stream]?.removeLast()
        contents.heads[space]?[stream] = StreamHead(
          stream: stream, sequence: UInt64(place + 1), hash: named.record.hash)
      }
    }
    let server = try SyncMachine("server")
    let expected: SyncError.Code =
      switch hostility {
      case .noPart, .noRecord, .nothingBehind: .withheld
      default: .tampered
      }
    #expect(code { _ = try joining(server, invitation.text) } == expected)
    #expect(try server.contents().isEmpty)
    // Nothing is kept of that: an honest store lets the machine in.
    engine.lies(nil)
    let third = try joining(server, invitation.text)
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try server.contents() == laptop.contents())
  }

  /// What this machine keeps of the snapshot is sealed, too.
  @Test func aDamagedSnapshotOnThisMachineIsTold() throws {
    let server = try SyncMachine("server")
    let third = try joining(server, try first.invite().text)
    try third.synchronize()
    try? FileManager.default.removeItem(atPath: server.vault.blocking.path + ".sync.base")
    let path = server.vault.blocking.path + ".sync.root"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(code { _ = try third.log() } == .tampered)
    // It leaves, and joins again.
    try SyncedVault.leave(server.vault, in: engine)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try server.get("token") == "l9")
  }
}
