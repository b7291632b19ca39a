import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// A small store as Core Data writes it.
enum MacStoreFile {
  static func make(at path: String, tags: Int = 2) throws {
    let connection = try SQLiteConnection(path: path)
    defer { connection.close() }
    try connection.executeScript(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWORD VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Tag', 0, \(tags));
      INSERT INTO Z_METADATA VALUES (1, '6E7A4E7B-5A8E-4E0F-9F59-1B0C1F0C9B11', NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<\(tags))
        INSERT INTO ZTAG SELECT i, 1, 1, 'tag ' || i FROM n;
      """)
  }
}

/// `vault data import`, `history`, `vacuum` and `migrate`.
struct DataMaintenanceTests {
  private let data: DataStoreHome

  init() throws { data = try DataStoreHome() }

  /// Makes the store keep a history, with three transactions in it.
  private func keepHistory() throws {
    let (connection, _) = try data.file.open(.write)
    defer { connection.close() }
    try connection.beginHistory()
    var first = DataStoreHistory.Recording()
    for row in 1...2 { first.add(.insert, "Trip", Int64(row)) }
    first.add(.insert, "Stop", 1)
    _ = try connection.writeHistory(
      first.changes, author: nil, time: 0, bundle: "com.example.trips", process: "1")
    var second = DataStoreHistory.Recording()
    second.add(.update, "Trip", 2, properties: #"["name","start"]"#)
    _ = try connection.writeHistory(
      second.changes, author: "widget\u{1B}[31m", time: 60.5, bundle: "b", process: "2")
    var third = DataStoreHistory.Recording()
    third.add(.delete, "Stop", 9, tombstone: #"{"place":"Ski"}"#)
    _ = try connection.writeHistory(
      third.changes, author: "widget", time: 120, bundle: "b", process: "2")
  }

  private func lines(_ result: VaultProcess.Result) -> [String] {
    result.text.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }
  }

  @Test func aStoreFromAMacBecomesOneOfOurs() throws {
    let home = data.home.path
    try MacStoreFile.make(at: "\(home)/Mac.store")
    let dry = try data("import", "\(home)/Mac.store", "--dry-run")
    #expect(dry.status == 0)
    #expect(lines(dry) == ["Tag 2"])
    #expect(dry.errors.contains("no model that can be read"))
    let missing = try data("import", "\(home)/Mac.store")
    #expect(missing.status == 64)
    #expect(missing.errors.contains("--application is missing"))
    let done = try data("import", "\(home)/Mac.store", "--application", "com.example.tags")
    #expect(done.status == 0, "\(done.errors)")
    #expect(lines(done) == ["Tag 2"])
    let path = "\(home)/.local/share/com.example.tags/default.store"
    #expect(done.errors.contains("the store is \(path)"))
    #expect(try data("fetch", "com.example.tags", "Tag", "--csv").text.contains("2,tag 2"))
    #expect(try data("check", "com.example.tags").status == 0)
    let again = try data("import", "\(home)/Mac.store", "--application", "com.example.tags")
    #expect(again.status == 73)
    #expect(again.errors.contains("there is a file \(path)"))
    let named = try data.json(
      "import", "\(home)/Mac.store", "--application", "com.example.tags", "--name", "other")
    #expect(named["path"] as? String == path.replacing("default.store", with: "other.store"))
    #expect(named["rows"] as? [String: Int] == ["Tag": 2])
    let out = try data(
      "import", "\(home)/Mac.store", "--application", "a", "--out", "\(home)/b.store")
    #expect(out.status == 0, "\(out.errors)")
    #expect(try data("count", "\(home)/b.store", "Tag").text == "2\n")
  }

  @Test func importsThatCannotBeAreRefused() throws {
    let home = data.home.path
    try MacStoreFile.make(at: "\(home)/Mac.store")
    for (words, status, message) in [
      (["\(home)/none", "--dry-run"], 66, "there is no file"),
      ([data.file.path, "--dry-run"], 65, "is not a store of Core Data or SwiftData"),
      (["\(home)/Mac.store", "--application", "../x"], 64, "--application is not a name"),
      (["\(home)/Mac.store", "--application", "a", "--name", "a/b"], 64, "--name is not a name"),
    ] {
      let result = try data.vault.run(["data", "import"] + words)
      #expect(Int(result.status) == status, "\(words): \(result.errors)")
      #expect(result.errors.contains(message), "\(result.errors)")
      #expect(result.errors.contains("hint:"), "\(result.errors)")
    }
  }

  @Test func theHistoryIsShown() throws {
    let none = try data("history", data.application)
    #expect(none.status == 0)
    #expect(none.text == "" && none.errors.contains("keeps no history"))
    #expect(try data.json("history", data.application)["keepsHistory"] as? Bool == false)
    try keepHistory()
    let all = lines(try data("history", data.application))
    #expect(
      all == [
        "1 2001-01-01T00:00:00Z - insert Trip 1-2",
        "1 2001-01-01T00:00:00Z - insert Stop 1",
        "2 2001-01-01T00:01:00.500Z widget\u{1B}[31m update Trip 2 name, start",
        "3 2001-01-01T00:02:00Z widget delete Stop 9",
      ])
    func numbers(_ words: String...) throws -> [String] {
      lines(try data.vault.run(["data", "history", data.application] + words))
        .map { String($0.prefix(1)) }
    }
    #expect(try numbers("--limit", "1") == ["3"])
    #expect(try numbers("--limit", "0") == [])
    #expect(try numbers("--after", "1") == ["2", "3"])
    #expect(try numbers("--author", "widget") == ["3"])
    #expect(try numbers("--entity", "Stop") == ["1", "3"])
    #expect(try numbers("--entity", "Trip", "--limit", "2") == ["2"])
    #expect(try data("history", data.application, "--entity", "None").status == 64)
    #expect(try data("history", data.application, "--limit=-1").status == 64)
    let json = try data.json("history", data.application, "--after", "1")
    let transactions = try #require(json["transactions"] as? [[String: Any]])
    #expect(transactions.map { $0["id"] as? Int } == [2, 3])
    let changes = try transactions.map { try #require($0["changes"] as? [[String: Any]]) }
    #expect(changes[0][0]["properties"] as? [String] == ["name", "start"])
    #expect(changes[1][0]["tombstone"] as? [String: String] == ["place": "Ski"])
    #expect(transactions[1]["author"] as? String == "widget")
  }

  @Test func vacuumGivesSpaceBack() throws {
    do {
      let (connection, _) = try data.file.open(.write)
      defer { connection.close() }
      try connection.executeScript(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000) "
          + "INSERT INTO Stop(place) SELECT 'place ' || i FROM n; DELETE FROM Stop WHERE _id>2")
    }
    let orphan = "\(data.file.directoryPath)/.default_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)"
    try Data([1]).write(to: URL(fileURLWithPath: orphan))
    let report = try data.json("vacuum", data.application)
    let before = try #require(report["bytesBefore"] as? Int)
    let after = try #require(report["bytesAfter"] as? Int)
    #expect(after < before / 2, "\(before) to \(after)")
    #expect(report["removedFiles"] as? Int == 1)
    #expect(try data("check", data.application).text == "no problems found\n")
    #expect(try data("count", data.application, "Stop").text == "2\n")
    let size = try FileManager.default.attributesOfItem(atPath: data.file.path)[.size] as? Int
    #expect(size == after)
    // Another writer holds its lock: nothing is changed.
    let (writer, _) = try data.file.open(.write)
    try writer.execute("BEGIN IMMEDIATE")
    let busy = try data("vacuum", data.application)
    #expect(busy.status == 75, "\(busy.errors)")
    try writer.execute("ROLLBACK")
    writer.close()
    #expect(try data("vacuum", data.application).text.hasPrefix("\(after) bytes before, "))
  }

  @Test func aMigrationIsPlannedFromANewerStore() throws {
    let newer = DataStoreFile(path: "\(data.home.path)/newer.store")
    var schema = try #require(try data.file.metadata()).schema
    schema.version = StoredVersion(3, 0, 0)
    let trip = try #require(schema.entities.firstIndex { $0.name == "Trip" })
    schema.entities[trip].attributes.removeAll { $0.name == "notes" }
    schema.entities[trip].attributes.append(StoredAttribute("rating", .integer))
    schema.entities[trip].attributes.append(StoredAttribute("motto", .string, isOptional: true))
    try newer.open(
      orCreate: DataStoreMetadata(application: data.application, schema: schema)
    ).connection.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: data.file.path))
    let result = try data("migrate", data.application, "--to", newer.path, "--dry-run")
    #expect(result.status == 1, "\(result.errors)")
    let shown = lines(result)
    #expect(shown.first == "2.1.0 to 3.0.0")
    for line in ["add Trip.motto", "add Trip.rating", "drop Trip.notes"] {
      #expect(shown.contains(line), "\(shown)")
    }
    #expect(shown.contains { $0.hasPrefix("obstacle: Trip.rating is new and required") })
    let json = try data.vault.run([
      "data", "migrate", data.application, "--to", newer.path, "--dry-run", "--json",
    ])
    let object = try #require(JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect((object["obstacles"] as? [String])?.count == 1)
    #expect(object["to"] as? String == "3.0.0")
    #expect(try Data(contentsOf: URL(fileURLWithPath: data.file.path)) == before)
    let same = try data("migrate", data.application, "--to", data.file.path, "-n")
    #expect(same.status == 0 && same.text == "nothing to do\n")
    let refused = try data("migrate", data.application, "--to", newer.path)
    #expect(refused.status == 64 && refused.errors.contains("--dry-run"))
    // The other way, nothing is planned: it would drop what the newer program stored.
    let back = try data("migrate", newer.path, "--to", data.application, "--dry-run")
    #expect(back.status == 74 && back.errors.contains("has schema 3.0.0"), "\(back.errors)")
  }
}
