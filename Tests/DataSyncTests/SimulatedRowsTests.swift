import Foundation
import Testing
import VaultDataSync
import VaultSync

/// Random saves on three machines that hear of each other now and then: equal in the end, and nothing
/// typed is lost.
struct SimulatedRowsTests {
  /// `DATA_SYNC_SEEDS=17-17` runs one alone.
  static let seeds: ClosedRange<UInt64> = {
    let words = ProcessInfo.processInfo.environment["DATA_SYNC_SEEDS"]?.split(separator: "-") ?? []
    guard words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]) else {
      return 1...12
    }
    return first...max(first, last)
  }()

  @Test func machinesComeToTheSameAndLoseNothing() throws {
    for seed in Self.seeds {
      var simulation = try SimulatedRows(seed: seed)
      let findings = try simulation.run(steps: 40)
      #expect(findings.isEmpty, "seed \(seed): \(findings.joined(separator: "\n"))")
    }
  }

  /// What comes always counts: a mistake that the simulator must find.
  @Test func aMergeThatTakesWhatComesIsFound() throws {
    try expectFound { changes, current, incoming, past in
      var outcome = StoreMeeting.outcome(changes, current, incoming, past)
      outcome.changes = [StoreState.Change(stamp: incoming.stamp, value: nil)]
      outcome.written = incoming.value
      return outcome
    }
  }

  /// What loses is forgotten.
  @Test func aMergeThatKeepsNothingIsFound() throws {
    try expectFound { changes, current, incoming, past in
      var outcome = StoreMeeting.outcome(changes, current, incoming, past)
      outcome.lost = []
      return outcome
    }
  }

  /// The clock alone decides: what was known is not replaced by a clock that is behind.
  @Test func aMergeByTheClockAloneIsFound() throws {
    try expectFound { changes, current, incoming, _ in
      StoreMeeting.outcome(changes, current, incoming, [:])
    }
  }

  private func expectFound(_ merging: @escaping StoreMeeting.Merge) throws {
    for seed in UInt64(1)...12 {
      var simulation = try SimulatedRows(seed: seed, merging: merging)
      if try !simulation.run(steps: 40).isEmpty { return }
    }
    Issue.record("no seed has found it")
  }
}
