import Foundation

/// Moments within a stretch of time, spread over all of it: the same ones for the same seed.
///
/// For a process that is to be killed or interrupted wherever it happens to be. `FUZZ_SEED` chooses others.
package struct Moments {
  private var numbers: Mutations
  private let stretch: Duration
  private let rounds: Int
  private var round = 0

  /// - Parameters:
  ///   - rounds: How many there are.
  ///   - stretch: How long what is interrupted takes when it is left alone.
  ///   - name: What is interrupted, for the line that is printed.
  package init(_ rounds: Int, within stretch: Duration, of name: String) {
    numbers = Mutations("moments of \(name)", corpus: [[]])
    self.stretch = stretch
    self.rounds = rounds
  }

  /// Waits from now to the next moment.
  package mutating func wait() {
    let part = (Double(round) + Double.random(in: 0..<1, using: &numbers)) / Double(rounds)
    round += 1
    Thread.sleep(forTimeInterval: stretch / .seconds(1) * part)
  }
}
