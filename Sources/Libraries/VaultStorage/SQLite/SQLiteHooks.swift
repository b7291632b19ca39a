import CVaultSQLite

/// A change of a row.
package enum SQLiteRowChange: Sendable {
  case insert
  case update
  case delete
}

/// The closures that SQLite calls; the connection keeps them alive.
struct SQLiteHooks {
  final class Box<Body> {
    let body: Body

    init(_ body: Body) { self.body = body }
  }

  typealias Update = (SQLiteRowChange, String, Int64) -> Void

  var update: Box<Update>?
  var commit: Box<() -> Bool>?
  var rollback: Box<() -> Void>?
  var log: Box<(Int) -> Void>?
  var progress: Box<() -> Bool>?
  var trace: StatementTrace?
}

/// Callbacks of the connection: sqlite.org/c3ref/update_hook.html, commit_hook, wal_hook. A hook
/// must not use the connection that calls it.
extension SQLiteConnection {
  /// Calls `body` for each changed row, with the table and the row id.
  ///
  /// `nil` removes the hook. SQLite does not report tables WITHOUT ROWID and truncating deletes.
  package func onUpdate(_ body: ((SQLiteRowChange, String, Int64) -> Void)?) {
    hooks.update = body.map { SQLiteHooks.Box($0) }
    guard let box = hooks.update else {
      unsafe sqlite3_update_hook(handle, nil, nil)
      return
    }
    unsafe sqlite3_update_hook(
      handle,
      { context, kind, _, table, row in
        guard let context = unsafe context, let table = unsafe table else { return }
        let box = unsafe Unmanaged<SQLiteHooks.Box<SQLiteHooks.Update>>.fromOpaque(context)
          .takeUnretainedValue()
        let change: SQLiteRowChange =
          kind == SQLITE_INSERT ? .insert : kind == SQLITE_DELETE ? .delete : .update
        box.body(change, unsafe String(cString: table), row)
      }, Unmanaged.passUnretained(box).toOpaque())
  }

  /// Calls `body` before each commit; if it returns false, the transaction is rolled back.
  package func onCommit(_ body: (() -> Bool)?) {
    hooks.commit = body.map { SQLiteHooks.Box($0) }
    guard let box = hooks.commit else {
      unsafe sqlite3_commit_hook(handle, nil, nil)
      return
    }
    unsafe sqlite3_commit_hook(
      handle,
      { context in
        guard let context = unsafe context else { return 0 }
        let box = unsafe Unmanaged<SQLiteHooks.Box<() -> Bool>>.fromOpaque(context)
          .takeUnretainedValue()
        return box.body() ? 0 : 1
      }, Unmanaged.passUnretained(box).toOpaque())
  }

  /// Calls `body` after each rollback.
  package func onRollback(_ body: (() -> Void)?) {
    hooks.rollback = body.map { SQLiteHooks.Box($0) }
    guard let box = hooks.rollback else {
      unsafe sqlite3_rollback_hook(handle, nil, nil)
      return
    }
    unsafe sqlite3_rollback_hook(
      handle,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<SQLiteHooks.Box<() -> Void>>.fromOpaque(context)
          .takeUnretainedValue().body()
      }, Unmanaged.passUnretained(box).toOpaque())
  }

  /// Calls `body` after each commit in WAL mode, with the number of pages in the log.
  ///
  /// It replaces SQLite's automatic checkpoint: the caller runs ``checkpoint(_:)``.
  package func onWriteAheadLog(_ body: ((Int) -> Void)?) {
    hooks.log = body.map { SQLiteHooks.Box($0) }
    guard let box = hooks.log else {
      unsafe sqlite3_wal_autocheckpoint(handle, 1_000)
      return
    }
    unsafe sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context = unsafe context else { return SQLITE_OK }
        unsafe Unmanaged<SQLiteHooks.Box<(Int) -> Void>>.fromOpaque(context)
          .takeUnretainedValue().body(Int(pages))
        return SQLITE_OK
      }, Unmanaged.passUnretained(box).toOpaque())
  }

  /// Calls `body` after every `steps` steps of a long statement; `nil` removes it.
  ///
  /// If it returns false, the statement throws a ``StorageError`` with code `.interrupted`.
  package func onProgress(every steps: Int, _ body: (() -> Bool)?) {
    hooks.progress = body.map { SQLiteHooks.Box($0) }
    guard let box = hooks.progress else {
      unsafe sqlite3_progress_handler(handle, 0, nil, nil)
      return
    }
    unsafe sqlite3_progress_handler(
      handle, Int32(clamping: steps),
      { context in
        guard let context = unsafe context else { return 0 }
        let box = unsafe Unmanaged<SQLiteHooks.Box<() -> Bool>>.fromOpaque(context)
          .takeUnretainedValue()
        return box.body() ? 0 : 1
      }, Unmanaged.passUnretained(box).toOpaque())
  }

  func removeHooks() {
    onProgress(every: 0, nil)
    onStatement(nil)
    onUpdate(nil)
    onCommit(nil)
    onRollback(nil)
    if hooks.log != nil { onWriteAheadLog(nil) }
    unsafe sqlite3_busy_handler(handle, nil, nil)
  }
}
