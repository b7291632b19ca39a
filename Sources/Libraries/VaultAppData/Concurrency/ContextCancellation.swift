import Synchronization
import VaultStorage

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

extension Error {
  /// Whether this is how work ends that was cancelled.
  var isCancellation: Bool {
    if self is CancellationError { return true }
    let cause = (self as? SwiftDataError)?.underlying ?? self
    return cause is CancellationError || (cause as? StorageError)?.code == .interrupted
  }
}

extension Progress {
  /// Throws where a person has cancelled what this counts.
  func checkCancellation() throws(StorageError) {
    if isCancelled { throw StorageError(.interrupted, "it was cancelled") }
  }

  /// Runs work that ends by an error of its own when this is cancelled.
  ///
  /// - Throws: `CancellationError` instead of that one.
  func cancelling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch  where isCancelled && error.isCancellation {
      throw CancellationError()
    }
  }
}
