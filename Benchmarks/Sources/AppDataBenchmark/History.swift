import Foundation
import VaultAppData

/// What a history costs that which is written, beside the same without one.
func compareHistory(rows: Int) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  func containers(_ name: String, _ keepsHistory: Bool?) throws -> [ModelContainer] {
    try (0..<roundCount).map { round in
      var file = ModelConfiguration(url: URL(fileURLWithPath: "\(folder)/\(name)-\(round).store"))
      file.keepsHistory = keepsHistory
      return try ModelContainer(for: Item.self, configurations: file)
    }
  }
  let (with, without) = (try containers("with", true), try containers("without", nil))
  func compareSaves(_ what: String, _ count: Int, _ change: @escaping (ModelContext) throws -> Void)
    throws
  {
    func save(_ container: ModelContainer) throws {
      let context = newContext(container)
      try change(context)
      try context.save()
    }
    try compare(
      what, count,
      [Way("with a history") { try save(with[$0]) }, Way("without") { try save(without[$0]) }])
  }
  try compareSaves("insert", rows) { context in
    for number in 0..<rows { context.insert(Item(number)) }
  }
  // Every tenth row: neighbors that change alike are one row of the history.
  let some = FetchDescriptor<Item>(predicate: #Predicate { $0.count % 10 == 3 })
  try compareSaves("update of every tenth", rows / 10) { context in
    for item in try context.fetch(some) { item.isDone.toggle() }
  }
  try compareSaves("delete of every tenth", rows / 10) { context in
    for item in try context.fetch(some) { context.delete(item) }
  }
}
