import Glibc

/// The signals that arrive while an editor runs, delayed until it has ended.
@safe final class SignalWatch {
  private let signals: SignalPipe
  private var savedMask = sigset_t()
  private var caught: Set<Int32> = []
  /// Signals that end this process when the watch ends.
  private var fatal: Set<Int32> = [SIGTERM, SIGHUP]

  /// Whether the process was asked to end.
  var isToEnd: Bool { caught.contains(SIGTERM) || caught.contains(SIGHUP) }

  /// Starts the watch; `nil` if the system has no descriptors left.
  init?() {
    guard let signals = SignalPipe() else { return nil }
    self.signals = signals
    signals.catchSignals([SIGINT, SIGQUIT, SIGTERM, SIGHUP], always: [SIGCHLD])
    // The parent may have blocked SIGCHLD; without it we would miss the editor's exit.
    var child = sigset_t()
    unsafe sigemptyset(&child)
    unsafe sigaddset(&child, SIGCHLD)
    unsafe pthread_sigmask(SIG_UNBLOCK, &child, &savedMask)
  }

  /// Waits for the next signal, at most so many milliseconds; -1 for no limit.
  func wait(milliseconds: Int32) {
    var waiting = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waiting, 1, milliseconds)
    caught.formUnion(signals.takeSignals())
  }

  /// Lets a signal that killed the editor end this process, too, if a person sent it to both.
  func sharesEnd(by signal: Int32) {
    if [SIGINT, SIGQUIT].contains(signal) { fatal.insert(signal) }
  }

  /// Restores the handlers and raises the signals that are to end the process.
  func end() {
    wait(milliseconds: 0)
    signals.release()
    unsafe pthread_sigmask(SIG_SETMASK, &savedMask, nil)
    for number in fatal.intersection(caught) { raiseOrExit(number) }
  }
}
