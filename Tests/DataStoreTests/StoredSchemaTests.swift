import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

struct StoredSchemaTests {
  @Test func tablesAreWhatAPersonWouldWrite() throws {
    #expect(
      TripSchemas.travels.statements.joined(separator: ";\n") == """
        CREATE TABLE "Stop"(
          "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "place" TEXT NOT NULL,
          "trip_id" INTEGER REFERENCES "Trip"("_id") DEFERRABLE INITIALLY DEFERRED,
          "trip_position" INTEGER
        ) STRICT;
        CREATE TABLE "Tag"(
          "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "word" TEXT NOT NULL
        ) STRICT;
        CREATE TABLE "Trip"(
          "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "name" TEXT NOT NULL,
          "start" REAL NOT NULL,
          "price" TEXT,
          "price_order" TEXT,
          "days" INTEGER NOT NULL DEFAULT 1,
          "notes" TEXT NOT NULL DEFAULT '[]' CHECK(json_valid("notes")),
          "photo" ANY
        ) STRICT;
        CREATE TABLE "Trip_tags"(
          "Tag_id" INTEGER NOT NULL REFERENCES "Tag"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "Trip_id" INTEGER NOT NULL REFERENCES "Trip"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "Trip_position" INTEGER,
          "position" INTEGER,
          PRIMARY KEY("Tag_id", "Trip_id")
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX "Stop_place_trip_id_unique" ON "Stop"("place", "trip_id");
        CREATE INDEX "Stop_trip_id_trip_position_index" ON "Stop"("trip_id", "trip_position");
        CREATE UNIQUE INDEX "Trip_name_unique" ON "Trip"("name");
        CREATE UNIQUE INDEX "Trip_photo_files" ON "Trip"("photo") WHERE typeof("photo")='text';
        CREATE INDEX "Trip_start_days_index" ON "Trip"("start", "days");
        CREATE INDEX "Trip_tags_Trip_id_index" ON "Trip_tags"("Trip_id")
        """)
  }

  @Test func aSchemaHasBounds() throws {
    func message(_ entities: [StoredEntity]) -> String? {
      #expect(throws: StorageError.self) { try StoredSchema(entities: entities).validate() }?
        .message
    }
    let many = (0...StoredSchema.limits.entities).map { StoredEntity("E\($0)") }
    #expect(message(many)?.contains("1001 entities") == true)
    let wide = (0...StoredSchema.limits.ofOne).map { StoredAttribute("a\($0)", .string) }
    #expect(message([StoredEntity("E", attributes: wide)])?.contains("too many properties") == true)
    let chain = (0..<40).map { StoredEntity("E\($0)", superentity: "E\($0 + 1)") }
    #expect(message(chain + [StoredEntity("E40")])?.contains("ancestors") == true)
    #expect(
      message([StoredEntity("A", superentity: "B"), StoredEntity("B", superentity: "A")]) != nil)
  }

  /// A store made by another program.
  @Test func aStoreWithAHugeSchemaOrAViewForATableIsDamaged() throws {
    func error(_ entities: [StoredEntity], _ sql: String = "") throws -> StorageError? {
      let connection = try SQLiteConnection()
      let schema = StoredSchema(entities: [StoredEntity("Trip")])
      try connection.createDataStore(DataStoreMetadata(application: "a", schema: schema))
      try connection.setMetadata("schema", StoredSchema(entities: entities).encoded())
      try connection.executeScript(sql)
      return #expect(throws: StorageError.self) { try connection.readDataStoreMetadata(path: "x") }
    }
    let deep = (0..<2_000).map { StoredEntity("E\($0)", superentity: "E\($0 + 1)") }
    #expect(try error(deep)?.code == .damaged)
    let wide = (0..<40_000).map { StoredAttribute("a\($0)", .string) }
    #expect(try error([StoredEntity("Trip", attributes: wide)])?.code == .damaged)
    let view = try error(
      [StoredEntity("Trip")],
      """
      DROP TABLE Trip;
      CREATE VIEW trip AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)
        SELECT i AS _id FROM n;
      """)
    #expect(view?.code == .damaged && view?.message.contains("Trip") == true)
  }

  @Test func subclassesHaveTablesOfTheirOwnWithTheSameKey() throws {
    let schema = StoredSchema(entities: [
      StoredEntity("Trip", attributes: [StoredAttribute("name", .string)]),
      StoredEntity(
        "BusinessTrip", superentity: "Trip", attributes: [StoredAttribute("cost", .double)]),
    ])
    try schema.validate()
    let connection = try SQLiteConnection()
    for statement in schema.statements { try connection.execute(statement) }
    try connection.executeScript("PRAGMA foreign_keys=ON")
    try connection.execute(
      "INSERT INTO Trip(_id, _class, name) VALUES (7, 'BusinessTrip', 'to Oslo')")
    try connection.execute("INSERT INTO BusinessTrip VALUES (7, 1.5)")
    try connection.execute("DELETE FROM Trip")
    #expect(try connection.int64("SELECT count(*) FROM BusinessTrip") == 0)
  }

  @Test func theSchemaComesBackFromJSON() throws {
    let schema = TripSchemas.travels
    #expect(try StoredSchema(encoded: schema.encoded()) == schema)
    let error = #expect(throws: StorageError.self) { try StoredSchema(encoded: "{\"version\":1}") }
    #expect(error?.code == .damaged)
  }

  /// An earlier version reads it with Swift's own decoders, and wrote it with its encoders.
  @Test func theSchemaIsWrittenAsEarlierVersionsWroteIt() throws {
    let vectors = URL(fileURLWithPath: #filePath).appendingPathComponent("../../VectorTests")
    let home = try TemporaryHome()
    let store = "0.1.0/plain/home/.local/share/com.example.library/default.store"
    try FileManager.default.copyItem(
      atPath: vectors.appendingPathComponent(store).standardized.path,
      toPath: "\(home.path)/store")
    let connection = try SQLiteConnection(path: "\(home.path)/store")
    defer { connection.close() }
    try connection.trustSchema()
    let text = try #require(try connection.metadata("schema"))
    let schema = try StoredSchema(encoded: text)
    #expect(schema.entities.map(\.name) == ["Author", "Book", "Shelf"])
    #expect(try JSONValue.parse(Array(text.utf8)) == schema.document)
  }

  /// Every member that may be missing, and every place of links.
  @Test func allOfASchemaComesBack() throws {
    let schema = StoredSchema(
      version: StoredVersion(3, 2, 1),
      entities: [
        StoredEntity(
          "Old", originalName: "Older", table: "\"t\" \u{202e}", superentity: "Base",
          attributes: StoredType.allCases.map {
            StoredAttribute(
              $0.rawValue, $0, swiftType: "T", isOptional: true, isUnique: true, isExternal: true,
              defaultSQL: "x'00'", defaultOrderSQL: "'2'", originalName: "o", hashModifier: "m",
              column: "c")
          },
          relationships: [
            StoredRelationship(
              "one", to: "Base", isUnique: true, inverse: "all", deleteRule: .cascade,
              minimumCount: 1, maximumCount: 2,
              storage: .foreignKey(column: "one_id", position: "one_position"),
              originalName: "first", hashModifier: "h"),
            StoredRelationship(
              "none", to: "Base", deleteRule: .deny,
              storage: .foreignKey(column: "none_id", position: nil)),
            StoredRelationship(
              "back", to: "Base", isToMany: true, isOptional: false, deleteRule: .noAction,
              storage: .inverse),
            StoredRelationship(
              "many", to: "Base", isToMany: true,
              storage: .join(
                links: StoredJoin(
                  table: "j", owner: "a", destination: "b", position: "p", inversePosition: "q"))),
            StoredRelationship(
              "some", to: "Base", isToMany: true,
              storage: .join(links: StoredJoin(table: "j", owner: "a", destination: "b"))),
          ], uniqueConstraints: [["a", "b"], []],
          indexes: [StoredIndex(["a", "b"]), StoredIndex(["c"], kind: .rtree)]),
        StoredEntity("Base"),
      ])
    #expect(try StoredSchema(encoded: schema.encoded()) == schema)
  }

  @Test(arguments: [
    "[]", "{}", "{\"entities\":[]}", "{\"entities\":[],\"version\":\"1.0.0\"}",
    #"{"entities":{},"version":{"major":1,"minor":0,"patch":0}}"#,
    #"{"entities":[{}],"version":{"major":1,"minor":0,"patch":0}}"#,
    #"{"entities":[],"version":{"major":1.5,"minor":0,"patch":0}}"#,
  ])
  func whatIsNoSchemaIsDamaged(text: String) {
    let error = #expect(throws: StorageError.self) { try StoredSchema(encoded: text) }
    #expect(error?.code == .damaged)
  }

  @Test func theFingerprintDependsOnTheTablesAlone() throws {
    let schema = TripSchemas.travels
    var same = schema
    same.entities.reverse()
    same.entities[0].attributes.reverse()
    same.version = StoredVersion(9, 0, 0)
    same.entities[0].attributes[0].swiftType = "Another"
    #expect(same.fingerprint == schema.fingerprint)
    #expect(schema.fingerprint.count == 16)
    var other = schema
    other.entities[0].attributes[0].isOptional.toggle()
    #expect(other.fingerprint != schema.fingerprint)
    var modified = schema
    modified.entities[0].attributes[0].hashModifier = "v2"
    #expect(modified.fingerprint != schema.fingerprint)
  }

  @Test func versionsAreOrderedAsNumbers() {
    #expect(StoredVersion(1, 2, 0) < StoredVersion(1, 10, 0))
    #expect(StoredVersion(1, 10, 0) < StoredVersion(2, 0, 0))
    #expect(StoredVersion(2, 0, 1).description == "2.0.1")
  }

  @Test(arguments: [
    "0", "-1", "1.5", "1e10", "NULL", "TRUE", "''", "'it''s'", "x'00ff'", "X''", "'ä'",
  ])
  func literalsAreTaken(text: String) { #expect(SQLText.isLiteral(text)) }

  @Test(arguments: [
    "", "'", "'a", "'it's'", "1;DROP TABLE t", "x'0'", "x'zz'", "random()", "(1)", "--", "1 2",
    "'a'||'b'", "-", "e5", "+1", "0x10",
  ])
  func whatIsNoLiteralIsRefused(text: String) { #expect(!SQLText.isLiteral(text)) }

  @Test func contradictionsAreNamed() throws {
    func message(_ entities: StoredEntity...) -> String {
      do {
        try StoredSchema(entities: entities).validate()
        return ""
      } catch {
        #expect(error.code == .invalidSchema)
        return error.message
      }
    }
    #expect(message(StoredEntity("A"), StoredEntity("a")).contains("SQLite ignores case"))
    #expect(message(StoredEntity("appdata_x")).contains("appdata_"))
    #expect(message(StoredEntity("A", superentity: "B")).contains("inherits from B"))
    #expect(
      message(StoredEntity("A", superentity: "B"), StoredEntity("B", superentity: "A"))
        .contains("inherits from itself"))
    #expect(
      message(
        StoredEntity(
          "A", attributes: [StoredAttribute("x", .string), StoredAttribute("X", .string)])
      )
      .contains("the column X twice"))
    #expect(
      message(
        StoredEntity(
          "A", relationships: [StoredRelationship("b", to: "B", storage: .inverse)])
      )
      .contains("A.b leads to B"))
    #expect(
      message(
        StoredEntity(
          "A", relationships: [StoredRelationship("b", to: "A", isToMany: true, storage: .inverse)]
        )
      ).contains("A.b has no inverse"))
    #expect(
      message(StoredEntity("A", uniqueConstraints: [["nothing"]])).contains("A.nothing"))
    #expect(
      message(
        StoredEntity("A", attributes: [StoredAttribute("x", .string, isExternal: true)])
      )
      .contains("only Data"))
    #expect(
      message(
        StoredEntity("A", attributes: [StoredAttribute("x", .integer, defaultSQL: "random()")])
      )
      .contains("not an SQL literal"))
  }

  /// Whose values nobody but the program can judge.
  @Test func propertiesOfTheProgramsOwnTypesAreNamed() {
    func coded(_ type: String?, _ stored: StoredType = .json) -> [String] {
      StoredSchema(
        entities: [StoredEntity("A", attributes: [StoredAttribute("x", stored, swiftType: type)])]
      ).codedProperties
    }
    for type in ["Address", "[Address]", "Trip.Kind?", "[String: Address]", "Set<Kind>", nil] {
      #expect(coded(type) == ["A.x"], "\(type ?? "")")
    }
    for type in ["[String]", "[String: Int]?", "Swift.Array<Swift.String>", "Set<Foundation.UUID>"]
    {
      #expect(coded(type) == [], "\(type)")
    }
    #expect(coded("Address", .transformable) == ["A.x"] && coded("String", .string) == [])
  }

  /// An entity is found by its name, also where the list was changed after it had been made.
  @Test func entitiesAreFoundInAnyOrder() {
    var schema = StoredSchema(entities: ["B", "A", "C"].map { StoredEntity($0) })
    #expect(schema.entity("B")?.name == "B" && schema.entity("D") == nil)
    schema.entities.reverse()
    schema.entities[0].name = "D"
    #expect(["A", "B", "D"].allSatisfy { schema.entity($0)?.name == $0 })
    #expect(schema.entity("C") == nil)
    schema.append(StoredEntity("E"))
    #expect(schema.entity("E")?.name == "E")
    schema.entities.removeAll()
    #expect(schema.entity("A") == nil)
  }
}
