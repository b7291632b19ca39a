import Foundation
import Synchronization
import TestSupport
import Testing
import VaultAppData
import VaultCredentials
import VaultDataStore
import VaultDataSync
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

@Model
final class Trip {
  var name: String
  var days: Int
  var note: String?
  var rating: Double
  var start: Date
  var price: Decimal
  var photo: Data?
  @Attribute(.externalStorage) var film: Data?
  var tags: [String]

  init(_ name: String, days: Int = 1) {
    self.name = name
    self.days = days
    rating = 0.5
    start = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    price = 12.5
    tags = ["a"]
  }
}

/// A machine of a space with a store of an application.
final class DataMachine {
  /// A clock that a test moves; each look at it is a millisecond later.
  final class Time: Sendable {
    private let value = Mutex<Int64>(1_790_000_000_000)

    func next() -> Int64 {
      value.withLock {
        $0 += 1
        return $0
      }
    }

    func advance(_ milliseconds: Int64) { value.withLock { $0 += milliseconds } }
  }

  let label: String
  let home: TemporaryHome
  let time: Time
  let models: [any PersistentModel.Type]
  private let key: SecretBytes
  let vault: UnlockedVault
  private(set) var space: SyncedVault

  /// A machine that makes a space in a folder.
  init(
    _ label: String, in store: String, time: Time = Time(),
    models: [any PersistentModel.Type] = [Trip.self]
  ) throws {
    self.label = label
    self.time = time
    self.models = models
    home = try TemporaryHome(inMemory: true)
    key = try SecretBytes.random(count: 32)
    vault = try Self.locked(home, time).blocking.create(slots: [.keyFile(key)])
    space = try SyncedVault.create(
      vault, in: FolderEngine(path: store), at: store, label: label)
    try space.synchronize()
  }

  /// A machine that joins it.
  init(
    _ label: String, joining other: DataMachine, in store: String, role: SyncRole = .writer,
    time: Time? = nil
  ) throws {
    self.label = label
    self.time = time ?? other.time
    models = other.models
    home = try TemporaryHome(inMemory: true)
    key = try SecretBytes.random(count: 32)
    vault = try Self.locked(home, self.time).blocking.create(slots: [.keyFile(key)])
    let code = try other.space.invite(role: role)
    space = try SyncedVault.join(
      vault, in: FolderEngine(path: store), at: store, invitation: code.text, label: label)
    try space.synchronize()
    try other.space.synchronize()
    try space.synchronize()
  }

  private static func locked(_ home: TemporaryHome, _ time: Time) throws -> LockedVault {
    var options = VaultOptions.alone
    options.acceptsRollback = true
    options.now = { time.next() }
    return try LockedVault(location: home.location, options: options)
  }

  /// The vault of a copy of this machine's home, as somebody has it who took it along.
  func copied(to copy: TemporaryHome, in store: String) throws -> SyncedVault {
    try FileManager.default.removeItem(atPath: copy.path)
    try FileManager.default.copyItem(atPath: home.path, toPath: copy.path)
    let vault = try Self.locked(copy, time).blocking.unlock(with: [.key { [key] in key }])
    return try SyncedVault(vault, engine: FolderEngine(path: store))
  }

  var path: String { "\(home.path)/default.store" }
  var data: DataSync { DataSync(space) }

  /// The store, as the application has it open.
  func container(keepsHistory: Bool? = nil) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    configuration.keepsHistory = keepsHistory
    return try ModelContainer(for: Schema(models), configurations: [configuration])
  }

  /// What the application does, in a context of its own.
  @discardableResult
  func change<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    let context = ModelContext(try container())
    context.autosaveEnabled = false
    let result = try body(context)
    try context.save()
    return result
  }

  /// Changes the trip of a name.
  func edit(_ name: String, _ body: (Trip) -> Void) throws {
    try change { context in
      let found = try context.fetch(FetchDescriptor<Trip>()).filter { $0.name == name }
      body(try #require(found.first))
    }
  }

  /// Runs a statement as `sqlite3` does it.
  func sql(_ text: String) throws {
    let connection = try SQLiteConnection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.trustSchema()
    try connection.executeScript("PRAGMA foreign_keys=ON")
    try connection.executeScript(text)
  }

  /// Adds the store.
  @discardableResult
  func add() throws -> DataSync.Outcome {
    try space.synchronize()
    let found = try #require(try FoundStore(path))
    return try #require(try data.add([found]).first)
  }

  /// A whole run, as `sync now` does it.
  @discardableResult
  func sync(
    merging: StoreMeeting.Merge? = nil, choosing: ObjectKind.Choice? = nil
  ) throws -> DataSyncReport {
    try space.synchronize()
    var data = data
    if let merging { data.merging = merging }
    if let choosing { data.choosing = choosing }
    return try #require(try data.run().first).result.get().report
  }

  /// The rows by their names: everything that a person sees.
  func trips() throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<Trip>()).map {
      "\($0.name) \($0.days) \($0.note ?? "-") \($0.rating) "
        + "\($0.start.timeIntervalSinceReferenceDate) \($0.price) \($0.photo?.count ?? -1) "
        + "\($0.film?.count ?? -1) \($0.tags)"
    }
    .sorted()
  }

  /// What machines that have met have alike: objects by identity, with all values.
  func canonical(_ table: String = "Trip") throws -> [String] {
    let connection = try SQLiteConnection(path: path, mode: .readOnly)
    defer { connection.close() }
    try connection.trustSchema()
    let columns = try connection.strings("SELECT name FROM pragma_table_info(?)", [.text(table)])
      // A large value lies in a file of its own where it was typed, and in the row where it came.
      .filter { $0 != "_id" && $0 != "film" }.sorted()
    let quoted = columns.map { "quote(\($0))" }.joined(separator: "||'|'||")
    return try connection.strings(
      "SELECT hex(o.identity)||'|'||\(quoted) FROM appdata_sync_objects o JOIN \(table) t "
        + "ON t._id=o.row WHERE o.class=? ORDER BY o.identity", [.text(table)])
  }

  /// Nothing is wrong with the store.
  func check() throws {
    let connection = try SQLiteConnection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.trustSchema()
    let dangling = try connection.foreignKeyCheck()
    #expect(dangling.isEmpty, "\(label): \(dangling)")
    let damage = try connection.integrityCheck()
    #expect(damage.isEmpty, "\(label): \(damage)")
  }

  /// The conflicts as words.
  func conflicts() throws -> [String] {
    try data.conflicts(application).map { conflict in
      "\(conflict.className).\(conflict.property) \(conflict.lost.text(isPretty: false)) "
        + "\(conflict.current?.text(isPretty: false) ?? "deleted") \(conflict.machine)"
    }
  }

  /// The id that programs of this test have.
  var application: String {
    get throws { try #require(try FoundStore(path)).metadata.application }
  }
}

/// Two machines of one person, with a folder between them; both have the store open for the first time.
struct TwoStores {
  let folder: TemporaryHome
  let laptop: DataMachine
  let desktop: DataMachine

  init(role: SyncRole = .writer, trips: [String] = ["Oslo"], adds: Bool = true) throws {
    folder = try TemporaryHome(inMemory: true)
    laptop = try DataMachine("laptop", in: folder.path)
    desktop = try DataMachine("desktop", joining: laptop, in: folder.path, role: role)
    try laptop.change { context in for name in trips { context.insert(Trip(name)) } }
    _ = try desktop.container()
    guard adds else { return }
    try laptop.add()
    try desktop.add()
  }

  /// Both hear of each other.
  func meet() throws {
    try laptop.sync()
    try desktop.sync()
    try laptop.sync()
  }
}
