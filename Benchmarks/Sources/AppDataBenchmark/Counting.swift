import Foundation
import VaultAppData

/// Does one thing again and again, for a counter of instructions: the difference of two counts,
/// with other rounds, is what the rounds cost.
func repeatRounds(of what: String, rounds: Int, rows: Int = 10_000) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let store = try container(folder)
  func insert() throws {
    let context = newContext(store)
    for number in 0..<rows { context.insert(Item(number)) }
    try context.save()
  }
  var descriptor = FetchDescriptor<Item>()
  descriptor.fetchLimit = rows
  try insert()
  for _ in 0..<rounds {
    let context = newContext(store)
    switch what {
    case "insert": try insert()
    case "fetch": for item in try context.fetch(descriptor) { _ = item.count }
    case "update":
      for item in try context.fetch(descriptor) { item.count += 1 }
      try context.save()
    default: exit(64)
    }
  }
}
