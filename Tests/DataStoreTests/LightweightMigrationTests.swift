import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// Each rule of an automatic migration, on a file which the older schema made.
struct LightweightMigrationTests {
  private let name = StoredAttribute("name", .string)
  private let oslo = "INSERT INTO Trip(name) VALUES ('Oslo'), ('Rome')"

  @Test func anOptionalAttributeIsAdded() throws {
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    let report = try rig.migrate(
      to: TripSchemas.trip(name, StoredAttribute("start", .date, isOptional: true)))
    #expect(report.changes == ["add Trip.start"])
    #expect(report.warnings == [])
    #expect(try rig.strings("SELECT name, start IS NULL FROM Trip") == ["Oslo|1", "Rome|1"])
  }

  @Test func aRequiredAttributeIsAddedWithItsDefault() throws {
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    try rig.migrate(
      to: TripSchemas.trip(
        name, StoredAttribute("days", .integer, defaultSQL: "3"),
        StoredAttribute("notes", .json, defaultSQL: "'[]'"),
        StoredAttribute("price", .decimal, defaultSQL: "'1.5'", defaultOrderSQL: "'p1'")))
    #expect(
      try rig.strings("SELECT name, days, notes, price, price_order FROM Trip")
        == ["Oslo|3|[]|1.5|p1", "Rome|3|[]|1.5|p1"])
  }

  @Test func aRequiredAttributeWithoutDefaultNeedsAnEmptyTable() throws {
    let next = TripSchemas.trip(name, StoredAttribute("days", .integer))
    try MigrationRig(TripSchemas.trip(name)).migrate(to: next)
    let message = try MigrationRig(TripSchemas.trip(name), rows: [oslo]).refusal(of: next)
    #expect(message.contains("Trip.days"))
  }

  @Test func anAttributeIsRenamedByItsOriginalName() throws {
    let old = TripSchemas.trip(
      StoredAttribute("start_date", .date, isUnique: true),
      StoredAttribute("cost", .decimal, isOptional: true))
    let rig = try MigrationRig(
      old, rows: ["INSERT INTO Trip(start_date, cost, cost_order) VALUES (1.5, '2', 'p2')"])
    let report = try rig.migrate(
      to: TripSchemas.trip(
        StoredAttribute("startDate", .date, isUnique: true, originalName: "start_date"),
        StoredAttribute("price", .decimal, isOptional: true, originalName: "cost")))
    #expect(
      report.changes == ["rename Trip.start_date to startDate", "rename Trip.cost to price"])
    #expect(report.warnings == [])
    #expect(try rig.strings("SELECT startDate, price, price_order FROM Trip") == ["1.5|2|p2"])
  }

  @Test func namesThatDifferInCaseAloneAreRenamed() throws {
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    try rig.migrate(to: TripSchemas.trip(StoredAttribute("Name", .string, originalName: "name")))
    #expect(try rig.strings("SELECT Name FROM Trip") == ["Oslo", "Rome"])
  }

  @Test func aChainOfRenamesGoesThroughTheVersions() throws {
    let v1 = TripSchemas.trip(StoredAttribute("a", .string), version: 1)
    let v2 = TripSchemas.trip(StoredAttribute("b", .string, originalName: "a"), version: 2)
    let v3 = TripSchemas.trip(StoredAttribute("c", .string, originalName: "b"), version: 3)
    let stages = [
      DataStoreMigration.Stage(from: v1, to: v2), DataStoreMigration.Stage(from: v2, to: v3),
    ]
    for start in [v1, v2] {
      let column = start.entities[0].attributes[0].column
      let rig = try MigrationRig(start, rows: ["INSERT INTO Trip(\(column)) VALUES ('kept')"])
      try rig.migrate(to: v3, stages: stages)
      #expect(try rig.strings("SELECT c FROM Trip") == ["kept"])
    }
  }

  @Test func aRenameWithoutOriginalNameLosesDataAndSaysSo() throws {
    let next = TripSchemas.trip(
      StoredAttribute("title", .string, defaultSQL: "''"))
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    let report = try rig.migrate(to: next)
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("Trip.name") == true)
    #expect(report.warnings.first?.contains("originalName: \"name\"") == true)
    #expect(try rig.strings("SELECT title FROM Trip") == ["", ""])
    // Nothing to lose, nothing to say.
    #expect(try MigrationRig(TripSchemas.trip(name)).migrate(to: next).warnings == [])
  }

  @Test func anOptionalAttributeBecomesRequired() throws {
    let optional = StoredAttribute("place", .string, isOptional: true)
    let required = TripSchemas.trip(name, StoredAttribute("place", .string))
    let full = try MigrationRig(
      TripSchemas.trip(name, optional), rows: ["INSERT INTO Trip VALUES (7, 'a', 'b')"])
    try full.migrate(to: required)
    #expect(try full.strings("SELECT * FROM Trip") == ["7|a|b"])
    let partly = try MigrationRig(TripSchemas.trip(name, optional), rows: [oslo])
    #expect(try partly.refusal(of: required).contains("Trip.place is now required, but 2 rows"))
    let filled = try MigrationRig(TripSchemas.trip(name, optional), rows: [oslo])
    try filled.migrate(
      to: TripSchemas.trip(name, StoredAttribute("place", .string, defaultSQL: "'?'")))
    #expect(try filled.strings("SELECT name, place FROM Trip") == ["Oslo|?", "Rome|?"])
  }

  @Test func aRequiredAttributeBecomesOptional() throws {
    let rig = try MigrationRig(
      TripSchemas.trip(name), rows: [oslo, "DELETE FROM Trip WHERE _id=2"])
    try rig.migrate(to: TripSchemas.trip(StoredAttribute("name", .string, isOptional: true)))
    try rig.connection.execute("INSERT INTO Trip(name) VALUES (NULL)")
    // The key of a deleted row stays used, also over a copy of the table.
    #expect(try rig.strings("SELECT _id, name FROM Trip") == ["1|Oslo", "3|"])
  }

  @Test func entitiesComeAndGo() throws {
    let tag = StoredEntity("Tag", attributes: [StoredAttribute("word", .string)])
    var both = TripSchemas.trip(name)
    both = StoredSchema(entities: both.entities + [tag])
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    #expect(try rig.migrate(to: both).changes == ["add entity Tag"])
    #expect(try rig.migrate(to: TripSchemas.trip(name)).changes == ["drop entity Tag"])
    #expect(try rig.strings("SELECT name FROM Trip") == ["Oslo", "Rome"])
  }

  @Test func anEntityIsRenamedWithItsLinks() throws {
    let rig = try MigrationRig(
      TripSchemas.travels,
      rows: [
        "INSERT INTO Trip(name, start) VALUES ('Oslo', 0)",
        "INSERT INTO Stop(place, trip_id, trip_position) VALUES ('Ski', 1, 0)",
        "INSERT INTO Tag(word) VALUES ('cold')", "INSERT INTO Trip_tags VALUES (1, 1, 0, 0)",
      ])
    var next = TripSchemas.travels
    for index in next.entities.indices {
      if next.entities[index].name == "Trip" {
        next.entities[index].name = "Journey"
        next.entities[index].table = "Journey"
        next.entities[index].originalName = "Trip"
      }
      for number in next.entities[index].relationships.indices
      where next.entities[index].relationships[number].destination == "Trip" {
        next.entities[index].relationships[number].destination = "Journey"
      }
    }
    next = StoredSchema(entities: next.entities)
    try rig.migrate(to: next)
    #expect(
      try rig.strings(
        "SELECT j.name, s.place, t.word FROM Journey j JOIN Stop s ON s.trip_id=j._id "
          + "JOIN Trip_tags l ON l.Trip_id=j._id JOIN Tag t ON t._id=l.Tag_id")
        == ["Oslo|Ski|cold"])
  }

  @Test func severalChangesAtOnce() throws {
    let rig = try MigrationRig(
      TripSchemas.travels,
      rows: [
        "INSERT INTO Trip(name, start, price, price_order) VALUES ('Oslo', 2, '1', 'p1')",
        "INSERT INTO Stop(place, trip_id) VALUES ('Ski', 1)",
      ])
    var next = TripSchemas.travels
    let trip = try #require(next.entities.firstIndex { $0.name == "Trip" })
    let stop = try #require(next.entities.firstIndex { $0.name == "Stop" })
    next.entities[trip].attributes.removeAll { $0.name == "price" || $0.name == "days" }
    next.entities[trip].attributes.append(StoredAttribute("note", .string, isOptional: true))
    next.entities[trip].indexes = []
    next.entities[stop].attributes.append(StoredAttribute("stars", .integer, defaultSQL: "5"))
    next.entities[stop].uniqueConstraints = []
    let report = try rig.migrate(to: next)
    #expect(
      report.changes == [
        "add Stop.stars", "let Stop.place+trip_id repeat", "drop Trip.price", "drop Trip.days",
        "add Trip.note",
      ])
    #expect(
      try rig.strings(
        "SELECT name, start, note IS NULL, stars FROM Trip JOIN Stop ON trip_id=Trip._id")
        == ["Oslo|2.0|1|5"])
  }

  @Test func anotherTypeNeedsAStage() throws {
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    let message = try rig.refusal(of: TripSchemas.trip(StoredAttribute("name", .integer)))
    #expect(message.contains("Trip.name") && message.contains("custom stage"))
  }

  @Test func valuesMoveToFilesAndBack() throws {
    let inside = TripSchemas.trip(name, StoredAttribute("photo", .data, isOptional: true))
    let outside = TripSchemas.trip(
      name, StoredAttribute("photo", .data, isOptional: true, isExternal: true))
    let rig = try MigrationRig(
      inside,
      rows: [
        "INSERT INTO Trip VALUES (1,'small',x'0102'), (2,'large',randomblob(200000)), (3,'none',NULL)"
      ])
    let large = try #require(try rig.strings("SELECT hex(photo) FROM Trip WHERE _id=2").first)
    try rig.migrate(to: outside)
    let files = ExternalFiles(store: rig.file)
    #expect(
      try rig.strings("SELECT typeof(photo) FROM Trip ORDER BY _id") == ["blob", "text", "null"])
    let text = try #require(try rig.strings("SELECT photo FROM Trip WHERE _id=2").first)
    let reference = try #require(ExternalReference(text))
    #expect(try files.read(reference).count == 200_000)
    #expect(try files.problems(of: outside, on: rig.connection) == [])

    let back = try rig.migrate(to: inside)
    #expect(try rig.strings("SELECT hex(photo) FROM Trip WHERE _id=2") == [large])
    #expect(rig.home.names(in: "app/.default_SUPPORT/_EXTERNAL_DATA") == [])
    // The copy made before still has its file.
    #expect(back.backup == "\(rig.file.path).previous")
    #expect(
      rig.home.names(in: "app/.default_SUPPORT/_PREVIOUS_DATA") == [reference.name])
  }

  /// The copy made before keeps large values where there are no hard links, too.
  @Test(arguments: [EPERM, EMLINK])
  func aCopyBeforeMigrationHasItsLargeValues(reason: Int32) throws {
    let photo = StoredAttribute("photo", .data, isOptional: true, isExternal: true)
    let rig = try MigrationRig(TripSchemas.trip(name, photo))
    let files = ExternalFiles(store: rig.file)
    let value = [UInt8](repeating: 7, count: 200_000)
    let reference = try files.transaction(on: rig.connection) { change in
      let reference = try change.publish(value)
      try rig.connection.execute(
        "INSERT INTO Trip(name, photo) VALUES ('large', ?)", [.text(reference.text)])
      return reference
    }
    let plan = FaultPlan(.error(reason), at: 1, of: [.link])
    let next = TripSchemas.trip(
      StoredAttribute("title", .string, originalName: "name"), photo)
    _ = try System.withFaults(plan) { try rig.migrate(to: next) }
    #expect(plan.hasFired)
    let kept = try Data(contentsOf: URL(fileURLWithPath: "\(files.previousPath)/\(reference.name)"))
    #expect(kept == Data(value))
  }

  @Test func uniquenessNeedsDifferentValues() throws {
    let next = TripSchemas.trip(StoredAttribute("name", .string, isUnique: true))
    let good = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    #expect(try good.migrate(to: next).changes == ["make Trip.name unique"])
    #expect(throws: StorageError.self) {
      try good.connection.execute("INSERT INTO Trip(name) VALUES ('Oslo')")
    }
    let bad = try MigrationRig(TripSchemas.trip(name), rows: [oslo, oslo])
    let message = try bad.refusal(of: next)
    #expect(message == "Trip.name is now unique, but has the same value in rows 1, 3")
  }

  @Test func aNewFormOfTheSameColumnsIsNoted() throws {
    let rig = try MigrationRig(TripSchemas.trip(name), rows: [oslo])
    let report = try rig.migrate(
      to: TripSchemas.trip(StoredAttribute("name", .string, hashModifier: "2")))
    #expect(report.changes == ["note a new form of Trip.name"])
  }

  @Test func whatTouchesNoTableIsTakenOverWithoutAMigration() throws {
    let rig = try MigrationRig(TripSchemas.travels)
    var next = TripSchemas.travels
    let trip = try #require(next.entities.firstIndex { $0.name == "Trip" })
    next.entities[trip].relationships[0].deleteRule = .deny
    next.version = StoredVersion(1, 0, 1)
    #expect(try rig.migration(to: next).run(on: rig.connection) == nil)
    #expect(try rig.connection.readDataStoreMetadata(path: "")?.schema == next)
    #expect(rig.home.names(in: "app").contains("default.store.previous") == false)
  }
}
