import Foundation
import Glibc
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

struct DataStoreFileTests {
  private let home: TemporaryHome
  private var path: String { "\(home.path)/app/default.store" }
  private var file: DataStoreFile { DataStoreFile(path: path) }

  init() throws { home = try TemporaryHome() }

  private func make(_ application: String = "com.example.trips") throws -> SQLiteConnection {
    let (connection, found) = try file.open(.write)
    #expect(found == nil)
    try connection.transaction(.exclusive) {
      try connection.createDataStore(
        DataStoreMetadata(application: application, schema: TripSchemas.travels))
    }
    return connection
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StorageError)?.code }
  }

  @Test func aStoreSaysWhatItHoldsToAnyoneWithSQLite() throws {
    let connection = try make()
    #expect(try connection.string("PRAGMA journal_mode") == "wal")
    #expect(try connection.int64("PRAGMA foreign_keys") == 1)
    #expect(try connection.int64("PRAGMA application_id") == DataStoreMetadata.fileMark)
    var lines: [String] = []
    let sql = "SELECT entity, property, type, detail, optional, is_unique FROM appdata_properties"
    try connection.forEachRow(sql) { row in
      lines.append((0..<row.columnCount).map(row.string).joined(separator: "|"))
    }
    #expect(lines.contains("Trip|name|string|name|0|1"))
    #expect(lines.contains("Trip|stops|to-many Stop|in trip|1|0"))
    #expect(lines.contains("Trip|tags|to-many Tag|Trip_tags|1|0"))
    #expect(lines.contains("Stop|trip|to-one Trip|trip_id|1|0"))
    #expect(
      try connection.strings("SELECT entity FROM appdata_entities") == ["Stop", "Tag", "Trip"])
    #expect(try connection.metadata("schema_version") == "1.0.0")
    for name in home.names(in: "app") {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(home.path)/app/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func theMetadataComesBackAndTheStoreKeepsItsName() throws {
    let first = try #require(try make().readDataStoreMetadata(path: path))
    let found = try #require(try file.metadata(ofApplication: "com.example.trips"))
    #expect(found == first)
    #expect(found.schema == TripSchemas.travels)
    #expect(UUID(uuidString: found.store) != nil)
  }

  @Test func lookingMakesNothing() throws {
    #expect(try file.metadata() == nil)
    #expect(code { _ = try file.open(.read) } == .notFound)
    #expect(home.names() == [])
  }

  @Test func ofManyThatMakeItOneDoes() async throws {
    let file = file
    let stores = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try file.open(
            orCreate: DataStoreMetadata(application: "a", schema: TripSchemas.travels)
          ).metadata.store
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(stores.count == 1)
    #expect(try file.metadata()?.store == stores.first)
  }

  @Test func anotherApplicationsStoreIsRefusedAsItIs() throws {
    try make("com.example.other").close()
    let before = try contents()
    #expect(
      code { _ = try file.open(.write, ofApplication: "com.example.trips") } == .otherApplication)
    #expect(try contents() == before)
    _ = try file.open(.write, ofApplication: "com.example.other")
  }

  @Test func aNewerFormIsRefusedAsItIs() throws {
    let connection = try make()
    try connection.executeScript("PRAGMA user_version=2")
    connection.close()
    let before = try contents()
    #expect(code { _ = try file.open(.write) } == .newerVersion)
    #expect(try contents() == before)
  }

  @Test func whatIsNoStoreIsRefusedAsItIs() throws {
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/app", withIntermediateDirectories: false)
    let other = try SQLiteConnection(path: path)
    try other.executeScript("PRAGMA journal_mode=WAL; CREATE TABLE theirs(v)")
    other.close()
    var before = try contents()
    #expect(code { _ = try file.open(.write) } == .unknownStore)
    #expect(try contents() == before)
    #expect(home.names(in: "app") == ["default.store"])
    try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: path))
    before = try contents()
    #expect(code { _ = try file.open(.write) } == .unknownStore)
    #expect(try contents() == before)
  }

  @Test func aWriteThatACrashBrokeOffIsTakenBackByTheNextWriter() throws {
    try make().close()
    // As on a network file system, where there is a rollback journal in place of the log.
    let writer = try SQLiteConnection(path: path)
    try writer.trustSchema()
    _ = try writer.string("PRAGMA journal_mode=DELETE")
    try writer.executeScript(
      "PRAGMA cache_size=1; PRAGMA cache_spill=1; INSERT INTO Tag(word) VALUES ('a')")
    try writer.execute("BEGIN")
    try writer.executeScript(
      """
      WITH RECURSIVE n(v) AS (VALUES (1) UNION ALL SELECT v+1 FROM n WHERE v<2000)
      INSERT INTO Tag(word) SELECT 'tag ' || v FROM n
      """)
    let crashed = DataStoreFile(path: "\(home.path)/app/crashed.store")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: crashed.path + suffix)
    }
    try writer.execute("ROLLBACK")
    let error = #expect(throws: StorageError.self) { try crashed.open(.read) }
    #expect(error?.message.contains("stopped while it wrote") == true)
    let (connection, found) = try crashed.open(.write, ofApplication: "com.example.trips")
    #expect(found?.schema == TripSchemas.travels)
    #expect(try connection.strings("SELECT word FROM Tag") == ["a"])
    #expect(try crashed.metadata() == found)
  }

  @Test func readingCannotWrite() throws {
    try make().close()
    let (connection, found) = try file.open(.read)
    #expect(found != nil)
    #expect(code { try connection.execute("DELETE FROM Trip") } == .accessDenied)
  }

  @Test func keysAreNeverUsedAgain() throws {
    let connection = try make()
    try connection.execute("INSERT INTO Tag(word) VALUES ('a')")
    try connection.execute("DELETE FROM Tag")
    try connection.execute("INSERT INTO Tag(word) VALUES ('b')")
    #expect(try connection.int64("SELECT _id FROM Tag") == 2)
  }

  @Test func namesOfAPathAreItsParts() {
    #expect(file.directoryPath == "\(home.path)/app")
    #expect(file.name == "default.store")
    #expect(file.stem == "default")
    #expect(DataStoreFile(path: "/x").directoryPath == "/")
    #expect(DataStoreFile(path: "/a/.hidden").stem == ".hidden")
  }

  private func contents() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}
