import Foundation
import GRDB
import VaultAppData

func container(_ folder: String, _ name: String = "ours") throws -> ModelContainer {
  let schema = Schema([Item.self, Folder.self, Entry.self])
  let configuration = ModelConfiguration(
    schema: schema, url: URL(fileURLWithPath: "\(folder)/\(name).store"))
  return try ModelContainer(for: schema, configurations: [configuration])
}

/// A context that saves when it is asked to.
func newContext(_ container: ModelContainer) -> ModelContext {
  let context = ModelContext(container)
  context.autosaveEnabled = false
  return context
}

/// The same empty table for all: SQLite with a write-ahead log that every commit syncs.
struct Stores {
  let ours: ModelContainer
  let raw: RawSQLite
  let codable: DatabaseQueue
  let byHand: DatabaseQueue
  let prepared: DatabaseQueue

  init(_ folder: String, _ name: String) throws {
    ours = try container(folder, name)
    raw = RawSQLite("\(folder)/\(name)-raw.sqlite")
    raw.run("CREATE TABLE item(\(Self.columns))")
    codable = try Self.queue("\(folder)/\(name)-codable.sqlite")
    byHand = try Self.queue("\(folder)/\(name)-hand.sqlite")
    prepared = try Self.queue("\(folder)/\(name)-prepared.sqlite")
  }

  private static let columns =
    "id INTEGER PRIMARY KEY, name TEXT, amount REAL, count INTEGER, created REAL, isDone INTEGER, "
    + "note TEXT"

  private static func queue(_ path: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    // After the journal mode, which sets it back to NORMAL.
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode=WAL")
      try database.execute(sql: "PRAGMA synchronous=FULL")
      try database.execute(sql: "CREATE TABLE item(\(columns))")
    }
    return queue
  }

  func insertOurs(_ rows: Int) throws {
    let context = newContext(ours)
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

  func insertCodable(_ rows: Int) throws {
    try codable.write { database in
      for number in 0..<rows {
        var record = CodableRecord(number)
        try record.insert(database)
      }
    }
  }

  func insertByHand(_ rows: Int) throws {
    try byHand.write { database in
      for number in 0..<rows {
        var record = HandRecord(number)
        try record.insert(database)
      }
    }
  }

  func insertPrepared(_ rows: Int) throws {
    try prepared.write { database in
      let insert = try database.cachedStatement(sql: "INSERT INTO item VALUES(NULL,?,?,?,?,?,?)")
      for number in 0..<rows {
        insert.setUncheckedArguments(HandRecord(number).arguments)
        try insert.execute()
      }
    }
  }
}
