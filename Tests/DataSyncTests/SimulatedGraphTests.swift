import Foundation
import Testing
import VaultDataSync
import VaultSync

/// Random saves of objects that refer to each other: equal in the end, nothing dangles, and nothing
/// typed is lost.
struct SimulatedGraphTests {
  /// `DATA_GRAPH_SEEDS=17-17` runs one alone.
  static let seeds: ClosedRange<UInt64> = {
    let words = ProcessInfo.processInfo.environment["DATA_GRAPH_SEEDS"]?.split(separator: "-") ?? []
    guard words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]) else {
      return 1...10
    }
    return first...max(first, last)
  }()

  /// `DATA_GRAPH_ROUNDS=2` has the machines meet less often, for many seeds.
  private static let rounds =
    ProcessInfo.processInfo.environment["DATA_GRAPH_ROUNDS"].flatMap { Int($0) } ?? 15

  /// Each seed has the machines meet fifteen times.
  @Test func machinesComeToTheSameAndLoseNothing() throws {
    try simulate(Self.seeds, rounds: Self.rounds, hasFamilies: false)
  }

  /// With classes that inherit from each other.
  ///
  /// With this seed a machine at rest did not look again whether an object may have its value now.
  @Test func machinesWithFamiliesComeToTheSameAndLoseNothing() throws {
    let isByHand = ProcessInfo.processInfo.environment["DATA_GRAPH_SEEDS"] != nil
    try simulate(
      isByHand ? Self.seeds : 5001...5001, rounds: isByHand ? Self.rounds : 9, hasFamilies: true)
  }

  private func simulate(_ seeds: ClosedRange<UInt64>, rounds: Int, hasFamilies: Bool) throws {
    for seed in seeds {
      var simulation = try SimulatedGraph(seed: seed, hasFamilies: hasFamilies)
      for round in 1...max(1, rounds) {
        let findings: [String]
        do {
          findings = try simulation.run(steps: 12)
        } catch {
          findings = ["a run throws \(error)"]
        }
        #expect(
          findings.isEmpty, "seed \(seed), round \(round): \(findings.joined(separator: "\n"))")
        guard findings.isEmpty else { break }
      }
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

  /// An object has the class that came last: a mistake that the simulator must find.
  @Test func aClassThatComesLastIsFound() throws {
    try expectFound(choosing: { $0.last?.path })
  }

  private func expectFound(
    _ merging: StoreMeeting.Merge? = nil, choosing: ObjectKind.Choice? = nil
  ) throws {
    // Identities are random: a seed finds it at once, every second one, or hardly ever.
    for seed in UInt64(1)...24 {
      // A mistake with classes is found among them, any other one sooner without.
      var simulation = try SimulatedGraph(
        seed: seed, merging: merging, choosing: choosing, hasFamilies: choosing != nil)
      for _ in 1...3 {
        // Rows that cannot be are found, too.
        let findings = (try? simulation.run(steps: 12)) ?? ["a run throws"]
        if !findings.isEmpty { return }
      }
    }
    Issue.record("no seed has found it")
  }
}
