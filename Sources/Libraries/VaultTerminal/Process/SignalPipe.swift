import CVaultLinux
import Glibc
import Synchronization

// The pipe that the handler writes to, or -1. A signal handler may read nothing but an aligned word
// like this one: signal-safety(7). It changes only while no handler is installed, or to a pipe that
// stays open for as long as its handlers do.
nonisolated(unsafe) private var currentPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = unsafe write(currentPipe, &byte, 1)
  errno = saved
}

/// Caught signals as bytes in a pipe, to be waited for with poll(2) beside other descriptors.
///
/// One may be used while another one exists: signals go to the one that caught them last.
@safe package final class SignalPipe {
  // The pipes that have handlers installed, the oldest first.
  private static let active = Mutex<[Int32]>([])

  private let pipe: Pipe
  private var savedActions: [Int32: sigaction] = [:]

  /// Makes the pipe and catches nothing yet; `nil` if the system has no descriptors left.
  package init?() {
    guard let pipe = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else { return nil }
    self.pipe = pipe
  }

  deinit {
    release()
    close(pipe.read)
    close(pipe.write)
  }

  /// The end to wait for.
  package var descriptor: Int32 { pipe.read }

  /// Catches signals from now on.
  ///
  /// - Parameters:
  ///   - numbers: Signals that stay ignored if the process ignores them, as under nohup(1).
  ///   - always: Signals that are caught in any case.
  package func catchSignals(_ numbers: [Int32], always: [Int32] = []) {
    Self.active.withLock { active in
      active.append(pipe.write)
      unsafe currentPipe = pipe.write
    }
    for number in numbers.filter({ cvault_is_ignored($0) == 0 }) + always {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = noteSignal
      var old = sigaction()
      unsafe sigaction(number, &action, &old)
      savedActions[number] = old
    }
  }

  /// Has this thread get signals also if whoever started the process blocked them: sigprocmask(2).
  package func unblock(_ numbers: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Gives the signals back to what handled them before.
  package func release() {
    for (number, action) in savedActions {
      var action = action
      unsafe sigaction(number, &action, nil)
    }
    savedActions = [:]
    Self.active.withLock { active in
      active.removeAll { $0 == pipe.write }
      unsafe currentPipe = active.last ?? -1
    }
  }

  /// Takes the signals that were caught and not taken yet.
  package func takeSignals() -> [Int32] {
    var caught: [Int32] = []
    var byte: UInt8 = 0
    while unsafe read(pipe.read, &byte, 1) == 1 { caught.append(Int32(byte)) }
    return caught
  }
}
