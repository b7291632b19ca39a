import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

/// A connection reaches its store and SQLite's three files beside it, whatever the files themselves
/// say.
struct StoreFileSystemTests {
  private let home: TemporaryHome
  private let schema = ModuleSchema(
    name: "things", major: 1, steps: ["CREATE TABLE things_a(v TEXT) STRICT"])

  init() throws { home = try TemporaryHome() }

  private func make() throws {
    let store = try #require(try Store.open(home.location, mode: .write))
    try store.adopt(schema)
    try store.write { try $0.execute("INSERT INTO things_a VALUES ('kept')") }
    store.connection.close()
  }

  /// A journal that a crash in the middle of a transaction over several databases might have left,
  /// with `superJournal` as the file that says whether it counts: sqlite.org/fileformat2.html, 3;
  /// pager.c.
  private func journal(of database: String, naming superJournal: String) throws -> [UInt8] {
    func big(_ number: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    let size = 4_096
    let pages = try Data(contentsOf: URL(fileURLWithPath: database)).count / size
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    var bytes = magic + big(0) + big(12_345) + big(pages) + big(512) + big(size)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    let name = Array(superJournal.utf8)
    bytes += big(0x4000_0000 / size + 1) + name + big(name.count)
    return bytes + big(name.reduce(0) { $0 + Int($1) }) + magic
  }

  private func put(_ bytes: [UInt8], at path: String) throws {
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
  }

  @Test(arguments: [Store.Mode.read, .write], ["outside", "vault/secrets.vault", "x-journal"])
  func aJournalBesideTheStoreRemovesNoOtherFile(mode: Store.Mode, name: String) throws {
    try make()
    let other = "\(home.path)/\(name)"
    try put(Array("precious".utf8), at: other)
    try put(
      try journal(of: home.location.store, naming: other), at: "\(home.location.store)-journal")
    let store = try #require(try Store.open(home.location, mode: mode))
    #expect(try store.connection.strings("SELECT v FROM things_a") == ["kept"])
    try? store.write { try $0.execute("INSERT INTO things_a VALUES ('more')") }
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "precious")
    #expect(!home.names(in: "vault").contains("store.sqlite-journal"))
    #expect(try store.check() == [])
  }

