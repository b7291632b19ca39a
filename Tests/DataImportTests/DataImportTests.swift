import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataImport
import VaultDataStore
import VaultPreferences
import VaultStorage

@Model final class Trip {
  @Attribute(.unique) var name: String
  var start: Date
  var isOver: Bool
  var days: Int
  var price: Decimal?
  var code: UUID?
  @Attribute(.externalStorage) var map: Data?
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
  init(name: String) {
    self.name = name
    start = .distantPast
    isOver = false
    days = 0
  }
}

@Model final class Stop {
  var place: String
  var trip: Trip?
  init(place: String) { self.place = place }
}

@Model final class Tag {
  var word: String
  var trips: [Trip] = []
  init(word: String) { self.word = word }
}

@Model final class Recipe {
  var title: String
  var words: [String]
  var amounts: [String: Double]?
  init(title: String) {
    self.title = title
    words = []
  }
}

@Model final class Quake {
  struct Center: Codable {
    var latitude: Float
    var code: UUID
  }
  struct Magnitude: Codable {
    var richter: Double
    var scale: String
    var isFinal: Bool
    var day: Date
    var words: [String]
    var center: Center
  }
  var depth: Int?
  var magnitude: Magnitude?
  init() {}
}

struct DataImportTests {
  /// The folders of this test's stores, which go with them.
  private final class Homes {
    var all: [TemporaryHome] = []
  }

  private let homes = Homes()
  private static let large = [UInt8](repeating: 7, count: 150_000)
  private static let fileName = "0B9E3F4A-7C55-4C8E-9E1C-3F3B1B8C2A11"

  private static let tripModel = ModelArchive([
    ("Stop", nil, [.attribute("place", 700, optional: false), .one("trip", "Trip", "stops")]),
    ("Tag", nil, [.attribute("word", 700, optional: false), .many("trips", "Trip", "tags")]),
    (
      "Trip", nil,
      [
        .attribute("name", 700, optional: false), .attribute("start", 900, optional: false),
        .attribute("isOver", 800, optional: false), .attribute("days", 300, optional: false),
        .attribute("price", 400), .attribute("code", 1100), .attribute("map", 1000, flags: 4),
        .many("stops", "Stop", "trip", ordered: true, rule: 2),
        .many("tags", "Tag", "trips", ordered: true),
      ]
    ),
  ])

  /// Two trips with stops and tags, as a Mac would have stored them.
  private func trips(model: ModelArchive? = Self.tripModel) throws -> MacStore {
    let store = try MacStore(
      [(1, "Stop", 0, 3), (2, "Tag", 0, 2), (3, "Trip", 0, 9)], model: model,
      script: """
        CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER,
          Z_FOK_TRIP INTEGER, ZPLACE VARCHAR);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWORD VARCHAR);
        CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISOVER INTEGER,
          ZDAYS INTEGER, ZSTART TIMESTAMP, ZPRICE DECIMAL, ZNAME VARCHAR, ZCODE BLOB, ZMAP BLOB);
        CREATE TABLE Z_2TRIPS (Z_2TAGS INTEGER, Z_3TRIPS INTEGER, Z_FOK_2TAGS INTEGER,
          PRIMARY KEY (Z_2TAGS, Z_3TRIPS));
        CREATE INDEX ZSTOP_ZTRIP_INDEX ON ZSTOP (ZTRIP);
        CREATE UNIQUE INDEX Z_Trip_UNIQUE_name ON ZTRIP (ZNAME COLLATE BINARY ASC);
        INSERT INTO ZTRIP VALUES (4, 3, 1, 1, 3, 86400, 19.9, 'Oslo',
          x'0B9E3F4A7C554C8E9E1C3F3B1B8C2A11', x'01CAFE');
        INSERT INTO ZTRIP VALUES (7, 3, 2, 0, -5, 0.25, NULL, 'Cafe' || char(0x301), NULL,
          CAST(x'02' || '\(Self.fileName)' || x'00' AS BLOB));
        INSERT INTO ZSTOP VALUES (1, 1, 1, 4, 4096, 'Ski'), (2, 1, 1, 4, 2048, 'Fjord'),
          (3, 1, 1, NULL, NULL, 'Nowhere');
        INSERT INTO ZTAG VALUES (1, 2, 1, 'cold'), (2, 2, 1, 'far');
        INSERT INTO Z_2TRIPS VALUES (1, 4, 2048), (2, 4, 1024), (2, 7, 512);
        """)
    try store.external(Self.fileName, Self.large)
    return store
  }

