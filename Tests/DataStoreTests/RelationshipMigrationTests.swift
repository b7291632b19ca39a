import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// Relationships that come, go, change their name and their number.
struct RelationshipMigrationTests {
  private func schema(
    _ trip: [StoredRelationship], _ stop: [StoredRelationship] = []
  ) -> StoredSchema {
    StoredSchema(entities: [
      StoredEntity("Trip", attributes: [StoredAttribute("name", .string)], relationships: trip),
      StoredEntity("Stop", attributes: [StoredAttribute("place", .string)], relationships: stop),
    ])
  }

  private let rows = [
    "INSERT INTO Trip(name) VALUES ('Oslo'), ('Rome')",
    "INSERT INTO Stop(place) VALUES ('a'), ('b'), ('c')",
  ]

  private var manyToMany: StoredSchema {
    let join = StoredJoin(
      table: "Trip_stops", owner: "Trip_id", destination: "Stop_id",
      inversePosition: "Trip_position")
    return schema(
      [
        StoredRelationship(
          "stops", to: "Stop", isToMany: true, inverse: "trips", storage: .join(links: join))
      ],
      [
        StoredRelationship(
          "trips", to: "Trip", isToMany: true, inverse: "stops",
          storage: .join(links: join.exchanged), originalName: "trip")
      ])
  }

  private var oneToMany: StoredSchema {
    schema(
      [
        StoredRelationship("stops", to: "Stop", isToMany: true, inverse: "trip", storage: .inverse)
      ],
      [
        StoredRelationship(
          "trip", to: "Trip", inverse: "stops",
          storage: .foreignKey(column: "trip_id", position: "trip_position"), originalName: "trips")
      ])
  }

  @Test func theyComeAndGo() throws {
    let rig = try MigrationRig(schema([]), rows: rows)
    #expect(try rig.migrate(to: oneToMany).changes == ["add Stop.trip", "add Trip.stops"])
    try rig.connection.execute("UPDATE Stop SET trip_id=2, trip_position=0 WHERE _id=1")
    #expect(try rig.migrate(to: schema([])).changes == ["drop Stop.trip", "drop Trip.stops"])
    #expect(try rig.strings("SELECT * FROM Stop") == ["1|a", "2|b", "3|c"])
  }

  @Test func toOneBecomesToManyAndBack() throws {
    let rig = try MigrationRig(
      oneToMany,
      rows: rows + [
        "UPDATE Stop SET trip_id=1, trip_position=1 WHERE _id=1",
        "UPDATE Stop SET trip_id=1, trip_position=0 WHERE _id=2",
      ])
    let report = try rig.migrate(to: manyToMany)
    #expect(report.changes == ["rename Stop.trip to trips", "make Stop.trips to-many"])
    let links = "SELECT Trip_id, Stop_id, position FROM Trip_stops ORDER BY Trip_id, position"
    #expect(try rig.strings(links) == ["1|2|0", "1|1|1"])
    #expect(try rig.migrate(to: oneToMany).warnings == [])
    #expect(
      try rig.strings("SELECT trip_id, place FROM Stop ORDER BY trip_position, _id")
        == ["|c", "1|b", "1|a"])
    try rig.migrate(to: manyToMany)
    try rig.connection.execute(
      "INSERT INTO Trip_stops(Trip_id, Stop_id, position, Trip_position) VALUES (2, 1, 0, 1)")
    let warnings = try rig.migrate(to: oneToMany).warnings
    #expect(warnings == ["Stop.trip leads to one from now on; of several, only the first is kept"])
    #expect(try rig.strings("SELECT trip_id FROM Stop WHERE _id=1") == ["1"])
  }

  @Test func aColumnAndAJoinTableAreRenamed() throws {
    let rig = try MigrationRig(
      oneToMany, rows: rows + ["UPDATE Stop SET trip_id=1, trip_position=0 WHERE _id=1"])
    try rig.migrate(
      to: schema(
        [
          StoredRelationship(
            "stops", to: "Stop", isToMany: true, inverse: "journey", storage: .inverse)
        ],
        [
          StoredRelationship(
            "journey", to: "Trip", inverse: "stops",
            storage: .foreignKey(column: "journey_id", position: "journey_position"),
            originalName: "trip")
        ]))
    #expect(try rig.strings("SELECT place FROM Stop WHERE journey_id=1") == ["a"])

    let tags = { (table: String, name: String, original: String?) in
      schema([
        StoredRelationship(
          name, to: "Stop", isToMany: true,
          storage: .join(
            links: StoredJoin(table: table, owner: "Trip_id", destination: "Stop_id")),
          originalName: original)
      ])
    }
    let joined = try MigrationRig(
      tags("Trip_stops", "stops", nil),
      rows: rows + ["INSERT INTO Trip_stops VALUES (1, 2, 0)"])
    try joined.migrate(to: tags("Trip_places", "places", "stops"))
    #expect(try joined.strings("SELECT * FROM Trip_places") == ["1|2|0"])
  }

  @Test func anotherDestinationNeedsAStage() throws {
    let one = schema([
      StoredRelationship(
        "next", to: "Stop", storage: .foreignKey(column: "next_id", position: nil))
    ])
    let other = schema([
      StoredRelationship(
        "next", to: "Trip", storage: .foreignKey(column: "next_id", position: nil))
    ])
    let message = try MigrationRig(one, rows: rows).refusal(of: other)
    #expect(message.contains("Trip.next led to Stop and leads to Trip"))
    let rig = try MigrationRig(one, rows: rows + ["UPDATE Trip SET next_id=3"])
    try rig.migrate(
      to: other,
      stages: [
        DataStoreMigration.Stage(from: one, to: other, isCustom: true) { _, _ in
        } didMigrate: { connection, _ in
          try connection.execute("UPDATE Trip SET next_id=2 WHERE _id=1")
        }
      ])
    let next = try rig.strings("SELECT next_id FROM Trip ORDER BY _id")
    #expect(next == ["2", ""])
  }

  @Test func subclassesComeAndGo() throws {
    let root = StoredEntity("Trip", attributes: [StoredAttribute("name", .string)])
    let sub = StoredEntity(
      "BusinessTrip", superentity: "Trip", attributes: [StoredAttribute("cost", .double)])
    let rig = try MigrationRig(
      StoredSchema(entities: [root]), rows: ["INSERT INTO Trip(name) VALUES ('Oslo')"])
    try rig.migrate(to: StoredSchema(entities: [root, sub]))
    try rig.connection.executeScript(
      "INSERT INTO Trip(_id, _class, name) VALUES (2, 'BusinessTrip', 'Rome'); "
        + "INSERT INTO BusinessTrip VALUES (2, 9.5)")
    #expect(try rig.strings("SELECT _class, name FROM Trip") == ["Trip|Oslo", "BusinessTrip|Rome"])
    var renamed = sub
    renamed.name = "WorkTrip"
    renamed.table = "WorkTrip"
    renamed.originalName = "BusinessTrip"
    try rig.migrate(to: StoredSchema(entities: [root, renamed]))
    #expect(try rig.strings("SELECT _class FROM Trip WHERE _id=2") == ["WorkTrip"])
    try rig.migrate(to: StoredSchema(entities: [root]))
    #expect(try rig.strings("SELECT name FROM Trip") == ["Oslo"])
    var orphan = sub
    orphan.superentity = nil
    let message = try MigrationRig(StoredSchema(entities: [root, sub]))
      .refusal(of: StoredSchema(entities: [root, orphan]))
    #expect(message.contains("BusinessTrip has moved in its class hierarchy"))
  }
}
