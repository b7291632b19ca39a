import SwiftData
import TestSupport
import Testing

enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var name: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var start_date: Date
    @Attribute(.externalStorage) var map: Data?
    init(name: String, start_date: Date) {
      self.name = name
      self.start_date = start_date
    }
  }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    @Attribute(.unique) var name: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(.externalStorage) var map: Data?
    init(name: String, startDate: Date) {
      self.name = name
      self.startDate = startDate
    }
  }
}

enum TripsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    @Attribute(.unique) var name: String
    var startDate: String
    @Attribute(.externalStorage) var map: Data?
    init(name: String, startDate: String) {
      self.name = name
      self.startDate = startDate
    }
  }
}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] { [v1ToV2] }
  static let v1ToV2 = MigrationStage.custom(
    fromVersion: TripsV1.self, toVersion: TripsV2.self,
    willMigrate: { context in
      var seen: Set<String> = []
      let byDate = FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.start_date)])
      for trip in try context.fetch(byDate) where !seen.insert(trip.name).inserted {
        context.delete(trip)
      }
      try context.save()
    }, didMigrate: nil)
}

enum LongTripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] { [TripsPlan.v1ToV2, v2ToV3] }
  nonisolated(unsafe) private static var days: [String: Double] = [:]
  static let v2ToV3 = unsafe MigrationStage.custom(
    fromVersion: TripsV2.self, toVersion: TripsV3.self,
    willMigrate: { context in
      for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) {
        unsafe days[trip.name] = trip.startDate.timeIntervalSinceReferenceDate
      }
    },
    didMigrate: { context in
      for trip in try context.fetch(FetchDescriptor<TripsV3.Trip>()) {
        trip.startDate = unsafe "day \(Int(days[trip.name] ?? -1))"
        trip.map = trip.map.map { $0 + Data([9]) }
      }
      try context.save()
    })
}

/// A plan with stages, as a program writes it, over a file that the first version made.
@Suite(.serialized) struct MigrationPlanTests {
  private let home: TemporaryHome
  private var url: URL { URL(fileURLWithPath: "\(home.path)/trips.store") }
  private let map = Data(repeating: 7, count: 150_000)

