import Foundation
import VaultPreferences
import VaultStorage

// preferences-benchmark: reads and writes of one process, ours beside corelibs' UserDefaults, and
// what a change costs among ten, ten thousand and a hundred thousand keys: it must not grow with
// them.
//
// A line for each figure, for Benchmarks/run, which makes the tables: what, whose, how many keys,
// seconds of a call.

let home = try FileManager.default.url(
  for: .itemReplacementDirectory, in: .userDomainMask,
  appropriateFor: FileManager.default.temporaryDirectory, create: true)
defer { try? FileManager.default.removeItem(at: home) }
var sink = 0
for count in [10, 10_000] { try compareCalls(keys: count) }
try measureChanges(keys: [10, 1_000, 10_000, 100_000])
guard sink > 0 else { exit(1) }

/// Prints the least of all rounds; the ways take turns in each.
@MainActor
func compare(
  _ what: String, _ count: Int, rounds: Int = 11, calls: Int,
  _ ways: [(whose: String, body: @MainActor (Int) throws -> Void)]
) throws {
  var times = ways.map { _ in Double.infinity }
  for round in 0..<rounds {
    for (at, way) in ways.enumerated() {
      let start = clock()
      for call in 0..<calls { try way.body(round * calls + call) }
      let elapsed = Double(clock() - start) / Double(CLOCKS_PER_SEC) / Double(calls)
      times[at] = min(times[at], elapsed)
    }
  }
  for (way, time) in zip(ways, times) { print("\(what)\t\(way.whose)\t\(count)\t\(time)") }
}

/// Measures single calls of a store that has so many keys.
@MainActor
func compareCalls(keys count: Int) throws {
  let ours = try PreferenceStore(
    domain: "benchmark", location: StoreLocation(home: "\(home.path)/\(count)"))
  guard let theirs = UserDefaults(suiteName: "vault-benchmark-\(count)") else { exit(1) }
  defer { theirs.removePersistentDomain(forName: "vault-benchmark-\(count)") }
  for number in 0..<count {
    ours.set("value \(number)", forKey: "key\(number)")
    theirs.set("value \(number)", forKey: "key\(number)")
  }
  guard ours.synchronize() else { exit(1) }
  _ = theirs.synchronize()
  let keys = (0..<count).map { "key\($0)" }
  try compare(
    "string(forKey:)", count, calls: 20_000,
    [
      ("vault", { sink += ours.string(forKey: keys[$0 % count])?.utf8.count ?? 0 }),
      ("UserDefaults", { sink += theirs.string(forKey: keys[$0 % count])?.utf8.count ?? 0 }),
    ])
  try compare(
    "integer(forKey:) of a missing key", count, calls: 20_000,
    [
      ("vault", { _ in sink += ours.integer(forKey: "missing") }),
      ("UserDefaults", { _ in sink += theirs.integer(forKey: "missing") }),
    ])
  try compare(
    "set, then get", count, calls: 200,
    [
      (
        "vault",
        {
          ours.set($0, forKey: keys[$0 % count])
          sink += ours.integer(forKey: keys[$0 % count])
        }
      ),
      (
        "UserDefaults",
        {
          theirs.set($0, forKey: keys[$0 % count])
          sink += theirs.integer(forKey: keys[$0 % count])
        }
      ),
    ])
  try compare(
    "set and synchronize", count, rounds: 5, calls: 3,
    [
      (
        "vault",
        {
          ours.set($0, forKey: keys[$0 % count])
          if !ours.synchronize() { exit(1) }
        }
      ),
      (
        "UserDefaults",
        {
          theirs.set($0, forKey: keys[$0 % count])
          if !theirs.synchronize() { exit(1) }
        }
      ),
    ])
}

/// Measures what a change costs, by how many keys the domain has.
@MainActor
func measureChanges(keys counts: [Int]) throws {
  for count in counts {
    let location = StoreLocation(home: "\(home.path)/cost\(count)")
    let store = try PreferenceStore(domain: "cost", location: location)
    // Beside it a reader of its own, as another process has it.
    let reader = try PreferenceStore(domain: "cost", location: location)
    try store.transaction { batch in
      for number in 0..<count { try batch.set(.integer(Int64(number)), forKey: "key\(number)") }
    }
    guard reader.synchronize(), reader.integer(forKey: "key9") == 9 else { exit(1) }
    try compare(
      "open and read one key, by keys", count, rounds: 21, calls: 1,
      [
        (
          "vault",
          { _ in
            let opened = try PreferenceStore(domain: "cost", location: location)
            if opened.integer(forKey: "key7") != 7 { exit(1) }
          }
        )
      ])
    try compare(
      "set, then get, by keys", count, rounds: 21, calls: 200,
      [
        (
          "vault",
          { number in
            store.set(number, forKey: "key\(number % 10)")
            if store.integer(forKey: "key\(number % 10)") != number { exit(1) }
          }
        )
      ])
    guard store.synchronize() else { exit(1) }
    try compare(
      "durable commit of one key, by keys", count, rounds: 21, calls: 5,
      [
        (
          "vault",
          { number in
            try store.transaction { try $0.set(.integer(Int64(-number)), forKey: "key3") }
            if store.integer(forKey: "key3") != -number { exit(1) }
          }
        )
      ])
    try compare(
      "commit, then read by another, by keys", count, rounds: 21, calls: 1,
      [
        (
          "vault",
          { number in
            try store.transaction { try $0.set(.integer(Int64(number)), forKey: "key4") }
            guard reader.synchronize(), reader.integer(forKey: "key4") == number else { exit(1) }
          }
        )
      ])
  }
}
