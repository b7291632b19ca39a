/// A container's store of a program's own, which is called by one thread at a time.
final class CustomStore: @unchecked Sendable {
  // `store` is used inside of `lock` only.

  let identifier: String
  let name: String
  private let store: any DataStore
  private let lock = NSRecursiveLock()

  init(_ store: any DataStore, name: String) {
    self.store = store
    self.name = name
    identifier = store.identifier
  }

  /// Runs `body` with the store, which nobody else uses meanwhile.
  func call<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(store)
  }

  /// The models that a description asks for, and which part of it the store has left to the caller.
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> CustomFetchResult {
    var result = CustomFetchResult()
    try ask(descriptor, &result) { store, descriptor, result in
      (result.fetched, result.related) = try store.snapshots(descriptor, state)
    }
    return result
  }

  /// Calls `body` with less and less of a description, until the store does the rest.
  private func ask<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ result: inout CustomFetchResult,
    _ body: (any DataStore, FetchDescriptor<T>, inout CustomFetchResult) throws -> Void
  ) throws {
    var wanted = descriptor
    while true {
      do {
        return try call { try body($0, wanted, &result) }
      } catch DataStoreError.preferInMemoryFilter where wanted.predicate != nil {
        wanted.predicate = nil
        result.isFiltered = false
      } catch DataStoreError.preferInMemorySort where !wanted.sortBy.isEmpty {
        wanted.sortBy = []
        result.isSorted = false
      }
      // The first of all objects are not the first of those that are wanted.
      (wanted.fetchLimit, wanted.fetchOffset) = (nil, nil)
    }
  }

  /// The number of models; `nil` if the store does not do all that is asked for.
  func count<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> Int? {
    try unlessInMemory {
      try call { try $0.count(descriptor, state) }
    }
  }

  /// The identifiers of models; `nil` if the store does not do all that is asked for.
  func identifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> [PersistentIdentifier]? {
    try unlessInMemory {
      try call { try $0.identifiers(descriptor, state) }
    }
  }

  private func unlessInMemory<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    } catch DataStoreError.preferInMemorySort {
      return nil
    }
  }

  /// The snapshots of rows, by key; those that do not exist are left out.
  func snapshots(
    _ plan: EntityPlan, _ keys: [Int64], _ state: EditingState
  ) throws -> [Int64: DefaultSnapshot] {
    // The store has never heard of temporary identifiers.
    let ids = keys.filter { !DetachedKey.isOne($0) }
      .map { PersistentIdentifier(store: identifier, entity: plan.name, key: $0) }
    guard !ids.isEmpty else { return [:] }
    var found = try call { try $0.cached(ids, state) }
    let missing = Set(ids.filter { found[$0] == nil })
    if !missing.isEmpty {
      func fetchMissing<T: PersistentModel>(_ type: T.Type) throws -> [DefaultSnapshot] {
        // As #Predicate { missing.contains($0.persistentModelID) }.
        let predicate = Predicate<T> { model in
          PredicateExpressions.build_contains(
            PredicateExpressions.build_Arg(missing),
            PredicateExpressions.build_KeyPath(
              root: PredicateExpressions.build_Arg(model), keyPath: \.persistentModelID))
        }
        return try fetch(FetchDescriptor<T>(predicate: predicate), state).fetched
      }
      for snapshot in try fetchMissing(plan.description.type)
      where missing.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      }
    }
    return Dictionary(
      found.map { ($0.key.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

/// What a program's own store has answered to a fetch.
struct CustomFetchResult {
  var fetched: [DefaultSnapshot] = []
  var related: [DefaultSnapshot] = []
  /// Whether the store has applied the predicate.
  var isFiltered = true
  /// Whether the store has applied the order.
  var isSorted = true
}

/// What a program's own store has answered to a save.
struct CustomSaveResult {
  var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
  var changed: [DefaultSnapshot] = []
  var token: (any HistoryToken)?
  /// Changed objects that others have deleted.
  var vanished: [_AppData.Record] = []
}

/// One store's part of a save.
struct CustomChanges {
  var inserted: [_AppData.Record] = []
  var updated: [_AppData.Record] = []
  var deleted: [_AppData.Record] = []
}

/// Calls with the store's own type of snapshots.
extension DataStore {
  fileprivate func snapshots<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot]) {
    let result = try fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
    return (
      // Simple stores answer with all that they have.
      try result.fetchedSnapshots.filter { descriptor.includes($0.persistentIdentifier) }
        .map { try $0.plain() },
      try result.relatedSnapshots.values.map { try $0.plain() }
    )
  }

  fileprivate func count<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> Int {
    try fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
  }

  fileprivate func identifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> [PersistentIdentifier] {
    try fetchIdentifiers(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
  }

  fileprivate func cached(
    _ ids: [PersistentIdentifier], _ state: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try cachedSnapshots(for: ids, editingState: state).mapValues { try $0.plain() }
  }

  /// Saves records.
  func save(_ changes: CustomChanges, _ state: EditingState) throws -> CustomSaveResult {
    var related: [PersistentIdentifier: any BackingData] = [:]
    for record in changes.inserted + changes.updated + changes.deleted {
      related[record.identifier] = record.backingData
    }
    func snapshots(_ records: [_AppData.Record]) -> [Snapshot] {
      records.map { Snapshot(from: $0.backingData, relatedBackingDatas: &related) }
    }
    let result = try save(
      DataStoreSaveChangesRequest(
        inserted: snapshots(changes.inserted), updated: snapshots(changes.updated),
        deleted: snapshots(changes.deleted), editingState: state))
    return CustomSaveResult(
      remapped: result.remappedIdentifiers,
      changed: try result.snapshotsToReregister.map { id, snapshot in
        try snapshot.plain().copy(
          persistentIdentifier: result.remappedIdentifiers[id] ?? id,
          remappedIdentifiers: result.remappedIdentifiers)
      }, token: result.historyToken)
  }
}

extension DataStoreBatching {
  /// Deletes the models that a predicate finds.
  func delete<T: PersistentModel>(
    _ type: T.Type, _ predicate: Predicate<T>?, _ state: EditingState, includeSubclasses: Bool
  ) throws {
    try delete(
      DataStoreBatchDeleteRequest<T>(
        editingState: state, predicate: predicate, includeSubclasses: includeSubclasses))
  }
}

extension _AppData.Record {
  /// The record as the storage of its class.
  fileprivate var backingData: any BackingData {
    func make<Model: PersistentModel>(_ type: Model.Type) -> any BackingData {
      _AppData.ModelBackingData<Model>(self)
    }
    return make(description.type)
  }
}
