import Foundation
import GRDB
import VaultAppData

// appdata-benchmark [ROWS]: managed objects beside the C API and GRDB's Codable records, same rows, one run.
// appdata-benchmark walk FOLDER: a walk over the million rows that `fill FOLDER` made, and its peak memory.

// With `cpu` as the last argument the processor's time counts, not the clock's: on a machine with other work.

let isProcessorTime = CommandLine.arguments.last == "cpu"
let arguments = CommandLine.arguments.dropFirst().filter { $0 != "cpu" }
switch arguments.first {
case "fill": try fill(folder: arguments.dropFirst().first ?? ".", rows: 1_000_000)
case "walk": try walk(folder: arguments.dropFirst().first ?? ".")
default: try compare(rows: Int(arguments.first ?? "") ?? 100_000)
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
  guard isProcessorTime else { return try ContinuousClock().measure { try body() } / .seconds(1) }
  let start = clock()
  try body()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

@discardableResult
func row(_ what: String, _ ours: Double, raw: Double, grdb: Double?) -> Double {
  func ms(_ value: Double) -> String { String(format: "%.1f ms", value * 1_000) }
  func ratio(_ value: Double) -> String { String(format: "%.2f", ours / value) }
  let theirs = grdb.map { "\(ms($0)) (\(ratio($0)))" } ?? "–"
  print("| \(what) | \(ms(ours)) | \(ms(raw)) (\(ratio(raw))) | \(theirs) |")
  return raw
}

/// What the objects cost alone, beside the row's line before.
func floorRow(raw: Double, _ body: () -> Void) {
  let time = (0..<3).map { _ in seconds(body) }.sorted()[1]
  print(
    "| floor of that: bare classes, observed and known by key | "
      + String(format: "%.1f ms", time * 1_000) + " | "
      + String(format: "%.1f ms (%.2f) | – |", raw * 1_000, time / raw))
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

func compare(rows: Int) throws {
  let folder = FileManager.default.temporaryDirectory.path + "/vault-bench-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  print("| \(rows) rows | vault | C API (ratio) | GRDB records (ratio) |")
  print("| --- | --- | --- | --- |")

  let store = try container(folder)
  let raw = RawSQLite("\(folder)/raw.sqlite")
  raw.run(
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, amount REAL, count INTEGER, created REAL, "
      + "isDone INTEGER, note TEXT)")
  let queue = try DatabaseQueue(
    path: "\(folder)/grdb.sqlite",
    configuration: {
      var configuration = Configuration()
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous=FULL") }
      return configuration
    }())
  try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode=WAL") }
  try queue.write { database in
    try database.execute(
      sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, amount REAL, count INTEGER, "
        + "created DATETIME, isDone BOOLEAN, note TEXT)")
  }
  var sink = 0

  // Insert and save.
  let ours = try seconds {
    let context = ModelContext(store)
    context.autosaveEnabled = false
    for number in 0..<rows { context.insert(Item(number)) }
    try context.save()
  }
  let insert = raw.prepare("INSERT INTO item VALUES(NULL,?,?,?,?,?,?)")
  let theirs = seconds {
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
  let records = try seconds {
    try queue.write { database in
      for number in 0..<rows {
        var record = Record(number)
        try record.insert(database)
      }
    }
  }
  row("insert and save", ours, raw: theirs, grdb: records)

  // All rows, each property read.
  func median(_ body: () throws -> Void) rethrows -> Double {
    try (0..<3).map { _ in try seconds(body) }.sorted()[1]
  }
  let rawFetch = row(
    "fetch all, read every property",
    try median {
      for item in try ModelContext(store).fetch(FetchDescriptor<Item>()) {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    },
    raw: median {
      let all = raw.prepare("SELECT * FROM item")
      var found: [Plain] = []
      while all.step() { found.append(Plain(all)) }
      for item in found {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    },
    grdb: try median {
      for item in try queue.read({ try Record.fetchAll($0) }) {
        sink += item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0)
        sink += Int(item.amount) + Int(item.created.timeIntervalSinceReferenceDate)
        sink += item.isDone ? 1 : 0
      }
    })

  floorRow(raw: rawFetch) { sink += floorOfFetching(raw) }

  // One row at a time, in an order that no cache likes.
  let identifiers = try ModelContext(store).fetchIdentifiers(FetchDescriptor<Item>())
  let looked = (0..<10_000).map { ($0 * 7_919) % rows }
  row(
    "10,000 lookups by id",
    median {
      let context = ModelContext(store)
      for at in looked { sink += (context.model(for: identifiers[at]) as? Item)?.count ?? 0 }
    },
    raw: median {
      let one = raw.prepare("SELECT * FROM item WHERE id=?")
      for at in looked {
        one.bind(1, Int64(at + 1))
        if one.step() { sink += Plain(one).count }
        one.reset()
      }
    },
    grdb: try median {
      try queue.read { database in
        for at in looked { sink += try Record.fetchOne(database, key: at + 1)?.count ?? 0 }
      }
    })

  // A condition and an order.
  let condition = #Predicate<Item> { $0.count > 500 && $0.isDone }
  row(
    "filter and sort",
    try median {
      sink += try ModelContext(store).fetch(
        FetchDescriptor<Item>(
          predicate: condition, sortBy: [SortDescriptor(\.amount, order: .reverse)])
      ).count
    },
    raw: median {
      let some = raw.prepare("SELECT * FROM item WHERE count>500 AND isDone ORDER BY amount DESC")
      var found: [Plain] = []
      while some.step() { found.append(Plain(some)) }
      sink += found.count
    },
    grdb: try median {
      sink += try queue.read { database in
        try Record.filter(Column("count") > 500 && Column("isDone"))
          .order(Column("amount").desc).fetchAll(database)
      }.count
    })

  // Change and delete ten thousand.
  let some = 10_000
  row(
    "update 10,000",
    try seconds {
      let context = ModelContext(store)
      context.autosaveEnabled = false
      var descriptor = FetchDescriptor<Item>()
      descriptor.fetchLimit = some
      for item in try context.fetch(descriptor) { item.count += 1 }
      try context.save()
    },
    raw: seconds {
      raw.run("BEGIN IMMEDIATE")
      let all = raw.prepare("SELECT * FROM item LIMIT 10000")
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
    grdb: try seconds {
      try queue.write { database in
        for var record in try Record.limit(some).fetchAll(database) {
          try record.updateChanges(database) { $0.count += 1 }
        }
      }
    })
  row(
    "delete 10,000",
    try seconds {
      let context = ModelContext(store)
      context.autosaveEnabled = false
      var descriptor = FetchDescriptor<Item>()
      descriptor.fetchLimit = some
      for item in try context.fetch(descriptor) { context.delete(item) }
      try context.save()
    },
    raw: seconds {
      raw.run("BEGIN IMMEDIATE")
      let all = raw.prepare("SELECT * FROM item LIMIT 10000")
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
    grdb: try seconds {
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
  let rawTraversal = median {
    let folders = raw.prepare("SELECT id FROM folder")
    let entries = raw.prepare("SELECT id,text FROM entry WHERE folder=? ORDER BY id")
    while folders.step() {
      entries.bind(1, folders.integer(0))
      while entries.step() { sink += entries.text(1)?.utf8.count ?? 0 }
      entries.reset()
    }
  }
  for prefetches in [false, true] {
    row(
      "to-many of 1,000 × 20, \(prefetches ? "prefetched" : "on demand")",
      try median {
        var descriptor = FetchDescriptor<Folder>()
        if prefetches { descriptor.relationshipKeyPathsForPrefetching = [\.entries] }
        // Held: objects lead nowhere without their context.
        let context = ModelContext(store)
        for folder in try context.fetch(descriptor) {
          for entry in folder.entries { sink += entry.text.utf8.count }
        }
        withExtendedLifetime(context) {}
      },
      raw: rawTraversal, grdb: nil)
  }
  floorRow(raw: rawTraversal) { sink += floorOfTraversal(raw) }
  guard sink != 0 else { exit(1) }
}
