import Foundation
import VaultAppData

/// Inserts and fetches by the number of rows, beside the C API; a container that is opened again.
func grow() throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var sink = 0
  for rows in [1_000, 10_000, 100_000] {
    let rounds = 3
    let empty = try (0..<rounds).map { try Stores(folder, "grow-\(rows)-\($0)") }
    try compare(
      "insert by rows", rows, rounds: rounds,
      [
        Way("vault") { try empty[$0].insertOurs(rows) }, Way("C API") { empty[$0].insertRaw(rows) },
      ])
    try compare(
      "fetch by rows", rows, rounds: rounds,
      [
        Way("vault") { _ in
          for item in try ModelContext(empty[0].ours).fetch(FetchDescriptor<Item>()) {
            sink += item.count
          }
        },
        Way("C API") { _ in
          let all = empty[0].raw.prepare("SELECT * FROM item")
          while all.step() { sink += Plain(all).count }
        },
      ])
  }
  let first = try container(folder, "again")
  try compare(
    "open a container again", 3, [Way("vault") { _ in _ = try container(folder, "again") }])
  withExtendedLifetime(first) {}
  guard sink != 0 else { exit(1) }
}

/// A million rows through one context, saved by 20,000.
func insertMany(folder: String, rows: Int) throws {
  let context = newContext(try container(folder))
  let time = try seconds {
    for start in stride(from: 0, to: rows, by: 20_000) {
      for number in start..<min(start + 20_000, rows) { context.insert(Item(number)) }
      try context.save()
    }
  }
  printFigure("insert through one context", "vault", rows, time)
  print("peak memory of that, bytes\tvault\t\(rows)\t\(try peakMemory())")
}

/// All rows, one after another, in batches.
func walk(folder: String) throws {
  let context = ModelContext(try container(folder))
  var sum = 0
  var rows = 0
  let time = try seconds {
    try context.enumerate(FetchDescriptor<Item>(), batchSize: 5_000) { item in
      sum += item.count
      rows += 1
    }
  }
  guard sum > 0 else { exit(1) }
  printFigure("enumerate by 5,000", "vault", rows, time)
  print("peak memory of that, bytes\tvault\t\(rows)\t\(try peakMemory())")
}