  private func run(
    _ store: MacStore, application: String = "com.example.trips"
  ) throws -> (DataStoreImport.Report, DataStoreFile) {
    homes.all.append(store.home)
    let destination = DataStoreFile(path: "\(store.home.path)/new/default.store")
    let importing = try DataStoreImport(source: store.file, application: application)
    return (try importing.run(to: destination), destination)
  }

  /// What a query returns, each row's columns joined.
  private func rows(_ file: DataStoreFile, _ sql: String) throws -> [String] {
    let (connection, _) = try file.open(.read)
    defer { connection.close() }
    var found: [String] = []
    try connection.forEachRow(sql) { row in
      found.append((0..<row.columnCount).map(row.string).joined(separator: "|"))
    }
    return found
  }

  private func expectSound(_ file: DataStoreFile) throws {
    let (connection, metadata) = try file.open(.read)
    defer { connection.close() }
    let problems = try DataStoreCheck(file: file)
      .problems(on: connection, try #require(metadata))
    #expect(problems == [])
  }

  @Test func everyValueComesOver() throws {
    let (report, file) = try run(trips())
    #expect(report.rows.map { "\($0.entity) \($0.count)" } == ["Stop 3", "Tag 2", "Trip 2"])
    #expect(report.links == 3)
    #expect(report.files == 1)
    #expect(report.notes == [])
    try expectSound(file)
    #expect(
      try rows(
        file,
        "SELECT _id, name, start, isOver, days, price, price_order, code, hex(map) FROM Trip "
          + "WHERE _id=4")
        == [
          "4|Oslo|86400.0|1|3|19.9|21002199|0B9E3F4A-7C55-4C8E-9E1C-3F3B1B8C2A11|CAFE"
        ])
    #expect(try rows(file, "SELECT start, days, price FROM Trip WHERE _id=7") == ["0.25|-5|"])
    // The bytes of the Mac, and where there are any that are not in Unicode's composed form.
    #expect(try rows(file, "SELECT hex(name) FROM Trip WHERE _id=7") == ["43616665CC81"])
    #expect(
      try rows(file, "SELECT value FROM appdata_metadata WHERE key='text.forms'")
        == [#"["\"Trip\".name"]"#])
    #expect(
      try rows(file, "SELECT value FROM appdata_metadata WHERE key='store'")
        == ["6E7A4E7B-5A8E-4E0F-9F59-1B0C1F0C9B11"])
    #expect(
      try rows(file, "SELECT value FROM appdata_metadata WHERE key='schema_version'") == ["2.1.0"])
    // The next key is one that the Mac has not given.
    #expect(try rows(file, "SELECT seq FROM sqlite_sequence WHERE name='Trip'") == ["9"])
  }

  @Test func theApplicationOpensItWithItsClasses() throws {
    let store = try trips()
    // What this process is called: the owner that a container of it gives a store.
    let own = DataStoreFile(path: "\(store.home.path)/own.store")
    _ = try ModelContainer(
      for: Tag.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: own.path)))
    let (_, file) = try run(store, application: try #require(try own.metadata()).application)
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: file.path))
    let schema = Schema([Trip.self, Stop.self, Tag.self], version: Schema.Version(2, 1, 0))
    let container = try ModelContainer(for: schema, configurations: [configuration])
    #expect(container.migrationReports.flatMap(\.warnings) == [])
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)]))
    #expect(trips.map(\.name) == ["Caf\u{e9}", "Oslo"])
    #expect(Array(trips[0].name.utf8) == Array("Cafe\u{301}".utf8))
    let composed = "Caf\u{e9}"
    let named = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == composed })
    #expect(try context.fetchCount(named) == 1)
    let oslo = try #require(trips.last)
    #expect(oslo.start == Date(timeIntervalSinceReferenceDate: 86_400))
    #expect(oslo.isOver)
    #expect(oslo.price == Decimal(string: "19.9"))
    #expect(oslo.code == UUID(uuidString: Self.fileName))
    #expect(oslo.map == Data([0xca, 0xfe]))
    #expect(trips.first?.map == Data(Self.large))
    #expect(oslo.stops.map(\.place) == ["Fjord", "Ski"])
    #expect(oslo.tags.map(\.word) == ["far", "cold"])
    #expect(trips.first?.tags.map(\.word) == ["far"])
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.word)]))
    #expect(tags.map { Set($0.trips.map(\.days)) } == [[3], [3, -5]])
    context.delete(oslo)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)
  }

  @Test func withoutAModelColumnsGiveTheNames() throws {
    let (report, file) = try run(trips(model: nil))
    #expect(report.notes.count == 3, "\(report.notes)")
    #expect(report.notes.first?.contains("no model") == true)
    #expect(report.notes.contains("Trip.code: all values have 16 bytes; taken as UUIDs"))
    #expect(report.notes.contains("Trip.map: some values are in files"))
    #expect(report.files == 1)
    try expectSound(file)
    let schema = try #require(try file.metadata()).schema
    let described = schema.entities.flatMap { entity in
      entity.attributes.map { "\(entity.name).\($0.name) \($0.type.rawValue)" }
        + entity.relationships.map {
          "\(entity.name).\($0.name) \($0.isToMany ? "many" : "one") \($0.destination)"
        }
    }
    #expect(
      described.sorted() == [
        "Stop.place string", "Stop.trip one Trip", "Tag.trips many Trip", "Tag.word string",
        "Trip.code uuid", "Trip.days integer", "Trip.isover integer", "Trip.map data",
        "Trip.name string", "Trip.price decimal", "Trip.start date", "Trip.tags many Tag",
      ])
    #expect(try rows(file, "SELECT trip_id FROM Stop ORDER BY _id") == ["4", "4", ""])
    #expect(
      try rows(file, "SELECT trips_id, tags_id, tags_position FROM Tag_trips ORDER BY 1, 3")
        == ["4|2|1024", "4|1|2048", "7|2|512"])
    #expect(try rows(file, "SELECT length(map) FROM Trip WHERE _id=4") == ["2"])
  }

  @Test func subentitiesHaveRowsInBothTables() throws {
    let model = ModelArchive([
      ("Animal", nil, [.attribute("name", 700), .one("owner", "Person", "animals")]),
      ("Bird", "Animal", [.attribute("span", 500), .attribute("song", 700)]),
      ("Dog", "Animal", [.attribute("tricks", 200), .attribute("song", 700)]),
      ("Person", nil, [.many("animals", "Animal", "owner"), .one("pet", "Dog", nil)]),
    ])
    let entities = [(1, "Animal", 0, 3), (2, "Bird", 1, 0), (3, "Dog", 1, 0), (4, "Person", 0, 1)]
    let script = """
      CREATE TABLE ZANIMAL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER,
        ZTRICKS INTEGER, ZSPAN FLOAT, ZNAME VARCHAR, ZSONG VARCHAR, ZSONG1 VARCHAR);
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPET INTEGER,
        Z1_PET INTEGER);
      CREATE INDEX ZANIMAL_ZOWNER_INDEX ON ZANIMAL (ZOWNER);
      INSERT INTO ZANIMAL VALUES (1, 1, 1, 1, NULL, NULL, 'thing', NULL, NULL),
        (2, 2, 1, 1, NULL, 1.5, 'owl', 'hoo', NULL), (3, 3, 1, NULL, 2, NULL, 'rex', NULL, 'woof');
      INSERT INTO ZPERSON VALUES (1, 4, 1, 3, 3);
      """
    for model in [model, nil] {
      let (report, file) = try run(MacStore(entities, model: model, script: script))
      try expectSound(file)
      #expect(report.rows.map(\.count) == [1, 1, 1, 1])
      // Without a model, nothing says to which of two entities the number leads.
      let owner = model == nil ? "owner" : "owner_id"
      #expect(report.notes.contains { $0.hasPrefix("Animal.owner: may be") } == (model == nil))
      #expect(
        try rows(file, "SELECT _id, _class, name, \(owner) FROM Animal ORDER BY _id")
          == ["1|Animal|thing|1", "2|Bird|owl|1", "3|Dog|rex|"])
      // Both have a song, in columns of their own.
      let other = model == nil ? "song1" : "song"
      #expect(try rows(file, "SELECT _id, span, song FROM Bird") == ["2|1.5|hoo"])
      #expect(try rows(file, "SELECT _id, tricks, \(other) FROM Dog") == ["3|2|woof"])
      #expect(try rows(file, "SELECT pet_id FROM Person") == ["3"])
    }
  }

  @Test func whatSwiftDataArchivesIsJSONWhereItCanBeRead() throws {
    let model = ModelArchive([
      (
        "Recipe", nil,
        [
          .attribute("title", 700, optional: false), .archived("words", "Array<String>"),
          .archived("amounts", "Optional<Dictionary<String, Double>>"),
          .archived("odd", "Array<Odd>"), .archived("color", "NSColor"),
        ]
      )
    ])
    let archive = PropertyList.binary([
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
      "$objects": [
        "$null", ["$class": .uid(2), "NS.objects": .array([.uid(3), .uid(4)])],
        ["$classname": "NSArray", "$classes": ["NSArray", "NSObject"]], "from an archive", "\u{e9}",
      ],
    ])
    let list = PropertyList.binary(["a", "b/c"])
    let amounts = PropertyList.binary(["salt": .real(0.5)])
    func hex(_ bytes: [UInt8]) -> String {
      "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
    let store = try MacStore(
      [(1, "Recipe", 0, 4)], model: model,
      script: """
        CREATE TABLE ZRECIPE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR,
          ZWORDS BLOB, ZAMOUNTS BLOB, ZODD BLOB, ZCOLOR BLOB);
        INSERT INTO ZRECIPE VALUES (1, 1, 1, 'archive', \(hex(archive)), NULL, x'0001', x'CAFE'),
          (2, 1, 1, 'list', \(hex(list)), \(hex(amounts)), NULL, NULL),
          (3, 1, 1, 'json', \(hex(Array("[\"x\",\"y\"]".utf8))), \(hex(Array("{}".utf8))), NULL, NULL);
        """)
    let own = DataStoreFile(path: "\(store.home.path)/own.store")
    _ = try ModelContainer(
      for: Tag.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: own.path)))
    let (report, file) = try run(store, application: try #require(try own.metadata()).application)
    try expectSound(file)
    #expect(
      report.notes.filter { $0.contains("archived") } == [
        "Recipe.amounts: what SwiftData archived is JSON text now",
        "Recipe.words: what SwiftData archived is JSON text now",
      ])
    #expect(
      try rows(file, "SELECT words, amounts, hex(odd), typeof(color) FROM Recipe ORDER BY _id") == [
        #"["from an archive","é"]||0001|blob"#,
        #"["a","b/c"]|{"salt":0.5}||null"#,
        #"["x","y"]|{}||null"#,
      ])
    // The application's class has what it had on the Mac.
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: file.path))
    let schema = Schema([Recipe.self], version: Schema.Version(2, 1, 0))
    let container = try ModelContainer(for: schema, configurations: [configuration])
    let recipes = try ModelContext(container).fetch(
      FetchDescriptor<Recipe>(sortBy: [SortDescriptor(\.title)]))
    #expect(recipes.map(\.words) == [["from an archive", "é"], ["x", "y"], ["a", "b/c"]])
    #expect(recipes.map(\.amounts) == [nil, [:], ["salt": 0.5]])
  }

  @Test func linksWithoutInverseAndWithinOneEntityComeOver() throws {
    let model = ModelArchive([
      (
        "Album", nil,
        [.attribute("title", 700), .many("photos", "Photo", nil), .many("covers", "Photo", nil)]
      ),
      (
        "Person", nil,
        [
          .many("friends", "Person", "friends"), .many("parents", "Person", "children"),
          .many("children", "Person", "parents"), .one("partner", "Person", "partner"),
        ]
      ),
      ("Photo", nil, [.attribute("file", 1200)]),
    ])
    let store = try MacStore(
      [(1, "Album", 0, 1), (2, "Person", 0, 3), (3, "Photo", 0, 2)], model: model,
      script: """
        CREATE TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
        CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1PHOTOS INTEGER,
          Z_FOK_1PHOTOS INTEGER, Z1COVERS INTEGER, ZFILE VARCHAR);
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPARTNER INTEGER);
        CREATE TABLE Z_2CHILDREN (Z_2CHILDREN INTEGER, Z_2PARENTS INTEGER,
          PRIMARY KEY (Z_2CHILDREN, Z_2PARENTS));
        CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER,
          PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
        INSERT INTO ZALBUM VALUES (1, 1, 1, 'one');
        INSERT INTO ZPHOTO VALUES (1, 3, 1, 1, 20, NULL, 'file:///a'), (2, 3, 1, 1, 10, 1, 'file:///b');
        INSERT INTO ZPERSON VALUES (1, 2, 1, 2), (2, 2, 1, 1), (3, 2, 1, NULL);
        INSERT INTO Z_2CHILDREN VALUES (3, 1), (3, 2);
        INSERT INTO Z_2FRIENDS VALUES (1, 3);
        """)
    let (report, file) = try run(store)
    #expect(report.notes == [])
    try expectSound(file)
    #expect(
      try rows(file, "SELECT owner_id, destination_id FROM Album_photos ORDER BY position")
        == ["1|2", "1|1"])
    #expect(try rows(file, "SELECT owner_id, destination_id FROM Album_covers") == ["1|2"])
    #expect(
      try rows(file, "SELECT children_id, parents_id FROM Person_children ORDER BY parents_id")
        == ["3|1", "3|2"])
    #expect(
      try rows(file, "SELECT owner_id, destination_id FROM Person_friends ORDER BY 1")
        == ["1|3", "3|1"])
    #expect(try rows(file, "SELECT partner_id FROM Person ORDER BY _id") == ["2", "1", ""])
  }

  @Test func aTableOfLinksMayBeCalledAfterEitherSide() throws {
    let (_, expected) = try run(trips())
    let order = "SELECT * FROM Tag_trips ORDER BY 1, 2"
    let links = try rows(expected, order)
    #expect(links.count == 3)
    for hasModel in [true, false] {
      let store = try trips(model: hasModel ? Self.tripModel : nil)
      try store.connection.executeScript(
        """
        CREATE TABLE Z_3TAGS (Z_3TRIPS INTEGER, Z_2TAGS INTEGER, Z_FOK_2TAGS INTEGER,
          PRIMARY KEY (Z_3TRIPS, Z_2TAGS));
        INSERT INTO Z_3TAGS SELECT Z_3TRIPS, Z_2TAGS, Z_FOK_2TAGS FROM Z_2TRIPS;
        DROP TABLE Z_2TRIPS;
        """)
      let (_, file) = try run(store)
      try expectSound(file)
      let found = try rows(
        file, "SELECT trips_id, tags_id, tags_position FROM Tag_trips ORDER BY 1, 3")
      #expect(found == ["4|2|1024", "4|1|2048", "7|2|512"], "\(hasModel)")
      if hasModel { #expect(try rows(file, order) == links) }
    }
  }

  @Test func zeroIsAValueAndCompositesAreStructures() throws {
    let model = ModelArchive([
      (
        "Quake", nil,
        [
          .attribute("depth", 300), .attribute("isFelt", 800), .attribute("at", 900),
          .composite(
            "magnitude",
            [
              .attribute("richter", 500), .attribute("scale", 700), .attribute("isFinal", 800),
              .attribute("day", 900), .archived("words", "Array<String>"),
              .composite("center", [.attribute("latitude", 600), .attribute("code", 1100)]),
            ]),
          // The same name in two: whose is whose is not known.
          .composite("first", [.attribute("value", 300)]),
          .composite("second", [.attribute("value", 300)]),
          .one("main", "Quake", "after"), .many("after", "Quake", "main"),
        ]
      )
    ])
    let words = PropertyList.binary(["a"]).map { String(UInt32($0) + 256, radix: 16).dropFirst() }
    let store = try MacStore(
      [(1, "Quake", 0, 2)], model: model,
      script: """
        CREATE TABLE ZQUAKE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDEPTH INTEGER,
          ZISFELT INTEGER, ZMAIN INTEGER, ZISFINAL INTEGER, ZVALUE INTEGER, ZVALUE1 INTEGER,
          ZAT TIMESTAMP, ZDAY TIMESTAMP, ZRICHTER FLOAT, ZLATITUDE FLOAT, ZSCALE VARCHAR, ZCODE BLOB,
          ZWORDS BLOB);
        INSERT INTO ZQUAKE VALUES (1, 1, 1, 0, 0, NULL, 1, 7, 8, 0, 0.5, 4.5, -1.25, 'lo"cal',
            x'0B9E3F4A7C554C8E9E1C3F3B1B8C2A11', x'\(words.joined())'),
          (2, 1, 1, NULL, NULL, 1, NULL, NULL, NULL, -1.5, NULL, NULL, NULL, NULL, NULL, NULL);
        """)
    let own = DataStoreFile(path: "\(store.home.path)/own.store")
    _ = try ModelContainer(
      for: Tag.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: own.path)))
    let (report, file) = try run(store, application: try #require(try own.metadata()).application)
    try expectSound(file)
    #expect(
      try rows(file, "SELECT depth, isFelt, at, main_id, value, value1 FROM Quake ORDER BY _id")
        == ["0|0|0.0||7|8", "||-1.5|1||"])
    #expect(
      try rows(file, "SELECT magnitude FROM Quake ORDER BY _id") == [
        #"{"center":{"code":"0B9E3F4A-7C55-4C8E-9E1C-3F3B1B8C2A11","latitude":-1.25},"day":0.5,"#
          + #""isFinal":true,"richter":4.5,"scale":"lo\"cal","words":["a"]}"#, "",
      ])
    #expect(
      report.notes == [
        "Quake.magnitude: the parts of a composite attribute are JSON text now",
        "Quake.magnitude has no value in some rows: now optional",
        "Quake.value is not in the model; it has the name of its column",
        "Quake.value1 is not in the model; it has the name of its column",
      ])
    let schema = Schema([Quake.self], version: Schema.Version(2, 1, 0))
    let container = try ModelContainer(
      for: schema, configurations: [ModelConfiguration(url: URL(fileURLWithPath: file.path))])
    let strong = FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude?.richter ?? 0 > 4 })
    let found = try #require(try ModelContext(container).fetch(strong).first?.magnitude)
    #expect(found.day == Date(timeIntervalSinceReferenceDate: 0.5))
    #expect(found.isFinal && found.words == ["a"] && found.center.latitude == -1.25)
    #expect(found.center.code == UUID(uuidString: Self.fileName))
  }

  @Test func whatIsMissingInTheSourceIsSaid() throws {
    let store = try trips()
    try store.connection.executeScript(
      """
      UPDATE ZSTOP SET ZTRIP=99 WHERE Z_PK=1;
      UPDATE ZTRIP SET ZDAYS=NULL WHERE Z_PK=4;
      INSERT INTO ZTAG VALUES (8, 77, 1, 'stray');
      INSERT INTO Z_2TRIPS VALUES (1, 98, 1);
      ALTER TABLE ZTRIP ADD COLUMN ZCITY VARCHAR;
      UPDATE ZTRIP SET ZCITY='Bergen' WHERE Z_PK=4;
      """)
    try FileManager.default.removeItem(
      atPath: "\(store.home.path)/.Mac_SUPPORT/_EXTERNAL_DATA/\(Self.fileName)")
    let (report, file) = try run(store)
    try expectSound(file)
    for part in [
      "Trip.days has no value in some rows", "Stop.trip: 1 link to rows that are not there",
      "Tag.trips: 1 link to rows", "1 row is of no entity", "files are missing for 1 of the values",
      "Trip.city is not in the model",
    ] { #expect(report.notes.contains { $0.contains(part) }, "\(part): \(report.notes)") }
    #expect(try rows(file, "SELECT city FROM Trip WHERE _id=4") == ["Bergen"])
    #expect(try rows(file, "SELECT typeof(map) FROM Trip WHERE _id=7") == ["null"])
  }

  @Test func aLogBesideTheStoreIsReadWithIt() throws {
    let store = try trips()
    _ = try store.connection.string("PRAGMA journal_mode=WAL")
    store.connection.setCheckpointsOnClose(false)
    try store.connection.executeScript("INSERT INTO ZTAG VALUES (3, 2, 1, 'in the log')")
    let (_, file) = try run(store)
    #expect(try rows(file, "SELECT word FROM Tag ORDER BY _id") == ["cold", "far", "in the log"])
    withExtendedLifetime(store) {}
  }

  @Test func theSourceStaysAsItIs() throws {
    let store = try trips()
    store.connection.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: store.file.path))
    _ = try run(store)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store.file.path)) == before)
    #expect(store.home.names() == [".Mac_SUPPORT", "Mac.store", "new"])
  }

  @Test func refusalsLeaveNothing() throws {
    let store = try trips()
    try store.connection.executeScript("UPDATE ZTRIP SET ZSTART='soon' WHERE Z_PK=7")
    let error = try #require(throws: StorageError.self) { try run(store) }
    #expect(error.code == .damaged)
    #expect(error.message == "Trip.start of row 7 is not a number")
    #expect(store.home.names(in: "new") == [".default_SUPPORT"])
    #expect(store.home.names(in: "new/.default_SUPPORT/_EXTERNAL_DATA") == [])
    try store.connection.executeScript("UPDATE ZTRIP SET ZSTART=1 WHERE Z_PK=7")
    _ = try run(store)
    let again = try #require(throws: StorageError.self) { try run(store) }
    #expect(again.code == .cannotCreate)
    let text = DataStoreFile(path: "\(store.home.path)/text")
    try Data(repeating: 0x41, count: 4_000).write(to: URL(fileURLWithPath: text.path))
    // As a container of SQLCipher or a file of something else: no page begins as SQLite's.
    let sealed = DataStoreFile(path: "\(store.home.path)/sealed")
    try Data((0..<8_192).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ 89) })
      .write(to: URL(fileURLWithPath: sealed.path))
    for (file, code) in [
      (text, StorageError.Code.unknownStore), (sealed, .unknownStore),
      (DataStoreFile(path: "\(store.home.path)/new/default.store"), .unknownStore),
      (DataStoreFile(path: "\(store.home.path)/none"), .notFound),
    ] {
      let error = try #require(throws: StorageError.self) {
        try DataStoreImport(source: file, application: "a")
      }
      #expect(error.code == code, "\(error)")
    }
  }

  @Test func progressCountsEveryRow() throws {
    let store = try trips()
    try store.connection.executeScript(
      "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i<3009) "
        + "INSERT INTO ZTAG SELECT i, 2, 1, 'tag ' || i FROM n")
    let importing = try DataStoreImport(source: store.file, application: "a")
    var seen: [Int] = []
    importing.progress = { done, total in
      #expect(total == 3_010)
      seen.append(done)
    }
    _ = try importing.run(to: DataStoreFile(path: "\(store.home.path)/new/default.store"))
    #expect(seen.last == 3_010)
    #expect(seen == seen.sorted() && seen.count > 10)
  }

  @Test func aChangedModelNeverEndsTheProgram() throws {
    var mutations = Mutations("Z_MODELCACHE", corpus: [Self.tripModel.cache])
    var read = 0
    for _ in 0..<(2_000 * Mutations.rounds) where CoreDataModel(cache: mutations.input()) != nil {
      read += 1
    }
    #expect(read > 0)
  }
}
