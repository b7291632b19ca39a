import CVaultLinux
import CVaultSQLite
import Glibc

/// The waiting of a connection for a lock that another connection holds.
///
/// Not `sqlite3_busy_timeout`: its clock restarts with each statement of a transaction, and its
/// pauses grow to a tenth of a second.
struct BusyWaiting {
  /// SQLite's handler has an unretained pointer to it; the connection retains it.
  final class State {
    let limit: Duration
    var start = ContinuousClock.now
    /// The time that the connection has waited since it was opened.
    private(set) var total = Duration.zero

    init(limit: Duration) { self.limit = limit }

    /// Pauses; returns false after the time limit.
    func wait(attempt: Int32) -> Bool {
      if attempt == 0 { start = .now }
      let waited = ContinuousClock.now - start
      guard waited < limit else { return false }
      // Short at first, because most writers finish in less than a millisecond.
      let pauses: [Int64] = [100, 250, 500, 1_000, 2_000, 5_000]
      let pause = min(pauses[min(Int(attempt), pauses.count - 1)], 5_000)
      let left = limit - waited
      let microseconds =
        left < .microseconds(pause)
        ? max(1, left.components.attoseconds / 1_000_000_000_000) : pause
      usleep(UInt32(microseconds))
      total += ContinuousClock.now - start - waited
      return true
    }
  }

  var state: State?
}

extension SQLiteConnection {
  /// Sets the time that a call waits for another process's lock before it throws `.busy`.
  package func setBusyTimeout(_ limit: Duration) {
    let state = BusyWaiting.State(limit: limit)
    busy.state = state
    unsafe sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context = unsafe context else { return 0 }
        let state = unsafe Unmanaged<BusyWaiting.State>.fromOpaque(context).takeUnretainedValue()
        return state.wait(attempt: attempt) ? 1 : 0
      }, Unmanaged.passUnretained(state).toOpaque())
  }
}
