import VaultDataStore
import VaultStorage

/// One fetch of a context: its query, and how the rows are read.
struct Fetching<Model: PersistentModel> {
  typealias Record = _AppData.Record

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>
  let plan: EntityPlan

  init(_ descriptor: FetchDescriptor<Model>, _ plan: EntityPlan, in context: ModelContext) {
    self.context = context
    self.descriptor = descriptor
    self.plan = plan
  }

  /// The objects, in their order.
  func objects() throws -> [Model] {
    if let store = context.container.stores[plan.store].custom {
      let objects = try objects(from: store)
      try prefetch(objects.compactMap(\.record))
      return objects
    }
    let records = try records()
    if records.count > 1 { context.loading.keepTogether(records, plan) }
    try prefetch(records)
    var found: [Model] = []
    found.reserveCapacity(records.count)
    for record in records {
      if let model = record.model(as: Model.self) {
        found.append(model)
      } else {
        try record.checkConstants()
        found.append(record.make())
      }
    }
    return found
  }

  /// The keys of the rows, in their order.
  func keys() throws -> [Int64] {
    if let store = context.container.stores[plan.store].custom {
      return try rows(from: store).map(\.key)
    }
    let query = try query(descriptor)
    let text = query.select("t0.\(StoredEntity.keyColumn)", isLimited: descriptor.isLimited)
    return try run(text, query) { statement in
      var found: [Int64] = []
      while try statement.step() { found.append(statement.int64(at: 0)) }
      return found
    }
  }

  /// The keys of the rows, in their order, each with its class.
  func rows() throws -> [(key: Int64, plan: EntityPlan)] {
    guard let family = plan.family else { return try keys().map { ($0, plan) } }
    if let store = context.container.stores[plan.store].custom { return try rows(from: store) }
    let query = try query(descriptor)
    let columns = "t0.\(StoredEntity.keyColumn), t0.\(StoredEntity.classColumn)"
    let text = query.select(columns, isLimited: descriptor.isLimited)
    return try run(text, query) { statement in
      var found: [(Int64, EntityPlan)] = []
      while try statement.step() {
        found.append(
          (statement.int64(at: 0), family.plan(named: statement.string(at: 1)) ?? plan))
      }
      return found
    }
  }

  /// The keys of the rows with a fingerprint of each one's values, in their order.
  func fingerprints() throws -> FetchedRows {
    if let store = context.container.stores[plan.store].custom {
      return try fingerprints(from: store)
    }
    let query = try query(descriptor)
    // Of a family, with the values of subclasses and the row's class.
    let names = plan.family?.allColumns(of: plan) ?? plan.columns.map(SQLText.name)
    let columns = names.map { "t0.\($0)" }.joined(separator: ", ")
    let count = names.count
    return try run(query.select(columns, isLimited: descriptor.isLimited), query) { statement in
      var keys: [Int64] = []
      var fingerprints: [Int] = []
      var classes: [Int64: String] = [:]
      while try statement.step() {
        var hasher = Hasher()
        for column in 1..<max(1, count) { statement.hash(column, into: &hasher) }
        keys.append(statement.int64(at: 0))
        if plan.family != nil { classes[statement.int64(at: 0)] = statement.string(at: 1) }
        fingerprints.append(hasher.finalize())
      }
      return FetchedRows(keys: keys, fingerprints: fingerprints, classes: classes)
    }
  }

  /// The number of objects.
  func count() throws -> Int {
    if let store = context.container.stores[plan.store].custom { return try count(from: store) }
    var plain = descriptor
    plain.sortBy = []
    let query = try query(plain)
    let isLimited = descriptor.isLimited
    let text = query.count(isLimited: isLimited)
    return try run(text, query, isOrdered: isLimited) { statement in
      try statement.step() ? statement.int(at: 0) : 0
    }
  }

