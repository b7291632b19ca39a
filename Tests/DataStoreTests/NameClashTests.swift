import Testing
import VaultDataStore
import VaultStorage

/// Names that Swift tells apart and SQLite does not.
struct NameClashTests {
  @Test func usualNamesStayAsTheyAre() {
    var schema = StoredSchema(entities: [
      StoredEntity(
        "Trip", attributes: [StoredAttribute("name", .string), StoredAttribute("price", .decimal)],
        relationships: [
          StoredRelationship(
            "owner", to: "Trip", storage: .foreignKey(column: "owner_id", position: nil))
        ])
    ])
    let usual = schema
    schema.tellNamesApart()
    #expect(schema == usual)
  }

  @Test func aPropertyOfANameThatIsTakenIsAddedToAStore() throws {
    func schema(_ names: [String]) -> StoredSchema {
      var schema = StoredSchema(entities: [
        StoredEntity(
          "Site", attributes: names.map { StoredAttribute($0, .string, isOptional: true) })
      ])
      schema.tellNamesApart()
      return schema
    }
    let steps = try MigrationPlan(from: schema(["url"]), to: schema(["url", "URL"])).steps
    #expect(
      steps == [
        .sql("ALTER TABLE \"Site\" RENAME COLUMN \"url\" TO \"url_2\"", table: nil),
        .sql("ALTER TABLE \"Site\" ADD COLUMN \"URL\" TEXT", table: nil),
      ])
    let back = try MigrationPlan(from: schema(["url", "URL"]), to: schema(["url"])).steps
    #expect(
      back == [
        .sql("ALTER TABLE \"Site\" RENAME COLUMN \"url_2\" TO \"_moved_0\"", table: nil),
        .sql("ALTER TABLE \"Site\" RENAME COLUMN \"URL\" TO \"_gone_URL\"", table: nil),
        .sql("ALTER TABLE \"Site\" RENAME COLUMN \"_moved_0\" TO \"url\"", table: nil),
        .sql("ALTER TABLE \"Site\" DROP COLUMN \"_gone_URL\"", table: "Site"),
      ])
  }

  /// Of two classes whose names differ in case alone one goes, and comes back: the other keeps its
  /// rows, whichever of them has the usual name of the table.
  @Test(arguments: ["Site", "SITE"])
  func oneOfTwoClassesGoes(kept: String) throws {
    func schema(_ names: [String]) -> StoredSchema {
      var schema = StoredSchema(
        entities: names.map { StoredEntity($0, attributes: [StoredAttribute("name", .string)]) })
      schema.tellNamesApart()
      return schema
    }
    let both = schema(["Site", "SITE"])
    let rig = try MigrationRig(
      both,
      rows: both.entities.map {
        "INSERT INTO \"\($0.table)\"(_id, name) VALUES (1, '\($0.name)')"
      })
    func names(_ schema: StoredSchema) throws -> [String: [String]] {
      try Dictionary(
        uniqueKeysWithValues: schema.entities.map {
          ($0.name, try rig.connection.strings("SELECT name FROM \"\($0.table)\""))
        })
    }
    #expect(try names(both) == ["Site": ["Site"], "SITE": ["SITE"]])
    let one = schema([kept])
    try rig.migrate(to: one)
    #expect(try names(one) == [kept: [kept]])
    try rig.migrate(to: both)
    #expect(try names(both)[kept] == [kept])
    #expect(try names(both).values.map(\.count).sorted() == [0, 1])
  }

  @Test func aClassWhoseNameChangesItsCaseKeepsItsRows() throws {
    func schema(_ names: [(String, String?)]) -> StoredSchema {
      var schema = StoredSchema(
        entities: names.map { name, original in
          StoredEntity(
            name, originalName: original, attributes: [StoredAttribute("name", .string)])
        })
      schema.tellNamesApart()
      return schema
    }
    let rig = try MigrationRig(
      schema([("Site", nil)]), rows: ["INSERT INTO \"Site\"(_id, name) VALUES (1, 'kept')"])
    try rig.migrate(to: schema([("SITE", "Site")]))
    #expect(try rig.connection.strings("SELECT name FROM \"SITE\"") == ["kept"])
  }
}
