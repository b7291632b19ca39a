import CVaultLinux
import CVaultSQLite
import Glibc

/// How long a connection waits for a lock that another one holds.
///
/// Not `sqlite3_busy_timeout`, whose clock starts anew with each statement of a transaction and
/// whose pauses grow to a tenth of a second.
struct BusyWaiting {
  /// Held by SQLite's handler through an unretained pointer, and by the connection.
  final class State {
    let limit: Duration
    var start = ContinuousClock.now

    init(limit: Duration) { self.limit = limit }

    /// Pauses; false when the limit is over.
    func wait(attempt: Int32) -> Bool {
      if attempt == 0 { start = .now }
      let waited = ContinuousClock.now - start
      guard waited < limit else { return false }
      // Milliseconds: short at first, since most writers are done in less than one.
      let pauses: [Int64] = [100, 250, 500, 1_000, 2_000, 5_000]
      let pause = min(pauses[min(Int(attempt), pauses.count - 1)], 5_000)
      let left = limit - waited
      let microseconds =
        left < .microseconds(pause)
        ? max(1, left.components.attoseconds / 1_000_000_000_000) : pause
      usleep(UInt32(microseconds))
      return true
    }
  }

  var state: State?
}

extension SQLiteConnection {
  /// Sets how long a call waits for another process's lock before it throws `.busy`.
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
