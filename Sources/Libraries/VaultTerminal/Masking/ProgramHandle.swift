import CVaultLinux
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
    /// Whether it is to stop, and what it has started with it.
    var isStopping = false
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
      state.isStopping = false
      state.run += 1
      state.leadsGroup = leadsGroup
    }
  }

  /// The end of the program, which is a child of this process; of one that was to stop, or with this
  /// process, nothing of its group is left.
  ///
  /// - Returns: How it ended; `nil` while it runs.
  func takeEnd() -> ProgramEnd? {
    state.withLock { state in
      var info = unsafe siginfo_t()
      // It stays a zombie meanwhile, so that the number of its group is nobody else's.
      guard state.process > 0,
        unsafe waitid(P_PID, id_t(state.process), &info, WEXITED | WNOHANG | WNOWAIT) == 0,
        unsafe info.si_signo == SIGCHLD
      else { return nil }
      let process = state.process
      Self.end(&state)
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
      return ProgramEnd(status: status)
    }
  }

  /// Another process has taken the program's end.
  func end() {
    state.withLock { Self.end(&$0) }
  }

  private static func end(_ state: inout State) {
    if state.isStopping || state.isEnding, state.leadsGroup, state.process > 0 {
      kill(-state.process, SIGKILL)
    }
    state.process = 0
  }

  /// Sends the program a signal.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - toGroup: Whether those that it has started get it, too, where they are known.
  ///   - run: The run that is meant; `nil` for any.
  ///   - isStop: Whether it is to stop, and what it has started with it.
  ///   - body: Called first, if the program runs.
  /// - Returns: Its run; `nil` if it does not run.
  @discardableResult
  package func send(
    _ signal: Int32, toGroup: Bool = false, ofRun run: Int? = nil, isStop: Bool = false,
    first body: () -> Void = {}
  ) -> Int? {
    state.withLock { state in
      guard state.process > 0, run == nil || run == state.run else { return nil }
      body()
      if isStop { state.isStopping = true }
      kill(toGroup && state.leadsGroup ? -state.process : state.process, signal)
      return state.run
    }
  }
}