  /// The fetch in SQL, with what is pending and what other programs have said of the text that it
  /// compares.
  private func query(_ descriptor: FetchDescriptor<Model>) throws -> FetchQuery {
    if descriptor.includePendingChanges {
      do {
        try context.connections.writePendingRows(plan.store, pairs: context.pending.pairs)
      } catch {
        throw SwiftDataError.storage(error)
      }
    }
    let query = try FetchQuery(descriptor, plan)
    guard query.comparesOtherText else { return query }
    let forms = plan.textForms
    let isNew = try context.connections.look(plan.store) { try forms.read($0.sqlite) }
    return isNew ? try FetchQuery(descriptor, plan) : query
  }

  /// Loads the relationships that the description names, for records that were found.
  func prefetch(_ records: [Record]) throws {
    for path in descriptor.relationshipKeyPathsForPrefetching {
      guard let index = plan.description.index(of: path),
        let relationship = plan.relationshipByProperty[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.saying("\(plan.name) has no relationship \(path)")
      }
      let loaded = records.filter { !$0.slots.isEmpty }
      if plan.isCustom {
        try context.loading.loadTargets(relationship, of: loaded)
      } else if case .foreignKey = relationship.storage {
        try context.loading.loadTargets(relationship, of: loaded)
      } else {
        try context.loading.loadLinks(
          relationship, of: loaded.filter { $0.slots[index].isFault })
      }
    }
  }

  // MARK: Running

  private func records() throws -> [Record] {
    let query = try query(descriptor)
    let wanted = try wanted()
    let text = query.select(
      plan.selection(prefix: "t0.", of: wanted), isLimited: descriptor.isLimited)
    let loading = context.loading
    return try run(text, query) { statement in
      var found: [Record] = []
      while try statement.step() { found.append(loading.take(statement, plan, wanted)) }
      return found
    }
  }

  /// Runs a query, over the pending rows too if they are wanted.
  private func run<Result>(
    _ text: String, _ query: FetchQuery, isOrdered: Bool = true,
    _ read: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    do {
      return try context.connections.use(plan) { connection in
        let prefix =
          descriptor.includePendingChanges
          ? try context.connections.prefix(
            connection, store: plan.store, pairs: context.pending.pairs) : ""
        let statement = try connection.query(prefix + text)
        defer { statement.reset() }
        try bind(query, to: statement, isOrdered: isOrdered)
        return try read(statement)
      }
    } catch {
      throw SwiftDataError.storage(error)
    }
  }

  private func bind(
    _ query: FetchQuery, to statement: SQLiteStatement, isOrdered: Bool
  ) throws {
    var values = query.values
    if isOrdered { values += query.orderValues }
    if descriptor.isLimited {
      values.append(.integer(Int64(descriptor.limit ?? -1)))
      values.append(.integer(Int64(descriptor.fetchOffset ?? 0)))
    }
    try statement.bind(values)
  }

  /// The slots that are loaded at once; `nil` for all.
  private func wanted() throws -> Set<Int>? {
    guard !descriptor.propertiesToFetch.isEmpty else { return nil }
    var wanted: Set<Int> = []
    for path in descriptor.propertiesToFetch {
      guard let index = plan.description.index(of: path) else {
        throw SwiftDataError.unsupportedKeyPath.saying("\(plan.name) stores no property \(path)")
      }
      wanted.insert(index)
    }
    // A family's rows are read whole: what is wanted of one class is another column of the next.
    if plan.family != nil { return nil }
    // Keys of related rows are small, and what is prefetched needs them.
    for index in plan.slots.indices where plan.isLink(index) { wanted.insert(index) }
    return wanted
  }
}

extension SQLiteStatement {
  /// Feeds a column's value to a hasher.
  fileprivate func hash(_ column: Int, into hasher: inout Hasher) {
    hasher.combine(type(at: column).rawValue)
    switch type(at: column) {
    case .integer: hasher.combine(int64(at: column))
    case .real: hasher.combine(double(at: column))
    case .text: hasher.combine(string(at: column))
    case .blob: hasher.combine(bytes(at: column))
    case .null: break
    }
  }
}

extension FetchDescriptor {
  /// Whether a limit or an offset is set.
  fileprivate var isLimited: Bool { limit != nil || fetchOffset != nil }
}
