import Foundation
import GRDB
import VaultAppData

/// What is read of every row: all sides add up the same.
private protocol Summed {
  var name: String { get }
  var amount: Double { get }
  var count: Int { get }
  var created: Date { get }
  var isDone: Bool { get }
  var note: String? { get }
}

extension Item: Summed {}
extension Plain: Summed {}
extension CodableRecord: Summed {}
extension HandRecord: Summed {}

@inline(__always)
private func sum(_ item: some Summed) -> Int {
  item.name.utf8.count + item.count + (item.note?.utf8.count ?? 0) + Int(item.amount)
    + Int(item.created.timeIntervalSinceReferenceDate) + (item.isDone ? 1 : 0)
}

private func all(_ statement: Statement) -> [Plain] {
  var found: [Plain] = []
  while statement.step() { found.append(Plain(statement)) }
  return found
}

/// Every line of the comparison, in one run.
func compareLibraries(rows: Int) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var sink = 0

  // Insert and save, each time into an empty store.
  let empty = try (0..<roundCount).map { try Stores(folder, "store-\($0)") }
  try compare(
    "insert", rows,
    [
      Way("vault") { try empty[$0].insertOurs(rows) },
      Way("C API") { empty[$0].insertRaw(rows) },
      Way("GRDB Codable") { try empty[$0].insertCodable(rows) },
      Way("GRDB by hand") { try empty[$0].insertByHand(rows) },
      Way("GRDB prepared") { try empty[$0].insertPrepared(rows) },
    ])
  let stores = empty[0]
  let store = stores.ours
  let raw = stores.raw

  try compare(
    "fetch all, read every property", rows,
    [
      Way("vault") { _ in
        for item in try ModelContext(store).fetch(FetchDescriptor<Item>()) { sink += sum(item) }
      },
      Way("C API") { _ in
        for item in all(raw.prepare("SELECT * FROM item")) { sink += sum(item) }
      },
      Way("GRDB Codable") { _ in
        for item in try stores.codable.read({ try CodableRecord.fetchAll($0) }) {
          sink += sum(item)
        }
      },
      Way("GRDB by hand") { _ in
        for item in try stores.byHand.read({ try HandRecord.fetchAll($0) }) { sink += sum(item) }
      },
      Way("floor of observed objects") { _ in sink += floorOfFetching(raw) },
    ])

  // One row at a time, in an order that no cache likes, in one transaction on every side.
  let identifiers = try ModelContext(store).fetchIdentifiers(FetchDescriptor<Item>())
  let looked = (0..<10_000).map { ($0 * 7_919) % rows }
  try compare(
    "lookup by id", looked.count,
    [
      Way("vault") { _ in
        let context = ModelContext(store)
        try context.transaction {
          for at in looked { sink += (context.model(for: identifiers[at]) as? Item)?.count ?? 0 }
        }
      },
      Way("C API") { _ in
        raw.run("BEGIN")
        let one = raw.prepare("SELECT * FROM item WHERE id=?")
        for at in looked {
          one.bind(1, Int64(at + 1))
          if one.step() { sink += Plain(one).count }
          one.reset()
        }
        raw.run("COMMIT")
      },
      Way("GRDB Codable") { _ in
        try stores.codable.read { database in
          for at in looked { sink += try CodableRecord.fetchOne(database, key: at + 1)?.count ?? 0 }
        }
      },
      Way("GRDB by hand") { _ in
        try stores.byHand.read { database in
          for at in looked { sink += try HandRecord.fetchOne(database, key: at + 1)?.count ?? 0 }
        }
      },
      Way("GRDB prepared") { _ in
        try stores.prepared.read { database in
          let one = try database.cachedStatement(sql: "SELECT * FROM item WHERE id=?")
          for at in looked {
            sink += try HandRecord.fetchOne(one, arguments: [at + 1])?.count ?? 0
          }
        }
      },
    ])

  let condition = #Predicate<Item> { $0.count > 500 && $0.isDone }
  try compare(
    "filter and sort", rows,
    [
      Way("vault") { _ in
        sink += try ModelContext(store).fetch(
          FetchDescriptor<Item>(
            predicate: condition, sortBy: [SortDescriptor(\.amount, order: .reverse)])
        ).count
      },
      Way("C API") { _ in
        sink +=
          all(
            raw.prepare("SELECT * FROM item WHERE count>500 AND isDone ORDER BY amount DESC")
          ).count
      },
      Way("GRDB Codable") { _ in
        sink += try stores.codable.read { database in
          try CodableRecord.filter(Column("count") > 500 && Column("isDone"))
            .order(Column("amount").desc).fetchAll(database)
        }.count
      },
      Way("GRDB by hand") { _ in
        sink += try stores.byHand.read { database in
          try HandRecord.filter(Column("count") > 500 && Column("isDone"))
            .order(Column("amount").desc).fetchAll(database)
        }.count
      },
    ])

  try compareWrites(stores, some: rows / 10)
  try compareTexts(store)
  sink += try compareTraversals(store, raw)
  guard sink != 0 else { exit(1) }
}

