import CVaultSQLite

/// One run of a statement, from its first step to its last.
package struct SQLiteStatementRun: Sendable {
  /// The statement's text, with placeholders in the place of values.
  package let text: String
  /// The time from the first step to the last, with what the program did between rows.
  package let duration: Duration
  /// The time in it that went by waiting for other connections' locks.
  package let waited: Duration
  /// The rows that were read, and those that were changed.
  package let rows: Int
}

/// The runs of a connection's statements that have begun.
final class StatementTrace {
  private struct Run {
    let start = ContinuousClock.now
    let waited: Duration
    let changes: Int
    var rows = 0
  }

  /// By the statement's address.
  private var runs: [UInt: Run] = [:]
  private let body: (SQLiteStatementRun) -> Void

  init(_ body: @escaping (SQLiteStatementRun) -> Void) { self.body = body }

  func begin(_ statement: UInt, waited: Duration, changes: Int) {
    // A trigger's statements are reported as beginnings of the statement that fired it.
    if runs[statement] == nil { runs[statement] = Run(waited: waited, changes: changes) }
  }

  func row(_ statement: UInt) { runs[statement]?.rows += 1 }

  func end(_ statement: UInt, text: String, waited: Duration, changes: Int) {
    guard let run = runs.removeValue(forKey: statement) else { return }
    body(
      SQLiteStatementRun(
        text: text, duration: ContinuousClock.now - run.start, waited: waited - run.waited,
        rows: run.rows + changes - run.changes))
  }
}

extension SQLiteConnection {
  /// Calls `body` after each run of a statement; `nil` removes it.
  ///
  /// Costs nothing while it is not set. `body` must not use the connection
  /// (sqlite.org/c3ref/trace_v2.html).
  package func onStatement(_ body: ((SQLiteStatementRun) -> Void)?) {
    hooks.trace = body.map { StatementTrace($0) }
    guard hooks.trace != nil else {
      unsafe sqlite3_trace_v2(handle, 0, nil, nil)
      return
    }
    let events = SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE
    unsafe sqlite3_trace_v2(
      handle, UInt32(events),
      { event, context, statement, _ in
        guard let context = unsafe context, let statement = unsafe statement else { return 0 }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(context)
          .takeUnretainedValue()
        unsafe connection.trace(event, OpaquePointer(statement))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func trace(_ event: UInt32, _ statement: OpaquePointer) {
    guard let trace = hooks.trace else { return }
    let address = UInt(bitPattern: statement)
    switch Int32(bitPattern: event) {
    case SQLITE_TRACE_ROW: trace.row(address)
    case SQLITE_TRACE_STMT:
      trace.begin(address, waited: busy.state?.total ?? .zero, changes: totalChanges)
    default:
      let text = unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? ""
      trace.end(
        address, text: text, waited: busy.state?.total ?? .zero, changes: totalChanges)
    }
  }
}
