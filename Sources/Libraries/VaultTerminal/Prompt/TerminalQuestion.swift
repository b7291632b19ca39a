import CVaultLinux
import Glibc
import Synchronization
package import VaultSealing

/// What came of a question to a person.
package enum PersonAnswer: Sendable {
  /// What the person has written, without the end of the line.
  case text(SecretBytes)
  /// The person has said that there is no answer.
  case refused
  /// No person has said anything: the question was not shown, was ended, or had no more time.
  case nobody
}

/// One question to a person, which somebody else's time limit or change of mind may end.
package protocol PersonQuestion: AnyObject, Sendable {
  /// Asks, and waits for the answer.
  ///
  /// - Parameter seconds: The longest wait.
  /// - Returns: What came of it.
  func answer(within seconds: Int) -> PersonAnswer

  /// Ends the question, from any thread; nobody has answered then.
  func cancel()
}

extension AskpassProgram: PersonQuestion {}

/// A question on a terminal that other programs use, by a process that serves them.
///
/// ``Prompt`` is for the process that has the terminal. This one leaves signals alone and works
/// from another session, as pinentry does; what the programs have set is restored after the answer,
/// at the time limit and at the end of the question. termios(3).
@safe package final class TerminalQuestion: PersonQuestion {
  /// The longest line that a terminal edits: termios(3), "Canonical and noncanonical mode".
  private static let longestLine = 4096

  private let terminal: Int32
  private let question: String
  private let echoes: Bool
  private let ends: Pipe

  /// A question; `nil` if the system has no descriptors left.
  ///
  /// - Parameters:
  ///   - terminal: A descriptor of the terminal, which stays the caller's.
  ///   - question: What is written; control characters in it are escaped.
  ///   - echoes: Whether the answer is shown, and not a secret.
  package init?(on terminal: Int32, _ question: String, echoes: Bool) {
    guard let ends = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else { return nil }
    self.terminal = terminal
    self.question = Sanitizer.visible(question)
    self.echoes = echoes
    self.ends = ends
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// Opens the controlling terminal of this process; `nil` if it has none.
  package static func openTerminal() -> Int32? {
    let descriptor = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Whether this process may read the terminal: not from the background of its session.
  private var mayRead: Bool {
    tcgetsid(terminal) != getsid(0) || tcgetpgrp(terminal) == getpgrp()
  }

  package func answer(within seconds: Int) -> PersonAnswer {
    var saved = termios()
    guard mayRead, !hasEnded, unsafe tcgetattr(terminal, &saved) == 0 else { return .nobody }
    var mode = saved
    // Whatever the programs there have set: a line, with the usual keys.
    mode.c_lflag |= tcflag_t(ICANON | ISIG | ECHONL)
    if echoes { mode.c_lflag |= tcflag_t(ECHO) } else { mode.c_lflag &= ~tcflag_t(ECHO) }
    mode.c_iflag |= tcflag_t(ICRNL)
    mode.c_oflag |= tcflag_t(OPOST | ONLCR)
    unsafe tcsetattr(terminal, TCSAFLUSH, &mode)
    // What has been typed is for nobody else.
    defer { unsafe tcsetattr(terminal, TCSAFLUSH, &saved) }
    write("\r\n\(LineWrap.wrapped(question, to: ProcessState.columns(of: terminal))) ")
    guard wait(seconds) else {
      write("\n")
      return .nobody
    }
    return line()
  }

  package func cancel() {
    var byte: UInt8 = 1
    _ = unsafe Glibc.write(ends.write, &byte, 1)
  }

  private var hasEnded: Bool {
    var ended = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ended, 1, 0) > 0
  }

  /// Waits for a line; `false` at the end of the question or of the time.
  private func wait(_ seconds: Int) -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    while true {
      let left = (limit - .now) / .milliseconds(1)
      guard left > 0 else { return false }
      var waiting = [
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
        pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&waiting, 2, Int32(clamping: Int(left.rounded(.up))))
      if count < 0, errno == EINTR { continue }
      if waiting[1].revents != 0 { return false }
      // A terminal that was closed is nobody's refusal.
      if waiting[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return false }
      if count > 0 { return true }
    }
  }

  private func line() -> PersonAnswer {
    var isBroken = false
    let typed = try? SecretBytes(capacity: Self.longestLine) { room in
      unsafe room.withUnsafeMutableBytes { bytes in
        let count = unsafe Glibc.read(terminal, bytes.baseAddress, bytes.count)
        isBroken = count < 0
        return max(0, count)
      }
    }
    guard let typed, !isBroken else { return .nobody }
    // The end of the input, Ctrl-D.
    guard typed.count > 0 else { return .refused }
    let length = typed.withBytes { bytes in
      (0..<bytes.byteCount).first { bytes.byte(at: $0) == 0x0A } ?? bytes.byteCount
    }
    return (try? typed.slice(0..<length)).map(PersonAnswer.text) ?? .nobody
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = unsafe Glibc.write(terminal, bytes.baseAddress, bytes.count) }
  }
}
