import CVaultLinux
import Glibc

/// Runs an editor at the terminal and outlives it, so that its file can be removed in every case.
///
/// SIGINT and SIGQUIT go to the editor, as in system(3); if they kill it, this process exits, too.
/// SIGTERM and SIGHUP end the editor. All of them take effect here when ``guarded(_:)`` returns.
@safe enum EditorProcess {
  /// The way an editor ended.
  enum End: Equatable {
    case done
    case failed(status: Int32)
    case killed(signal: Int32)
    case notStarted
  }

  /// The time between SIGTERM and SIGKILL.
  private static let patience: Duration = .seconds(3)

  /// Runs `body` and delays the signals that end a process until it returns.
  static func guarded<Result>(_ body: (SignalWatch) throws -> Result) throws -> Result {
    guard let watch = SignalWatch() else {
      throw TerminalError(.inputOutput, "no file descriptors are left")
    }
    let result = Swift.Result { try body(watch) }
    watch.end()
    return try result.get()
  }

  /// Starts the editor and waits for its end.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - variables: Variables to add to its environment.
  ///   - kept: A descriptor that it inherits.
  ///   - watch: The signals that arrive meanwhile.
  /// - Returns: The way it ended.
  static func run(
    _ command: [String], variables: [String: String], keeping kept: Int32, _ watch: SignalWatch
  ) -> End {
    QuietTerminal.end()
    let terminal = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    defer { if terminal >= 0 { close(terminal) } }
    var mode = termios()
    let hasMode = unsafe terminal >= 0 && tcgetattr(terminal, &mode) == 0
    let child = unsafe ChildProgram.launch(command, variables: variables) { actions in
      // The editor needs the terminal even if our stdout is a pipe that takes JSON.
      for stream: Int32 in [0, 1] where terminal >= 0 && !ProcessState.isTerminal(stream) {
        unsafe posix_spawn_file_actions_adddup2(&actions, terminal, stream)
      }
      unsafe posix_spawn_file_actions_adddup2(&actions, kept, kept)
    }
    guard let child else { return .notStarted }
    let end = wait(for: child, watch)
    guard case .killed(let signal) = end else { return end }
    if hasMode { unsafe tcsetattr(terminal, TCSANOW, &mode) }
    watch.sharesEnd(by: signal)
    return end
  }

  private static func wait(for child: pid_t, _ watch: SignalWatch) -> End {
    var status: Int32 = 0
    var deadline: ContinuousClock.Instant?
    while true {
      let ended = unsafe waitpid(child, &status, WNOHANG)
      if ended == child { break }
      if ended < 0, errno != EINTR { return .notStarted }
      // SIGCHLD ends this wait, so it needs no time limit unless the editor is being ended.
      watch.wait(milliseconds: deadline == nil ? -1 : 50)
      if watch.isToEnd, deadline == nil {
        deadline = .now + patience
        kill(child, SIGTERM)
      } else if let last = deadline, last < .now {
        kill(child, SIGKILL)
      }
    }
    let signal = status & 0x7F
    if signal != 0 { return .killed(signal: signal) }
    let code = status >> 8 & 0xFF
    return code == 0 ? .done : .failed(status: code)
  }
}
