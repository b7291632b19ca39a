import Foundation
import GRDB
import VaultAppData

// appdata-benchmark [ROWS]: managed objects beside the C API and GRDB's Codable records, same rows, one run.
// appdata-benchmark walk FOLDER: a walk over the million rows that `fill FOLDER` made, and its peak memory.

// appdata-benchmark scale: what each of many children of one object costs, and identifiers beside many objects.

// With `cpu` as the last argument the processor's time counts, not the clock's: on a machine with other work.

let isProcessorTime = CommandLine.arguments.last == "cpu"
let arguments = CommandLine.arguments.dropFirst().filter { $0 != "cpu" }
switch arguments.first {
case "fill": try fill(folder: arguments.dropFirst().first ?? ".", rows: 1_000_000)
case "scale": try scale()
case "walk": try walk(folder: arguments.dropFirst().first ?? ".")
default: try compare(rows: Int(arguments.first ?? "") ?? 100_000)
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
  guard isProcessorTime else { return try ContinuousClock().measure { try body() } / .seconds(1) }
  let start = clock()
  try body()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

/// The medians of what all take, one after the other in each round: on a machine that is now quicker, now slower.
func medians(rounds: Int = 7, _ bodies: [(Int) throws -> Void]) throws -> [Double] {
  var times = bodies.map { _ in [Double]() }
  for round in 0..<rounds {
    for (at, body) in bodies.enumerated() { times[at].append(try seconds { try body(round) }) }
  }
  return times.map { $0.sorted()[rounds / 2] }
}

/// A line of the table: vault, the C API, and then GRDB's records or the floor, where there are such.
func row(
  _ what: String, ours: (Int) throws -> Void, raw: (Int) throws -> Void,
  grdb: ((Int) throws -> Void)? = nil, floor: ((Int) -> Void)? = nil
) throws {
  try withoutActuallyEscaping(ours) { ours in
    try withoutActuallyEscaping(raw) { raw in
      let times = try medians([ours, raw] + [grdb, floor].compactMap { $0 })
      func ms(_ value: Double) -> String { String(format: "%.1f ms", value * 1_000) }
      func beside(_ at: Int, _ value: Double) -> String {
        "\(ms(times[at])) (\(String(format: "%.2f", value / times[at])))"
      }
      let theirs = grdb == nil ? "–" : beside(2, times[0])
      print("| \(what) | \(ms(times[0])) | \(beside(1, times[0])) | \(theirs) |")
      guard floor != nil, let bare = times.last else { return }
      print(
        "| floor of that: bare classes, observed and weakly known by key | \(ms(bare)) | \(beside(1, bare)) | – |"
      )
    }
  }
}

func container(_ folder: String, _ name: String = "ours") throws -> ModelContainer {
  let schema = Schema([Item.self, Folder.self, Entry.self])
  let configuration = ModelConfiguration(
    schema: schema, url: URL(fileURLWithPath: "\(folder)/\(name).store"))
  return try ModelContainer(for: schema, configurations: [configuration])
}

func fill(folder: String, rows: Int) throws {
  let container = try container(folder)
  let context = ModelContext(container)
  context.autosaveEnabled = false
  for start in stride(from: 0, to: rows, by: 20_000) {
    try autoreleasing {
      for number in start..<min(start + 20_000, rows) { context.insert(Item(number)) }
      try context.save()
    }
  }
}

func autoreleasing(_ body: () throws -> Void) rethrows { try body() }

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
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
  print(
    "walk over \(rows) rows: \(String(format: "%.2f s", time)), peak \(peak.dropFirst(6).trimmingCharacters(in: .whitespaces)), sum \(sum)"
  )
}

/// The same empty table three times.
struct Stores {
  let ours: ModelContainer
  let raw: RawSQLite
  let grdb: DatabaseQueue

  init(_ folder: String, _ name: String) throws {
    ours = try container(folder, name)
    raw = RawSQLite("\(folder)/\(name)-raw.sqlite")
    raw.run(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, amount REAL, count INTEGER, created REAL, "
        + "isDone INTEGER, note TEXT)")
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous=FULL") }
    grdb = try DatabaseQueue(
      path: "\(folder)/\(name)-grdb.sqlite", configuration: configuration)
    try grdb.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode=WAL") }
    try grdb.write { database in
      try database.execute(
        sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, amount REAL, count INTEGER, "
          + "created DATETIME, isDone BOOLEAN, note TEXT)")
    }
  }

