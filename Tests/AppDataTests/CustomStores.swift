import Synchronization
import VaultAppData

/// What a test sees of a custom store, and what it makes the store do.
final class StoreLog: Hashable, Sendable {
  struct Calls: Sendable {
    var fetches: [String] = []
    var saves: [String] = []
    var begun = 0
    var ended = 0
    var deletedAtOnce = 0
    /// The next save fails.
    var refuses = false
    /// The store raises every number that it saves, and says so.
    var raises = false
    /// A label with a name that is there already becomes that one.
    var isUnique = false
  }

  private let calls = Mutex(Calls())

  var seen: Calls { calls.withLock { $0 } }
  func note(_ change: (inout Calls) -> Void) { calls.withLock { change(&$0) } }

  static func == (left: StoreLog, right: StoreLog) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct StoreRefusal: Error, Equatable {}

extension StoreLog {
  func noteSave<S>(_ request: DataStoreSaveChangesRequest<S>) throws {
    let counts = [request.inserted, request.updated, request.deleted].map(\.count)
    let author = request.editingState.author ?? "-"
    let refuses = calls.withLock { calls in
      calls.saves.append("\(author) \(counts)")
      defer { calls.refuses = false }
      return calls.refuses
    }
    if refuses { throw StoreRefusal() }
  }
}

// MARK: A JSON file

/// Keeps all models in one JSON file, and leaves filtering and sorting to the context.
struct JSONFile: DataStoreConfiguration {
  typealias Store = JSONFileStore
  var name = "json"
  var schema: Schema?
  let url: URL
  let log: StoreLog
}

final class JSONFileStore: DataStore {
  typealias Configuration = JSONFile
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONFile
  let schema: Schema
  let identifier: String

  init(_ configuration: JSONFile, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw StoreRefusal() }
    self.configuration = configuration
    self.schema = schema
    identifier = configuration.url.lastPathComponent
    _ = try read()
  }

  private func read() throws -> [DefaultSnapshot] {
    guard let data = try? Data(contentsOf: configuration.url) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try decoder.decode([DefaultSnapshot].self, from: data)
  }

  private func write(_ snapshots: [DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .secondsSince1970
    try encoder.encode(snapshots).write(to: configuration.url, options: .atomic)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    configuration.log.note { $0.fetches.append("\(T.self)") }
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let all = try read().filter { request.includes($0.persistentIdentifier) }
    let rest = all.dropFirst(request.descriptor.fetchOffset ?? 0)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(rest.prefix(request.descriptor.fetchLimit ?? rest.count)))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try configuration.log.noteSave(request)
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      permanent[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID())
    }
    let changed = Dictionary(
      uniqueKeysWithValues: request.updated.map { ($0.persistentIdentifier, $0) })
    let deleted = Set(request.deleted.map(\.persistentIdentifier))
    let kept = try read().filter { !deleted.contains($0.persistentIdentifier) }
      .map { changed[$0.persistentIdentifier] ?? $0 }
    try write(
      (kept + request.inserted).map { snapshot in
        let id = snapshot.persistentIdentifier
        return snapshot.copy(
          persistentIdentifier: permanent[id] ?? id, remappedIdentifiers: permanent)
      })
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
  }

  func erase() throws { try write([]) }
}

// MARK: Around the library's own store

/// Hands everything to an SQLite database, which filters and sorts.
struct Wrapped: DataStoreConfiguration {
  typealias Store = WrappingStore
  var name = "wrapped"
  var schema: Schema?
  let url: URL
  let log: StoreLog
  var keepsHistory: Bool?
}

final class WrappingStore: DataStore, DataStoreBatching, HistoryProviding {
  typealias Configuration = Wrapped
  typealias Snapshot = DefaultSnapshot
  typealias HistoryType = DefaultHistoryTransaction

  let configuration: Wrapped
  private let base: DefaultStore

  init(_ configuration: Wrapped, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    var inner = ModelConfiguration(
      configuration.name, schema: configuration.schema, url: configuration.url)
    inner.keepsHistory = configuration.keepsHistory
    base = try DefaultStore(inner, migrationPlan: migrationPlan)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    configuration.log.note { $0.fetches.append("\(T.self)") }
    return try base.fetch(request)
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try base.fetchCount(request)
  }

  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try base.fetchIdentifiers(request)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try configuration.log.noteSave(request)
    return try base.save(request)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    configuration.log.note { $0.deletedAtOnce += 1 }
    try base.delete(request)
  }

  func erase() throws { try base.erase() }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try base.fetchHistory(descriptor) }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try base.deleteHistory(descriptor)
  }
}

