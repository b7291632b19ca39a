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
try compareSchema(keys: 200)
try measureFrames(keys: [10, 50_000])
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

/// Measures what a schema with a live text file costs: the same calls with it and without.
@MainActor
func compareSchema(keys count: Int) throws {
  let location = StoreLocation(home: "\(home.path)/schema")
  let plain = try PreferenceStore(domain: "plain", location: location)
  let used = try PreferenceStore(domain: "used", location: location)
  let folder = "\(home.path)/configuration"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  try Data("key1 = 1\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/used.toml"))
  let keys = (0..<count).map { number in
    PreferenceKey("key\(number)", default: number).limited(to: 0...100_000_000)
  }
  try used.use(
    PreferenceSchema(keys: keys.map(\.schema), environmentPrefix: "USED", textFile: .below),
    environment: ["XDG_CONFIG_HOME": folder, "USED_KEY199": "1"])
  let ways = [("schema", used), ("plain", plain)]
  for (_, store) in ways {
    for key in keys { try store.setValue(1, for: key) }
    guard store.synchronize() else { exit(1) }
  }
  try compare(
    "set, then get, schema of 200 keys", count, rounds: 21, calls: 200,
    ways.map { whose, store in
      (
        whose,
        { number in
          store.set(number, forKey: "key\(number % 10)")
          if store.integer(forKey: "key\(number % 10)") != number { exit(1) }
        }
      )
    })
  try compare(
    "durable commit, schema of 200 keys", count, rounds: 21, calls: 5,
    ways.map { whose, store in
      (
        whose,
        { number in
          try store.transaction { try $0.set(.integer(Int64(number)), forKey: "key3") }
          if store.integer(forKey: "key3") != number { exit(1) }
        }
      )
    })
}

/// Measures the longest of 300 frames, 60 a second, each of which sets one key and reads fifty, while
/// changes go to the disk and an observer is told.
///
/// By the clock: what waits for a lock or the disk is what a person sees. Beside it the longest of as
/// many that do nothing but sleep and read the clock: what the machine itself adds.
@MainActor
func measureFrames(keys counts: [Int]) throws {
  for count in counts {
    let store = try PreferenceStore(
      domain: "frames", location: StoreLocation(home: "\(home.path)/frames\(count)"))
    try store.transaction { batch in
      for number in 0..<count { try batch.set(.integer(Int64(number)), forKey: "key\(number)") }
    }
    let observer = store.observe(key: "key1")
    defer { observer.cancel() }
    // The first change of a day is followed by a copy of the store.
    store.set(0, forKey: "key1")
    usleep(2_000_000)
    var longest = (vault: 0.0, machine: 0.0)
    let clock = ContinuousClock()
    func seconds(_ body: () -> Void) -> Double {
      let (seconds, attoseconds) = clock.measure(body).components
      return Double(seconds) + Double(attoseconds) / 1e18
    }
    for frame in 0..<300 {
      longest.machine = max(longest.machine, seconds { sink += frame & 1 })
      let time = seconds {
        store.set(frame, forKey: "key1")
        for key in 0..<50 { sink += store.integer(forKey: "key\((frame * 50 + key) % count)") & 1 }
      }
      longest.vault = max(longest.vault, time)
      usleep(16_000)
    }
    print("longest of 300 frames, by keys\tvault\t\(count)\t\(longest.vault)")
    print("longest of 300 frames, by keys\tnothing\t\(count)\t\(longest.machine)")
  }
}

extension PreferenceStore {
  /// Takes a key's changes until it is canceled.
  func observe(key: String) -> Task<Void, Never> {
    let changes = changes(of: key)
    return Task.detached { for await _ in changes {} }
  }
}
