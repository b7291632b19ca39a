import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// A home with one application's store in it, and the command to look into it.
struct DataStoreHome {
  let home: TemporaryHome
  let vault: VaultProcess
  let file: DataStoreFile
  let application = "com.example.trips"

  init() throws {
    home = try TemporaryHome()
    vault = VaultProcess(home: home.path)
    file = DataStoreFile(path: "\(home.path)/.local/share/\(application)/default.store")
    let schema = StoredSchema(
      version: StoredVersion(2, 1, 0),
      entities: [
        StoredEntity(
          "Trip",
          attributes: [
            StoredAttribute("name", .string, isUnique: true), StoredAttribute("start", .date),
            StoredAttribute("isOver", .boolean),
            StoredAttribute("price", .decimal, isOptional: true),
            StoredAttribute("notes", .json, swiftType: "[String]"),
            StoredAttribute("map", .data, isOptional: true, isExternal: true),
          ],
          relationships: [
            StoredRelationship(
              "stops", to: "Stop", isToMany: true, inverse: "trip", deleteRule: .cascade,
              storage: .inverse)
          ]),
        StoredEntity(
          "Stop", attributes: [StoredAttribute("place", .string)],
          relationships: [
            StoredRelationship(
              "trip", to: "Trip", inverse: "stops",
              storage: .foreignKey(column: "trip_id", position: "trip_position"))
          ]),
      ])
    let (connection, _) = try file.open(
      orCreate: DataStoreMetadata(application: application, schema: schema))
    defer { connection.close() }
    try ExternalFiles(store: file).transaction(on: connection) { change in
      let map = try change.publish([1, 2, 3])
      try connection.execute(
        "INSERT INTO Trip(name, start, isOver, price, notes, map) VALUES "
          + "('Oslo, \"Norway\"', 0, 1, '19.90', '[\"ski\"]', ?), "
          + "('Rome\u{1B}[31m', 86400.5, 0, NULL, '[]', x'ff')", [.text(map.text)])
    }
    try connection.execute(
      "INSERT INTO Stop(place, trip_id, trip_position) VALUES ('Ski', 1, 1), ('Fjord', 1, 0)")
  }

  func callAsFunction(_ arguments: String...) throws -> VaultProcess.Result {
    try vault.run(["data"] + arguments)
  }

  func json(_ arguments: String...) throws -> NSDictionary {
    let result = try vault.run(["data"] + arguments + ["--json"])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? NSDictionary)
  }
}

struct DataVerbTests {
  private let data: DataStoreHome

  init() throws { data = try DataStoreHome() }

  /// Beside a link lies nothing of the store, and the link's size is not the store's.
  @Test func aLinkToAStoreIsTheStore() throws {
    let link = "\(data.file.directoryPath)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: data.file.name)
    let size = try FileManager.default.attributesOfItem(atPath: data.file.path)[.size] as? Int
    let report = try data.json("vacuum", link)
    #expect(report["bytesBefore"] as? Int == size && size != nil, "\(report)")
    #expect(try data("check", link).status == 0)
  }

