import CVaultLinux
import Glibc

/// Threads for blocking calls, which must not occupy Swift's cooperative threads.
package enum BlockingThread {
  private final class Start {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread with all signals blocked, so that other threads handle them.
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    let start = Start { [name] in
      _ = unsafe cvault_prctl_name(String(name.prefix(15)))
      body()
    }
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(start)
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        }
        return nil
      }, context.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(status == 0, "no thread to be had")
    pthread_detach(thread)
  }

  /// Runs `body` on a new thread and suspends the caller until it returns.
  package static func run<Result: Sendable>(
    name: String, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      start(name: name) { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Runs a `body` that cannot fail on a thread of its own and waits without holding a cooperative
  /// one.
  package static func run<Result: Sendable>(
    name: String, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      start(name: name) { continuation.resume(returning: body()) }
    }
  }
}
