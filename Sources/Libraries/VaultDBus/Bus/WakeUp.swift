import CVaultLinux
import Glibc

/// Wakes a server from any thread.
package final class WakeUp: Sendable {
  /// The descriptor that can be read after a call.
  package let descriptor: Int32
  private let writing: Int32

  /// Makes the pipe; `nil` if the system has no descriptors left.
  package init?() {
    let ends = cvault_pipe(O_CLOEXEC | O_NONBLOCK)
    guard ends >= 0 else { return nil }
    descriptor = Int32(truncatingIfNeeded: ends >> 32)
    writing = Int32(truncatingIfNeeded: ends)
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Wakes the server; several calls may wake it once.
  package func call() { LocalSocket.writeByte(to: writing) }

  /// Takes all calls so far.
  package func clear() { LocalSocket.drain(descriptor) }
}
