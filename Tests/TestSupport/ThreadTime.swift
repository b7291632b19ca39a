import Glibc

/// Processor time of this thread, which other work on the machine does not lengthen.
package enum ThreadTime {
  /// How many seconds of it `body` takes.
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
