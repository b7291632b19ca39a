import Foundation
import GRDB
import VaultAppData

// Folders with many entries: deleted with all of them, and asked for by what is related.

private let folderCount = 100

/// The same folders and entries for all three.
private final class Related {
  let container: ModelContainer
  let raw: RawSQLite
  let grdb: DatabasePool
  /// Our own file through the C API.
  let ours: RawSQLite

  /// The same without a history, which neither of the others keeps.
  let plain: ModelContainer

  init(_ folder: String, _ name: String, entries count: Int) throws {
    let path = "\(folder)/\(name)"
    var configuration = ModelConfiguration(url: URL(fileURLWithPath: "\(path).store"))
    container = try ModelContainer(for: Folder.self, Entry.self, configurations: configuration)
    try Self.fill(container, count)
    configuration = ModelConfiguration(url: URL(fileURLWithPath: "\(path).plain"))
    configuration.keepsHistory = false
    plain = try ModelContainer(for: Folder.self, Entry.self, configurations: configuration)
    try Self.fill(plain, count)
    ours = RawSQLite("\(path).store")
    raw = RawSQLite("\(path).raw")
    raw.run("PRAGMA foreign_keys=ON")
    raw.run(Self.tables)
    raw.run("BEGIN")
    Self.fill(raw, count)
    raw.run("COMMIT")
    grdb = try DatabasePool(path: "\(path).grdb")
    try grdb.write { database in
      try database.execute(sql: Self.tables)
      let folders = try database.cachedStatement(sql: "INSERT INTO folder VALUES(?,?)")
      let entries = try database.cachedStatement(sql: "INSERT INTO entry VALUES(NULL,?,?)")
      for number in 0..<folderCount {
        try folders.execute(arguments: [number + 1, "folder \(number)"])
        for child in 0..<count / folderCount {
          try entries.execute(arguments: ["entry \(number) \(child)", number + 1])
        }
      }
    }
  }

  private static let tables = """
    CREATE TABLE folder(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY, text TEXT NOT NULL,
      folderId INTEGER REFERENCES folder(id) ON DELETE CASCADE);
    CREATE INDEX entries ON entry(folderId);
    """

  private static func fill(_ container: ModelContainer, _ count: Int) throws {
    let context = newContext(container)
    for number in 0..<folderCount {
      let parent = Folder(title: "folder \(number)")
      context.insert(parent)
      parent.entries = (0..<count / folderCount).map { Entry(text: "entry \(number) \($0)") }
    }
    try context.save()
  }

  private static func fill(_ raw: RawSQLite, _ count: Int) {
    let folders = raw.prepare("INSERT INTO folder VALUES(?,?)")
    let entries = raw.prepare("INSERT INTO entry VALUES(NULL,?,?)")
    for number in 0..<folderCount {
      folders.bind(1, Int64(number + 1))
      folders.bind(2, "folder \(number)")
      _ = folders.step()
      folders.reset()
      for child in 0..<count / folderCount {
        entries.bind(1, "entry \(number) \(child)")
        entries.bind(2, Int64(number + 1))
        _ = entries.step()
        entries.reset()
      }
    }
  }
}

private struct FolderRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "folder"
  var id: Int64
  var title: String
}

/// What somebody writes for an entry over the C API.
private final class PlainEntry {
  let id: Int64
  let text: String
  let folder: Int64

  init(_ row: Statement) {
    id = row.integer(0)
    text = row.text(1) ?? ""
    folder = row.integer(2)
  }
}

private func delete(_ container: ModelContainer) throws {
  let context = newContext(container)
  for folder in try context.fetch(FetchDescriptor<Folder>()) { context.delete(folder) }
  try context.save()
}

/// A cascade of all children, and queries through a relationship.
func compareRelated(rows: Int) throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let rounds = 3
  let deleted = try (0..<rounds).map { try Related(folder, "delete-\($0)", entries: rows) }
  try compare(
    "delete of folders with all entries", rows, rounds: rounds,
    [
      Way("vault without a history") { try delete(deleted[$0].plain) },
      Way("vault") { try delete(deleted[$0].container) },
      Way("GRDB") { round in
        try deleted[round].grdb.write { database in
          for folder in try FolderRecord.fetchAll(database) { try folder.delete(database) }
        }
      },
      Way("C API") { deleted[$0].raw.run("DELETE FROM folder") },
    ])
  for store in deleted {
    guard try ModelContext(store.container).fetchCount(FetchDescriptor<Entry>()) == 0 else {
      exit(1)
    }
  }

  let store = try Related(folder, "query", entries: rows)
  let title = "folder 7"
  var sink = 0
  // The same SQL over our own file: what the library adds is measured, not the tables.
  let entryColumns = "e._id, e.text, e.folder_id"
  try compare(
    "entries by their folder's title, sorted", rows,
    [
      Way("vault") { _ in
        var descriptor = FetchDescriptor<Entry>(
          predicate: #Predicate { $0.folder?.title == title }, sortBy: [SortDescriptor(\.text)])
        descriptor.fetchLimit = 500
        for entry in try ModelContext(store.container).fetch(descriptor) {
          sink += entry.text.utf8.count
        }
      },
      Way("SQL by hand") { _ in
        let query = store.ours.prepare(
          "SELECT \(entryColumns) FROM Entry e JOIN Folder f ON f._id=e.folder_id "
            + "WHERE f.title=? ORDER BY e.text LIMIT 500")
        query.bind(1, title)
        while query.step() { sink += PlainEntry(query).text.utf8.count }
      },
    ])
  try compare(
    "folders by the number of their entries", rows,
    [
      Way("vault") { _ in
        sink += try ModelContext(store.container).fetchCount(
          FetchDescriptor<Folder>(predicate: #Predicate { $0.entries.count > 10 }))
      },
      Way("SQL by hand") { _ in
        let query = store.ours.prepare(
          "SELECT count(*) FROM Folder f "
            + "WHERE (SELECT count(*) FROM Entry e WHERE e.folder_id=f._id) > 10")
        while query.step() { sink += Int(query.integer(0)) }
      },
    ])
  let text = "entry 93 7"
  try compare(
    "folders with some entry of a text", rows,
    [
      Way("vault") { _ in
        sink += try ModelContext(store.container).fetchCount(
          FetchDescriptor<Folder>(predicate: #Predicate { $0.entries.contains { $0.text == text } })
        )
      },
      Way("SQL by hand") { _ in
        let query = store.ours.prepare(
          "SELECT count(*) FROM Folder f "
            + "WHERE EXISTS (SELECT 1 FROM Entry e WHERE e.folder_id=f._id AND e.text=?)")
        query.bind(1, text)
        while query.step() { sink += Int(query.integer(0)) }
      },
    ])
  guard sink > 0 else { exit(1) }
}
