import Foundation
import Synchronization
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// What a program hears of synchronizing while it has its store open, and what its configuration
/// says of it.
struct SyncEventTests {
  private final class Events: Sendable {
    private let list = Mutex<[ModelContainer.SyncEvent]>([])

    var all: [ModelContainer.SyncEvent] { list.withLock { $0 } }

    func add(_ event: ModelContainer.SyncEvent) { list.withLock { $0.append(event) } }
  }

  /// The events of a container, as they come.
  private final class Heard: Sendable {
    private let events = Events()
    private let task: Task<Void, Never>

    init(_ container: ModelContainer) throws {
      let stream = try container.syncEvents
      task = Task { [events] in for await event in stream { events.add(event) } }
    }

    deinit { task.cancel() }

    var all: [ModelContainer.SyncEvent] { events.all }

    /// Waits until as many have come.
    func waits(for count: Int) async throws -> [ModelContainer.SyncEvent] {
      for _ in 0..<2400 {
        if all.count >= count { return all }
        try await Task.sleep(for: .milliseconds(50))
      }
      Issue.record("\(count) events do not come: \(all)")
      return all
    }
  }

  @Test func aProgramHearsWhatComesAndWhatGoes() async throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome"], adds: false)
    try stores.laptop.add()
    let container = try stores.desktop.container()
    let heard = try Heard(container)
    try stores.desktop.add()
    let first = try await heard.waits(for: 2)
    #expect(first.map(\.type) == [.setup, .import])
    #expect(first[1].insertedCount == 2 && first[1].succeeded)
    #expect(first.allSatisfy { $0.endDate != nil && $0.errorCode == nil })
    #expect(Set(first.map(\.id)).count == 2)

    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.laptop.change { context in
      for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.name == "Rome" {
        context.delete(trip)
      }
      context.insert(Trip("Lima"))
    }
    try stores.laptop.sync()
    try stores.desktop.sync()
    let second = try await heard.waits(for: 3)[2]
    #expect(second.type == .import)
    #expect(second.insertedCount == 1 && second.updatedCount == 1 && second.deletedCount == 1)
    let identifier = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Trip>()).first?.persistentModelID)
    #expect(second.storeIdentifier == identifier.storeIdentifier)

    // What goes out is reported when it begins, and when it is there; a hint may be for both.
    try stores.desktop.edit("Lima") { $0.days = 9 }
    try stores.desktop.sync()
    var exports: [ModelContainer.SyncEvent] = []
    while !(exports.last?.succeeded ?? false), !Task.isCancelled {
      exports = Array(try await heard.waits(for: 4 + exports.count).dropFirst(3))
      try #require(exports.count <= 2)
    }
    #expect(exports.allSatisfy { $0.type == .export && $0.exportedCount == 1 })
    #expect(Set(exports.map(\.id)).count == 1)

    // A run that has nothing to do says nothing, and writes nothing, once one has looked again.
    try stores.desktop.sync()
    let before = try Data(contentsOf: URL(fileURLWithPath: stores.desktop.path + "-wal"))
    try stores.desktop.sync()
    #expect(try Data(contentsOf: URL(fileURLWithPath: stores.desktop.path + "-wal")) == before)
  }

  /// What goes out ends when the others can have it; what fails is said once.
  @Test func aStoreThatIsAwayIsSaidOnce() async throws {
    let stores = try TwoStores()
    let container = try stores.desktop.container()
    let heard = try Heard(container)
    try stores.desktop.edit("Oslo") { $0.days = 7 }
    try stores.desktop.space.synchronize()
    let away = stores.folder.path + "-away"
    try FileManager.default.moveItem(atPath: stores.folder.path, toPath: away)
    for _ in 0..<3 {
      #expect(throws: (any Error).self) {
        _ = try stores.desktop.data.run().first?.result.get()
      }
    }
    try FileManager.default.moveItem(atPath: away, toPath: stores.folder.path)
    try stores.desktop.sync()
    var events: [ModelContainer.SyncEvent] = []
    while !(events.last?.succeeded ?? false), !Task.isCancelled {
      events = try await heard.waits(for: events.count + 1)
      try #require(events.count <= 3)
    }
    #expect(events[0].type == .export)
    #expect(events[0].errorCode == "sync-unavailable")
    #expect(!events[0].succeeded)
    #expect(events.count { $0.errorCode != nil } == 1)
  }

  /// A notification has the same; a program that comes later hears nothing old.
  @Test func theNotificationHasTheEvent() async throws {
    let stores = try TwoStores()
    let container = try stores.desktop.container()
    let heard = try Heard(container)
    let posted = Events()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.syncEventChanged, object: container, queue: nil
    ) { note in
      let event = note.userInfo?[ModelContainer.syncEventKey] as? ModelContainer.SyncEvent
      if let event { posted.add(event) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try stores.laptop.edit("Oslo") { $0.days = 3 }
    try stores.laptop.sync()
    try stores.desktop.sync()
    let events = try await heard.waits(for: 1)
    #expect(events.map(\.type) == [.import])
    #expect(posted.all.starts(with: events))
  }

  /// The newest hundred are kept.
  @Test func theEventsDoNotGrow() throws {
    let connection = try SQLiteConnection()
    defer { connection.close() }
    try connection.makeSyncEvents()
    for time in 1...250 {
      try connection.addSyncEvent(StoreSyncEvent(.setup, from: Int64(time), to: Int64(time)))
    }
    let events = try connection.syncEvents(after: 0)
    #expect(events.map(\.start) == Array(151...250))
    try connection.execute("UPDATE appdata_sync_events SET kind='later' WHERE number=200")
    #expect(try connection.syncEvents(after: 0).count == 99)
  }

  // MARK: The configuration

  private func container(
    _ machine: DataMachine, _ database: ModelConfiguration.CloudKitDatabase
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(machine.models),
      configurations: [
        ModelConfiguration(
          url: URL(fileURLWithPath: machine.path), cloudKitDatabase: database)
      ])
  }

  @Test func aProgramMayKeepItsObjectsHere() throws {
    let stores = try TwoStores(adds: false)
    _ = try container(stores.laptop, .none)
    let error = #expect(throws: SyncError.self) { try stores.laptop.add() }
    #expect(error?.code == .notAllowed)
    #expect(error?.message.contains("cloudKitDatabase: .none") ?? false)
    #expect(try stores.laptop.data.stores().isEmpty)
    // The program decides, also afterwards.
    _ = try container(stores.laptop, .automatic)
    try stores.laptop.add()
    try stores.desktop.add()
    _ = try container(stores.laptop, .none)
    try stores.laptop.edit("Oslo") { $0.days = 30 }
    _ = try container(stores.laptop, .none)
    #expect(throws: SyncError.self) { try stores.laptop.sync() }
    try stores.desktop.sync()
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 1"))
  }

  @Test func theNameOfADatabaseIsKept() throws {
    let stores = try TwoStores(adds: false)
    _ = try container(stores.laptop, .private("iCloud.com.example.trips"))
    let added = try stores.laptop.add()
    #expect(added.database == "iCloud.com.example.trips")
    #expect(try stores.laptop.data.status()[0].database == "iCloud.com.example.trips")
    #expect(try stores.desktop.add().database == nil)
    // One that only reads changes nothing of it.
    let reading = ModelConfiguration(
      url: URL(fileURLWithPath: stores.laptop.path), allowsSave: false, cloudKitDatabase: .none)
    _ = try ModelContainer(for: Schema(stores.laptop.models), configurations: [reading])
    try stores.laptop.sync()
  }
}
