import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultStorage
import VaultSync

/// A log that has become long begins with a snapshot that everybody found right; its machine goes on
/// as before, through a crash at each step, with a store that was emptied, and beside hostile ones.
struct LogShorteningTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    var machines = try TwoMachines()
    machines.first.exchange.tuning.snapshotStep = 0
    machines.first.exchange.tuning.retirementStep = 1
    machines.first.exchange.tuning.logStep = 1
    machines.second.exchange.tuning.logStep = 1
    self.machines = machines
  }

  private func length(_ machine: SyncMachine) throws -> Int {
    try SyncFiles(vault: machine.vault.blocking.path).records().reduce(0) { $0 + $1.count }
  }

  private func hasRoot(_ machine: SyncMachine) throws -> Bool {
    try SyncFiles(vault: machine.vault.blocking.path).root() != nil
  }

  private func changeAll(_ rounds: Range<Int> = 0..<4, _ others: [SyncedVault] = []) throws {
    for round in rounds {
      try laptop.set("token", "l\(round)")
      try desktop.set("other", "d\(round)")
      for one in [first, second] + others { try one.synchronize() }
    }
    for _ in 0..<3 { for one in [first, second] + others { try one.synchronize() } }
  }

  private func expectEven(_ others: [SyncMachine] = []) throws {
    #expect(try laptop.contents() == desktop.contents())
    for other in others { #expect(try other.contents() == laptop.contents()) }
    for one in [first, second] {
      let report = try one.synchronize()
      #expect(report.problems.isEmpty && report.waiting.isEmpty && report.stopped.isEmpty)
    }
  }

  @Test func aLogOfYearsIsNoLongerThanWhatIsNew() throws {
    try changeAll()
    #expect(try hasRoot(laptop) && hasRoot(desktop))
    let before = try length(laptop)
    for year in 1..<6 { try changeAll(year * 10..<year * 10 + 6) }
    let after = try length(laptop)
    #expect(after < 3 * before, "\(after) bytes after \(before)")
    try expectEven()
    #expect(try laptop.values(of: "token").contains("l0"))
    // Its days of looking find nothing wrong.
    for day in 1...3 {
      for machine in [laptop, desktop] { machine.time.advance(2 * 86_400_000) }
      try laptop.set("day", "\(day)")
      for one in [first, second] {
        let report = try one.synchronize()
        #expect(report.mended == 0 && report.problems.isEmpty)
      }
    }
    let third = try SyncMachine("third")
    third.time.advance(6 * 86_400_000)
    let joined = try third.joining(first, engine)
    try third.set("mine", "3")
    for one in [joined, first, second, joined] { try one.synchronize() }
    try expectEven([third])
  }

  /// What a machine has that only its own log had: settings of preferences, conflicts, the trash.
  @Test func nothingIsLostThatTheVaultHas() throws {
    try laptop.set("both", "0")
    for one in [first, second] { try one.synchronize() }
    try engine.apart {
      try laptop.set("both", "here")
      try first.synchronize()
    } and: {
      try desktop.set("both", "there")
      try second.synchronize()
    }
    try laptop.set("gone", "1")
    try laptop.vault.blocking.edit { try $0.remove(ItemName("gone")) }
    try changeAll()
    #expect(try hasRoot(laptop) && hasRoot(desktop))
    for machine in [laptop, desktop] {
      #expect(try machine.values(of: "both") == ["0", "here", "there"])
      let trash = try machine.vault.blocking.read().items(matching: .trash)
      #expect(trash.map(\.name.text) == ["gone"])
    }
    try expectEven()
  }

  /// A short log is left as it is: a mirror needs all of it.
  @Test func aShortLogStays() throws {
    var (one, other) = (first, second)
    one.exchange.tuning.logStep = 256 << 20
    other.exchange.tuning.logStep = 256 << 20
    for round in 0..<4 {
      try laptop.set("token", "l\(round)")
      for synced in [one, other] { try synced.synchronize() }
    }
    for _ in 0..<3 { for synced in [one, other] { try synced.synchronize() } }
    let known = try KnownSpace(laptop)
    #expect(engine.all.retired[known.space]?[known.stream] ?? 0 > 0)
    #expect(try !hasRoot(laptop) && !hasRoot(desktop))
  }

  // MARK: - Who is against it

  /// The power goes at any call of the run that shortens: the next one goes on from what is there.
  @Test func aCrashAtAnyStepLosesNothing() throws {
    var long = first
    long.exchange.tuning.logStep = .max
    for round in 0..<4 {
      try laptop.set("token", "l\(round)")
      for one in [long, second] { try one.synchronize() }
    }
    for _ in 0..<3 { for one in [long, second] { try one.synchronize() } }
    #expect(try !hasRoot(laptop))
    laptop.time.advance(2 * 86_400_000)
    let (files, contents) = (try HomeFiles(of: laptop.home), engine.all)
    let others = try HomeFiles(of: desktop.home)
    let wanted = try laptop.contents()
    var shortened: Set<Bool> = []
    for call in stride(from: 1, through: 400, by: 7) {
      engine.all = contents
      let copy = try laptop.puttingBack(files, keepsFolders: true)
      var again = try SyncedVault(copy.vault, engine: engine)
      again.exchange.tuning = first.exchange.tuning
      _ = try? System.withFaults(FaultPlan(.kill, at: call)) { try again.synchronize() }
      let reopened = try SyncMachine(at: copy.home, like: copy)
      shortened.insert(try hasRoot(reopened))
      var last = try SyncedVault(reopened.vault, engine: engine)
      last.exchange.tuning = first.exchange.tuning
      let report = try last.synchronize()
      #expect(report.problems.isEmpty, "call \(call)")
      #expect(try reopened.contents() == wanted, "call \(call)")
      try reopened.set("after", "\(call)")
      #expect(try last.synchronize().sent > 0, "call \(call)")
      // Where it came behind its looking, it looks again on the next day.
      reopened.time.advance(2 * 86_400_000)
      try last.synchronize()
      #expect(try hasRoot(reopened), "call \(call)")
      let other = try desktop.puttingBack(others, keepsFolders: true)
      #expect(try SyncedVault(other.vault, engine: engine).synchronize().problems.isEmpty)
      #expect(try other.get("after") == "\(call)", "call \(call)")
    }
    #expect(shortened == [true, false])
  }

  /// The store is emptied: what the machines still have goes there again, and who joins has all.
  @Test func aStoreThatWasEmptiedIsFilledAgain() throws {
    try changeAll()
    #expect(try hasRoot(laptop) && hasRoot(desktop))
    let known = try KnownSpace(laptop)
    engine.all = engine.all.emptied(but: known.space)
    for _ in 0..<2 {
      for one in [first, second] { _ = try one.synchronize(acceptingRollback: true) }
    }
    let third = try SyncMachine("third")
    _ = try third.joining(first, engine)
    try expectEven([third])
  }

  /// The parts of the snapshot are lost, or altered, behind which the records have gone.
  @Test(arguments: [true, false])
  func lostPartsOfASnapshotArePutAgain(_ isAltered: Bool) throws {
    try changeAll()
    let space = try KnownSpace(laptop).space
    for name in (engine.all.objects[space] ?? [:]).keys {
      engine.all.objects[space]?[name] = isAltered ? [1, 2, 3] : nil
    }
    laptop.time.advance(2 * 86_400_000)
    let report = try first.synchronize()
    #expect(report.mended > 0 && report.problems.isEmpty)
    let third = try SyncMachine("third")
    third.time.advance(2 * 86_400_000)
    _ = try third.joining(first, engine)
    #expect(try third.contents() == laptop.contents())
    try expectEven([third])
  }

  /// Somebody is removed after his records went behind the snapshot: they count for good.
  @Test func aRemovalAfterwardsTakesNothingAway() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    try server.set("of the server", "1")
    try changeAll(0..<4, [third])
    #expect(try hasRoot(laptop))
    let wanted = try laptop.contents()
    try first.remove("server")
    for _ in 0..<2 { for one in [second, first] { try one.synchronize() } }
    #expect(try laptop.contents() == wanted)
    try expectEven()
  }

  /// A home from before is put back beside a store that goes on.
  @Test func aHomeOfBeforeGoesOn() throws {
    for one in [second, first, second] { try one.synchronize() }
    let kept = try HomeFiles(of: desktop.home)
    try changeAll()
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    #expect(try again.synchronize().problems.isEmpty)
    for _ in 0..<3 { for one in [first, again] { try one.synchronize() } }
    #expect(try back.contents() == laptop.contents())
  }
}

extension MemoryEngine.Contents {
  /// A store that has nothing of a space but that there is one.
  fileprivate func emptied(but space: SpaceID) -> MemoryEngine.Contents {
    var contents = MemoryEngine.Contents()
    contents.heads[space] = [:]
    contents.records[space] = [:]
    return contents
  }
}