  init() throws {
    home = try TemporaryHome()
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self), configurations: .init(url: url))
    let context = ModelContext(container)
    for (name, day) in [("Oslo", 2.0), ("Oslo", 1.0), ("Rome", 3.0)] {
      let trip = TripsV1.Trip(name: name, start_date: Date(timeIntervalSinceReferenceDate: day))
      trip.map = map
      context.insert(trip)
    }
    try context.save()
  }

  @Test func duplicatesAreRemovedBeforeAnAttributeBecomesUnique() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: TripsV2.Trip.self, configurations: .init(url: url))
    }
    let container = try ModelContainer(
      for: TripsV2.Trip.self, migrationPlan: TripsPlan.self, configurations: .init(url: url))
    let report = try #require(container.migrationReports.first)
    #expect(report.toVersion == Schema.Version(2, 0, 0))
    #expect(report.changes == ["rename Trip.start_date to startDate", "make Trip.name unique"])
    #expect(report.warnings == [])
    #expect(report.backup?.lastPathComponent == "trips.store.previous")
    let context = ModelContext(container)
    let trips = try context.fetch(
      FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.startDate)]))
    #expect(trips.map(\.name) == ["Oslo", "Rome"])
    #expect(trips.map(\.startDate.timeIntervalSinceReferenceDate) == [1, 3])
    #expect(trips.map(\.map) == [map, map])
    #expect(home.names(in: ".trips_SUPPORT/_EXTERNAL_DATA").count == 2)
    let again = try ModelContainer(
      for: TripsV2.Trip.self, migrationPlan: TripsPlan.self, configurations: .init(url: url))
    #expect(again.migrationReports == [])
  }

  @Test func aTypeChangesByWayOfBothVersionsClasses() throws {
    let container = try ModelContainer(
      for: TripsV3.Trip.self, migrationPlan: LongTripsPlan.self, configurations: .init(url: url))
    let context = ModelContext(container)
    let trips = try context.fetch(
      FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.startDate) == ["day 1", "day 3"])
    let changed = map + Data([9])
    #expect(trips.map(\.map) == [changed, changed])
    #expect(home.names(in: ".trips_SUPPORT/_EXTERNAL_DATA").count == 2)
  }

  @Test func aStoreAheadOfThePlanAndOneThatItDoesNotKnowAreRefused() throws {
    _ = try ModelContainer(
      for: TripsV2.Trip.self, migrationPlan: TripsPlan.self, configurations: .init(url: url))
    let before = try Data(contentsOf: url)
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(
        for: Schema(versionedSchema: TripsV1.self), configurations: .init(url: url))
    }
    #expect(try Data(contentsOf: url) == before)
    enum Later: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV3.self] }
      static var stages: [MigrationStage] {
        [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV3.self)]
      }
    }
    #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContainer(
        for: TripsV3.Trip.self, migrationPlan: Later.self, configurations: .init(url: url))
    }
  }

  @Test func aStageThatIsDeclaredLeadsBackToAnEarlierVersion() throws {
    enum Back: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] {
        [
          TripsPlan.v1ToV2,
          // On the way back a renamed property has another name: the plan carries it.
          .custom(
            fromVersion: TripsV2.self, toVersion: TripsV1.self,
            willMigrate: { context in
              for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) {
                trip.name += "@\(Int(trip.startDate.timeIntervalSinceReferenceDate))"
              }
            },
            didMigrate: { context in
              for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) {
                let parts = trip.name.split(separator: "@")
                trip.name = "\(parts[0])!"
                trip.start_date = Date(timeIntervalSinceReferenceDate: Double(parts[1]) ?? 0)
              }
            }),
        ]
      }
    }
    for _ in 1...2 {
      let new = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: Back.self,
        configurations: .init(url: url))
      #expect(try ModelContext(new).fetchCount(FetchDescriptor<TripsV2.Trip>()) == 2)
      let old = try ModelContainer(
        for: Schema(versionedSchema: TripsV1.self), migrationPlan: Back.self,
        configurations: .init(url: url))
      #expect(old.migrationReports.first?.toVersion == Schema.Version(1, 0, 0))
    }
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: TripsV1.self), configurations: .init(url: url)))
    let trips = try context.fetch(FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Oslo!!", "Rome!!"])
    #expect(trips.map(\.start_date.timeIntervalSinceReferenceDate) == [1, 3])
    #expect(trips.map(\.map) == [map, map])
  }

  /// A stage that changes every row holds one batch of them, and all of it is one transaction.
  @Test(arguments: [false, true]) func aStageThatWalksOverManyRowsSavesItsBatches(
    fails: Bool
  ) throws {
    struct Stop: Error {}
    enum Walk: SchemaMigrationPlan {
      nonisolated(unsafe) static var registered: [Int] = []
      nonisolated(unsafe) static var fails = false
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: TripsV1.self, toVersion: TripsV2.self,
            willMigrate: { context in
              var number = 0
              try context.enumerate(
                FetchDescriptor<TripsV1.Trip>(), batchSize: 100, allowEscapingMutations: true
              ) { trip in
                number += 1
                trip.name = "trip \(number)"
                unsafe registered.append(context.registeredCount)
              }
            },
            didMigrate: { context in
              try context.enumerate(
                FetchDescriptor<TripsV2.Trip>(), batchSize: 100, allowEscapingMutations: true
              ) { $0.name += "!" }
              if unsafe fails { throw Stop() }
            })
        ]
      }
    }
    unsafe Walk.registered = []
    unsafe Walk.fails = fails
    let before = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: TripsV1.self), configurations: .init(url: url)))
    for number in 0..<2_000 {
      before.insert(
        TripsV1.Trip(name: "x", start_date: Date(timeIntervalSince1970: Double(number))))
    }
    try before.save()
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: Walk.self,
        configurations: .init(url: url))
    }
    if fails {
      #expect(throws: (any Error).self) { try open() }
      let same = FetchDescriptor<TripsV1.Trip>(predicate: #Predicate { $0.name == "x" })
      #expect(try before.fetchCount(same) == 2_000)
    } else {
      let context = ModelContext(try open())
      let names = try context.fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name)
      #expect(Set(names) == Set((1...2_003).map { "trip \($0)!" }))
      #expect(unsafe Walk.registered.max() ?? 0 < 300)
    }
  }

  @Test func aDryRunAndAMigrationWithProgress() throws {
    let schema = Schema(versionedSchema: TripsV2.self)
    let before = try Data(contentsOf: url)
    let configuration = ModelConfiguration(url: url)
    let plain = try ModelContainer.outlineMigration(for: schema, configurations: [configuration])
    #expect(plain.first?.obstacles.first?.contains("Trip.name is now unique") == true)
    let planned = try ModelContainer.outlineMigration(
      for: schema, migrationPlan: TripsPlan.self, configurations: [configuration])
    #expect(planned.first?.obstacles == [])
    #expect(planned.first?.fromVersion == Schema.Version(1, 0, 0))
    #expect(try Data(contentsOf: url) == before)
    let cancelled = Progress(totalUnitCount: 0)
    cancelled.cancel()
    for progress in [cancelled, ImpatientProgress(totalUnitCount: 0)] {
      #expect(throws: CancellationError.self) {
        try ModelContainer.migrate(
          for: schema, migrationPlan: TripsPlan.self, configurations: [configuration],
          progress: progress)
      }
      let still = try ModelContainer.outlineMigration(
        for: schema, migrationPlan: TripsPlan.self, configurations: [configuration])
      #expect(still == planned)
    }
    let progress = Progress(totalUnitCount: 0)
    let done = try ModelContainer.migrate(
      for: schema, migrationPlan: TripsPlan.self, configurations: [configuration],
      progress: progress)
    #expect(done.count == 1)
    #expect(progress.totalUnitCount > 0)
    #expect(progress.fractionCompleted == 1)
  }
}
