import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// Properties whose `originalName` is another property's name now.
struct MovedNameTests {
  private func name(
    _ name: String, _ original: String? = nil, isUnique: Bool = false, isOptional: Bool = false
  ) -> StoredAttribute {
    StoredAttribute(
      name, .string, isOptional: isOptional, isUnique: isUnique, originalName: original)
  }

  private let rows = ["INSERT INTO Trip(name, title) VALUES ('Oslo', 'North'), ('Rome', 'South')"]

  /// `name` becomes `title`, and `title` becomes `subtitle`.
  @Test(arguments: [false, true]) func namesMoveOn(isUnique: Bool) throws {
    let rig = try MigrationRig(
      TripSchemas.trip(name("name"), name("title", isUnique: isUnique)), rows: rows)
    let next = TripSchemas.trip(
      name("title", "name", isUnique: isUnique), name("subtitle", "title"))
    let report = try rig.migrate(to: next)
    #expect(report.changes.contains("rename Trip.name to title"))
    #expect(report.changes.contains("rename Trip.title to subtitle"))
    #expect(report.warnings == [])
    #expect(try rig.strings("SELECT title, subtitle FROM Trip") == ["Oslo|North", "Rome|South"])
    if isUnique {
      // The index is on the values that have the name now.
      #expect(throws: (any Error).self) {
        try rig.connection.execute("INSERT INTO Trip(title, subtitle) VALUES ('Oslo', 'x')")
      }
      try rig.connection.execute("INSERT INTO Trip(title, subtitle) VALUES ('x', 'North')")
      try rig.connection.execute("DELETE FROM Trip WHERE title='x'")
    }

    // Original names stay declared, and nothing moves again.
    try rig.migrate(
      to: TripSchemas.trip(
        name("title", "name", isUnique: isUnique), name("subtitle", "title"),
        name("note", isOptional: true)))
    #expect(try rig.strings("SELECT title, subtitle FROM Trip") == ["Oslo|North", "Rome|South"])

    // A declared way back finds what they were called.
    try rig.migrate(to: TripSchemas.trip(name("name"), name("title", isUnique: isUnique)))
    #expect(try rig.strings("SELECT name, title FROM Trip") == ["Oslo|North", "Rome|South"])
  }

  @Test func aLongRowOfNamesMovesOn() throws {
    let names = ["a", "b", "c", "d", "e"]
    let rig = try MigrationRig(
      TripSchemas.trip(name("a"), name("b"), name("c"), name("d")),
      rows: ["INSERT INTO Trip(a, b, c, d) VALUES ('1', '2', '3', '4')"])
    let next = zip(names.dropFirst(), names).map { name($0, $1) }
    try rig.migrate(to: TripSchemas.trip(next[0], next[1], next[2], next[3]))
    #expect(try rig.strings("SELECT b, c, d, e FROM Trip") == ["1|2|3|4"])
  }

  @Test func decimalsMoveWithTheirOrder() throws {
    let rig = try MigrationRig(
      TripSchemas.trip(
        StoredAttribute("net", .decimal, isOptional: true),
        StoredAttribute("price", .decimal, isOptional: true)),
      rows: [
        "INSERT INTO Trip(net, net_order, price, price_order) VALUES ('1', 'p1', '2', 'p2')"
      ])
    try rig.migrate(
      to: TripSchemas.trip(
        StoredAttribute("price", .decimal, isOptional: true, originalName: "net"),
        StoredAttribute("gross", .decimal, isOptional: true, originalName: "price")))
    #expect(
      try rig.strings("SELECT price, price_order, gross, gross_order FROM Trip") == ["1|p1|2|p2"])
  }

  /// As in Core Data, an exchange alone is no other schema.
  ///
  /// The store does not say later whether it was asked for before.
  @Test func namesAreNotExchanged() throws {
    let rig = try MigrationRig(TripSchemas.trip(name("name"), name("title")), rows: rows)
    let exchanged = [name("name", "title"), name("title", "name")]
    let alone = rig.migration(to: TripSchemas.trip(exchanged[0], exchanged[1]))
    #expect(try alone.run(on: rig.connection) == nil)
    try rig.migrate(
      to: TripSchemas.trip(exchanged[0], exchanged[1], name("note", isOptional: true)))
    #expect(try rig.strings("SELECT name, title FROM Trip") == ["Oslo|North", "Rome|South"])
  }

  /// What would go nowhere stays, as before.
  @Test func aPropertyThatStaysKeepsItsValues() throws {
    let first = try MigrationRig(TripSchemas.trip(name("name"), name("title")), rows: rows)
    try first.migrate(
      to: TripSchemas.trip(name("name"), name("title", "name"), name("note", isOptional: true)))
    #expect(try first.strings("SELECT name, title FROM Trip") == ["Oslo|North", "Rome|South"])
    // `title` was called so before, and `name` is gone.
    let second = try MigrationRig(TripSchemas.trip(name("name"), name("title")), rows: rows)
    try second.migrate(to: TripSchemas.trip(name("title", "name")))
    #expect(try second.strings("SELECT title FROM Trip") == ["North", "South"])
  }

  /// One name for all versions, as Core Data's renaming identifiers may be.
  @Test func anOriginalNameOfLongAgoIsKnown() throws {
    let rig = try MigrationRig(
      TripSchemas.trip(name("b", "a")), rows: ["INSERT INTO Trip(b) VALUES ('kept')"])
    try rig.migrate(to: TripSchemas.trip(name("c", "a")))
    #expect(try rig.strings("SELECT c FROM Trip") == ["kept"])
  }

  @Test func relationshipsMoveOn() throws {
    func schema(_ relationships: [(String, String?)]) -> StoredSchema {
      StoredSchema(entities: [
        StoredEntity("Stop", attributes: [StoredAttribute("place", .string)]),
        StoredEntity(
          "Trip",
          relationships: relationships.map { name, original in
            StoredRelationship(
              name, to: "Stop", storage: .foreignKey(column: "\(name)_id", position: nil),
              originalName: original)
          }),
      ])
    }
    let rig = try MigrationRig(
      schema([("first", nil), ("last", nil)]),
      rows: [
        "INSERT INTO Stop(place) VALUES ('a'), ('b')",
        "INSERT INTO Trip(first_id, last_id) VALUES (1, 2)",
      ])
    try rig.migrate(to: schema([("last", "first"), ("goal", "last")]))
    #expect(try rig.strings("SELECT last_id, goal_id FROM Trip") == ["1|2"])
  }
}
