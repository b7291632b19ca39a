import CVaultLinux
import Glibc
import Synchronization
package import VaultSealing

/// The controlling terminal in a mode for typing, whose mode is restored on every way out.
///
/// While the object exists, echo may be off, and signals that end or stop the process are caught.
/// The object restores the terminal before it raises such a signal again, and a process that is
/// stopped and continued resumes where it was. tty_ioctl(4), termios(3).
@safe package final class TerminalDevice {
  /// An event at the terminal.
  package enum Event {
    /// A byte was typed.
    case byte(UInt8)
    /// The input ended.
    case end
    /// The process was stopped and continued, or the window changed: the prompt must be written
    /// again.
    case resumed
  }

  private static let caughtSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  /// The terminal, to be waited for beside other descriptors.
  package let descriptor: Int32
  private let signals: SignalPipe
  /// What can be read when a signal was caught, for who waits for other descriptors as well; then
  /// ``next(within:)`` has to be called.
  package var signalDescriptor: Int32 { signals.descriptor }
  private var savedMode = termios()
  private let echoes: Bool
  private let asks: Bool
  /// What is written before the terminal is given back, also when a signal ends the process.
  var erasure = ""
  /// Whether a change of the window's size is an event: ``Event/resumed``.
  var watchesSize = false {
    didSet { if watchesSize { signals.catchSignals([SIGWINCH]) } }
  }
  private let marksPastes: Bool

  /// What to say when a signal ends the process at a prompt; `nil` for nothing.
  static let lastWords = Mutex<String?>(nil)

  /// Opens `/dev/tty`; `nil` if the process has no terminal.
  ///
  /// - Parameters:
  ///   - echoes: Whether the terminal echoes and edits lines itself.
  ///   - marksPastes: Whether the terminal is asked to mark what is pasted.
  ///   - asks: Whether something is typed, and not only written.
  package init?(echoes: Bool, marksPastes: Bool = false, asks: Bool = true) {
    self.echoes = echoes
    self.asks = asks
    // A terminal that does not know the mode ignores it; a dumb one might show it.
    self.marksPastes = marksPastes && !OutputOptions.isDumb
    ProgressLine.end()
    guard let signals = SignalPipe() else { return nil }
    self.signals = signals
    descriptor = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    guard descriptor >= 0, unsafe tcgetattr(descriptor, &savedMode) == 0 else {
      // Nothing was changed yet; deinit does not run for an object whose initializer fails.
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    if let mode = QuietTerminal.modeBefore { savedMode = mode }
    if asks { enter() }
  }

  deinit {
    if asks { leave() }
    close(descriptor)
  }

  /// Whether the process has a terminal to ask on.
  package static var isThere: Bool {
    let descriptor = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// Writes to the terminal; an error ends the writing silently.
  package func write(_ text: String) {
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

  /// `text` in lines that fit on the terminal.
  package func wrapped(_ text: String) -> String {
    LineWrap.wrapped(text, to: ProcessState.columns(of: descriptor))
  }

  /// Writes bytes from locked memory.
  package func write(_ secret: SecretBytes) {
    secret.withBytes { bytes in
      _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  /// The columns and rows of the terminal; `nil` if it does not say.
  var size: (columns: Int, rows: Int)? {
    var (columns, rows): (UInt16, UInt16) = (0, 0)
    guard unsafe cvault_window_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else {
      return nil
    }
    return (Int(columns), Int(rows))
  }

  /// Waits for a byte, at most so many milliseconds; `nil` if there was none.
  func nextByte(within milliseconds: Int32) -> UInt8? {
    guard case .byte(let byte)? = next(within: milliseconds) else { return nil }
    return byte
  }

  /// Waits for the next event.
  package func next() -> Event {
    while true {
      if let event = next(within: -1) { return event }
    }
  }

  /// Waits for the next event, at most so many milliseconds; `nil` if there was none.
  package func next(within milliseconds: Int32) -> Event? {
    while true {
      var waiting = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
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

  /// Drops what was typed and not read, also the beginning of a line: tcflush(3).
  package func forgetTyped() { tcflush(descriptor, TCIFLUSH) }

  /// Drops what follows on the input, until nothing has come for a moment.
  ///
  /// - Returns: Whether that was more than blanks and newlines.
  package func dropsMore() -> Bool {
    var holdsText = false
    while let event = next(within: 50) {
      switch event {
      case .byte(let byte): holdsText = holdsText || byte > 0x20
      case .end: return holdsText
      case .resumed: continue
      }
    }
    return holdsText
  }

  private func enter() {
    if !echoes {
      var mode = savedMode
      // Not by lines: the terminal's own line holds 4,095 bytes and cuts the rest of a pasted
      // token.
      mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
      // As they are: in a paste, a carriage return and a line feed are one newline.
      mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR)
      unsafe withUnsafeMutableBytes(of: &mode.c_cc) { characters in
        unsafe characters[Int(VMIN)] = 1
        unsafe characters[Int(VTIME)] = 0
      }
      unsafe tcsetattr(descriptor, TCSAFLUSH, &mode)
    } else if QuietTerminal.modeBefore != nil {
      // What was typed since the last prompt is no answer to this one.
      unsafe tcsetattr(descriptor, TCSAFLUSH, &savedMode)
    }
    if marksPastes { write("\u{1B}[?2004h") }
    signals.catchSignals(Self.caughtSignals + (watchesSize ? [SIGWINCH] : []))
  }

  private func leave() {
    if !erasure.isEmpty { write(erasure) }
    if marksPastes { write("\u{1B}[?2004l") }
    // No signal comes between the one handler and the other.
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&set)
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    signals.release()
    let isQuiet = QuietTerminal.begin(on: descriptor, savedMode)
    if !isQuiet { unsafe tcsetattr(descriptor, TCSAFLUSH, &savedMode) }
  }

  /// Raises the caught signals again, with the terminal restored and their former handlers.
  ///
  /// - Returns: Whether there were any; if so, the process survived them.
  private func raiseCaughtSignals() -> Bool {
    let caught = signals.takeSignals()
    guard !caught.isEmpty else { return false }
    // Nobody else here waits for the window's size.
    if caught.allSatisfy({ $0 == SIGWINCH }) { return true }
    leave()
    // Its handler gives the terminal back where the signal ends or stops the process.
    if !caught.allSatisfy({ [SIGTSTP, SIGCONT].contains($0) }),
      let words = Self.lastWords.withLock({ $0 })
    {
      write("\n\(wrapped(words))\n")
    }
    // A thread that waits for the keyring blocks signals; raised there, they would stay pending.
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    for number in caught { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &before)
    for number in caught where ![SIGCONT, SIGWINCH].contains(number) { raiseOrExit(number) }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    enter()
    return true
  }
}
