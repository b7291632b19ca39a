import Testing
import VaultDataStore

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
}
