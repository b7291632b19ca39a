import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

struct StoreTests {
  private let home: TemporaryHome
  private let schema = ModuleSchema(
    name: "things", major: 1, steps: ["CREATE TABLE things_a(v TEXT) STRICT"])

  init() throws { home = try TemporaryHome() }

  private func open(_ mode: Store.Mode = .write) throws -> Store {
    try #require(try Store.open(home.location, mode: mode))
  }

  @Test func readingWhatIsNotThereMakesNothing() throws {
    #expect(try Store.open(home.location, mode: .read) == nil)
    #expect(home.names() == [])
  }

  @Test func aStoreIsForItsOwnerAloneAndSaysWhoseItIs() throws {
    let store = try open()
    try store.adopt(schema)
    for name in home.names(in: "vault") {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: "\(home.location.data)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    #expect(home.names(in: "vault") == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
    #expect(try store.connection.string("PRAGMA journal_mode") == "wal")
    #expect(try store.connection.int64("PRAGMA synchronous") == 2)
    #expect(try store.connection.int64("PRAGMA secure_delete") == 1)
    #expect(try store.connection.int64("PRAGMA trusted_schema") == 0)
    #expect(try store.connection.int64("PRAGMA cell_size_check") == 1)
    #expect(try store.connection.int64("PRAGMA application_id") == Store.applicationID)
    #expect(try store.check() == [])
  }

  @Test func aStoreThatOthersMayReadIsRefused() throws {
    _ = try open()
    unsafe chmod(home.location.store, 0o644)
    let error = #expect(throws: StorageError.self) { try open() }
    #expect(error?.code == .refused)
  }

  @Test func aFileThatIsNoStoreIsLeftAlone() throws {
    _ = try open()
    let text = Data(repeating: 0x41, count: 5_000)
    try text.write(to: URL(fileURLWithPath: home.location.store))
    let error = #expect(throws: StorageError.self) { try open() }
    #expect(error?.code == .damaged)
    #expect(try Data(contentsOf: URL(fileURLWithPath: home.location.store)) == text)
  }

  @Test func anotherApplicationsDatabaseIsNotTaken() throws {
    let directory = try Directory(home.location.data, create: true)
    let other = try SQLiteConnection(path: home.location.store)
    try other.execute("CREATE TABLE theirs(v)")
    other.close()
    unsafe chmod(home.location.store, 0o600)
    withExtendedLifetime(directory) {}
    let error = #expect(throws: StorageError.self) { try open() }
    #expect(error?.code == .damaged)
  }

  @Test func anOlderProgramWorksWithANewerMinorVersion() throws {
    let newer = ModuleSchema(
      name: "things", major: 1,
      steps: schema.steps + ["ALTER TABLE things_a ADD COLUMN w TEXT"])
    let store = try open()
    try store.adopt(schema)
    #expect(try store.version(of: schema) == 1)
    try store.adopt(newer)
    try store.adopt(newer)
    let old = try open()
    try old.adopt(schema)
    try old.write { try $0.execute("INSERT INTO things_a(v) VALUES ('x')") }
    #expect(try old.version(of: schema) == 2)
  }

  @Test func anotherMajorVersionIsRefused() throws {
    let store = try open()
    try store.adopt(ModuleSchema(name: "things", major: 2, steps: ["CREATE TABLE things_b(v)"]))
    let error = #expect(throws: StorageError.self) { try store.adopt(schema) }
    #expect(error?.code == .newerVersion)
  }

  @Test func aMigrationThatFailsLeavesNothing() throws {
    let store = try open()
    let broken = ModuleSchema(
      name: "things", major: 1, steps: ["CREATE TABLE things_a(v TEXT)", "no SQL"])
    #expect(throws: StorageError.self) { try store.adopt(broken) }
    #expect(try store.version(of: broken) == 0)
    try store.adopt(schema)
  }

  @Test func theLastGoodCopyIsAWholeStore() throws {
    let store = try open()
    try store.adopt(schema)
    try store.write { try $0.execute("INSERT INTO things_a VALUES ('kept')") }
    try store.refreshLastGoodCopy()
    try store.write { try $0.execute("INSERT INTO things_a VALUES ('later')") }
    try store.refreshLastGoodCopy()  // younger than a day: left as it is
    let copy = try SQLiteConnection(
      path: "\(home.location.data)/\(Store.lastGoodName)", mode: .immutable)
    #expect(try copy.strings("SELECT v FROM things_a") == ["kept"])
    #expect(home.names(in: "vault").filter { $0.hasPrefix(".vault") } == [])
  }

  /// A wrong mount, a backup put back by half.
  @Test(arguments: ["store.sqlite.last-good", "store.sqlite-wal", "store.sqlite-journal"])
  func aStoreOfWhichOnlyATraceIsLeftIsDamaged(trace: String) throws {
    _ = try open()
    let path = "\(home.location.data)/\(trace)"
    for name in home.names(in: "vault") {
      try FileManager.default.removeItem(atPath: "\(home.location.data)/\(name)")
    }
    let contents = Data("what is left".utf8)
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: contents, attributes: [.posixPermissions: 0o600]))
    for mode in [Store.Mode.read, .write] {
      let error = #expect(throws: StorageError.self) {
        try Store.open(home.location, mode: mode)
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("is gone, and had contents") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == contents)
    #expect(home.names(in: "vault") == [trace])
  }

  @Test func anEmptyLogAloneSaysNothing() throws {
    _ = try open()
    for name in home.names(in: "vault") {
      try FileManager.default.removeItem(atPath: "\(home.location.data)/\(name)")
    }
    #expect(
      FileManager.default.createFile(
        atPath: "\(home.location.data)/store.sqlite-wal", contents: Data(),
        attributes: [.posixPermissions: 0o600]))
    #expect(try Store.open(home.location, mode: .read) == nil)
    #expect(try Store.open(home.location, mode: .write) != nil)
  }

  @Test func aDamagedStoreIsSetAsideAndWhatCanBeReadComesOver() throws {
    do {
      let store = try open()
      try store.adopt(schema)
      try store.write { connection in
        for n in 0..<2_000 {
          try connection.execute(
            "INSERT INTO things_a VALUES (?)", [.text("\(n) " + String(repeating: "x", count: 80))])
        }
      }
      store.connection.close()
    }
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: home.location.store))
    try handle.seek(toOffset: 4_096 * 20)
    handle.write(Data(repeating: 0xff, count: 4_096))
    try handle.close()
    #expect(try open().check() != [])

    let directory = try Directory(home.location.data)
    let aside = try Store.quarantine(in: directory)
    #expect(aside.hasPrefix("store.sqlite.damaged-"))
    let store = try open()
    try store.adopt(schema)
    let result = try store.carryOver(from: "\(directory.path)/\(aside)")
    #expect(result.incomplete == ["things_a"])
    let count = try store.connection.int64("SELECT count(*) FROM things_a") ?? 0
    #expect(count > 800 && count < 2_000, "\(count) rows")
    #expect(try store.connection.int64("SELECT count(DISTINCT v) FROM things_a") == count)
    #expect(try store.check() == [])
    #expect(home.names(in: "vault").contains(aside))
  }

  @Test func aReadOnlyCopyCanBeRead() throws {
    do {
      let store = try open()
      try store.adopt(schema)
      try store.write { try $0.execute("INSERT INTO things_a VALUES ('x')") }
      store.connection.close()
    }
    let connection = try SQLiteConnection(path: home.location.store, mode: .immutable)
    #expect(try connection.strings("SELECT v FROM things_a") == ["x"])
    #expect(throws: StorageError.self) { try connection.execute("DELETE FROM things_a") }
  }

  @Test func changesOfOtherConnectionsAreSeen() async throws {
    let signal = ChangeSignal(home.location)
    let changes = try signal.changes()
    let store = try open()
    try store.adopt(schema)
    var iterator = changes.makeAsyncIterator()
    _ = await iterator.next()
    for n in 0..<20 {
      try store.write { try $0.execute("INSERT INTO things_a VALUES (?)", [.text("\(n)")]) }
      #expect(await iterator.next() != nil)
    }
  }

  @Test func aCommitOfAStrangerIsSeenToo() async throws {
    let store = try open()
    try store.adopt(schema)
    let signal = ChangeSignal(home.location)
    var iterator = try signal.changes().makeAsyncIterator()
    // Not through Store.write: nobody touches the file after the commit.
    try store.connection.execute("INSERT INTO things_a VALUES ('x')")
    #expect(await iterator.next() != nil)
  }
}
