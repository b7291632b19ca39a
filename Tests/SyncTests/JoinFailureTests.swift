import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSync

/// A join that the store refuses or loses in the middle: it has taken nothing, or goes on.
struct JoinFailureTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func join(
    _ machine: SyncMachine, _ invitation: SyncInvitation, _ engine: any SyncEngine
  ) throws -> SyncedVault {
    try SyncedVault.join(
      machine.vault, in: engine, at: "memory", invitation: invitation.text, label: machine.label)
  }

  /// A role that may not write, a full disk, a bucket for readers.
  @Test func aStoreThatTakesNothingGivesNothing() throws {
    let (third, invitation) = (try SyncMachine("third"), try first.invite())
    let refused = try join(third, invitation, ReadOnlyEngine(engine: engine))
    #expect(throws: SyncError.self) { try refused.begin() }
    #expect(try third.contents().isEmpty)
    #expect(try SyncedVault.store(of: third.vault) == nil)
    // The invitation is as good as before.
    try join(third, invitation, engine).begin()
    #expect(try third.contents() == laptop.contents())
    try first.synchronize()
    #expect(try first.devices().map(\.label).contains("third"))
  }

  /// The store has the first record, and the answer is lost: nobody else has its keys.
  @Test func anAnswerThatIsLostLosesNoMachine() throws {
    let (third, invitation) = (try SyncMachine("third"), try first.invite())
    let joined = try join(third, invitation, ReadOnlyEngine(engine: engine, takesAll: true))
    #expect(throws: SyncError.self) { try joined.begin() }
    #expect(try SyncedVault.store(of: third.vault) == "memory")
    let again = try SyncedVault(third.vault, engine: engine)
    #expect(try again.synchronize().problems.isEmpty)
    try first.synchronize()
    try third.set("mine", "3")
    try again.synchronize()
    try first.synchronize()
    #expect(try laptop.get("mine") == "3")
    #expect(try first.devices().count { $0.label.hasPrefix("third") } == 1)
  }

  /// The same of a space that begins.
  @Test func aSpaceWhoseAnswerIsLostGoesOn() throws {
    let engine = MemoryEngine()
    let machine = try SyncMachine("laptop")
    try machine.set("token", "1")
    let synced = try SyncedVault.create(
      machine.vault, in: ReadOnlyEngine(engine: engine, takesAll: true), at: "memory",
      label: "laptop")
    #expect(throws: SyncError.self) { try synced.begin() }
    try SyncedVault(machine.vault, engine: engine).begin()
    #expect(try engine.spaces().count == 1)
  }

  /// The store shows a machine's first records to that machine alone: it has taken the space's
  /// secrets, and nobody else loses, waits or blames.
  @Test func aStoreThatShowsTheFirstRecordToItsWriterAlone() throws {
    let third = try SyncMachine("third")
    let joined = try third.joining(first, engine)
    try third.set("mine", "3")
    try joined.synchronize()
    let known = try KnownSpace(third)
    for round in 0..<3 {
      engine.lies { contents in
        contents.records[known.space]?[known.stream] = nil
        contents.heads[known.space]?[known.stream] = nil
      }
      try laptop.set("token", "l\(round)")
      for one in [first, second] {
        let report = try one.synchronize()
        #expect(report.problems.isEmpty && report.stopped.isEmpty && report.waiting.isEmpty)
      }
      #expect(try !first.devices().map(\.label).contains("third"))
      engine.lies(nil)
      #expect(try joined.synchronize().problems.isEmpty)
      #expect(try third.get("token") == "l\(round)")
    }
    for one in [first, second, joined, first, second] { try one.synchronize() }
    for machine in [laptop, desktop, third] { #expect(try machine.get("mine") == "3") }
    #expect(try laptop.contents() == third.contents() && desktop.contents() == third.contents())
  }

  /// Two joins of one home at once, each with an invitation of its own: it is in the space once, and
  /// has what it had.
  @Test func twoJoinsOfOneHomeAtOnceMakeOneMachine() throws {
    for round in 0..<4 {
      let third = try SyncMachine("third\(round)")
      try third.set("mine\(round)", "3")
      let codes = try [first.invite(), first.invite()]
      let failures = Mutex<[SyncError.Code]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { turn in
        do {
          try join(SyncMachine(at: third.home, like: third), codes[turn], engine).begin()
        } catch let error as SyncError {
          failures.withLock { $0.append(error.code) }
        } catch {
          Issue.record(error)
        }
      }
      #expect(failures.withLock { $0 } == [.alreadyJoined], "round \(round)")
      let joined = try SyncedVault(SyncMachine(at: third.home, like: third).vault, engine: engine)
      for one in [first, joined, first, second] { try one.synchronize() }
      #expect(try first.devices().count { $0.label.hasPrefix("third\(round)") } == 1)
      #expect(try laptop.get("mine\(round)") == "3")
      #expect(try desktop.contents() == laptop.contents())
    }
  }

  // MARK: - Twins

  /// Somebody brings a secret along that the space has, too, and another one replaces it before he
  /// hears of that: what is newer counts, by whichever of the two ids.
  @Test func whoBringsAnEqualSecretTakesNothingBack() throws {
    for round in 0..<8 {
      let name = "shared\(round)"
      try laptop.set(name, "old")
      try first.synchronize()
      let third = try SyncMachine("third\(round)")
      try third.set(name, "old")
      let joined = try third.joining(first, engine)
      try laptop.set(name, "new")
      try desktop.set("other", "\(round)")
      for one in [first, joined, second, first, joined] { try one.synchronize() }
      for machine in [laptop, desktop, third] {
        #expect(try machine.get(name) == "new", "round \(round)")
        let trash = try machine.vault.blocking.read().items(matching: .trash)
        #expect(trash.isEmpty, "round \(round)")
      }
      #expect(try laptop.contents() == third.contents())
      try SyncedVault.leave(third.vault, in: engine)
      try first.synchronize()
    }
  }

  // MARK: - Reading while a run waits

  /// What shows how the vault stands answers while a run holds the lock, waiting for its store.
  @Test func whatIsOnlyShownWaitsForNoRun() throws {
    let files = SyncFiles(vault: laptop.vault.blocking.path)
    try first.synchronize()
    let status = try files.locked {
      _ = try first.devices()
      _ = try first.log()
      return try first.status()
    }
    #expect(status.devices == 2)
  }

  /// What changes something waits for the run, and says what it waits for: nothing is wrong with its
  /// files.
  @Test func whatChangesSomethingSaysThatARunIsAtWork() throws {
    let files = SyncFiles(vault: laptop.vault.blocking.path)
    try files.locked {
      let error = #expect(throws: SyncError.self) { try files.locked(timeout: .zero) {} }
      #expect(error?.code == .busy)
      #expect(error?.hint?.contains(laptop.home.path) == true)
    }
  }
}
