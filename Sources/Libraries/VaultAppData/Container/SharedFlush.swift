/// One flush of a store's log for all commits that were made before it began.
///
/// The first that waits flushes; those that come meanwhile wait for the next flush, which one of
/// them makes for all.
package final class SharedFlush: @unchecked Sendable {
  // `condition` guards everything.

  private let condition = NSCondition()
  /// The number of commits.
  private var committed: UInt64 = 0
  /// The number of those that are known to be on disk.
  private var flushed: UInt64 = 0
  private var isFlushing = false
  /// How often the log was flushed, for tests.
  package private(set) var count = 0

  package init() {}

  /// Notes that something was committed.
  package func noteCommit() {
    condition.lock()
    committed += 1
    condition.unlock()
  }

  /// Waits until everything that was committed before is on disk.
  ///
  /// - Parameter flush: Flushes the log.
  /// - Returns: Whether there was anything to wait for.
  /// - Throws: What `flush` throws. The others that wait try it themselves.
  package func wait(_ flush: () throws -> Void) throws -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let wanted = committed
    guard flushed < wanted else { return false }
    while flushed < wanted {
      if isFlushing {
        condition.wait()
        continue
      }
      isFlushing = true
      let reached = committed
      count += 1
      condition.unlock()
      let result = Result { try flush() }
      condition.lock()
      isFlushing = false
      if case .success = result { flushed = max(flushed, reached) }
      condition.broadcast()
      try result.get()
    }
    return true
  }
}
