import Synchronization

/// Makes what a context does on another thread throw soon.
final class ContextCancellation: Sendable {
  private let flag = Atomic(false)
  private let interrupt: @Sendable () -> Void

  /// - Parameter interrupt: Interrupts the statement that runs now.
  init(interrupt: @escaping @Sendable () -> Void) { self.interrupt = interrupt }

  var isCancelled: Bool { flag.load(ordering: .acquiring) }

  func cancel() {
    flag.store(true, ordering: .releasing)
    interrupt()
  }
}
