import Foundation

/// Moments spread over a stretch of time, reproducible by their seed.
///
/// Tests kill or interrupt a process at them. `FUZZ_SEED` selects other moments.
package struct Moments {
  private var numbers: Mutations
  private let stretch: Duration
  private let rounds: Int
  private var round = 0

  /// - Parameters:
  ///   - rounds: The number of moments; then they begin anew.
  ///   - stretch: The time that the process takes when it is not interrupted.
  ///   - name: The process, for the line that is printed.
  package init(_ rounds: Int, within stretch: Duration, of name: String) {
    numbers = Mutations("moments of \(name)", corpus: [[]])
    self.stretch = stretch
    self.rounds = rounds
  }

  /// Waits from now to the next moment.
  package mutating func wait() {
    let part = (Double(round) + Double.random(in: 0..<1, using: &numbers)) / Double(rounds)
    round = (round + 1) % rounds
    Thread.sleep(forTimeInterval: stretch / .seconds(1) * part)
  }
}
