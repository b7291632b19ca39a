import CVaultLinux
import Glibc
import VaultSealing

// Written by the signal handler, which may run in any thread; -1 while no prompt is open. One aligned
// word, set before the handlers are installed and after they are gone.
nonisolated(unsafe) private var signalPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = unsafe write(signalPipe, &byte, 1)
  errno = saved
}

/// The controlling terminal, in a mode for typing a secret, with every way out guarded.
///
/// While it lives, echo is off and signals that end or stop the process are caught: the terminal is put
/// back first, then the signal is raised again. Stopped and continued, it goes on where it was.
/// tty_ioctl(4), termios(3).
@safe final class TerminalDevice {
  /// What came from the terminal.
  enum Event {
    case byte(UInt8)
    case end
    /// The process was stopped and goes on, or the terminal was changed meanwhile: show the prompt again.
    case resumed
  }

  private static let caughtSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  private let descriptor: Int32
  private let pipe: Pipe
  private var savedMode = termios()
  private var savedActions: [Int32: sigaction] = [:]
  private let echoes: Bool

  /// Opens `/dev/tty`; `nil` where the process has no terminal.
  ///
  /// - Parameter echoes: Whether what is typed is shown, and edited by the terminal itself.
  init?(echoes: Bool) {
    self.echoes = echoes
    ProgressLine.end()
    guard let pipe = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else { return nil }
    self.pipe = pipe
    descriptor = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    guard descriptor >= 0, unsafe tcgetattr(descriptor, &savedMode) == 0 else {
      // Nothing was changed yet; deinit does not run for a class that is not made.
      close(pipe.read)
      close(pipe.write)
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    enter()
  }

  deinit {
    leave()
    close(pipe.read)
    close(pipe.write)
    close(descriptor)
  }

  /// Whether the process has a terminal to ask on.
  static var isThere: Bool {
    let descriptor = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// Writes to the terminal.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(
          descriptor, $0.baseAddress.map { unsafe $0 + written }, bytes.count - written)
      }
      if count < 0, errno != EINTR { return }
      written += max(0, count)
    }
  }

  /// Writes bytes from locked memory.
  func write(_ secret: SecretBytes) {
    secret.withBytes { bytes in
      _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Waits for the next byte; signals that come meanwhile are raised again with the terminal put back.
  func next() -> Event {
    while true {
      if let event = next(within: -1) { return event }
    }
  }

  /// Waits for the next byte so many milliseconds; `nil` if none came.
  func next(within milliseconds: Int32) -> Event? {
    while true {
      var waiting = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&waiting, 2, milliseconds)
      if count == 0 { return nil }
      if waiting[1].revents != 0 || (count < 0 && errno == EINTR) {
        if raiseCaughtSignals() { return .resumed }
        continue
      }
      guard count > 0 else { return .end }
      var byte: UInt8 = 0
      let read = unsafe Glibc.read(descriptor, &byte, 1)
      if read == 1 { return .byte(byte) }
      if read < 0, errno == EINTR { continue }
      return .end
    }
  }

  private func enter() {
    if !echoes {
      var mode = savedMode
      // Not by lines: the terminal's own line holds 4,095 bytes and cuts the rest of a pasted token.
      mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
      unsafe withUnsafeMutableBytes(of: &mode.c_cc) { characters in
        unsafe characters[Int(VMIN)] = 1
        unsafe characters[Int(VTIME)] = 0
      }
      unsafe tcsetattr(descriptor, TCSAFLUSH, &mode)
    }
    unsafe signalPipe = pipe.write
    for number in Self.caughtSignals where cvault_is_ignored(number) == 0 {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = noteSignal
      var old = sigaction()
      unsafe sigaction(number, &action, &old)
      savedActions[number] = old
    }
  }

  private func leave() {
    unsafe tcsetattr(descriptor, TCSAFLUSH, &savedMode)
    for (number, action) in savedActions {
      var action = action
      unsafe sigaction(number, &action, nil)
    }
    savedActions = [:]
    unsafe signalPipe = -1
  }

  /// Gives signals that were caught the effect that they had without us.
  ///
  /// - Returns: Whether there were any, and the process goes on.
  private func raiseCaughtSignals() -> Bool {
    var caught: [Int32] = []
    var byte: UInt8 = 0
    while unsafe Glibc.read(pipe.read, &byte, 1) == 1 { caught.append(Int32(byte)) }
    guard !caught.isEmpty else { return false }
    leave()
    // A thread that waits for the keyring blocks signals: one that is raised there would never have its effect.
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    for number in caught { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &before)
    for number in caught where number != SIGCONT { raise(number) }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    enter()
    return true
  }
}
