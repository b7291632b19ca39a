import Foundation
import VaultAppData

// The properties of `Item`, in a class and one that inherits from it.

@Model
class Vessel {
  var name: String
  var amount: Double
  var count: Int
  var created: Date

  init(_ number: Int) {
    name = "item \(number)"
    amount = Double(number) / 7
    count = number % 1_000
    created = Date(timeIntervalSinceReferenceDate: Double(number))
  }
}

@Model
final class Ferry: Vessel {
  var isDone: Bool
  var note: String?

  override init(_ number: Int) {
    isDone = true
    note = number % 3 == 0 ? "note \(number)" : nil
    super.init(number)
  }
}

/// What a class costs that others inherit from, beside one class with all properties.
///
/// Every other object is of the subclass; among the flat ones, `isDone` tells these.
func compareFamilies(rows: Int) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  func containers(_ name: String, _ schema: Schema) throws -> [ModelContainer] {
    try (0..<roundCount).map { round in
      let file = ModelConfiguration(url: URL(fileURLWithPath: "\(folder)/\(name)-\(round).store"))
      return try ModelContainer(for: schema, configurations: file)
    }
  }
  let families = try containers("family", Schema([Vessel.self, Ferry.self]))
  let flat = try containers("flat", Schema([Item.self]))
  try compare(
    "insert, half of a subclass", rows,
    [
      Way("a family") { round in
        let context = newContext(families[round])
        for number in 0..<rows {
          context.insert(number % 2 == 0 ? Ferry(number) : Vessel(number))
        }
        try context.save()
      },
      Way("a flat class") { round in
        let context = newContext(flat[round])
        for number in 0..<rows { context.insert(Item(number)) }
        try context.save()
      },
    ])
  var sink = 0
  try compare(
    "fetch of the base, read its properties", rows,
    [
      Way("a family") { _ in
        for vessel in try ModelContext(families[0]).fetch(FetchDescriptor<Vessel>()) {
          sink += vessel.name.utf8.count + vessel.count + Int(vessel.amount)
        }
      },
      Way("a flat class") { _ in
        for item in try ModelContext(flat[0]).fetch(FetchDescriptor<Item>()) {
          sink += item.name.utf8.count + item.count + Int(item.amount)
        }
      },
    ])
  let isDone = FetchDescriptor<Item>(predicate: #Predicate { $0.isDone })
  try compare(
    "fetch of the subclass, read all properties", rows / 2,
    [
      Way("a family") { _ in
        for ferry in try ModelContext(families[0]).fetch(FetchDescriptor<Ferry>()) {
          sink +=
            ferry.name.utf8.count + ferry.count + Int(ferry.amount)
            + (ferry.note?.utf8.count ?? 0) + (ferry.isDone ? 1 : 0)
        }
      },
      Way("a flat class") { _ in
        for item in try ModelContext(flat[0]).fetch(isDone) {
          sink +=
            item.name.utf8.count + item.count + Int(item.amount)
            + (item.note?.utf8.count ?? 0) + (item.isDone ? 1 : 0)
        }
      },
    ])
  guard sink != 0 else { exit(1) }
}
