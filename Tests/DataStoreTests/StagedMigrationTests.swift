import Foundation
import Glibc
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// Versions with stages, refusals, several processes, dry runs.
struct StagedMigrationTests {
  private let v1 = TripSchemas.trip(
    StoredAttribute("name", .string), StoredAttribute("start_date", .date), version: 1)
  private let v2 = TripSchemas.trip(
    StoredAttribute("name", .string, isUnique: true),
    StoredAttribute("startDate", .date, originalName: "start_date"), version: 2)
  private let v3 = TripSchemas.trip(
    StoredAttribute("name", .string, isUnique: true),
    StoredAttribute("startDate", .string, originalName: "start_date"), version: 3)
  private let rows = [
    "INSERT INTO Trip(name, start_date) VALUES ('Oslo', 1), ('Oslo', 2), ('Rome', 3)"
  ]

  private var stages: [DataStoreMigration.Stage] {
    let dates = Dates()
    return [
      DataStoreMigration.Stage(from: v1, to: v2, isCustom: true) { connection, _ in
        try connection.execute(
          "DELETE FROM Trip WHERE _id NOT IN (SELECT min(_id) FROM Trip GROUP BY name)")
      },
      DataStoreMigration.Stage(from: v2, to: v3, isCustom: true) { connection, _ in
        try connection.forEachRow("SELECT _id, startDate FROM Trip") { row in
          dates.values[row.int64(at: 0)] = row.double(at: 1)
        }
      } didMigrate: { connection, _ in
        for (id, date) in dates.values {
          try connection.execute(
            "UPDATE Trip SET startDate=? WHERE _id=?", [.text("day \(Int(date))"), .integer(id)])
        }
      },
    ]
  }

  /// The values passed from one hook to the other.
  private final class Dates { var values: [Int64: Double] = [:] }

