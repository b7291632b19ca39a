import Synchronization

/// A value that is only reached under a lock.
///
/// Where `Mutex` does not fit: it wants every result to be free of the value's region, which a closure of
/// the caller's, run inside, cannot show.
// @unchecked: `value` is read and written in withLock alone, under `mutex`.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = Mutex(())
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try mutex.withLock { _ in try body(&value) }
  }
}
