import Foundation
import TestSupport
import Testing
import VaultStorage

struct SQLiteConnectionTests {
  private func memory() throws -> SQLiteConnection {
    let connection = try SQLiteConnection()
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
    return connection
  }

  @Test(arguments: [
    SQLiteValue.null, .integer(.min), .integer(.max), .real(-0.0), .real(1e300), .text(""),
    .text("é\u{0}\u{1F600}"), .blob([]), .blob([0, 255, 0]),
  ])
  func aValueComesBackAsItWentIn(value: SQLiteValue) throws {
    let connection = try memory()
    try connection.execute("INSERT INTO t(v) VALUES (?)", [value])
    #expect(try connection.first("SELECT v FROM t") { $0.value(at: 0) } == value)
  }

  /// Whichever statement meets it, a full disk is what the system calls it.
  @Test func aFullDiskIsSaidInTheSystemsWords() throws {
    let connection = try memory()
    try connection.execute("PRAGMA max_page_count = 4")
    let error = try #require(
      #expect(throws: StorageError.self) {
        for _ in 0..<100 {
          try connection.execute(
            "INSERT INTO t(v) VALUES (?)", [.blob(Array(repeating: 1, count: 4096))])
        }
      })
    #expect(error.message == "the store cannot be written: No space left on device")
    #expect(error.systemError == ENOSPC)
    #expect(error.code == .inputOutput)
  }

  @Test func typedBindingsAndGettersAgree() throws {
    let connection = try SQLiteConnection()
    let row = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?")
    try row.bind(7, at: 1)
    try row.bind(2.5, at: 2)
    try row.bind("text", at: 3)
    try row.bind([1, 2] as [UInt8], at: 4)
    try row.bindNull(at: 5)
    try row.bind(true, at: 6)
    #expect(try row.step())
    #expect(row.int(at: 0) == 7)
    #expect(row.double(at: 1) == 2.5)
    #expect(row.string(at: 2) == "text")
    #expect(row.bytes(at: 3) == [1, 2])
    #expect(row.withBytes(at: 3) { $0.byteCount } == 2)
    #expect(row.isNull(at: 4))
    #expect(row.type(at: 4) == .null)
    #expect(row.bool(at: 5))
    #expect(row.columnCount == 6)
    #expect(row.parameterCount == 6)
    #expect(try !row.step())
  }

  @Test func aCachedStatementInUseIsNotDisturbed() throws {
    let connection = try memory()
    for n in 1...3 { try connection.execute("INSERT INTO t(v) VALUES (?)", [.integer(Int64(n))]) }
    var pairs = 0
    try connection.forEachRow("SELECT v FROM t") { _ in
      try connection.forEachRow("SELECT v FROM t") { _ in pairs += 1 }
    }
    #expect(pairs == 9)
  }

  @Test func anErrorCarriesCodeAndTextButNoValue() throws {
    let connection = try memory()
    try connection.execute("CREATE UNIQUE INDEX u ON t(v)")
    try connection.execute("INSERT INTO t(v) VALUES (?)", ["canary"])
    let error = try #require(throws: StorageError.self) {
      try connection.execute("INSERT INTO t(v) VALUES (?)", ["canary"])
    }
    #expect(error.code == .constraint)
    #expect(error.databaseError == 2067)  // SQLITE_CONSTRAINT_UNIQUE
    #expect(error.sql == "INSERT INTO t(v) VALUES (?)")
    #expect(!"\(error)\(error.sql ?? "")".contains("canary"))
  }

  @Test func twoStatementsInOneTextAreRefused() throws {
    let connection = try memory()
    #expect(throws: StorageError.self) { try connection.prepare("SELECT 1; SELECT 2") }
    #expect(throws: StorageError.self) { try connection.prepare("") }
    _ = try connection.prepare("SELECT 1; \n")
  }

  @Test func aTransactionThatThrowsLeavesNothing() throws {
    struct Stop: Error {}
    let connection = try memory()
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t(v) VALUES (1)")
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.int64("SELECT count(*) FROM t") == 0)
  }

  @Test func aSavepointIsUndoneAlone() throws {
    struct Stop: Error {}
    let connection = try memory()
    try connection.transaction {
      try connection.execute("INSERT INTO t(v) VALUES (1)")
      try? connection.savepoint {
        try connection.execute("INSERT INTO t(v) VALUES (2)")
        throw Stop()
      }
      try connection.savepoint { try connection.execute("INSERT INTO t(v) VALUES (3)") }
    }
    #expect(try connection.strings("SELECT v FROM t") == ["1", "3"])
  }

  @Test func waitingForALockEndsInTime() throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/db"
    let holder = try SQLiteConnection(path: path)
    try holder.execute("CREATE TABLE t(v)")
    let other = try SQLiteConnection(path: path, busyTimeout: .milliseconds(60))
    try holder.transaction(.exclusive) {
      let start = ContinuousClock.now
      let error = try #require(throws: StorageError.self) {
        try other.execute("INSERT INTO t VALUES (1)")
      }
      #expect(error.code == .busy)
      #expect(ContinuousClock.now - start >= .milliseconds(60))
    }
    try other.execute("INSERT INTO t VALUES (1)")
  }

  @Test func hooksTellOfChangesAndMayRefuseACommit() throws {
    let connection = try memory()
    var seen: [String] = []
    connection.onUpdate { change, table, row in seen.append("\(change) \(table) \(row)") }
    connection.onRollback { seen.append("rollback") }
    try connection.execute("INSERT INTO t(id, v) VALUES (5, 1)")
    try connection.execute("UPDATE t SET v = 2")
    try connection.execute("DELETE FROM t WHERE v = 2")
    connection.onCommit { false }
    #expect(throws: StorageError.self) { try connection.execute("INSERT INTO t(v) VALUES (1)") }
    connection.onCommit(nil)
    #expect(
      seen == ["insert t 5", "update t 5", "delete t 5", "insert t 1", "rollback"])
  }

  @Test func functionsAndCollationsOfOurOwn() throws {
    let connection = try memory()
    try connection.createFunction("twice", argumentCount: 1) { .integer($0.int64(at: 0) * 2) }
    #expect(try connection.int64("SELECT twice(21)") == 42)
    try connection.createFunction("fails", argumentCount: -1) { arguments in
      throw StorageError(.statement, "no \(arguments.count)")
    }
    let error = try #require(throws: StorageError.self) { try connection.int64("SELECT fails(1)") }
    #expect(error.message.contains("no 1"))
    try connection.createCollation("shorter") { $0.byteCount - $1.byteCount }
    for word in ["ccc", "a", "bb"] {
      try connection.execute("INSERT INTO t(v) VALUES (?)", [.text(word)])
    }
    #expect(
      try connection.strings("SELECT v FROM t ORDER BY v COLLATE shorter") == ["a", "bb", "ccc"])
  }

  @Test func aStatementOutlivesItsConnection() throws {
    let statement: SQLiteStatement
    do {
      let connection = try memory()
      statement = try connection.prepare("SELECT 42")
      connection.close()
    }
    #expect(try statement.step())
    #expect(statement.int(at: 0) == 42)
  }

  @Test func aBackupIsTheWholeDatabase() throws {
    let home = try TemporaryHome()
    let source = try SQLiteConnection(path: "\(home.path)/a")
    try source.execute("CREATE TABLE t(v)")
    try source.transaction {
      for n in 0..<1_000 { try source.execute("INSERT INTO t VALUES (?)", [.integer(Int64(n))]) }
    }
    let copy = try SQLiteConnection(path: "\(home.path)/b")
    try source.backup(to: copy)
    #expect(try copy.int64("SELECT sum(v) FROM t") == 499_500)
    #expect(try copy.integrityCheck() == [])
  }

  @Test func aForeignKeyThatNamesNothingIsFound() throws {
    let connection = try SQLiteConnection()
    try connection.executeScript(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p); INSERT INTO c VALUES (9)"
    )
    #expect(
      try connection.foreignKeyCheck().map { "\($0.table) \($0.row ?? 0) \($0.parent)" } == [
        "c 1 p"
      ])
  }

  @Test func anInterruptedStatementSaysSo() throws {
    let connection = try SQLiteConnection()
    try connection.createFunction("stop", argumentCount: 0, isDeterministic: false) { _ in
      connection.interrupt()
      return 1
    }
    let error = try #require(throws: StorageError.self) {
      try connection.int64(
        "WITH RECURSIVE n(i) AS (SELECT stop() UNION ALL SELECT i + 1 FROM n WHERE i < 1e9) "
          + "SELECT sum(i) FROM n")
    }
    #expect(error.code == .interrupted)
  }
}
