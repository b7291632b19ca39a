import CVaultLinux
import Glibc
import Synchronization

// What the handler of a signal reads: set before it is installed, and nothing but numbers and a
// structure, as signal-safety(7) asks for.
nonisolated(unsafe) private var quietDescriptor: Int32 = -1
nonisolated(unsafe) private var givenMode = termios()
nonisolated(unsafe) private var quietMode = termios()

/// Gives the terminal back, and lets the signal have its effect: tcsetattr(3), signal(2) and raise(3)
/// may be called in a handler.
private func giveBackAndRaise(_ number: Int32) {
  let saved = errno
  // A process in the background would be stopped by that.
  if unsafe tcgetpgrp(quietDescriptor) == getpgrp() {
    unsafe tcsetattr(quietDescriptor, TCSANOW, &givenMode)
  }
  signal(number, SIG_DFL)
  raise(number)
  // Only a process that was stopped and goes on comes here.
  handle(number)
  if unsafe tcgetpgrp(quietDescriptor) == getpgrp() {
    unsafe tcsetattr(quietDescriptor, TCSANOW, &quietMode)
  }
  errno = saved
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
    isOn.load(ordering: .acquiring) ? unsafe givenMode : nil
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
        unsafe (quietDescriptor, givenMode, quietMode) = (own, mode, mode)
        unsafe quietMode.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        for number in signals where cvault_is_ignored(number) == 0 {
          actions[number] = handle(number)
        }
        isOn.store(true, ordering: .releasing)
      }
      unsafe tcsetattr(quietDescriptor, TCSAFLUSH, &quietMode)
      return true
    }
  }

  /// Gives the terminal back, without what was typed for a prompt that did not come.
  package static func end() {
    guard isOn.load(ordering: .acquiring) else { return }
    actions.withLock { actions in
      guard isOn.load(ordering: .relaxed) else { return }
      // A process in the background must not touch the terminal: it would be stopped.
      if unsafe tcgetpgrp(quietDescriptor) == getpgrp() {
        unsafe tcsetattr(quietDescriptor, TCSAFLUSH, &givenMode)
      }
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
