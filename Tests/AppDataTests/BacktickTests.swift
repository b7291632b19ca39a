import TestSupport
import Testing
import VaultAppData
import VaultCredentials
import VaultStorage

/// Classes with spaces in their names, whose backticks are no part of the name.
///
/// `Samples/backticks.sql` and `backticks-sealed.sql` are stores of a version that kept them, as
/// `sqlite3 a.store .dump` has them.
struct BacktickTests {
  private let home: TemporaryHome
  private var url: URL { URL(fileURLWithPath: "\(home.path)/a.store") }

  init() throws { home = try TemporaryHome() }

  private func makeOld(_ name: String = "backticks") throws {
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Samples/\(name).sql")
    let connection = try SQLiteConnection(path: url.path, mode: .readWriteCreate)
    try connection.executeScript(String(contentsOf: sample, encoding: .utf8))
  }

  private func names(_ kind: String) throws -> [String] {
    try SQLiteConnection(path: url.path, mode: .readOnly).strings(
      "SELECT name FROM sqlite_schema WHERE type=? ORDER BY name", [.text(kind)])
  }

  private func check(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let found = try context.fetch(
      FetchDescriptor<Spaced.`My Model`>(sortBy: [SortDescriptor(\.name)]))
    try #require(found.map(\.name) == ["a", "b"])
    let (first, second) = (found[0], try #require(found[1] as? Spaced.`My Special`))
    #expect(second.`with space` == 3 && first.friends.first === second)
    #expect(second.befriended.first === first && second.`loose ones`.count == 1)
    let other = try #require(first.others.first)
    #expect(other === second.`loose ones`.first && other.owner === first)
    #expect(other.peers.first?.peers.first === other)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.first?.changes.count == 4)
    first.name = "A"
    context.insert(Spaced.`My Special`("c"))
    try context.save()
    #expect(try container.check() == [])
    let tables = try names("table")
    #expect(tables.contains("My Model") && tables.contains("Peer X_peers"))
    #expect(try !(tables + names("index")).contains { $0.contains("`") })
  }

  @Test func aClassIsKeptUnderItsName() throws {
    let container = try ModelContainer(
      for: Spaced.`My Model`.self, configurations: ModelConfiguration(url: url))
    #expect(Schema.entityName(for: Spaced.`My Model`.self) == "My Model")
    let context = ModelContext(container)
    let model = Spaced.`My Model`("a")
    context.insert(model)
    #expect(model.persistentModelID.entityName == "My Model")
    try context.save()
    #expect(try names("table").contains("My Model"))
  }

  @Test func aStoreOfAnEarlierVersionMigratesByItself() throws {
    try makeOld()
    for _ in 0..<2 {
      let container = try ModelContainer(
        for: Spaced.`My Model`.self, Spaced.`My Special`.self,
        configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      if let model = try context.fetch(FetchDescriptor<Spaced.`My Model`>()).first(where: {
        $0.name == "A"
      }) {
        model.name = "a"
        try context.delete(model: Spaced.`My Model`.self, where: #Predicate { $0.name == "c" })
        try context.save()
        try context.deleteHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.author != "me" }))
      }
      try check(container)
    }
  }

  /// A plan names the versions by what their classes are called now.
  @Test func aPlanBeginsWithSuchAStore() throws {
    try makeOld()
    let container = try ModelContainer(
      for: Schema(versionedSchema: SpacedV2.self), migrationPlan: SpacedPlan.self,
      configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let found = try context.fetch(
      FetchDescriptor<SpacedV2.`My Model`>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a!", "b!"])
    #expect(found.map(\.`added later`) == [7, 7])
    #expect(try container.check() == [])
  }

  /// A sealed value opens in its place only, and the class's name is part of the place.
  @Test func whatWasSealedUnderTheOldNameOpens() throws {
    try makeOld("backticks-sealed")
    let key = SealingKey(try SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    for code in ["1234", "5678"] {
      let container = try ModelContainer(
        for: `Safe Box`.self, configurations: ModelConfiguration(url: url, sealingKey: key))
      let context = ModelContext(container)
      let box = try #require(try context.fetch(FetchDescriptor<`Safe Box`>()).first)
      #expect(box.name == "one" && box.code == code)
      box.code = "5678"
      try context.save()
      #expect(try container.check() == [])
    }
  }

  @Test func anIdentifierThatWasEncodedBeforeStillLeadsToItsRow() throws {
    try makeOld()
    let container = try ModelContainer(
      for: Spaced.`My Model`.self, Spaced.`My Special`.self,
      configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let model = try #require(
      try context.fetch(
        FetchDescriptor<Spaced.`My Model`>(predicate: #Predicate { $0.name == "a" })
      ).first)
    let text = try String(decoding: JSONEncoder().encode(model.persistentModelID), as: UTF8.self)
    let old = text.replacing("\"My Model\"", with: "\"`My\u{A0}Model`\"")
    #expect(old != text)
    let id = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(old.utf8))
    #expect(id == model.persistentModelID && context.model(for: id) === model)
  }
}

@Model private final class `Safe Box` {
  var name = ""
  @Attribute(.encrypt) var code: String?
  init() {}
}

private enum Spaced: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [`My Model`.self, `My Special`.self] }

  @Model class `My Model` {
    @Attribute(.unique) var name = ""
    @Relationship(inverse: \`Other One`.owner) var others: [`Other One`] = []
    var friends: [`My Model`] = []
    @Relationship(inverse: \`My Model`.friends) var befriended: [`My Model`] = []
    var `loose ones`: [`Other One`] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class `My Special`: `My Model` {
    var `with space` = 3
    override init(_ name: String) { super.init(name) }
  }

  @Model final class `Other One` {
    var owner: `My Model`?
    var peers: [`Peer X`] = []
    init() {}
  }

  @Model final class `Peer X` {
    @Relationship(inverse: \`Other One`.peers) var peers: [`Other One`] = []
    init() {}
  }
}

private enum SpacedV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [`My Model`.self, `My Special`.self] }

  @Model class `My Model` {
    @Attribute(.unique) var name = ""
    var `added later` = 7
    init(_ name: String) { self.name = name }
  }

  @Model final class `My Special`: `My Model` {
    var `with space` = 3
    override init(_ name: String) { super.init(name) }
  }
}

private enum SpacedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Spaced.self, SpacedV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Spaced.self, toVersion: SpacedV2.self,
        willMigrate: { context in
          for model in try context.fetch(FetchDescriptor<Spaced.`My Model`>()) { model.name += "!" }
          try context.save()
        }, didMigrate: nil)
    ]
  }
}
