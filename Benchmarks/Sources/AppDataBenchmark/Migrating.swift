import Foundation
import VaultAppData

// A store of a million rows, brought to the next version by a stage with code that changes every
// row.

enum ReadingsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Reading.self] }
  @Model final class Reading {
    var sensor: String
    var value: Double

    init(_ number: Int) {
      sensor = "sensor \(number % 100)"
      value = Double(number) / 7
    }
  }
}

enum ReadingsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Reading.self] }
  @Model final class Reading {
    var sensor: String
    var value: Double
    var label: String = ""

    init(sensor: String, value: Double) {
      self.sensor = sensor
      self.value = value
    }
  }
}

enum ReadingsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ReadingsV1.self, ReadingsV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ReadingsV1.self, toVersion: ReadingsV2.self, willMigrate: nil,
        didMigrate: { context in
          try context.enumerate(
            FetchDescriptor<ReadingsV2.Reading>(), batchSize: 5_000, allowEscapingMutations: true
          ) { $0.label = "\($0.sensor): \(Int($0.value))" }
          try context.save()
        })
    ]
  }
}

private func configuration(_ folder: String) -> ModelConfiguration {
  ModelConfiguration(url: URL(fileURLWithPath: "\(folder)/readings.store"))
}

/// The rows as the first version has them; a process of its own, for the memory is the next one's.
func makeReadings(folder: String, rows: Int) throws {
  let container = try ModelContainer(
    for: Schema(versionedSchema: ReadingsV1.self), configurations: configuration(folder))
  let context = newContext(container)
  for start in stride(from: 0, to: rows, by: 20_000) {
    for number in start..<min(start + 20_000, rows) { context.insert(ReadingsV1.Reading(number)) }
    try context.save()
  }
}

/// The same change of the same file by hand.
private func updateReadings(folder: String) throws -> Double {
  let copy = "\(folder)/by-hand.store"
  try FileManager.default.copyItem(atPath: "\(folder)/readings.store", toPath: copy)
  let raw = RawSQLite(copy)
  return seconds {
    raw.run("BEGIN")
    raw.run("ALTER TABLE Reading ADD COLUMN label TEXT NOT NULL DEFAULT ''")
    raw.run("UPDATE Reading SET label = sensor || ': ' || CAST(value AS INTEGER)")
    raw.run("COMMIT")
  }
}

/// The migration, and its peak memory.
func migrateReadings(folder: String) throws {
  let byHand = try updateReadings(folder: folder)
  var migrated: ModelContainer?
  let time = try seconds {
    migrated = try ModelContainer(
      for: ReadingsV2.Reading.self, migrationPlan: ReadingsPlan.self,
      configurations: configuration(folder))
  }
  guard let migrated else { exit(1) }
  let context = ModelContext(migrated)
  let rows = try context.fetchCount(FetchDescriptor<ReadingsV2.Reading>())
  let unlabelled = try context.fetchCount(
    FetchDescriptor<ReadingsV2.Reading>(predicate: #Predicate { $0.label == "" }))
  guard rows > 0, unlabelled == 0 else { exit(1) }
  printFigure("migrate by code that changes every row", "vault", rows, time)
  printFigure("migrate by code that changes every row", "C API", rows, byHand)
  print("peak memory of that, bytes\tvault\t\(rows)\t\(try peakMemory())")
}
