import SwiftData
import TestSupport
import Testing

/// A store whose schema is none of the plan's: what the plan has otherwise is named.
struct UnknownSchemaTests {
  private let home: TemporaryHome
  private let url: URL

  init() throws {
    home = try TemporaryHome()
    url = URL(fileURLWithPath: "\(home.path)/a.store")
    let container = try ModelContainer(
      for: Schema(versionedSchema: Written.self), configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Written.Road("a"))
    context.insert(Written.Bridge("b"))
    try context.save()
  }

  private func refusal(_ plan: any SchemaMigrationPlan.Type) throws -> SwiftDataError {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Later.Road.self, migrationPlan: plan, configurations: ModelConfiguration(url: url))
    }
    return try #require(error)
  }

  @Test func aModelThatThePlanHasForgottenIsNamed() throws {
    let error = try refusal(Forgetful.self)
    #expect(error == .unknownSchema)
    #expect(error.message.hasSuffix("can migrate; its schema 1.0.0 lacks Bridge"), "\(error)")
    #expect(
      error.recovery == "give the migration plan a schema with the classes as the store has them")
  }

  @Test func propertiesThatThePlanHasOtherwiseAreNamed() throws {
    let error = try refusal(Changed.self)
    #expect(
      error.message.hasSuffix(
        "its schema 1.0.0 lacks Bridge.height, and has Road.length, Toll as well, and declares "
          + "Road.name otherwise"), "\(error)")
  }

  @Test func versionsOfThePlanAreNamedWhereTheStoreHasAnother() throws {
    let error = try refusal(TooLate.self)
    #expect(error.message.hasSuffix("can migrate; it knows 2.0.0, 3.0.0"), "\(error)")
  }

  /// No plan helps where the container was made without the class.
  @Test func aClassThatTheContainerDoesNotKnowIsNamed() throws {
    let container = try ModelContainer(
      for: Later.Road.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let error = try #require(
      #expect(throws: SwiftDataError.self) {
        try ModelContext(container).fetch(FetchDescriptor<Written.Bridge>())
      })
    #expect(
      "\(error)" == "unknownSchema: Bridge is not in the container's schema (make the container "
        + "with the model's class)")
  }
}

private enum Written: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Road.self, Bridge.self] }

  @Model final class Road {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Bridge {
    var name: String
    var height = 1
    init(_ name: String) { self.name = name }
  }
}

private enum Other: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Road.self, Bridge.self, Toll.self] }

  @Model final class Road {
    var name: Int
    var length = 1
    init(_ name: Int) { self.name = name }
  }
  @Model final class Bridge {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Toll {
    var price = 1
    init() {}
  }
}

private enum Short: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Written.Road.self] }
}

private enum Later: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Road.self] }

  @Model final class Road {
    var name: String
    var note: String?
    init(_ name: String) { self.name = name }
  }
}

private enum Latest: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Later.Road.self] }
}

private enum Forgetful: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Short.self, Later.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Short.self, toVersion: Later.self)]
  }
}

private enum Changed: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Other.self, Later.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Other.self, toVersion: Later.self)]
  }
}

private enum TooLate: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Later.self, Latest.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: Later.self, toVersion: Latest.self)]
  }
}
