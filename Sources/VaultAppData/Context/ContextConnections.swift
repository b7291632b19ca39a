/// A context's connections, one for each store that it has used, with the tables of pending rows.
final class ContextConnections {
  private let stores: [ModelStore]
  /// By store; `nil` until the first query.
  private var leases: [StoreConnection?]
  /// By store.
  private let pendingRows: [PendingRows]
  /// The number of queries that were run, for tests of what is loaded together.
  private(set) var queryCount = 0

  init(_ container: ModelContainer) {
    stores = container.stores
    leases = Array(repeating: nil, count: stores.count)
    pendingRows = stores.indices.map { PendingRows(container.plans, store: $0) }
  }

  deinit {
    for (index, store) in stores.enumerated() {
      guard let lease = leases[index] else { continue }
      let rows = pendingRows[index]
      try? store.use(lease) { rows.drop($0) }
      store.giveBack(lease)
    }
  }

  /// Runs `body` with the connection to an entity's store.
  func use<Result>(
    _ plan: EntityPlan, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    try use(plan.store, body)
  }

  /// Runs `body` with the connection to a store.
  func use<Result>(
    _ store: Int, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    queryCount += 1
    let connection: StoreConnection
    if let lease = leases[store] {
      connection = lease
    } else {
      connection = try stores[store].lease()
      leases[store] = connection
    }
    return try stores[store].use(connection, body)
  }

  // MARK: Pending rows

  /// Notes that the tables have to be brought to a record.
  func touch(_ record: _AppData.Record) {
    pendingRows[record.entity?.store ?? 0].touch(record)
  }

  /// Notes that the tables have to be brought to a row of a join table.
  func touch(_ pair: PairKey, in store: Int) { pendingRows[store].touch(pair) }

  /// The beginning of a query that sees the pending rows of its store.
  func prefix(
    _ connection: StoreConnection, store: Int, pairs: [PairKey: Int]
  ) throws -> String {
    try pendingRows[store].prefix(connection, pairs: pairs)
  }

  /// Empties the tables of some stores, or of all.
  func clearPendingRows(_ wanted: Set<Int>? = nil) {
    for (index, rows) in pendingRows.enumerated() where wanted?.contains(index) != false {
      guard let lease = leases[index] else {
        rows.clear(nil)
        continue
      }
      try? stores[index].use(lease) { rows.clear($0) }
    }
  }
}