// MARK: In memory, with snapshots of its own

/// Keeps its own kind of snapshots by the configuration's name, as long as the process runs.
struct Tray: DataStoreConfiguration {
  typealias Store = TrayStore
  var name: String
  var schema: Schema?
  let log: StoreLog
}

/// The values of a model as JSON, however they are encoded elsewhere.
struct TraySnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var values: DefaultSnapshot

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    self.init(DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas))
  }

  init(_ values: DefaultSnapshot) {
    persistentIdentifier = values.persistentIdentifier
    self.values = values
  }

  init(from decoder: any Decoder) throws { self.init(try DefaultSnapshot(from: decoder)) }
  func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> TraySnapshot {
    TraySnapshot(
      values.copy(
        persistentIdentifier: persistentIdentifier, remappedIdentifiers: remappedIdentifiers))
  }
}

/// The part of a snapshot that the tray looks at.
struct TrayLabel: Codable {
  var name: String
  var rank: Int
}

final class TrayStore: DataStore {
  typealias Configuration = Tray
  typealias Snapshot = TraySnapshot

  private static let trays = Mutex<[String: [PersistentIdentifier: TraySnapshot]]>([:])
  private static let last = Mutex(0)
  let configuration: Tray
  let schema: Schema
  let identifier: String

  init(_ configuration: Tray, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw StoreRefusal() }
    self.configuration = configuration
    self.schema = schema
    identifier = configuration.name
  }

  private var all: [PersistentIdentifier: TraySnapshot] {
    get { Self.trays.withLock { $0[identifier] ?? [:] } }
    set { Self.trays.withLock { $0[identifier] = newValue } }
  }

  /// Filters nothing, and gives everything that it has with what is asked for.
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, TraySnapshot> {
    configuration.log.note { $0.fetches.append("\(T.self)") }
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if request.descriptor.sortBy.count > 0 || request.descriptor.fetchLimit != nil {
      throw DataStoreError.preferInMemorySort
    }
    let found = all.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: found, relatedSnapshots: all)
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: TraySnapshot] {
    all.filter { persistentIdentifiers.contains($0.key) }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<TraySnapshot>
  ) throws -> DataStoreSaveChangesResult<TraySnapshot> {
    try configuration.log.noteSave(request)
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    var raised: [PersistentIdentifier: TraySnapshot] = [:]
    var now = all
    for snapshot in request.inserted {
      let id = snapshot.persistentIdentifier
      let number = Self.last.withLock { last in
        last += 1
        return last
      }
      var new = try PersistentIdentifier.identifier(
        for: identifier, entityName: id.entityName, primaryKey: number)
      if configuration.log.seen.isUnique, let label = try label(snapshot),
        let known = try now.first(where: { try self.label($0.value)?.name == label.name })
      {
        new = known.key
      }
      permanent[id] = new
    }
    for snapshot in request.inserted + request.updated {
      let id = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      var stored = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: permanent)
      if configuration.log.seen.raises, var label = try label(stored) {
        label.rank += 100
        stored = try changed(stored, label)
        raised[snapshot.persistentIdentifier] = stored
      }
      now[id] = stored
    }
    for snapshot in request.deleted { now[snapshot.persistentIdentifier] = nil }
    all = now
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: permanent, snapshotsToReregister: raised)
  }

  private func label(_ snapshot: TraySnapshot) throws -> TrayLabel? {
    guard snapshot.persistentIdentifier.entityName == "Label" else { return nil }
    return try JSONDecoder().decode(TrayLabel.self, from: JSONEncoder().encode(snapshot))
  }

  private func changed(_ snapshot: TraySnapshot, _ label: TrayLabel) throws -> TraySnapshot {
    struct Changed: Encodable {
      let id: PersistentIdentifier
      let label: TrayLabel

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try values.encode(id, forKey: .persistentIdentifier)
        try values.encode(label.name, forKey: .modeledProperty("name"))
        try values.encode(label.rank, forKey: .modeledProperty("rank"))
      }
    }
    let whole = Changed(id: snapshot.persistentIdentifier, label: label)
    return try JSONDecoder().decode(TraySnapshot.self, from: JSONEncoder().encode(whole))
  }

  func erase() throws { all = [:] }
  func initializeState(for editingState: EditingState) { configuration.log.note { $0.begun += 1 } }
  func invalidateState(for editingState: EditingState) { configuration.log.note { $0.ended += 1 } }
}