  @Test func duplicatesAreRemovedBeforeAnAttributeBecomesUnique() throws {
    #expect(
      try MigrationRig(v1, rows: rows).refusal(of: v2).contains("the same value in rows 1, 2"))
    let rig = try MigrationRig(v1, rows: rows)
    try rig.migrate(to: v2, stages: Array(stages.prefix(1)))
    #expect(try rig.strings("SELECT name, startDate FROM Trip") == ["Oslo|1.0", "Rome|3.0"])
  }

  @Test func aPlanGoesFromTheStoredVersionOnAndChangesTypes() throws {
    let old = try MigrationRig(v1, rows: rows)
    try old.migrate(to: v3, stages: stages)
    #expect(try old.strings("SELECT name, startDate FROM Trip") == ["Oslo|day 1", "Rome|day 3"])
    let middle = try MigrationRig(
      v2, rows: ["INSERT INTO Trip(name, startDate) VALUES ('Oslo', 7)"])
    try middle.migrate(to: v3, stages: stages)
    #expect(try middle.strings("SELECT name, startDate FROM Trip") == ["Oslo|day 7"])
    #expect(try middle.connection.metadata("migrated_from") == "2.0.0")
  }

  @Test func aHookThatThrowsLeavesTheOldStore() throws {
    struct Refused: Error {}
    var stages = stages
    stages[1].didMigrate = { _, _ in throw Refused() }
    let rig = try MigrationRig(v1, rows: rows)
    #expect(throws: Refused.self) {
      try rig.migration(to: v3, stages: stages).run(on: rig.connection)
    }
    #expect(try rig.connection.readDataStoreMetadata(path: "")?.schema == v1)
    #expect(try rig.strings("SELECT count(*) FROM Trip") == ["3"])
    #expect(try rig.connection.int64("PRAGMA foreign_keys") == 1)
  }

  @Test func linksOfRowsThatAHookDeletedGo() throws {
    let rig = try MigrationRig(
      TripSchemas.travels,
      rows: [
        "INSERT INTO Trip(name, start) VALUES ('Oslo', 0)", "INSERT INTO Tag(word) VALUES ('cold')",
        "INSERT INTO Trip_tags VALUES (1, 1, 0, 0)",
        "INSERT INTO Stop(place, trip_id) VALUES ('Ski', 1)",
      ])
    var next = TripSchemas.travels
    next.version = StoredVersion(2, 0, 0)
    next.entities[1].attributes.append(StoredAttribute("note", .string, isOptional: true))
    var stage = DataStoreMigration.Stage(from: TripSchemas.travels, to: next, isCustom: true)
    stage.willMigrate = { connection, _ in try connection.execute("DELETE FROM Trip") }
    // The stop still names the trip, which nothing but the application can decide about.
    let message = try rig.refusal(of: next, stages: [stage])
    #expect(message.contains("Stop") && message.contains("Trip"))
    stage.willMigrate = { connection, _ in
      try connection.execute("UPDATE Stop SET trip_id=NULL")
      try connection.execute("DELETE FROM Trip")
    }
    let again = try MigrationRig(
      TripSchemas.travels,
      rows: [
        "INSERT INTO Trip(name, start) VALUES ('Oslo', 0)", "INSERT INTO Tag(word) VALUES ('cold')",
        "INSERT INTO Trip_tags VALUES (1, 1, 0, 0)",
      ])
    try again.migrate(to: next, stages: [stage])
    #expect(try again.strings("SELECT count(*) FROM Trip_tags") == ["0"])
  }

  @Test func aStoreAheadOfTheProgramIsRefusedAsItIs() throws {
    let message = try MigrationRig(v2, rows: []).refusal(of: v1, code: .newerSchema)
    #expect(message.contains("schema 2.0.0"))
  }

  @Test func aSchemaThatNoStageKnowsIsRefusedAsItIs() throws {
    let other = TripSchemas.trip(StoredAttribute("other", .string))
    _ = try MigrationRig(other).refusal(of: v3, stages: stages, code: .unknownSchema)
  }

  @Test func aDryRunTellsAndWritesNothing() throws {
    let rig = try MigrationRig(v1, rows: rows)
    let before = try rig.strings("SELECT * FROM sqlite_schema")
    let outline = try #require(try rig.migration(to: v2).outline(on: rig.connection))
    #expect(outline.changes == ["rename Trip.start_date to startDate", "make Trip.name unique"])
    #expect(outline.obstacles.count == 1)
    #expect(outline.from == StoredVersion(1, 0, 0))
    #expect(outline.to == StoredVersion(2, 0, 0))
    let staged = try #require(
      try rig.migration(to: v3, stages: stages).outline(on: rig.connection))
    #expect(staged.obstacles == [])
    #expect(staged.changes.last == "change the type of Trip.startDate from date to string")
    #expect(try rig.strings("SELECT * FROM sqlite_schema") == before)
    #expect(rig.home.names(in: "app").contains("default.store.previous") == false)
    #expect(try rig.migration(to: v1).outline(on: rig.connection) == nil)
  }

  @Test func progressEndsAtItsTotal() throws {
    final class Seen { var all: [DataStoreMigration.Progress] = [] }
    let seen = Seen()
    let rig = try MigrationRig(v1, rows: rows)
    var migration = rig.migration(to: v2, stages: Array(stages.prefix(1)))
    migration.progress = { seen.all.append($0) }
    _ = try migration.run(on: rig.connection)
    #expect(seen.all.count > 2)
    #expect(seen.all.first?.completed == 0)
    #expect(seen.all.last?.completed == seen.all.last?.total)
    #expect(seen.all.map(\.completed) == seen.all.map(\.completed).sorted())
  }

  @Test func theCopyBesideTheStoreIsTheOldStore() throws {
    let rig = try MigrationRig(v1, rows: rows)
    let report = try rig.migrate(to: v2, stages: Array(stages.prefix(1)))
    let copy = DataStoreFile(path: try #require(report.backup))
    #expect(try copy.metadata(ofApplication: "test")?.schema == v1)
    let (connection, _) = try copy.open(.read)
    #expect(try connection.int64("SELECT count(*) FROM Trip") == 3)
  }

  @Test func aDefaultThatIsAnotherAtEachStartIsNoChange() throws {
    func schema(_ now: String) -> StoredSchema {
      TripSchemas.trip(StoredAttribute("made", .date, defaultSQL: now))
    }
    let rig = try MigrationRig(schema("1.0"))
    #expect(try rig.migration(to: schema("2.0")).run(on: rig.connection) == nil)
    #expect(try rig.connection.readDataStoreMetadata(path: "")?.schema == schema("1.0"))
  }

  @Test func aKilledProcessLeavesTheStoreAsBeforeOrAfter() throws {
    let probe = KeyringSession.product("migration-probe")
    func start(_ verb: String, _ path: String) throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: probe)
      process.arguments = [verb, path]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
    func run(_ verb: String, _ path: String) throws { try start(verb, path).waitOrKill() }
    let whole = try TemporaryHome()
    try run("make", "\(whole.path)/a.store")
    let time = try ContinuousClock().measure { try run("migrate", "\(whole.path)/a.store") }
    var moments = Moments(25, within: time, of: "a migration")
    for round in 0..<25 {
      let home = try TemporaryHome()
      let file = DataStoreFile(path: "\(home.path)/a.store")
      try run("make", file.path)
      let victim = try start("migrate", file.path)
      moments.wait()
      kill(victim.processIdentifier, SIGKILL)
      victim.waitOrKill()
      let (connection, found) = try file.open(.write)
      let version = try #require(found).schema.version.major
      #expect(try connection.integrityCheck() == [], "round \(round)")
      #expect(try connection.int64("SELECT count(*) FROM Trip") == 500)
      let columns = try connection.strings("SELECT name FROM pragma_table_info('Trip')")
      #expect(columns == (version == 1 ? ["_id", "name"] : ["_id", "name", "days"]))
      connection.close()
      try run("migrate", file.path)
      #expect(try file.metadata()?.schema.version.major == 2, "round \(round)")
    }
  }

  @Test func ofTwoProcessesOneMigratesAndTheOtherWaits() throws {
    let probe = KeyringSession.product("migration-probe")
    for round in 1...20 {
      let home = try TemporaryHome()
      let path = "\(home.path)/a.store"
      func start(_ verb: String) throws -> (Process, Pipe) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: probe)
        process.arguments = [verb, path]
        process.standardOutput = pipe
        try process.run()
        return (process, pipe)
      }
      try start("make").0.waitOrKill()
      let both = [try start("migrate"), try start("migrate")]
      let said = both.map { process, pipe in
        let text = String(decoding: process.output(of: pipe), as: UTF8.self)
        #expect(process.terminationStatus == 0, "round \(round)")
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
      }
      #expect(said.sorted() == ["found it done 500", "migrated 500"], "round \(round)")
    }
  }
}
