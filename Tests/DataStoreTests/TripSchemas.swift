import VaultDataStore
import VaultStorage

/// Schemas that the tests of stores and migrations share.
enum TripSchemas {
  /// Trips with stops (one to many, ordered) and tags (many to many).
  static var travels: StoredSchema {
    StoredSchema(
      entities: [
        StoredEntity(
          "Trip",
          attributes: [
            StoredAttribute("name", .string, isUnique: true),
            StoredAttribute("start", .date),
            StoredAttribute("price", .decimal, isOptional: true),
            StoredAttribute("days", .integer, defaultSQL: "1"),
            StoredAttribute("notes", .json, swiftType: "[String]", defaultSQL: "'[]'"),
            StoredAttribute("photo", .data, isOptional: true, isExternal: true),
          ],
          relationships: [
            StoredRelationship(
              "stops", to: "Stop", isToMany: true, inverse: "trip", deleteRule: .cascade,
              storage: .inverse),
            StoredRelationship(
              "tags", to: "Tag", isToMany: true, inverse: "trips", storage: .join(links: tags)),
          ],
          indexes: [StoredIndex(["start", "days"])]),
        StoredEntity(
          "Stop",
          attributes: [StoredAttribute("place", .string)],
          relationships: [
            StoredRelationship(
              "trip", to: "Trip", inverse: "stops",
              storage: .foreignKey(column: "trip_id", position: "trip_position"))
          ],
          uniqueConstraints: [["place", "trip"]]),
        StoredEntity(
          "Tag",
          attributes: [StoredAttribute("word", .string)],
          relationships: [
            StoredRelationship(
              "trips", to: "Trip", isToMany: true, inverse: "tags",
              storage: .join(links: tags.exchanged))
          ]),
      ])
  }

  private static var tags: StoredJoin {
    StoredJoin(
      table: "Trip_tags", owner: "Trip_id", destination: "Tag_id", inversePosition: "Trip_position")
  }

  /// One entity with the given attributes.
  static func trip(
    _ attributes: StoredAttribute..., version: Int = 1, uniqueConstraints: [[String]] = []
  ) -> StoredSchema {
    StoredSchema(
      version: StoredVersion(version, 0, 0),
      entities: [
        StoredEntity("Trip", attributes: attributes, uniqueConstraints: uniqueConstraints)
      ])
  }
}
