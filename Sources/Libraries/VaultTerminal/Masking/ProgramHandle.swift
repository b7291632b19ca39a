import Glibc
import Synchronization

/// A program that runs beside this process, as another thread sees it that may stop it.
///
/// Its process id is used only while the kernel keeps it for this program: a signal never reaches
/// another one.
package final class ProgramHandle: Sendable {
  private struct State {
    /// The program; 0 while none runs.
    var process: pid_t = 0
    /// How many have been started.
    var run = 0
    /// Whether its process group is its own.
    var leadsGroup = false
    /// Whether a person or a manager has asked this process to end.
    var isEnding = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether somebody has asked this process to end.
  package var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Notes a signal that asks this process to end, which the program gets, too.
  func noteEnding() { state.withLock { $0.isEnding = true } }

  /// A program has been started.
  func begin(_ process: pid_t, leadsGroup: Bool) {
    state.withLock { state in
      state.process = process
      state.run += 1
      state.leadsGroup = leadsGroup
    }
  }

  /// Asks the kernel for the program's end.
  ///
  /// - Parameter body: Takes the status, and says whether the program has ended.
  func reap(_ body: () -> Bool) {
    state.withLock { state in
      if body() { state.process = 0 }
    }
  }

  /// Sends the program a signal.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - toGroup: Whether those that it has started get it, too, where they are known.
  ///   - run: The run that is meant; `nil` for any.
  ///   - body: Called first, if the program runs.
  /// - Returns: Its run; `nil` if it does not run.
  @discardableResult
  package func send(
    _ signal: Int32, toGroup: Bool = false, ofRun run: Int? = nil, first body: () -> Void = {}
  ) -> Int? {
    state.withLock { state in
      guard state.process > 0, run == nil || run == state.run else { return nil }
      body()
      kill(toGroup && state.leadsGroup ? -state.process : state.process, signal)
      return state.run
    }
  }
}
