import CVaultLinux
import Glibc

// Written by the signal handler, which may run in any thread; -1 while no editor runs. One aligned word, set
// before the handlers are installed and after they are gone.
nonisolated(unsafe) private var signalPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = unsafe write(signalPipe, &byte, 1)
  errno = saved
}

/// Runs an editor in our place at the terminal, and is still there afterwards whatever happens.
///
/// INT and QUIT are the editor's to answer, as with system(3): one that dies of them takes us along. TERM and
/// HUP end it. They have their effect on us when ``guarded(_:)`` is through.
@safe enum EditorProcess {
  /// How an editor ended.
  enum End: Equatable {
    case done
    case failed(status: Int32)
    case killed(signal: Int32)
    case notStarted
  }

  private static let patience: Duration = .seconds(3)

  /// Runs `body` with the signals that end a process held back; they have their effect when it is through.
  static func guarded<Result>(_ body: (SignalWatch) throws -> Result) throws -> Result {
    guard let watch = SignalWatch() else {
      throw CommandError("input-output", "there are no descriptors left", status: .inputOutput)
    }
    let result = Swift.Result { try body(watch) }
    watch.end()
    return try result.get()
  }

  /// Starts the editor and waits for its end.
  ///
  /// - Parameters:
  ///   - command: Its words.
  ///   - variables: What is added to its environment.
  ///   - kept: A descriptor that it inherits.
  ///   - watch: The signals that come meanwhile.
  /// - Returns: How it ended.
  static func run(
    _ command: [String], variables: [String: String], keeping kept: Int32, _ watch: SignalWatch
  ) -> End {
    let terminal = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    defer { if terminal >= 0 { close(terminal) } }
    var mode = termios()
    let hasMode = unsafe terminal >= 0 && tcgetattr(terminal, &mode) == 0
    let child = unsafe ChildProgram.launch(command, variables: variables) { actions in
      // An editor wants the terminal, also where our stdout is for JSON.
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
      // SIGCHLD wakes it: nothing is polled for.
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

/// The signals that came while they were held back.
@safe final class SignalWatch {
  private let pipe: Pipe
  private var savedActions: [Int32: sigaction] = [:]
  private var savedMask = sigset_t()
  private var caught: Set<Int32> = []

  /// Whether the process was asked to end.
  var isToEnd: Bool { caught.contains(SIGTERM) || caught.contains(SIGHUP) }

  private var ends: Set<Int32> = [SIGTERM, SIGHUP]

  fileprivate init?() {
    guard let pipe = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else { return nil }
    self.pipe = pipe
    unsafe signalPipe = pipe.write
    for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD]
    where cvault_is_ignored(number) == 0 || number == SIGCHLD {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = noteSignal
      var old = sigaction()
      unsafe sigaction(number, &action, &old)
      savedActions[number] = old
    }
    // Whoever started us may have held it back, and the editor's end would go unheard.
    var child = sigset_t()
    unsafe sigemptyset(&child)
    unsafe sigaddset(&child, SIGCHLD)
    unsafe pthread_sigmask(SIG_UNBLOCK, &child, &savedMask)
  }

  /// Waits for the next signal.
  fileprivate func wait(milliseconds: Int32) {
    var waiting = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waiting, 1, milliseconds)
    var byte: UInt8 = 0
    while unsafe read(pipe.read, &byte, 1) == 1 { caught.insert(Int32(byte)) }
  }

  /// The editor died of a signal that a person sent to both.
  fileprivate func sharesEnd(by signal: Int32) {
    if [SIGINT, SIGQUIT].contains(signal) { ends.insert(signal) }
  }

  /// Puts everything back; what asked the process to end does so now.
  fileprivate func end() {
    wait(milliseconds: 0)
    for (number, action) in savedActions {
      var action = action
      unsafe sigaction(number, &action, nil)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &savedMask, nil)
    unsafe signalPipe = -1
    close(pipe.read)
    close(pipe.write)
    for number in ends.intersection(caught) { raise(number) }
  }
}
