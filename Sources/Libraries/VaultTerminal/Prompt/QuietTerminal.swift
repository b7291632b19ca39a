import CVaultLinux
import Glibc
import Synchronization

// What the handler of a signal reads: set before it is installed, and never freed; nothing but a number
// and a pointer, as signal-safety(7) asks for.
nonisolated(unsafe) private var quietDescriptor: Int32 = -1
/// The mode that the terminal had before, and the one without echo.
nonisolated(unsafe) private var modes: UnsafeMutablePointer<termios>?

/// Sets the terminal's mode, unless this process is in the background: it would be stopped by that.
///
/// - Parameters:
///   - number: 0 for the mode of before, 1 for the quiet one.
///   - when: Now, or once what was typed is dropped: tcsetattr(3).
private func setMode(_ number: Int, _ when: Int32) {
  guard let modes = unsafe modes, unsafe tcgetpgrp(quietDescriptor) == getpgrp() else { return }
  unsafe tcsetattr(quietDescriptor, when, modes + number)
}

/// Gives the terminal back, and lets the signal have its effect: tcsetattr(3), signal(2) and raise(3)
/// may be called in a handler.
private func giveBackAndRaise(_ number: Int32) {
  let saved = errno
  setMode(0, TCSANOW)
  signal(number, SIG_DFL)
  raiseOrExit(number)
  // Only a process that was stopped and goes on comes here.
  handle(number)
  setMode(1, TCSANOW)
  errno = saved
}

/// Raises a signal; exits as a shell would report it where the signal has no effect.
///
/// The kernel keeps signals without a handler from the first process of a container:
/// pid_namespaces(7). There Ctrl-C would do nothing, and a crash would be tried again for ever. All of
/// it may be called in a handler: signal-safety(7).
func raiseOrExit(_ number: Int32) {
  raise(number)
  guard getpid() == 1, number != SIGTSTP else { return }
  var action = sigaction()
  unsafe sigaction(number, nil, &action)
  // No handler, SIG_DFL, is the address 0.
  if unsafe action.__sigaction_handler.sa_handler == nil { _exit(128 + number) }
}

/// Installs the handler, and returns what there was: sigaction(2), which a handler may call, too.
@discardableResult private func handle(_ number: Int32) -> sigaction {
  var action = sigaction()
  unsafe action.__sigaction_handler.sa_handler = giveBackAndRaise
  // Raised again in the handler.
  action.sa_flags = SA_NODEFER
  var old = sigaction()
  unsafe sigaction(number, &action, &old)
  return old
}

/// The time between two prompts, in which the terminal echoes nothing.
///
/// A passphrase takes a second to be tried, and a person types on: what is meant for the next prompt
/// would stand on the screen. The terminal is given back at the end of the process, before another
/// program gets it, and by a signal that ends or stops the process. What was typed meanwhile is
/// dropped: it was for a prompt that did not come, and the shell would run it.
package enum QuietTerminal {
  // Words of their own: the type of a dictionary is made at run time, and every command would pay for
  // it, whether it asks for anything or not.
  private static let isWanted = Atomic(false)
  private static let isOn = Atomic(false)
  /// What handled the signals before.
  private static let actions = Mutex<[Int32: sigaction]>([:])

  /// The signals that end or stop a process.
  private static let signals = [
    SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGALRM,
    SIGTERM, SIGTSTP, SIGXCPU, SIGXFSZ,
  ]

  /// Keeps the terminal quiet from the first prompt on, until ``end()``.
  ///
  /// A program that calls ``Prompt`` and goes on with other things does not ask for this.
  package static func want() { isWanted.store(true, ordering: .relaxed) }

  /// The mode that the terminal had before the first prompt; `nil` if it has it now.
  static var modeBefore: termios? {
    guard isOn.load(ordering: .acquiring), let modes = unsafe modes else { return nil }
    return unsafe modes[0]
  }

  /// Begins after a prompt.
  ///
  /// - Parameters:
  ///   - terminal: A descriptor of the terminal, which stays the caller's.
  ///   - mode: The mode that it had before.
  /// - Returns: Whether the terminal is quiet now, and not to be given back.
  static func begin(on terminal: Int32, _ mode: termios) -> Bool {
    guard isWanted.load(ordering: .relaxed) else { return false }
    return actions.withLock { actions in
      if !isOn.load(ordering: .relaxed) {
        let own = fcntl(terminal, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return false }
        let both = unsafe modes ?? .allocate(capacity: 2)
        unsafe both.initialize(repeating: mode, count: 2)
        unsafe both[1].c_lflag &= ~tcflag_t(ECHO | ECHONL)
        unsafe quietDescriptor = own
        unsafe modes = both
        for number in signals where cvault_is_ignored(number) == 0 {
          actions[number] = handle(number)
        }
        isOn.store(true, ordering: .releasing)
      }
      setMode(1, TCSAFLUSH)
      return true
    }
  }

  /// Gives the terminal back, without what was typed for a prompt that did not come.
  package static func end() {
    guard isOn.load(ordering: .acquiring) else { return }
    actions.withLock { actions in
      guard isOn.load(ordering: .relaxed) else { return }
      setMode(0, TCSAFLUSH)
      for (number, action) in actions {
        var action = action
        unsafe sigaction(number, &action, nil)
      }
      unsafe close(quietDescriptor)
      unsafe quietDescriptor = -1
      isOn.store(false, ordering: .releasing)
      actions = [:]
    }
  }
}
