import CSQLite
import Foundation

/// SQLite's C API, as thin as it gets.
final class RawSQLite {
  let handle: OpaquePointer

  init(_ path: String) {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { fatalError("open \(path)") }
    handle = opened
    run("PRAGMA journal_mode=WAL")
    run("PRAGMA synchronous=FULL")
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      fatalError(String(cString: sqlite3_errmsg(handle)))
    }
  }

  func prepare(_ sql: String) -> Statement { Statement(self, sql) }
}

/// A prepared statement.
final class Statement {
  private let handle: OpaquePointer

  init(_ database: RawSQLite, _ sql: String) {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared
    else { fatalError(String(cString: sqlite3_errmsg(database.handle))) }
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  func bind(_ at: Int32, _ value: Int64) { sqlite3_bind_int64(handle, at, value) }
  func bind(_ at: Int32, _ value: Double) { sqlite3_bind_double(handle, at, value) }
  func bind(_ at: Int32, _ value: String?) {
    if let value {
      sqlite3_bind_text(handle, at, value, -1, Self.transient)
    } else {
      sqlite3_bind_null(handle, at)
    }
  }

  func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }
  func reset() { sqlite3_reset(handle) }
  func integer(_ at: Int32) -> Int64 { sqlite3_column_int64(handle, at) }
  func real(_ at: Int32) -> Double { sqlite3_column_double(handle, at) }
  func text(_ at: Int32) -> String? { sqlite3_column_text(handle, at).map { String(cString: $0) } }
}
