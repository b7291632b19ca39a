import VaultDataStore
package import VaultStorage

/// What a fetch is in SQL, without the columns that it answers and without the pending rows.
///
/// `source` is `"Trip" AS t0` and its joins; tables are named without a schema, so that the pending
/// rows take their place.
package struct FetchQuery {
  package var source: String
  /// What stands after WHERE; empty for all.
  package var condition = ""
  package var values: [SQLiteValue] = []
  /// What stands after ORDER BY, the key last.
  package var order: String
  package var orderValues: [SQLiteValue] = []

  package init(source: String, order: String) {
    self.source = source
    self.order = order
  }

  func text(_ columns: String, limit: Int? = nil, offset: Int? = nil) -> String {
    var text = "SELECT \(columns) FROM \(source)"
    if !condition.isEmpty { text += " WHERE \(condition)" }
    text += " ORDER BY \(order)"
    if limit != nil || offset != nil { text += " LIMIT ? OFFSET ?" }
    return text
  }
}

extension ModelContext {
  /// The objects that a description asks for.
  ///
  /// Changes of this context that were not saved count, unless
  /// ``FetchDescriptor/includePendingChanges`` is false.
  ///
  /// - Parameter descriptor: Which objects, in which order.
  /// - Returns: The objects; one that is in use already is the same object.
  /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``;
  ///   a `StorageError`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let plan = try container.plan(T.self)
    drainMail()
    processPendingChanges()
    sweepIfLarge()
    return try holding { try objects(descriptor, plan) }
  }

  private func objects<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [T] {
    let query = try query(descriptor, plan)
    let records = try rows(query, descriptor, plan)
    if records.count > 1 { keepTogether(records, plan) }
    try prefetch(descriptor, records, plan)
    var found: [T] = []
    found.reserveCapacity(records.count)
    for record in records {
      if let model = record.model(as: T.self) {
        found.append(model)
      } else {
        found.append(make(record))
      }
    }
    return found
  }

  func make<T: PersistentModel>(_ record: Record) -> T {
    let model = Materialization.make(T.self, of: record)
    if record.isPending { record.kept = model }
    return model
  }

  private func rows<T>(
    _ query: FetchQuery, _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [Record] {
    let wanted = try wanted(descriptor, plan)
    let text = query.text(
      plan.selection(prefix: "t0.", of: wanted), limit: descriptor.fetchLimit,
      offset: descriptor.fetchOffset)
    return try run(text, query, descriptor, plan) { statement in
      var found: [Record] = []
      while try statement.step() { found.append(take(statement, plan, wanted)) }
      return found
    }
  }

  /// Runs a query, over the pending rows too if they are wanted.
  private func run<T, Result>(
    _ text: String, _ query: FetchQuery, _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan,
    isOrdered: Bool = true, _ read: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    do {
      return try use(plan) { connection in
        let prefix =
          descriptor.includePendingChanges
          ? try overlays[plan.store].prefix(connection, self, store: plan.store) : ""
        let statement = try connection.query(prefix + text)
        defer { statement.reset() }
        try bind(query, descriptor, statement, isOrdered: isOrdered)
        return try read(statement)
      }
    } catch {
      throw SwiftDataError.storage(error)
    }
  }

  /// The slots that are loaded at once; `nil` for all.
  private func wanted<T>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> Set<Int>? {
    guard !descriptor.propertiesToFetch.isEmpty else { return nil }
    var wanted: Set<Int> = []
    for path in descriptor.propertiesToFetch {
      guard let index = plan.description.index(of: path) else {
        throw SwiftDataError.unsupportedKeyPath.saying("\(plan.name) stores no property \(path)")
      }
      wanted.insert(index)
    }
    // Keys of related rows are small, and what is prefetched needs them.
    for index in plan.slots.indices where plan.isLink(index) { wanted.insert(index) }
    return wanted
  }

  private func bind<T>(
    _ query: FetchQuery, _ descriptor: FetchDescriptor<T>, _ statement: SQLiteStatement,
    isOrdered: Bool = true
  ) throws {
    var values = query.values
    if isOrdered { values += query.orderValues }
    if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil {
      values.append(.integer(Int64(descriptor.fetchLimit ?? -1)))
      values.append(.integer(Int64(descriptor.fetchOffset ?? 0)))
    }
    try statement.bind(values)
  }

  /// How many objects a description asks for.
  ///
  /// - Parameter descriptor: Which objects; limit and offset count.
  /// - Returns: Their number, with the context's pending changes.
  /// - Throws: As ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let plan = try container.plan(T.self)
    drainMail()
    processPendingChanges()
    var plain = descriptor
    plain.sortBy = []
    let query = try query(plain, plan)
    let isLimited = descriptor.fetchLimit != nil || descriptor.fetchOffset != nil
    let condition = query.condition.isEmpty ? "" : " WHERE \(query.condition)"
    let inner = query.text("1", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset)
    let text =
      isLimited
      ? "SELECT count(*) FROM (\(inner))" : "SELECT count(*) FROM \(query.source)\(condition)"
    return try run(text, query, descriptor, plan, isOrdered: isLimited) { statement in
      try statement.step() ? statement.int(at: 0) : 0
    }
  }

  /// The identifiers of the objects that a description asks for, without loading them.
  ///
  /// - Parameter descriptor: Which objects, in which order.
  /// - Returns: The identifiers, with those of the context's pending objects.
  /// - Throws: As ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    let plan = try container.plan(T.self)
    return try keys(descriptor, plan).map { identifier(plan, $0) }
  }

  func identifier(_ plan: EntityPlan, _ key: Int64) -> PersistentIdentifier {
    registry[plan.index][key]?.identifier
      ?? PersistentIdentifier(store: plan.storeIdentifier, entity: plan.name, key: key)
  }

  func keys<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [Int64] {
    drainMail()
    processPendingChanges()
    sweepIfLarge()
    let query = try query(descriptor, plan)
    let text = query.text(
      "t0.\(StoredEntity.keyColumn)", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset)
    return try run(text, query, descriptor, plan) { statement in
      var found: [Int64] = []
      while try statement.step() { found.append(statement.int64(at: 0)) }
      return found
    }
  }

  // MARK: Translating

  func query<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> FetchQuery {
    try FetchQuery(descriptor, plan)
  }

  // MARK: Prefetching

  func prefetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ records: [Record], _ plan: EntityPlan
  ) throws {
    for path in descriptor.relationshipKeyPathsForPrefetching {
      guard let index = plan.description.index(of: path),
        let relationship = plan.relationshipByProperty[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.saying("\(plan.name) has no relationship \(path)")
      }
      let loaded = records.filter { !$0.slots.isEmpty }
      if case .foreignKey = relationship.storage {
        let destination = relationship.destination
        let keys = Set(loaded.compactMap { $0.slots[index].key })
          .filter { registry[destination.index][$0]?.slots.isEmpty != false }
        try loadRows(destination, keys.sorted())
      } else {
        try loadLinks(relationship, of: loaded.filter { $0.slots[index].isFault })
      }
    }
  }
}
