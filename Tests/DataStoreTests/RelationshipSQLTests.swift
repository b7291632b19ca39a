import Testing
import VaultDataStore

/// Where the links of each kind of relationship are.
struct RelationshipSQLTests {
  private let schema: StoredSchema

  init() {
    let join = StoredJoin(
      table: "Trip_tags", owner: "trip", destination: "tag", inversePosition: "place")
    schema = StoredSchema(
      version: StoredVersion(1, 0, 0),
      entities: [
        StoredEntity(
          "Trip",
          relationships: [
            StoredRelationship(
              "stops", to: "Stop", isToMany: true, inverse: "trip", storage: .inverse),
            StoredRelationship(
              "tags", to: "Tag", isToMany: true, inverse: "trips", storage: .join(links: join)),
            StoredRelationship("lost", to: "Stop", inverse: "missing", storage: .inverse),
          ]),
        StoredEntity(
          "Stop",
          relationships: [
            StoredRelationship(
              "trip", to: "Trip", inverse: "stops",
              storage: .foreignKey(column: "trip\"s", position: "trip_position"))
          ]),
        StoredEntity(
          "Tag",
          relationships: [
            StoredRelationship(
              "trips", to: "Trip", isToMany: true, inverse: "tags", storage: .inverse)
          ]),
      ])
  }

  private func links(_ entity: String, _ name: String) throws -> RelationshipSQL? {
    let entity = try #require(schema.entity(entity))
    return schema.links(of: try #require(entity.relationship(name)), in: entity)
  }

  @Test func aRelationshipToOneIsInItsOwnersRow() throws {
    let links = try #require(try links("Stop", "trip"))
    #expect(links.place == .owners)
    #expect(links.table == #""Stop""# && links.destination == #""trip""s""#)
    #expect(links.owner == SQLText.name(StoredEntity.keyColumn) && links.position == nil)
  }

  @Test func itsInverseIsInTheDestinationsRows() throws {
    let links = try #require(try links("Trip", "stops"))
    #expect(links.place == .destinations)
    #expect(links.table == #""Stop""# && links.owner == #""trip""s""#)
    #expect(links.destination == SQLText.name(StoredEntity.keyColumn))
    #expect(links.position == #""trip_position""#)
  }

  @Test func bothSidesOfAJoinTableExchangeItsColumns() throws {
    let trip = try #require(try links("Trip", "tags"))
    let tag = try #require(try links("Tag", "trips"))
    #expect(trip.place == .joinTable && tag.place == .joinTable)
    #expect(trip.table == tag.table)
    #expect(trip.owner == tag.destination && trip.destination == tag.owner)
    #expect(trip.position == #""position""# && tag.position == #""place""#)
  }

  @Test func aRelationshipThatNoSideKeepsHasNoLinks() throws {
    #expect(try links("Trip", "lost") == nil)
  }
}
