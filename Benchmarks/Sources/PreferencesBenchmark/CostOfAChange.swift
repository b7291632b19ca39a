import Foundation
import VaultPreferences
import VaultStorage

/// What a change costs, by how many keys the domain has: three tables' rows, each with its ratio to ten keys.
///
/// The counts take turns in every round, so that what else the machine does is shared by all.
func printCostOfAChange(home: String) throws {
  let counts = [10, 10_000, 100_000]
  let stores = try counts.map { count in
    try PreferenceStore(
      domain: "cost", location: StoreLocation(home: "\(home)/cost\(count)"))
  }
  // Beside each a reader of its own, as another process has it.
  let readers = try counts.map { count in
    try PreferenceStore(
      domain: "cost", location: StoreLocation(home: "\(home)/cost\(count)"))
  }
  for (count, store) in zip(counts, stores) {
    try store.transaction { batch in
      for number in 0..<count { try batch.set(.integer(Int64(number)), forKey: "key\(number)") }
    }
    guard store.integer(forKey: "key9") == 9 else { exit(1) }
  }
  for reader in readers {
    guard reader.synchronize(), reader.integer(forKey: "key9") == 9 else { exit(1) }
  }

  func measure(
    _ what: String, rounds: Int, calls: Int, before: (Int, Int) throws -> Void = { _, _ in },
    _ body: (Int, Int) throws -> Void
  ) rethrows {
    let clock = ContinuousClock()
    var times = counts.map { _ in [Double]() }
    for round in 0..<rounds {
      for index in counts.indices {
        try before(index, round)
        let elapsed = try clock.measure {
          for call in 0..<calls { try body(index, round * calls + call) }
        }
        times[index].append(elapsed / .microseconds(1) / Double(calls))
      }
    }
    let medians = times.map { $0.sorted()[rounds / 2] }
    let columns = medians.map { median in
      String(format: "%.1f µs (%.2f)", median, median / medians[0])
    }
    print("| \(what) | \(columns.joined(separator: " | ")) |")
  }

  print("\n| a change, by keys of the domain | 10 | 10,000 | 100,000 |\n| --- | --- | --- | --- |")
  try measure("opened, and one key read", rounds: 21, calls: 1) { index, _ in
    let store = try PreferenceStore(
      domain: "cost", location: StoreLocation(home: "\(home)/cost\(counts[index])"))
    if store.integer(forKey: "key7") != 7 { exit(1) }
  }
  try measure("set and read", rounds: 41, calls: 200) { index, number in
    let key = "key\(number % 10)"
    stores[index].set(number, forKey: key)
    if stores[index].integer(forKey: key) != number { exit(1) }
  }
  for store in stores { guard store.synchronize() else { exit(1) } }
  try measure("a transaction of one key, on the disk", rounds: 41, calls: 5) { index, number in
    try stores[index].transaction { try $0.set(.integer(Int64(-number)), forKey: "key3") }
    if stores[index].integer(forKey: "key3") != -number { exit(1) }
  }
  try measure(
    "another's change, from its commit until it is read", rounds: 201, calls: 1,
    before: { index, round in
      try stores[index].transaction {
        try $0.set(.integer(Int64(round)), forKey: "key\(round % 10)")
      }
    }
  ) { index, round in
    guard readers[index].synchronize() else { exit(1) }
    if readers[index].integer(forKey: "key\(round % 10)") != round { exit(1) }
  }
}
