import CSQLite
import VaultAppData

/// The same rows over SQLite's C API, with the same tables and settings.
final class RawSQLite {
  private var database: OpaquePointer?

  init(path: String) {
    check(sqlite3_open(path, &database))
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
  }

  deinit { sqlite3_close_v2(database) }

  private func check(_ status: Int32) { precondition(status == SQLITE_OK, "SQLite: \(status)") }
  func run(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    return statement
  }

  func createTable() {
    run(
      """
      CREATE TABLE Person(_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
        email TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL, born REAL NOT NULL) STRICT;
      CREATE INDEX Person_name ON Person(name)
      """)
  }

  func insert(_ count: Int) {
    run("BEGIN IMMEDIATE")
    let statement = prepare("INSERT INTO Person VALUES (?, ?, ?, ?, ?, ?)")
    for number in 0..<count {
      sqlite3_bind_int64(statement, 1, Int64(number + 1))
      _ = bench_bind_text(statement, 2, "Person \(number)")
      _ = bench_bind_text(statement, 3, "person\(number)@example.com")
      sqlite3_bind_int64(statement, 4, Int64(number % 100))
      sqlite3_bind_double(statement, 5, Double(number) / 7)
      sqlite3_bind_double(statement, 6, Double(number))
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    run("COMMIT")
  }

  struct Row {
    var id: Int64
    var name: String
    var email: String
    var age: Int
    var score: Double
    var born: Double
  }

  private func row(_ statement: OpaquePointer?) -> Row {
    Row(
      id: sqlite3_column_int64(statement, 0),
      name: String(cString: sqlite3_column_text(statement, 1)),
      email: String(cString: sqlite3_column_text(statement, 2)),
      age: Int(sqlite3_column_int64(statement, 3)), score: sqlite3_column_double(statement, 4),
      born: sqlite3_column_double(statement, 5))
  }

  func fetch(_ rest: String) -> [Row] {
    let statement = prepare("SELECT _id, name, email, age, score, born FROM Person \(rest)")
    defer { sqlite3_finalize(statement) }
    var rows: [Row] = []
    while sqlite3_step(statement) == SQLITE_ROW { rows.append(row(statement)) }
    return rows
  }

  func lookUp(_ keys: [Int64]) -> Int {
    let statement = prepare("SELECT _id, name, email, age, score, born FROM Person WHERE _id=?")
    defer { sqlite3_finalize(statement) }
    var total = 0
    for key in keys {
      sqlite3_bind_int64(statement, 1, key)
      if sqlite3_step(statement) == SQLITE_ROW { total += row(statement).age }
      sqlite3_reset(statement)
    }
    return total
  }

  func update(_ keys: ClosedRange<Int64>) {
    run("BEGIN IMMEDIATE")
    let statement = prepare("UPDATE Person SET age=? WHERE _id=?")
    for key in keys {
      sqlite3_bind_int64(statement, 1, 1_000)
      sqlite3_bind_int64(statement, 2, key)
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    run("COMMIT")
  }

  func delete(_ keys: ClosedRange<Int64>) {
    run("BEGIN IMMEDIATE")
    let statement = prepare("DELETE FROM Person WHERE _id=?")
    for key in keys {
      sqlite3_bind_int64(statement, 1, key)
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    run("COMMIT")
  }
}