  @Test func anOrdinaryJournalIsStillRolledBack() throws {
    let path = "\(home.path)/plain"
    let connection = try SQLiteConnection(path: path)
    try connection.executeScript("PRAGMA cache_size=1; PRAGMA cache_spill=1; CREATE TABLE t(v)")
    try connection.execute("INSERT INTO t VALUES (randomblob(100000))")
    let before = try connection.string("SELECT hex(v) FROM t")
    try connection.execute("BEGIN")
    try connection.execute("UPDATE t SET v=zeroblob(100000)")
    // As a crash leaves them: the changed pages, and the journal that has the old ones.
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: path + "2" + suffix)
    }
    try connection.execute("ROLLBACK")
    let crashed = try SQLiteConnection(path: path + "2")
    #expect(try crashed.string("SELECT hex(v) FROM t") == before)
    #expect(try crashed.integrityCheck() == [])
  }

  @Test(arguments: [false, true])
  func noStatementReachesAnotherFile(inMemory: Bool) throws {
    let connection = try inMemory ? SQLiteConnection() : SQLiteConnection(path: "\(home.path)/a")
    try connection.executeScript("CREATE TABLE t(v); INSERT INTO t VALUES (1)")
    let other = "\(home.path)/other"
    for text in [
      "ATTACH '\(other)' AS o", "ATTACH ':memory:' AS o", "VACUUM INTO '\(other)'",
      "ATTACH 'file:\(other)?vfs=unix' AS o",
    ] {
      #expect(throws: StorageError.self, "\(text)") { try connection.executeScript(text) }
    }
    #expect(!FileManager.default.fileExists(atPath: other))
    // What SQLite itself attaches goes on: a vacuum's copy, temporary tables and sorting.
    try connection.executeScript("CREATE TEMP TABLE s AS SELECT v FROM t ORDER BY v")
    try connection.executeScript("DELETE FROM t")
    try connection.vacuum()
    #expect(throws: StorageError.self) { try connection.executeScript("ATTACH ':memory:' AS o") }
    #expect(try connection.integrityCheck() == [])
  }

  @Test func theSchemaIsNotWrittenByHand() throws {
    let connection = try SQLiteConnection(path: "\(home.path)/a")
    try connection.executeScript("CREATE TABLE t(v); PRAGMA writable_schema=ON")
    #expect(throws: StorageError.self) {
      try connection.execute("UPDATE sqlite_schema SET sql='CREATE TABLE t(w)'")
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func aFileBesideTheStoreThatIsAnotherOnesSecondNameIsLeftAlone(suffix: String) throws {
    try make()
    let other = "\(home.path)/outside"
    let text = [UInt8](repeating: 0x41, count: 70_000)
    try put(text, at: other)
    let beside = home.location.store + suffix
    try? FileManager.default.removeItem(atPath: beside)
    try FileManager.default.linkItem(atPath: other, toPath: beside)
    for mode in [Store.Mode.read, .write] {
      let error = #expect(throws: StorageError.self) { try Store.open(home.location, mode: mode) }
      #expect(error?.code == .refused)
    }
    // Also where nobody looks before SQLite does.
    do {
      let connection = try SQLiteConnection(path: home.location.store)
      try? connection.execute("INSERT INTO things_a VALUES ('more')")
    } catch {}
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: other))) == text)
  }

  @Test func aTriggerOfWhoeverMadeTheStoreDoesNotRun() throws {
    try make()
    let maker = try SQLiteConnection(path: home.location.store)
    try maker.executeScript(
      """
      CREATE TABLE stolen(v);
      CREATE TRIGGER thief AFTER INSERT ON things_a BEGIN INSERT INTO stolen VALUES (new.v); END
      """)
    maker.close()
    let store = try #require(try Store.open(home.location, mode: .write))
    try store.write { try $0.execute("INSERT INTO things_a VALUES ('new')") }
    #expect(try store.connection.int64("SELECT count(*) FROM things_a") == 2)
    #expect(try store.connection.int64("SELECT count(*) FROM stolen") == 0)
  }

  @Test func aStatementOutlivesItsConnection() throws {
    var connection: SQLiteConnection? = try SQLiteConnection(path: "\(home.path)/a")
    try connection?.executeScript("CREATE TABLE t(v); INSERT INTO t VALUES (7)")
    let statement = try #require(try connection?.prepare("SELECT v FROM t"))
    connection?.close()
    connection = nil
    #expect(try statement.step())
    #expect(statement.int(at: 0) == 7)
  }

  @Test func readingAnEmptyStoreMakesNothing() throws {
    // What a writer leaves that found no room for the first page.
    withExtendedLifetime(try Directory(home.location.data, create: true)) {}
    try put([], at: home.location.store)
    #expect(try Store.open(home.location, mode: .read) == nil)
    #expect(home.names(in: "vault") == ["store.sqlite"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: home.location.store)).isEmpty)
    // And one that found room for no more than that.
    let begun = try SQLiteConnection(path: home.location.store)
    _ = try begun.string("PRAGMA journal_mode=WAL")
    begun.close()
    #expect(try Store.open(home.location, mode: .read) == nil)
    try make()
    #expect(try Store.open(home.location, mode: .read)?.check() == [])
  }

  // MARK: Copies that a killed process left

  private func leftovers(_ suffixes: [String] = ["", "-journal", "-wal", "-shm"]) throws {
    for suffix in suffixes {
      try put(
        [1], at: "\(home.location.data)/.vault.store.sqlite.last-good.0123456789abcdef\(suffix)")
    }
  }

  private var hidden: [String] { home.names(in: "vault").filter { $0.hasPrefix(".") } }

  @Test func whatAKilledCopyLeftGoesWithTheNextOneAndWithWhatIsErased() throws {
    try make()
    let store = try #require(try Store.open(home.location, mode: .write))
    let plan = FaultPlan(.kill, at: 1, of: [.rename])
    _ = try? System.withFaults(plan) { try store.refreshLastGoodCopy() }
    #expect(plan.hasFired && hidden.count == 1)
    #expect(try store.scrub())
    #expect(hidden == [])
    try leftovers()
    let others = [".vault.store.sqlite.last-good.0123", ".vault.other.0123456789abcdef"]
    for name in others { try put([1], at: "\(home.location.data)/\(name)") }
    try store.refreshLastGoodCopy()
    #expect(hidden == others.sorted())
    #expect(home.names(in: "vault").contains(Store.lastGoodName))
    try leftovers(["-journal"])
    #expect(try store.scrub())
    #expect(hidden == others.sorted())
    #expect(!home.names(in: "vault").contains(Store.lastGoodName))
  }

  @Test func aCopyThatIsBeingMadeIsLeftToItsMaker() throws {
    try make()
    let store = try #require(try Store.open(home.location, mode: .write))
    let directory = try Directory(home.location.data)
    let maker = try FileLock("store.lock", in: directory, timeout: .zero)
    try leftovers([""])
    try store.refreshLastGoodCopy()
    #expect(hidden.count == 1)
    #expect(!home.names(in: "vault").contains(Store.lastGoodName))
    withExtendedLifetime(maker) {}
  }
}
