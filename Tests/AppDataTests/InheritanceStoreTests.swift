import SwiftData
import TestSupport
import Testing
import VaultStorage

enum VisitsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Visit.self] }

  @Model class Visit {
    var place: String
    init(_ place: String) { self.place = place }
  }
}

enum VisitsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Visit.self, Tour.self] }

  @Model class Visit {
    var place: String
    init(_ place: String) { self.place = place }
  }

  @Model class Tour: Visit {
    var guide: String
    init(_ place: String, guide: String) {
      self.guide = guide
      super.init(place)
    }
  }
}

enum VisitsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Visit.self, Tour.self, NightTour.self] }

  @Model class Visit {
    @Attribute(originalName: "place") var city: String
    var rating = 3
    init(_ city: String) { self.city = city }
  }

  @Model class Tour: Visit {
    var guide: String
    var language = "en"
    init(_ city: String, guide: String) {
      self.guide = guide
      super.init(city)
    }
  }

  @Model final class NightTour: Tour {
    var hour = 22
  }
}

/// Stores of models that inherit from models: migration, history, sealed values, other stores.
struct InheritanceStoreTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(
    _ schema: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let container = try ModelContainer(
      for: Schema(versionedSchema: schema), migrationPlan: plan,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/visits.store")))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  @Test func subclassesAndPropertiesAreAddedWithoutAPlan() throws {
    do {
      let context = try open(VisitsV1.self)
      context.insert(VisitsV1.Visit("Rome"))
      try context.save()
    }
    do {
      let context = try open(VisitsV2.self)
      let found = try context.fetch(FetchDescriptor<VisitsV2.Visit>())
      #expect(found.map(\.place) == ["Rome"] && !(found[0] is VisitsV2.Tour))
      context.insert(VisitsV2.Tour("Oslo", guide: "Eve"))
      try context.save()
    }
    do {
      let context = try open(VisitsV3.self)
      context.insert(VisitsV3.NightTour("Bath", guide: "Bob"))
      try context.save()
      let found = try context.fetch(FetchDescriptor<VisitsV3.Visit>())
      #expect(found.map(\.city) == ["Rome", "Oslo", "Bath"])
      #expect(found.map(\.rating) == [3, 3, 3])
      #expect(found.map { ($0 as? VisitsV3.Tour)?.guide } == [nil, "Eve", "Bob"])
      #expect((found[1] as? VisitsV3.Tour)?.language == "en")
      #expect((found[2] as? VisitsV3.NightTour)?.hour == 22)
    }
  }

  @Test func codeOfAStageTurnsObjectsIntoThoseOfASubclass() throws {
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [VisitsV1.self, VisitsV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: VisitsV1.self, toVersion: VisitsV2.self, willMigrate: nil,
            didMigrate: { context in
              for visit in try context.fetch(FetchDescriptor<VisitsV2.Visit>())
              where visit.place == "Oslo" {
                context.insert(VisitsV2.Tour(visit.place, guide: "Eve"))
                context.delete(visit)
              }
              try context.save()
            })
        ]
      }
    }
    do {
      let context = try open(VisitsV1.self)
      for place in ["Rome", "Oslo"] { context.insert(VisitsV1.Visit(place)) }
      try context.save()
    }
    let context = try open(VisitsV2.self, plan: Plan.self)
    let found = try context.fetch(FetchDescriptor<VisitsV2.Visit>())
    #expect(found.map { "\(type(of: $0)) \($0.place)" } == ["Visit Rome", "Tour Oslo"])
  }

  @Test func aSubclassThatIsDroppedTakesItsRowsWithIt() throws {
    do {
      let context = try open(VisitsV2.self)
      context.insert(VisitsV2.Visit("Rome"))
      context.insert(VisitsV2.Tour("Oslo", guide: "Eve"))
      try context.save()
    }
    enum Smaller: VersionedSchema {
      static let versionIdentifier = Schema.Version(4, 0, 0)
      static var models: [any PersistentModel.Type] { [VisitsV2.Visit.self] }
    }
    let context = try open(Smaller.self)
    #expect(try context.fetch(FetchDescriptor<VisitsV2.Visit>()).map(\.place) == ["Rome"])
  }

  @Test func theHistoryNamesTheClassOfTheObject() throws {
    let store = try Journeys(file: "\(home.path)/journeys.store", keepsHistory: true)
    let all = try store.fill()
    let conference = try #require(all[2] as? Conference)
    conference.note = "keep"
    conference.topic = "Queries"
    try store.context.save()
    store.context.delete(conference)
    try store.context.save()
    let found = try store.other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let changes = found.flatMap(\.changes)
    let kinds = changes.map { "\($0.changedPersistentIdentifier.entityName)" }
    #expect(
      kinds == [
        "Journey", "WorkJourney", "Conference", "PrivateJourney", "DayTrip", "Conference",
        "Conference",
      ])
    let updates = changes.compactMap { change in
      if case .update(let update as DefaultHistoryUpdate<Conference>) = change {
        update
      } else {
        nil
      }
    }
    let deletions = changes.compactMap { change in
      if case .delete(let deletion as DefaultHistoryDelete<Conference>) = change {
        deletion
      } else {
        nil
      }
    }
    let update = try #require(updates.first)
    let deletion = try #require(deletions.first)
    #expect(update.containsAttribute(\.topic) && update.containsAttribute(\.note))
    #expect(!update.containsAttribute(\.name) && !update.containsAttribute(\.perDiem))
    #expect(deletion.tombstone[\.note] as? String == "keep")
    #expect(deletion.tombstone[\.price] as? Decimal == 101)
    #expect(deletion.tombstone[\.name] == nil)
  }

  @Test func sealedValuesOfEveryClassOpen() throws {
    let file = "\(home.path)/secrets.store"
    let key = SealingKey(try SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    func open() throws -> ModelContext {
      var configuration = ModelConfiguration(url: URL(fileURLWithPath: file))
      configuration.sealingKey = key
      let context = ModelContext(
        try ModelContainer(for: VisitorPass.self, configurations: configuration))
      context.autosaveEnabled = false
      return context
    }
    do {
      let context = try open()
      context.insert(VisitorPass("secret-name", token: "secret-token"))
      try context.save()
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: home.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/\(name)"))
      #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
    }
    let found = try open().fetch(FetchDescriptor<Identity>())
    #expect(found.first?.owner == "secret-name")
    #expect((found.first as? VisitorPass)?.token == "secret-token")
  }

  @Test func anIndexNamesInheritedProperties() throws {
    let file = "\(home.path)/booklets.store"
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: file))
    let container = try ModelContainer(for: Brochure.self, configurations: configuration)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    context.insert(Brochure("Oslo", region: "North"))
    try context.save()
    let found = #Predicate<Brochure> { $0.title == "Oslo" && $0.region == "North" }
    #expect(try context.fetchCount(FetchDescriptor(predicate: found)) == 1)
    let connection = try SQLiteConnection(path: file, mode: .readWrite)
    defer { connection.close() }
    let names = try connection.strings(
      "SELECT name FROM sqlite_master WHERE type='index' AND name LIKE '%_index' ORDER BY name")
    #expect(names == ["Booklet_title_index", "Booklet_year_index", "Brochure_region_index"])
  }

  @Test func aConstraintNamesNoInheritedProperty() {
    #expect {
      _ = try memory(Leaflet.self)
    } throws: {
      "\($0)".contains("Leaflet.title is inherited")
    }
  }

  @Test func aFamilyIsInOneStore() {
    let visits = ModelConfiguration(
      "visits", schema: Schema([VisitsV2.Visit.self]), isStoredInMemoryOnly: true)
    let rest = ModelConfiguration("rest", isStoredInMemoryOnly: true)
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Schema([VisitsV2.Visit.self, VisitsV2.Tour.self]), configurations: [visits, rest])
    }
  }

  @Test func theCheckFindsNothing() throws {
    let file = "\(home.path)/journeys.store"
    do {
      let store = try Journeys(file: file)
      let all = try store.fill()
      Traveler("Eve").journeys = all
      try store.context.save()
    }
    let container = try Journeys(file: file).container
    #expect(try container.check().isEmpty)
  }
}

@Model
class Booklet {
  var title: String
  var year = 2000
  init(_ title: String) { self.title = title }
}

@Model
final class Brochure: Booklet {
  #Index<Brochure>([\.title, \.region], [\.year])
  var region: String

  init(_ title: String, region: String) {
    self.region = region
    super.init(title)
  }
}

@Model
final class Leaflet: Booklet {
  #Unique<Leaflet>([\.title, \.pages])
  var pages = 2
}

@Model
class Identity {
  @Attribute(.encrypt) var owner = ""
  init(_ owner: String) { self.owner = owner }
}

@Model
final class VisitorPass: Identity {
  @Attribute(.encrypt) var token = ""
  init(_ owner: String, token: String) {
    self.token = token
    super.init(owner)
  }
}