/// One row in ten is changed, and one in ten deleted in each round.
private func compareWrites(_ stores: Stores, some: Int) throws {
  let raw = stores.raw
  var descriptor = FetchDescriptor<Item>()
  descriptor.fetchLimit = some
  try compare(
    "update", some,
    [
      Way("vault") { _ in
        let context = newContext(stores.ours)
        for item in try context.fetch(descriptor) { item.count += 1 }
        try context.save()
      },
      Way("C API") { _ in
        raw.run("BEGIN IMMEDIATE")
        let update = raw.prepare("UPDATE item SET count=? WHERE id=?")
        for item in all(raw.prepare("SELECT * FROM item LIMIT \(some)")) {
          update.bind(1, Int64(item.count + 1))
          update.bind(2, item.id)
          _ = update.step()
          update.reset()
        }
        raw.run("COMMIT")
      },
      Way("GRDB Codable") { _ in
        try stores.codable.write { database in
          for var record in try CodableRecord.limit(some).fetchAll(database) {
            record.count += 1
            try record.update(database, columns: ["count"])
          }
        }
      },
      Way("GRDB by hand") { _ in
        try stores.byHand.write { database in
          for var record in try HandRecord.limit(some).fetchAll(database) {
            record.count += 1
            try record.update(database, columns: ["count"])
          }
        }
      },
      Way("GRDB prepared") { _ in
        try stores.prepared.write { database in
          let update = try database.cachedStatement(sql: "UPDATE item SET count=? WHERE id=?")
          for record in try HandRecord.limit(some).fetchAll(database) {
            update.setUncheckedArguments([record.count + 1, record.id])
            try update.execute()
          }
        }
      },
    ])
  try compare(
    "delete", some,
    [
      Way("vault") { _ in
        let context = newContext(stores.ours)
        for item in try context.fetch(descriptor) { context.delete(item) }
        try context.save()
      },
      Way("C API") { _ in
        raw.run("BEGIN IMMEDIATE")
        let delete = raw.prepare("DELETE FROM item WHERE id=?")
        for item in all(raw.prepare("SELECT * FROM item LIMIT \(some)")) {
          delete.bind(1, item.id)
          _ = delete.step()
          delete.reset()
        }
        raw.run("COMMIT")
      },
      Way("GRDB Codable") { _ in
        try stores.codable.write { database in
          for record in try CodableRecord.limit(some).fetchAll(database) {
            try record.delete(database)
          }
        }
      },
      Way("GRDB by hand") { _ in
        try stores.byHand.write { database in
          for record in try HandRecord.limit(some).fetchAll(database) {
            try record.delete(database)
          }
        }
      },
      Way("GRDB prepared") { _ in
        try stores.prepared.write { database in
          let keys = try HandRecord.limit(some).fetchAll(database).compactMap(\.id)
          try HandRecord.deleteAll(database, keys: keys)
        }
      },
    ])
}

/// The two ways to look for a part of a text, among the rows that are left.
private func compareTexts(_ store: ModelContainer) throws {
  let exact = FetchDescriptor(predicate: #Predicate<Item> { $0.name.contains("77") })
  let forPeople = FetchDescriptor(
    predicate: #Predicate<Item> { $0.name.localizedStandardContains("77") })
  let rows = try ModelContext(store).fetchCount(FetchDescriptor<Item>())
  try compare(
    "count by a part of a text", rows,
    [
      Way("contains") { _ in _ = try ModelContext(store).fetchCount(exact) },
      Way("localizedStandardContains") { _ in
        _ = try ModelContext(store).fetchCount(forPeople)
      },
    ])
}

/// Compares walks over a thousand folders of twenty entries.
///
/// The side of the C API makes no objects, it reads texts.
private func compareTraversals(_ store: ModelContainer, _ raw: RawSQLite) throws -> Int {
  var sink = 0
  let context = newContext(store)
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
    try compare(
      "to-many of 1,000 × 20, \(prefetches ? "prefetched" : "on demand")", 20_000,
      [
        Way("vault") { _ in
          var descriptor = FetchDescriptor<Folder>()
          if prefetches { descriptor.relationshipKeyPathsForPrefetching = [\.entries] }
          // Held: objects lead nowhere without their context.
          let context = ModelContext(store)
          for folder in try context.fetch(descriptor) {
            for entry in folder.entries { sink += entry.text.utf8.count }
          }
          withExtendedLifetime(context) {}
        },
        Way("C API") { _ in
          let folders = raw.prepare("SELECT id FROM folder")
          let entries = raw.prepare("SELECT id,text FROM entry WHERE folder=? ORDER BY id")
          while folders.step() {
            entries.bind(1, folders.integer(0))
            while entries.step() { sink += entries.text(1)?.utf8.count ?? 0 }
            entries.reset()
          }
        },
        Way("floor of observed objects") { _ in sink += floorOfTraversal(raw) },
      ])
  }
  return sink
}