  @Test func storesAreFoundByTheirApplication() throws {
    try Data("no store".utf8).write(
      to: URL(fileURLWithPath: "\(data.file.directoryPath)/other.store"))
    let result = try data("stores")
    #expect(
      result.text == "com.example.trips  2.1.0  2 entities  \(data.file.path)\n")
    let other = "\(data.file.directoryPath)/other.store"
    #expect(result.errors.contains("left out: \(other): "), "\(result.errors)")
    let listing = try data.json("stores")
    let stores = listing["stores"] as? [NSDictionary]
    #expect(stores?.first?["entities"] as? [String] == ["Stop", "Trip"])
    #expect((listing["unreadable"] as? [NSDictionary])?.map { $0["path"] as? String } == [other])
    // Where the folder of all data is a link.
    let linked = try TemporaryHome()
    let folder = URL(fileURLWithPath: data.file.directoryPath)
    try FileManager.default.createDirectory(
      atPath: "\(linked.path)/.local", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(linked.path)/.local/share",
      withDestinationPath: folder.deletingLastPathComponent().path)
    #expect(
      try VaultProcess(home: linked.path).run(["data", "stores"]).text
        .hasPrefix("com.example.trips  2.1.0  2 entities  \(linked.path)/.local/share/"))
    withExtendedLifetime(linked) {}
    let empty = try TemporaryHome()
    #expect(try VaultProcess(home: empty.path).run(["data", "stores"]).text == "")
    withExtendedLifetime(empty) {}
  }

  /// Large data is often moved to another disk, with a link in its place.
  @Test func anApplicationsFolderMayBeALink() throws {
    let folder = data.file.directoryPath
    let moved = "\(data.home.path)/disk"
    try FileManager.default.moveItem(atPath: folder, toPath: moved)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: moved)
    let listed = try data("stores")
    #expect(listed.text.hasSuffix("  \(data.file.path)\n"), "\(listed.errors)")
    #expect(try data("count", data.application, "Trip").text == "2\n")
    #expect(try data("check", data.application).status == 0)
    let vacuumed = try data("vacuum", data.application)
    #expect(vacuumed.status == 0, "\(vacuumed.errors)")
    let copied = try data("backup", data.application, "\(folder)/copy.store")
    #expect(copied.status == 0, "\(copied.errors)")
    let copy = "\(data.home.path)/copy.store"
    try FileManager.default.moveItem(atPath: "\(moved)/copy.store", toPath: copy)
    #expect(try data("count", copy, "Trip").text == "2\n")
    // Of a disk that is not there, nothing is made in its place.
    try FileManager.default.removeItem(atPath: moved)
    let refused = try data("backup", copy, "\(folder)/other.store")
    #expect(refused.status != 0 && refused.errors.contains("not there"), "\(refused.errors)")
    #expect(throws: StorageError.self) { try data.file.directory(create: true) }
    #expect(!FileManager.default.fileExists(atPath: moved))
  }

  @Test func largeValuesThatCannotBeLookedAtAreAProblem() throws {
    let values = ExternalFiles(store: data.file).path
    try FileManager.default.moveItem(atPath: values, toPath: "\(data.home.path)/moved")
    try FileManager.default.createSymbolicLink(
      atPath: values, withDestinationPath: "\(data.home.path)/moved")
    let connection = try data.file.open(.write).connection
    // No row names a file: only the folder is left to look at.
    try connection.execute("UPDATE Trip SET map = NULL")
    connection.close()
    let run = try data("check", data.application)
    #expect(run.status == 65 && run.text.contains("symbolic link"), "\(run.text)\(run.errors)")
  }

  @Test func aStoreIsNamedByPathOrApplication() throws {
    for word in [data.application, data.file.path, "\(data.application)/default"] {
      #expect(try data("count", word, "Trip").text == "2\n")
    }
    // From the folder in which its own folder has the application's name.
    let below = data.file.directoryPath.dropLast(data.application.count + 1)
    let line = "cd '\(below)' && exec '\(VaultProcess.path)' data count \(data.application) Trip"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    process.environment = ["HOME": data.home.path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitOrKill()
    #expect(process.terminationStatus == 0)
    let missing = try data("count", "com.example.none", "Trip")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("there is no store with that name"))
    #expect(missing.errors.contains("vault data stores"))
    let odd = "\(data.home.path)/odd.store"
    try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: odd))
    let refused = try data("schema", odd)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("is not an SQLite database"))
  }

  @Test func theSchemaIsShown() throws {
    let text = try data("schema", data.application, "Trip").text
    #expect(text.contains("com.example.trips, schema 2.1.0"))
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    for line in [
      "Trip", "name string unique", "price decimal?", "notes json [String]", "map data? in files",
      "stops to many Stop inverse trip",
    ] { #expect(lines.contains(line), "\(text)") }
    #expect(!text.contains("\nStop"))
    let entities = try data.json("schema", data.application)["entities"] as? [NSDictionary]
    #expect(entities?.map { $0["name"] as? String } == ["Stop", "Trip"])
  }

  @Test func rowsAreFetchedAsJSON() throws {
    let document = try data.json("fetch", data.application, "Trip", "--sort", "name:desc")
    let rows = try #require(document["rows"] as? [NSDictionary])
    #expect(rows.map { $0["_id"] as? Int } == [2, 1])
    let oslo = rows[1]
    #expect(oslo["name"] as? String == "Oslo, \"Norway\"")
    #expect(oslo["start"] as? String == "2001-01-01T00:00:00Z")
    #expect(oslo["isOver"] as? Bool == true)
    #expect(oslo["price"] as? String == "19.90")
    #expect(oslo["notes"] as? [String] == ["ski"])
    #expect((oslo["map"] as? NSDictionary)?["length"] as? Int == 3)
    #expect(rows[0]["map"] as? String == "/w==")
    #expect(rows[0]["price"] is NSNull)
    #expect(
      try data.json("fetch", data.application, "Trip", "--where", "name = 'x'")["rows"]
        as? [NSDictionary] == [])
  }

  @Test func rowsAreFetchedAsCSV() throws {
    let result = try data("fetch", data.application, "Trip", "--csv", "--where", "isOver")
    let lines = result.text.components(separatedBy: "\r\n")
    #expect(lines[0] == "_id,name,start,isOver,price,notes,map")
    #expect(
      lines[1].hasPrefix(
        "1,\"Oslo, \"\"Norway\"\"\",2001-01-01T00:00:00Z,true,19.90,\"[\"\"ski\"\"]\","))
    #expect(lines.count == 3)
  }

  @Test func rowsAreFetchedForPeopleAndDoNotActOnATerminal() throws {
    let text = try data("fetch", data.application, "Trip").text
    #expect(text.contains("Rome\\u{1b}[31m"))
    #expect(text.contains("3 bytes"))
    #expect(text.contains("2001-01-02T00:00:00.500Z"))
    #expect(try data("fetch", data.application, "Stop", "--limit", "0").text == "")
  }

  @Test func conditionsAndOrder() throws {
    let stops = try data(
      "fetch", data.application, "Stop", "--csv", "--where", "trip.isOver and place like 'f%'")
    #expect(stops.text == "_id,place,trip\r\n2,Fjord,1\r\n")
    let count = try data(
      "count", data.application, "Trip", "--where", "stops.count = 2 or price is null")
    #expect(count.text == "2\n")
    for (condition, word) in [
      ("name = ", "wrong at character 8"), ("nme = 'x'", "has no property nme"),
      ("name = 1", "cannot be compared"), ("name = 'a'; DROP TABLE Trip", "has no meaning"),
    ] {
      let result = try data("fetch", data.application, "Trip", "--where", condition)
      #expect(result.status == 64)
      #expect(result.errors.contains(word), "\(result.errors)")
      #expect(result.errors.contains("vault: hint: what there is: vault data schema STORE"))
    }
    #expect(try data("fetch", data.application, "Tripp").errors.contains("there are: Stop, Trip"))
    #expect(try data("fetch", data.application, "Trip", "--csv", "--json").status == 64)
  }

  @Test func anExportHoldsEverything() throws {
    let path = "\(data.home.path)/out.json"
    #expect(try data("export", data.application, "--out", path).status == 0)
    let contents = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try data("export", data.application).output == contents)
    let document = try #require(
      JSONSerialization.jsonObject(with: contents) as? NSDictionary)
    #expect(document["version"] as? String == "2.1.0")
    let entities = try #require(document["entities"] as? [String: [NSDictionary]])
    #expect(entities["Trip"]?.first?["stops"] as? [Int] == [2, 1])
    #expect(entities["Trip"]?.first?["map"] as? String == "AQID")
    #expect(entities["Stop"]?.count == 2)
    let one = try data("export", data.application, "--entity", "Stop")
    #expect(!one.text.contains("Oslo"))
    #expect(try data("export", data.application, "--out", "\(data.home.path)/no/x").status == 73)
  }

  @Test func sealedValuesComeOutAsTheyAre() throws {
    let file = DataStoreFile(path: "\(data.home.path)/logins.store")
    let schema = StoredSchema(
      version: StoredVersion(1, 0, 0),
      entities: [
        StoredEntity(
          "Login",
          attributes: [
            StoredAttribute("site", .string), StoredAttribute("password", .sealed),
            StoredAttribute("scan", .sealed, isOptional: true, isExternal: true),
          ])
      ])
    let (connection, _) = try file.open(
      orCreate: DataStoreMetadata(application: "com.example.logins", schema: schema))
    try ExternalFiles(store: file).transaction(on: connection) { change in
      try connection.execute(
        "INSERT INTO Login(site, password, scan) VALUES ('a', x'01AABB', ?)",
        [.text(try change.publish([1, 2, 3]).text)])
    }
    connection.close()
    #expect(try data("check", file.path).text == "no problems found\n")
    let copy = "\(data.home.path)/copied.store"
    #expect(try data("backup", file.path, copy).status == 0)
    for path in [file.path, copy] {
      let document = try #require(
        JSONSerialization.jsonObject(with: data("export", path).output) as? NSDictionary)
      let login = try #require((document["entities"] as? [String: [NSDictionary]])?["Login"]?.first)
      #expect(login["password"] as? String == "Aaq7")
      #expect(login["scan"] as? String == "AQID")
      let row = try #require(
        (try data.json("fetch", path, "Login")["rows"] as? [NSDictionary])?.first)
      #expect(row["password"] as? String == "Aaq7")
    }
  }

  @Test func aCheckTellsWhatIsWrong() throws {
    #expect(try data("check", data.application).text == "no problems found\n")
    let folder = "\(data.file.directoryPath)/.default_SUPPORT/_EXTERNAL_DATA"
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    let result = try data("check", data.application)
    #expect(result.status == 65)
    #expect(result.text == "the external file \(name) is missing\n1 problem found\n")
  }

  @Test func aBackupIsAStoreOfItsOwnWhileTheApplicationWrites() throws {
    let (writer, _) = try data.file.open(.write)
    try writer.execute("INSERT INTO Stop(place) VALUES ('later')")
    let path = "\(data.home.path)/copy.store"
    let result = try data("backup", data.application, path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try data("check", path).text == "no problems found\n")
    #expect(try data("count", path, "Stop").text == "3\n")
    #expect(try data("export", path).output == data("export", data.application).output)
    // Once more over the older copy, when the value is gone, and beside what a killed one left.
    let folder = "\(data.home.path)/.copy_SUPPORT/_EXTERNAL_DATA"
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try Data("half".utf8).write(
      to: URL(fileURLWithPath: "\(folder)/.vault.\(name).0123456789abcdef"))
    try writer.execute("UPDATE Trip SET map=NULL")
    #expect(try data("backup", data.application, path).status == 0)
    #expect(try data("check", path).text == "no problems found\n")
    #expect(data.home.names(in: ".copy_SUPPORT/_EXTERNAL_DATA") == [])
    let inUse = try data("backup", path, data.file.path)
    #expect(inUse.status == 73)
    #expect(inUse.errors.contains("is in use"))
  }

  @Test func nothingIsChanged() throws {
    let url = URL(fileURLWithPath: data.file.path)
    let before = try Data(contentsOf: url)
    for words in [
      ["stores"], ["schema", data.application], ["fetch", data.application, "Trip"],
      ["count", data.application, "Trip"], ["export", data.application],
      ["check", data.application], ["backup", data.application, "\(data.home.path)/copy.store"],
    ] { #expect(try data.vault.run(["data"] + words).status == 0) }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test func storesEntitiesAndPropertiesAreCompleted() throws {
    func offered(_ words: String...) throws -> [String] {
      let line = ["vault", "data"] + words
      let result = try data.vault.run(["__complete", String(line.count - 1)] + line)
      return result.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try offered("fetch", "com.").contains("com.example.trips"))
    #expect(try offered("fetch", data.application, "").contains("Trip"))
    #expect(try offered("fetch", data.application, "Trip", "--sort", "st").contains("start"))
    #expect(try offered("export", data.application, "--entity", "S").contains("Stop"))
  }

  @Test func aProgramWithoutOurCodeReadsTheRows() throws {
    let script = PythonScript("appdata")
    let result = try script.run(["read", data.file.path])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func aMillionRowsTakeNoMoreMemoryThanAThousandAndTellHowFarTheyAre() throws {
    let (connection, _) = try data.file.open(.write)
    try connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000000) "
        + "INSERT INTO Stop(place) SELECT 'place ' || i FROM n")
    connection.close()
    let script = PythonScript("appdata")
    for what in ["memory", "progress"] {
      let result = try script.run([what, VaultProcess.path, data.home.path, data.application])
      #expect(result.status == 0, "\(result.errors)")
    }
  }
}
