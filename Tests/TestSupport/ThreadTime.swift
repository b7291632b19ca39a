import Glibc

/// Processor time of the current thread, which does not depend on the load of the machine.
package enum ThreadTime {
  /// Returns the processor time of `body` in seconds.
  package static func seconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try body()
    return now() - start
  }
}
