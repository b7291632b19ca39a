import VaultDataStore
import VaultStorage

/// A context's connections, one for each store that it has used, with the tables of pending rows.
///
/// Between two calls, a store may have taken the connection for another context; the tables are
/// then made again on the next one.
final class ContextConnections {
  private let stores: [ModelStore]
  /// By store.
  private let leases: [ConnectionLease]
  /// By store: whether the context has had a connection.
  private var isConnected: [Bool]
  /// What the context is to the program's own stores.
  var editingState = EditingState()
  /// What is to be in the tables of pending rows.
  weak var pending: PendingChanges?
  /// Makes calls throw; `nil` where nothing can cancel them.
  private(set) var cancellation: ContextCancellation?
  /// By store.
  private let pendingRows: [PendingRows]
  /// The stores that a transaction of the context holds the writers' lock of.
  private(set) var held: [Int: Held] = [:]
  /// By store: the file's version when the context's objects were last brought up to it.
  private var versions: [Int64?]

  /// A store in a transaction.
  struct Held {
    let files: ExternalChange?
    /// By entity: keys that were reserved in the transaction, and are lost if it is rolled back.
    fileprivate var keys: [Int: Range<Int64>] = [:]

    fileprivate init(files: ExternalChange?) { self.files = files }
  }
  /// The number of queries that were run, for tests of what is loaded together.
  private(set) var queryCount = 0

  init(_ container: ModelContainer) {
    stores = container.stores
    leases = stores.map { _ in ConnectionLease() }
    isConnected = Array(repeating: false, count: stores.count)
    versions = Array(repeating: nil, count: stores.count)
    pendingRows = stores.indices.map { index in
      PendingRows(container.plans, store: index, isAlone: !container.stores[index].isInMemory)
    }
  }

  deinit {
    for (index, store) in stores.enumerated() where isConnected[index] {
      dropTables(of: index)
      store.release(leases[index])
    }
  }

  /// Lets another task cancel what the context does.
  func makeCancellable() -> ContextCancellation {
    let made = ContextCancellation { [stores, leases] in
      for (store, lease) in zip(stores, leases) { store.interrupt(lease) }
    }
    cancellation = made
    return made
  }

  /// Runs `body` with the connection to an entity's store.
  func use<Result>(
    _ plan: EntityPlan, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    try use(plan.store, body)
  }

  /// Runs `body` with the connection to a store, as a query of the program's.
  func use<Result>(
    _ store: Int, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    queryCount += 1
    return try look(store, body)
  }

  /// Runs `body` with the connection to a store, for something that is not a query of the
  /// program's.
  func look<Result>(
    _ store: Int, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    if let cancellation, cancellation.isCancelled { throw CancellationError() }
    if !isConnected[store], stores[store].isInMemory {
      isConnected[store] = true
      versions[store] = try? stores[store].use(leases[store]) { try $0.sqlite.dataVersion() }
    }
    return try stores[store].use(
      leases[store],
      adopt: { connection in
        if isConnected[store] {
          // The numbers of versions are each connection's own.
          versions[store] = nil
          pendingRows[store].forget()
          pending?.touchAll()
        } else {
          isConnected[store] = true
          // What is read from now on is at least of this version.
          versions[store] = try? connection.sqlite.dataVersion()
        }
      }, body)
  }

  /// Waits until what was committed to some stores is on disk, where commits do not see to that.
  func flush(_ written: some Sequence<Int>) throws {
    for store in written {
      do {
        try stores[store].flush { try use(store) { try $0.sqlite.syncLog() } }
      } catch {
        throw SwiftDataError.storage(error)
      }
    }
  }

  private func dropTables(of store: Int) {
    let rows = pendingRows[store]
    guard stores[store].has(leases[store]) else { return rows.forget() }
    do {
      try stores[store].use(leases[store], adopt: { _ in rows.forget() }, rows.drop)
    } catch {
      // Whoever gets the connection drops what is in it.
      rows.forget()
    }
  }

  // MARK: Transactions

  /// Whether a transaction holds the writers' locks.
  var isHolding: Bool { !held.isEmpty }

  /// Whether a transaction holds a store's lock.
  func holds(_ store: Int) -> Bool { held[store] != nil }

