import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// `vault sync add data` and its like, with two homes and a folder, as two machines have them.
struct DataSyncVerbTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  static let application = "com.example.trips"

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try SyncedHomes.join(laptop, desktop, at: store.path)
    for machine in [laptop, desktop] { try Self.makeStore(machine, Self.trips) }
    try #require(try laptop("sync", "now").status == 0)
    try sql(laptop, "INSERT INTO Trip(name, days) VALUES ('Oslo', 3)")
  }

  private static let trips = StoredSchema(entities: [
    StoredEntity(
      "Trip",
      attributes: [
        StoredAttribute("name", .string), StoredAttribute("days", .integer),
        StoredAttribute("note", .string, isOptional: true),
      ])
  ])

  private static func path(_ machine: ThrowawayVault, _ application: String) -> String {
    "\(machine.home.path)/.local/share/\(application)/default.store"
  }

  private static func makeStore(
    _ machine: ThrowawayVault, _ schema: StoredSchema, _ application: String = Self.application
  ) throws {
    let file = DataStoreFile(path: path(machine, application))
    _ = try file.directory(create: true)
    let (connection, _) = try file.open(
      orCreate: DataStoreMetadata(application: application, schema: schema))
    connection.close()
  }

  private func sql(_ machine: ThrowawayVault, _ text: String) throws {
    let connection = try SQLiteConnection(
      path: Self.path(machine, Self.application), mode: .readWrite)
    defer { connection.close() }
    try connection.executeScript(text)
  }

  private func fetch(_ machine: ThrowawayVault) throws -> String {
    try machine("data", "fetch", Self.application, "Trip", "--csv").text
  }

  /// Runs a line of the page, with what it prints on both streams.
  private func typed(_ line: String, on machine: ThrowawayVault) throws -> String {
    let shell = VaultProcess(
      home: machine.home.path, environment: ["VAULT_KEY_FILE": machine.keyFile],
      executable: "/bin/sh")
    let result = try shell.run([
      "-c", "vault() { '\(VaultProcess.path)' \"$@\"; }\n{ \(line); } 2>&1",
    ])
    #expect(result.status == 0, "\(line): \(result.text)")
    return result.text
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/sqlite3"), "needs sqlite3"))
  func theFirstHourOfThePageIsWhatTheMachinesShow() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Documentation/guides/models-on-several-machines.md")
    let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    var (isIn, isCompared, expected, printed): (Bool, Bool, [String], [String]) = (
      false, true, [], []
    )
    var count = 0
    for line in lines {
      if line.hasPrefix("<!-- output:") { isCompared = false }
      if line.hasPrefix("```") {
        if isIn, isCompared { #expect(printed == expected) }
        if isIn { isCompared = true }
        isIn = line == "```console"
        (expected, printed) = ([], [])
      } else if isIn {
        let machine = ["laptop$ ": laptop, "desktop$ ": desktop].first { line.hasPrefix($0.key) }
        guard let machine else {
          expected.append(line)
          continue
        }
        count += 1
        printed += try typed(String(line.dropFirst(machine.key.count)), on: machine.value)
          .split(separator: "\n").map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
          }
      }
    }
    #expect(count > 12)
    #expect(try fetch(desktop).contains("Oslo,5,snow"))
  }

  /// A feed has items and preferences.
  @Test func aMirrorSaysWhichRowsItLeavesOut() throws {
    #expect(try laptop("sync", "add", "data", Self.application).status == 0)
    try #require(try laptop("sync", "subscription", "create", "shops").status == 0)
    let folder = "\(store.path)-www"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let said = try laptop("sync", "mirror", folder)
    #expect(
      said.status == 0 && said.errors.contains("the rows of \(Self.application) are not"),
      "\(said.errors)")
    let json = try laptop("sync", "mirror", folder, "--json")
    #expect(json.text.contains(Self.application), "\(json.text)")
    // Nothing of a row lies there.
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
    for file in files {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
      #expect(bytes.range(of: Data("Oslo".utf8)) == nil)
    }
    #expect(try laptop("sync", "drop", "data", Self.application).status == 0)
    #expect(try !laptop("sync", "mirror", folder).errors.contains("the rows of"))
  }

  @Test func aStoreIsAddedShownAndDropped() throws {
    let added = try laptop("sync", "add", "data", Self.application, "--json")
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.text.contains("\"told\": 1"))
    #expect(try desktop("sync", "add", "data", Self.application).status == 0)
    #expect(try fetch(desktop).contains("Oslo,3"))
    try sql(desktop, "UPDATE Trip SET days=4")
    let status = try desktop("sync", "status")
    #expect(status.text.contains("data") && status.text.contains("1 object, 1 not sent"))
    let now = try desktop("sync", "now", "--json")
    #expect(now.text.contains("\"store\": \"\(Self.application)\""))
    #expect(try desktop("sync", "status", "--json").text.contains("\"changed\": 0"))
    #expect(try desktop("sync", "drop", "data", Self.application).status == 0)
    #expect(try !desktop("sync", "status").text.contains(Self.application))
    #expect(try desktop("sync", "drop", "data", Self.application).errors.contains("no store"))
    #expect(try laptop("sync", "now", "--unattended").status == 0)
    #expect(try fetch(laptop).contains("Oslo,4"))
    #expect(try fetch(desktop).contains("Oslo,4"))
  }

  @Test func whatIsNotBuiltIsRefusedByName() throws {
    let schema = StoredSchema(entities: [
      StoredEntity(
        "Person",
        attributes: [
          StoredAttribute("secret", .sealed),
          StoredAttribute("diary", .sealed, isOptional: true),
        ])
    ])
    try Self.makeStore(laptop, schema, "com.example.people")
    let refused = try laptop("sync", "add", "data", "com.example.people")
    #expect(refused.status == 77)
    #expect(refused.errors.contains("Person.secret"))
    #expect(try laptop("sync", "add", "data", "com.example.nobody").status == 1)
    #expect(try laptop("sync", "add", "com.example.a", "com.example.b").status == 64)
    #expect(try laptop("data", "conflicts", "com.example.people").status == 77)
  }

  /// A lane that was put on a board which the other machine has deleted.
  @Test func whatBelongsToADeletedObjectIsNamedAndComesBack() throws {
    let application = "com.example.boards"
    let schema = StoredSchema(entities: [
      StoredEntity(
        "Board", attributes: [StoredAttribute("name", .string)],
        relationships: [
          StoredRelationship(
            "lanes", to: "Lane", isToMany: true, inverse: "board", deleteRule: .cascade,
            storage: .inverse)
        ]),
      StoredEntity(
        "Lane", attributes: [StoredAttribute("name", .string)],
        relationships: [
          StoredRelationship(
            "board", to: "Board", inverse: "lanes",
            storage: .foreignKey(column: "board_id", position: "board_position"))
        ]),
    ])
    for machine in [laptop, desktop] { try Self.makeStore(machine, schema, application) }
    func run(_ machine: ThrowawayVault, _ text: String) throws {
      let connection = try SQLiteConnection(
        path: Self.path(machine, application), mode: .readWrite)
      defer { connection.close() }
      try connection.executeScript(text)
    }
    try run(laptop, "INSERT INTO Board(name) VALUES ('B')")
    for machine in [laptop, desktop] {
      #expect(try machine("sync", "add", "data", application).status == 0)
    }
    try run(laptop, "DELETE FROM Board")
    #expect(try laptop("sync", "now").status == 0)
    try run(desktop, "INSERT INTO Lane(name, board_id) VALUES ('new', 1)")
    let now = try desktop("sync", "now")
    #expect(
      now.errors.contains("not shown, and kept: 1 object of \(application); another machine"))
    #expect(now.errors.contains("data conflicts \(application)"))
    #expect(try desktop("sync", "status").text.contains("1 waiting"))
    #expect(try !desktop("data", "fetch", application, "Lane", "--csv").text.contains("new"))
    let conflicts = try desktop("data", "conflicts", application)
    #expect(conflicts.text.contains("\"new\"") && conflicts.text.contains("deleted"))
    #expect(try desktop("data", "restore", application, "1").status == 0)
    for machine in [desktop, laptop] { #expect(try machine("sync", "now").status == 0) }
    #expect(try laptop("data", "fetch", application, "Lane", "--csv").text.contains("new,"))
    #expect(try laptop("data", "conflicts", application).text.isEmpty)
  }

  /// An object of a subclass is of its class on the other machine; one name of two classes is one
  /// object.
  @Test func classesThatInheritGoAlong() throws {
    let application = "com.example.journeys"
    let schema = StoredSchema(entities: [
      StoredEntity("Journey", attributes: [StoredAttribute("name", .string, isUnique: true)]),
      StoredEntity(
        "Conference", superentity: "Journey", attributes: [StoredAttribute("topic", .string)]),
      StoredEntity(
        "Outing", superentity: "Journey", attributes: [StoredAttribute("hours", .integer)]),
    ])
    for machine in [laptop, desktop] { try Self.makeStore(machine, schema, application) }
    func insert(_ machine: ThrowawayVault, _ name: String, _ type: String, _ rest: String) throws {
      let connection = try SQLiteConnection(
        path: Self.path(machine, application), mode: .readWrite)
      defer { connection.close() }
      try connection.executeScript(
        "INSERT INTO Journey(name, _class) VALUES ('\(name)', '\(type)'); "
          + "INSERT INTO \(type) SELECT max(_id), \(rest) FROM Journey")
    }
    try insert(laptop, "Oslo", "Conference", "'storage'")
    let added = try laptop("sync", "add", "data", application)
    #expect(added.errors.contains("3 classes, 1 object of \(application) go with this space"))
    #expect(try desktop("sync", "add", "data", application).status == 0)
    #expect(
      try desktop("data", "fetch", application, "Conference", "--csv").text.contains("storage"))
    try insert(laptop, "Rome", "Conference", "'files'")
    try insert(desktop, "Rome", "Outing", "8")
    for machine in [laptop, desktop, laptop, desktop] {
      #expect(try machine("sync", "now").status == 0)
    }
    for machine in [laptop, desktop] {
      let all = try machine("data", "fetch", application, "Journey", "--csv").text
      #expect(all.components(separatedBy: "Rome").count == 2)
      let lost = try machine("data", "conflicts", application).text
      #expect(lost.contains("Conference") && lost.contains("\"files\"") || lost.contains("Outing"))
      #expect(lost.components(separatedBy: "\n").filter { !$0.isEmpty }.count == 1)
      let number = String(lost.prefix { $0 != " " })
      let refused = try machine("data", "restore", application, number)
      #expect(refused.status == 77)
      #expect(refused.errors.contains("of another class now"))
    }
  }

  @Test func whatIsSealedUnderAnotherKeyIsNamed() throws {
    let schema = StoredSchema(entities: [
      StoredEntity(
        "Person",
        attributes: [
          StoredAttribute("name", .string), StoredAttribute("diary", .sealed, isOptional: true),
        ])
    ])
    try Self.makeStore(laptop, schema, "com.example.people")
    let added = try laptop("sync", "add", "data", "com.example.people")
    #expect(added.status == 0)
    #expect(added.errors.contains("Person.diary stays here"))
  }

  @Test func aNumberThatIsNotThereIsNotFound() throws {
    #expect(try laptop("sync", "add", "data", Self.application).status == 0)
    let missing = try laptop("data", "restore", Self.application, "7")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("data conflicts \(Self.application)"))
    #expect(try laptop("data", "conflicts", Self.application, "--json").text.contains("[]"))
  }

  /// Another vault in the same store is told of; a channel is none.
  @Test func aChannelIsNotTakenForAnotherVault() throws {
    #expect(try laptop("sync", "add", "data", Self.application).status == 0)
    let third = try ThrowawayVault()
    let initialized = try third("sync", "init", store.path)
    #expect(initialized.errors.contains("another vault lies in that store"))
  }
}
