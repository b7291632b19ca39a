import Synchronization

/// A value that is only reached under a lock.
///
/// `Mutex` does not fit here: it requires a `sending` result, which a caller's closure cannot
/// promise.
// @unchecked: only `withLock` reads and writes `value`, and it holds `mutex`.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = Mutex(())
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try mutex.withLock { _ in try body(&value) }
  }
}
