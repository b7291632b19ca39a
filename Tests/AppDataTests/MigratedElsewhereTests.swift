import SwiftData
import TestSupport
import Testing

/// Containers of an earlier version that are open while another one migrates their store.
struct MigratedElsewhereTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private var configuration: ModelConfiguration {
    ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/a.store"))
  }

  private func prices() throws -> [Int] {
    let container = try ModelContainer(
      for: Schema(versionedSchema: PricesV2.self), migrationPlan: PricesPlan.self,
      configurations: configuration)
    return try ModelContext(container).fetch(
      FetchDescriptor<PricesV2.Price>(sortBy: [SortDescriptor(\.amount)])
    ).map(\.amount)
  }

  /// The columns are the same, and mean something else.
  @Test(arguments: [false, true])
  func anEarlierVersionDoesNotWriteToThem(hasSavedBefore: Bool) throws {
    let old = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: PricesV1.self), configurations: configuration))
    let price = PricesV1.Price(3)
    if hasSavedBefore {
      old.insert(price)
      try old.save()
    }
    #expect(try prices() == (hasSavedBefore ? [300] : []))
    for _ in 0..<2 {
      price.amount = 4
      old.insert(PricesV1.Price(5))
      let error = #expect(throws: (any Error).self) { try old.save() }
      let message = "\(error.map { "\($0)" } ?? "")"
      #expect(message.contains("was migrated to version 2.0.0 while it was open"), "\(message)")
      #expect(old.hasChanges)
    }
    #expect(throws: (any Error).self) { try old.transaction { old.insert(PricesV1.Price(6)) } }
    if hasSavedBefore {
      #expect(throws: (any Error).self) { try old.delete(model: PricesV1.Price.self) }
      #expect(throws: (any Error).self) {
        try old.update(model: PricesV1.Price.self) { $0.set(\.amount, to: 7) }
      }
    }
    #expect(try prices() == (hasSavedBefore ? [300] : []))
  }

  /// A version that has the classes as they are in the store goes on.
  @Test func theSameVersionInAnotherContainerGoesOn() throws {
    let containers = try (0..<2).map { _ in
      try ModelContainer(
        for: Schema(versionedSchema: PricesV1.self), configurations: configuration)
    }
    for amount in 1...3 {
      let context = ModelContext(containers[amount % 2])
      context.insert(PricesV1.Price(amount))
      try context.save()
    }
    #expect(try prices() == [100, 200, 300])
  }

  /// The container that has migrated the store, and those that came while it did, know its version.
  @Test func theOneThatMigratedItGoesOn() throws {
    do {
      let old = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: PricesV1.self), configurations: configuration))
      old.insert(PricesV1.Price(1))
      try old.save()
    }
    let containers = try (0..<2).map { _ in
      try ModelContainer(
        for: Schema(versionedSchema: PricesV2.self), migrationPlan: PricesPlan.self,
        configurations: configuration)
    }
    for (number, container) in containers.enumerated() {
      // Raises SQLite's number of the tables.
      try container.vacuum()
      let context = ModelContext(container)
      context.insert(PricesV2.Price(2 + number))
      try context.save()
    }
    #expect(try prices() == [2, 3, 100])
  }

  /// Where versions have no numbers, a column is gone, and SQLite's words do not say why.
  @Test func aRenamedPropertyIsToldToo() throws {
    let old = ModelContext(
      try ModelContainer(for: Schema([PlainV1.Label.self]), configurations: configuration))
    old.insert(PlainV1.Label("a"))
    try old.save()
    let new = ModelContext(
      try ModelContainer(for: Schema([PlainV2.Label.self]), configurations: configuration))
    #expect(try new.fetch(FetchDescriptor<PlainV2.Label>()).map(\.title) == ["a"])
    old.insert(PlainV1.Label("b"))
    let error = #expect(throws: (any Error).self) { try old.save() }
    let message = "\(error.map { "\($0)" } ?? "")"
    #expect(message.contains("was migrated while it was open"), "\(message)")
  }

  /// What a later program adds is nothing that an earlier one has to know.
  @Test func aPropertyThatIsAddedRefusesNothing() throws {
    let old = ModelContext(
      try ModelContainer(for: Schema([PlainV1.Label.self]), configurations: configuration))
    let new = ModelContext(
      try ModelContainer(for: Schema([PlainV3.Label.self]), configurations: configuration))
    old.insert(PlainV1.Label("a"))
    try old.save()
    #expect(try new.fetch(FetchDescriptor<PlainV3.Label>()).map(\.size) == [12])
  }
}

private enum PricesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Price.self] }
  @Model final class Price {
    var amount: Int
    @Attribute(.externalStorage) var picture: Data?
    init(_ amount: Int) { self.amount = amount }
  }
}

private enum PricesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Price.self] }
  @Model final class Price {
    var amount: Int
    @Attribute(.externalStorage) var picture: Data?
    var currency: String?
    init(_ amount: Int) { self.amount = amount }
  }
}

private enum PricesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PricesV1.self, PricesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PricesV1.self, toVersion: PricesV2.self, willMigrate: nil,
        didMigrate: { context in
          for price in try context.fetch(FetchDescriptor<PricesV2.Price>()) { price.amount *= 100 }
          try context.save()
        })
    ]
  }
}

private enum PlainV1 {
  @Model final class Label {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum PlainV2 {
  @Model final class Label {
    @Attribute(originalName: "name") var title: String
    init(_ title: String) { self.title = title }
  }
}

private enum PlainV3 {
  @Model final class Label {
    var name: String
    var size = 12
    init(_ name: String) { self.name = name }
  }
}