  /// The files of a store's transaction.
  func files(of store: Int) -> ExternalChange? { held[store]?.files }

  /// Notes that a store's lock is held until ``release(isCommitted:)``.
  func hold(_ store: Int, _ files: ExternalChange?) { held[store] = Held(files: files) }

  /// Notes that the transaction has ended.
  func release(isCommitted: Bool) {
    let stores = held.keys
    held = [:]
    guard !isCommitted else { return }
    for store in stores {
      // The temporary tables were rolled back with the rest.
      dropTables(of: store)
      versions[store] = nil
    }
  }

  /// Runs a part of the transaction, of which nothing stays if it fails.
  func part(_ body: () throws -> Void) throws {
    let before = held
    let rows = held.keys.map { ($0, pendingRows[$0].state) }
    do {
      try savepoints(held.keys.sorted()[...], body)
    } catch {
      // Keys that were reserved meanwhile are not, and the temporary tables are as they were.
      for (store, state) in before {
        held[store]?.keys = state.keys
        versions[store] = nil
      }
      for (store, state) in rows { pendingRows[store].state = state }
      throw error
    }
  }

  private func savepoints(_ stores: ArraySlice<Int>, _ body: () throws -> Void) throws {
    guard let store = stores.first else { return try body() }
    guard self.stores[store].custom == nil else { return try savepoints(stores.dropFirst(), body) }
    try use(store) { connection in
      try connection.sqlite.savepoint { try savepoints(stores.dropFirst(), body) }
    }
  }

  /// Whether another connection has committed to a store since the last call.
  func isBehind(_ store: Int) throws -> Bool {
    let version = try use(store) { try $0.sqlite.dataVersion() }
    defer { versions[store] = version }
    return versions[store] != version
  }

  /// The key of a new row.
  func nextKey(_ plan: EntityPlan) -> Int64 {
    // A program's own store chooses the key when it saves.
    if plan.isCustom { return DetachedKey.make() }
    guard holds(plan.store) else { return plan.keys.next() }
    // Others are reserved by another connection, which would wait for the lock that is held here.
    if let key = plan.keys.nextReserved() { return key }
    let root = plan.root
    var block = held[plan.store]?.keys[root.index] ?? 0..<0
    if block.isEmpty {
      let count: Int64 = 256
      do {
        let first = try use(plan) { connection in
          try connection.sqlite.reserveKeys(count, table: root.stored.table)
        }
        block = first..<first + count
      } catch {
        // Saving will say why.
        return Int64.random(in: 1 << 61..<1 << 62)
      }
    }
    held[plan.store]?.keys[root.index] = block.dropFirst()
    return block.lowerBound
  }

  // MARK: Pending rows

  /// Notes that the tables have to be brought to a record.
  func touch(_ record: _AppData.Record) {
    pendingRows[record.entity?.store ?? 0].touch(record)
  }

  /// Notes that the tables have to be brought to rows that are to be deleted.
  func touch(_ keys: KeyRanges, of plan: EntityPlan) {
    pendingRows[plan.store].touch(keys, of: plan)
  }

  /// Notes that the tables have to be brought to a row of a join table.
  func touch(_ pair: PairKey, in store: Int) { pendingRows[store].touch(pair) }

  /// Brings the tables of a store to what is pending, before a query is made: what text the pending
  /// rows have decides how it compares.
  func writePendingRows(_ store: Int, pairs: [PairKey: Int]) throws {
    guard pendingRows[store].isBehind else { return }
    try look(store) { try pendingRows[store].write($0, pairs: pairs) }
  }

  /// The beginning of a query that sees the pending rows of its store.
  func prefix(
    _ connection: StoreConnection, store: Int, pairs: [PairKey: Int]
  ) throws -> String {
    try pendingRows[store].prefix(connection, pairs: pairs)
  }

  /// Empties the tables of some stores, or of all.
  func clearPendingRows(_ wanted: Set<Int>? = nil) {
    for (index, rows) in pendingRows.enumerated() where wanted?.contains(index) != false {
      guard isConnected[index], stores[index].has(leases[index]) else {
        rows.forget()
        rows.clear(nil)
        continue
      }
      try? stores[index].use(
        leases[index],
        adopt: { _ in
          versions[index] = nil
          rows.forget()
        }, rows.clear)
    }
  }
}