  func insertOurs(_ rows: Int) throws {
    let context = ModelContext(ours)
    context.autosaveEnabled = false
    for number in 0..<rows { context.insert(Item(number)) }
    try context.save()
  }

  func insertRaw(_ rows: Int) {
    let insert = raw.prepare("INSERT INTO item VALUES(NULL,?,?,?,?,?,?)")
    raw.run("BEGIN IMMEDIATE")
    for number in 0..<rows {
      insert.bind(1, "item \(number)")
      insert.bind(2, Double(number) / 7)
      insert.bind(3, Int64(number % 1_000))
      insert.bind(4, Double(number))
      insert.bind(5, Int64(number % 2 == 0 ? 1 : 0))
      insert.bind(6, number % 3 == 0 ? "note \(number)" : nil)
      _ = insert.step()
      insert.reset()
    }
    raw.run("COMMIT")
  }

  func insertGRDB(_ rows: Int) throws {
    try grdb.write { database in
      for number in 0..<rows {
        var record = Record(number)
        try record.insert(database)
      }
    }
  }
}

func compare(rows: Int) throws {
  let folder = FileManager.default.temporaryDirectory.path + "/vault-bench-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  print("| \(rows) rows | vault | C API (ratio) | GRDB records (ratio) |")
  print("| --- | --- | --- | --- |")
  let rounds = 7
  // One in ten is changed, and one in ten deleted in each round.
  let some = rows / 10
  var sink = 0

  // Insert and save, each time into an empty store.
  let empty = try (0..<rounds).map { try Stores(folder, "store-\($0)") }
  try row(
    "insert and save",
    ours: { try empty[$0].insertOurs(rows) }, raw: { empty[$0].insertRaw(rows) },
    grdb: { try empty[$0].insertGRDB(rows) })
  let store = empty[0].ours
  let raw = empty[0].raw
  let queue = empty[0].grdb

  // All rows, each property read.
  try row(
    "fetch all, read every property",
    ours: { _ in
      for item in try ModelContext(store).fetch(FetchDescriptor<Item>()) {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    },
    raw: { _ in
      let all = raw.prepare("SELECT * FROM item")
      var found: [Plain] = []
      while all.step() { found.append(Plain(all)) }
      for item in found {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    },
    grdb: { _ in
      for item in try queue.read({ try Record.fetchAll($0) }) {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    },
    floor: { _ in sink += floorOfFetching(raw) })

  // One row at a time, in an order that no cache likes.
  let identifiers = try ModelContext(store).fetchIdentifiers(FetchDescriptor<Item>())
  let looked = (0..<10_000).map { ($0 * 7_919) % rows }
  try row(
    "10,000 lookups by id",
    ours: { _ in
      let context = ModelContext(store)
      for at in looked { sink += (context.model(for: identifiers[at]) as? Item)?.count ?? 0 }
    },
    raw: { _ in
      let one = raw.prepare("SELECT * FROM item WHERE id=?")
      for at in looked {
        one.bind(1, Int64(at + 1))
        if one.step() { sink += Plain(one).count }
        one.reset()
      }
    },
    grdb: { _ in
      try queue.read { database in
        for at in looked { sink += try Record.fetchOne(database, key: at + 1)?.count ?? 0 }
      }
    })

  // A condition and an order.
  let condition = #Predicate<Item> { $0.count > 500 && $0.isDone }
  try row(
    "filter and sort",
    ours: { _ in
      sink += try ModelContext(store).fetch(
        FetchDescriptor<Item>(
          predicate: condition, sortBy: [SortDescriptor(\.amount, order: .reverse)])
      ).count
    },
    raw: { _ in
      let some = raw.prepare("SELECT * FROM item WHERE count>500 AND isDone ORDER BY amount DESC")
      var found: [Plain] = []
      while some.step() { found.append(Plain(some)) }
      sink += found.count
    },
    grdb: { _ in
      sink += try queue.read { database in
        try Record.filter(Column("count") > 500 && Column("isDone"))
          .order(Column("amount").desc).fetchAll(database)
      }.count
    })

  // Change and delete some.
  try row(
    "update \(some)",
    ours: { _ in
      let context = ModelContext(store)
      context.autosaveEnabled = false
      var descriptor = FetchDescriptor<Item>()
      descriptor.fetchLimit = some
      for item in try context.fetch(descriptor) { item.count += 1 }
      try context.save()
    },
    raw: { _ in
      raw.run("BEGIN IMMEDIATE")
      let all = raw.prepare("SELECT * FROM item LIMIT \(some)")
      var found: [Plain] = []
      while all.step() { found.append(Plain(all)) }
      let update = raw.prepare("UPDATE item SET count=? WHERE id=?")
      for item in found {
        update.bind(1, Int64(item.count + 1))
        update.bind(2, item.id)
        _ = update.step()
        update.reset()
      }
      all.reset()
      raw.run("COMMIT")
    },
    grdb: { _ in
      try queue.write { database in
        for var record in try Record.limit(some).fetchAll(database) {
          try record.updateChanges(database) { $0.count += 1 }
        }
      }
    })
  try row(
    "delete \(some)",
    ours: { _ in
      let context = ModelContext(store)
      context.autosaveEnabled = false
      var descriptor = FetchDescriptor<Item>()
      descriptor.fetchLimit = some
      for item in try context.fetch(descriptor) { context.delete(item) }
      try context.save()
    },
    raw: { _ in
      raw.run("BEGIN IMMEDIATE")
      let all = raw.prepare("SELECT * FROM item LIMIT \(some)")
      var found: [Plain] = []
      while all.step() { found.append(Plain(all)) }
      let delete = raw.prepare("DELETE FROM item WHERE id=?")
      for item in found {
        delete.bind(1, item.id)
        _ = delete.step()
        delete.reset()
      }
      all.reset()
      raw.run("COMMIT")
    },
    grdb: { _ in
      try queue.write { database in
        for record in try Record.limit(some).fetchAll(database) { try record.delete(database) }
      }
    })

  // A thousand folders of twenty entries.
  let context = ModelContext(store)
  context.autosaveEnabled = false
  raw.run("CREATE TABLE folder(id INTEGER PRIMARY KEY, title TEXT)")
  raw.run("CREATE TABLE entry(id INTEGER PRIMARY KEY, text TEXT, folder INTEGER)")
  raw.run("CREATE INDEX entry_folder ON entry(folder)")
  raw.run("BEGIN")
  for number in 0..<1_000 {
    let folder = Folder(title: "folder \(number)")
    context.insert(folder)
    raw.run("INSERT INTO folder VALUES(\(number),'folder \(number)')")
    for at in 0..<20 {
      folder.entries.append(Entry(text: "entry \(at)"))
      raw.run("INSERT INTO entry VALUES(NULL,'entry \(at)',\(number))")
    }
  }
  raw.run("COMMIT")
  try context.save()
  for prefetches in [false, true] {
    try row(
      "to-many of 1,000 × 20, \(prefetches ? "prefetched" : "on demand")",
      ours: { _ in
        var descriptor = FetchDescriptor<Folder>()
        if prefetches { descriptor.relationshipKeyPathsForPrefetching = [\.entries] }
        // Held: objects lead nowhere without their context.
        let context = ModelContext(store)
        for folder in try context.fetch(descriptor) {
          for entry in folder.entries { sink += entry.text.utf8.count }
        }
        withExtendedLifetime(context) {}
      },
      raw: { _ in
        let folders = raw.prepare("SELECT id FROM folder")
        let entries = raw.prepare("SELECT id,text FROM entry WHERE folder=? ORDER BY id")
        while folders.step() {
          entries.bind(1, folders.integer(0))
          while entries.step() { sink += entries.text(1)?.utf8.count ?? 0 }
          entries.reset()
        }
      },
      floor: prefetches ? { _ in sink += floorOfTraversal(raw) } : nil)
  }
  guard sink != 0 else { exit(1) }
}
