import VaultAppData

/// Managed objects beside SQLite's C API: the same rows, one process, in turns.
@main
struct Benchmark {
  static let clock = ContinuousClock()

  static func time(_ body: () throws -> Void) rethrows -> Double {
    let duration = try clock.measure(body)
    return Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds)
      * 1e3
  }

  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    if CommandLine.arguments.contains("walk") { return try walk(folder, count) }
    var ours: [String: [Double]] = [:]
    var raw: [String: [Double]] = [:]
    var names: [String] = []
    func note(_ name: String, _ mine: Double, _ theirs: Double?) {
      if ours[name] == nil { names.append(name) }
      ours[name, default: []].append(mine)
      if let theirs { raw[name, default: []].append(theirs) }
    }
    for round in 0..<5 {
      try measure(folder, round, count, note)
    }
    print("\(count) rows; medians of 5 rounds, in milliseconds")
    for name in names {
      let mine = median(ours[name] ?? [])
      let theirs = raw[name].map(median)
      let ratio = theirs.map { String(format: "%8.1f %6.2fx", $0, mine / $0) } ?? ""
      print(
        name.padding(toLength: 34, withPad: " ", startingAt: 0), String(format: "%8.1f", mine),
        ratio)
    }
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  static func measure(
    _ folder: URL, _ round: Int, _ count: Int, _ note: (String, Double, Double?) -> Void
  ) throws {
    let raw = RawSQLite(path: folder.appendingPathComponent("raw\(round).db").path)
    raw.createTable()
    let container = try ModelContainer(
      for: Person.self,
      configurations: ModelConfiguration(url: folder.appendingPathComponent("a\(round).store")))
    let rawInsert = time { raw.insert(count) }
    var context = ModelContext(container)
    context.autosaveEnabled = false
    note(
      "insert and save",
      try time {
        for number in 0..<count { context.insert(Person(number)) }
        try context.save()
      }, rawInsert)
    var rows: [RawSQLite.Row] = []
    let rawFetch = time { rows = raw.fetch("") }
    context = ModelContext(container)
    context.autosaveEnabled = false
    var people: [Person] = []
    note("fetch all", try time { people = try context.fetch(FetchDescriptor<Person>()) }, rawFetch)
    precondition(people.count == rows.count)
    var sum = 0
    let rawSum = time { for row in rows { sum += row.age } }
    note("read one property of each", time { for person in people { sum -= person.age } }, rawSum)
    precondition(sum == 0)
    note("fetch all again", try time { people = try context.fetch(FetchDescriptor<Person>()) }, nil)
    let keys = (0..<20_000).map { Int64(($0 &* 7_919) % count + 1) }
    var total = 0
    let rawLookUp = time { total = raw.lookUp(keys) }
    let ids = people.map(\.persistentModelID)
    people = []
    let other = ModelContext(container)
    other.autosaveEnabled = false
    note(
      "look up 20,000 by identifier",
      time {
        for key in keys {
          if let person = other.model(for: ids[Int(key) - 1]) as? Person { total -= person.age }
        }
      }, rawLookUp)
    precondition(total == 0)
    var found = 0
    let rawFilter = time { found = raw.fetch("WHERE age<50 ORDER BY name LIMIT 1000").count }
    var descriptor = FetchDescriptor<Person>(
      sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 1_000
    let third = ModelContext(container)
    note(
      "filter, sort, first 1,000", try time { found -= try third.fetch(descriptor).count },
      rawFilter)
    precondition(found == 0)
    let changed = try other.fetch(FetchDescriptor<Person>()).prefix(10_000)
    note(
      "update 10,000",
      try time {
        for person in changed { person.age = 1_000 }
        try other.save()
      }, time { raw.update(1...10_000) })
    note(
      "delete 10,000",
      try time {
        for person in changed { other.delete(person) }
        try other.save()
      }, time { raw.delete(1...10_000) })
  }

  /// One walk over many rows: how much memory it takes.
  static func walk(_ folder: URL, _ count: Int) throws {
    let container = try ModelContainer(
      for: Person.self,
      configurations: ModelConfiguration(url: folder.appendingPathComponent("a.store")))
    for start in stride(from: 0, to: count, by: 10_000) {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      for number in start..<min(start + 10_000, count) { context.insert(Person(number)) }
      try context.save()
    }
    let context = ModelContext(container)
    var total = 0
    let duration = try time {
      try context.enumerate(FetchDescriptor<Person>(), batchSize: 5_000) { total += $0.age }
    }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
    print("walk over \(count) rows:", String(format: "%.0f ms", duration), peak, total)
  }
}
