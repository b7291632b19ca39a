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

/// The same store for a stage that says what is to be computed, instead of doing it for each object.
enum ScaledReadingsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Reading.self] }
  @Model final class Reading {
    var sensor: String
    var value: Double
    var fahrenheit: Double = 0

    init(sensor: String, value: Double) {
      self.sensor = sensor
      self.value = value
    }
  }
}

enum ScaledReadingsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ReadingsV1.self, ScaledReadingsV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ReadingsV1.self, toVersion: ScaledReadingsV2.self, willMigrate: nil,
        didMigrate: { context in
          try context.update(model: ScaledReadingsV2.Reading.self) {
            $0.set(\.fahrenheit, to: #Expression { $0.value * 1.8 + 32 })
          }
        })
    ]
  }
}

private func configuration(_ folder: String, _ name: String = "readings") -> ModelConfiguration {
  ModelConfiguration(url: URL(fileURLWithPath: "\(folder)/\(name).store"))
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

/// Copies the store, before anything migrates it.
private func copyReadings(_ folder: String, _ name: String) throws -> String {
  let copy = "\(folder)/\(name).store"
  try FileManager.default.copyItem(atPath: "\(folder)/readings.store", toPath: copy)
  return copy
}

/// The same change of a copy by hand.
private func updateReadings(_ copy: String, column: String, _ change: String) -> Double {
  let raw = RawSQLite(copy)
  return seconds {
    raw.run("BEGIN")
    raw.run("ALTER TABLE Reading ADD COLUMN \(column)")
    raw.run("UPDATE Reading SET \(change)")
    raw.run("COMMIT")
  }
}

/// The same change of a copy by code for each row, by hand: what no stage of objects can be below.
private func updateByRow(_ copy: String) -> Double {
  let raw = RawSQLite(copy)
  return seconds {
    raw.run("BEGIN")
    raw.run("ALTER TABLE Reading ADD COLUMN label TEXT NOT NULL DEFAULT ''")
    let read = raw.prepare(
      "SELECT _id, sensor, value FROM Reading WHERE _id>? ORDER BY _id LIMIT ?")
    let update = raw.prepare("UPDATE Reading SET label=? WHERE _id=?")
    var last: Int64 = 0
    while true {
      var labels: [(Int64, String)] = []
      read.bind(1, last)
      read.bind(2, Int64(5_000))
      while read.step() {
        last = read.integer(0)
        labels.append((last, "\(read.text(1) ?? ""): \(Int(read.real(2)))"))
      }
      read.reset()
      if labels.isEmpty { break }
      for (id, label) in labels {
        update.bind(1, label)
        update.bind(2, id)
        _ = update.step()
        update.reset()
      }
    }
    raw.run("COMMIT")
  }
}

/// A stage that changes all rows by one expression.
private func scaleReadings(folder: String, _ copy: String) throws {
  let what = "migrate by an expression for every row"
  let byHand = updateReadings(
    copy, column: "fahrenheit REAL NOT NULL DEFAULT 0", "fahrenheit = value * 1.8 + 32")
  var migrated: ModelContainer?
  let time = try seconds {
    migrated = try ModelContainer(
      for: ScaledReadingsV2.Reading.self, migrationPlan: ScaledReadingsPlan.self,
      configurations: configuration(folder, "scaled"))
  }
  guard let migrated else { exit(1) }
  let context = ModelContext(migrated)
  let rows = try context.fetchCount(FetchDescriptor<ScaledReadingsV2.Reading>())
  let unscaled = try context.fetchCount(
    FetchDescriptor<ScaledReadingsV2.Reading>(predicate: #Predicate { $0.fahrenheit < 32 }))
  guard rows > 0, unscaled == 0 else { exit(1) }
  printFigure(what, "vault", rows, time)
  printFigure(what, "C API", rows, byHand)
}

/// The migrations, and the peak memory of the one that changes objects.
func migrateReadings(folder: String) throws {
  let scaledByHand = try copyReadings(folder, "scaled-by-hand")
  _ = try copyReadings(folder, "scaled")
  let byRow = updateByRow(try copyReadings(folder, "by-row"))
  let byHand = updateReadings(
    try copyReadings(folder, "by-hand"), column: "label TEXT NOT NULL DEFAULT ''",
    "label = sensor || ': ' || CAST(value AS INTEGER)")
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
  printFigure("migrate by code that changes every row", "C API by row", rows, byRow)
  print("peak memory of that, bytes\tvault\t\(rows)\t\(try peakMemory())")
  try scaleReadings(folder: folder, scaledByHand)
}
