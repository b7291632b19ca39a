/// Fetches from a program's own store: what it does not do, and what is pending, is done here.
extension Fetching {
  /// The objects, in their order.
  func objects(from store: CustomStore) throws -> [Model] {
    let pending = pendingRecords
    if !descriptor.includePendingChanges, !pending.isEmpty {
      return try storedObjects(store)
    }
    let own = pending.filter(isOwn)
    var result = try store.fetch(
      wanted(own: own.count, others: pending.count - own.count), state)
    let isPlain = pending.isEmpty && result.isFiltered && result.isSorted
    if needsAll(others: pending.count - own.count) {
      (result.isFiltered, result.isSorted) = (false, false)
    }
    let taken = try context.loading.take(result, plan)
    var records = try taken.filter { record in
      guard record.state != .deleted else { return false }
      return try (result.isFiltered && !record.hasChanges) || matches(record)
    }
    if !own.isEmpty {
      let found = Set(taken.map(\.key))
      records += try own.filter { record in
        try record.state != .deleted && !found.contains(record.key) && matches(record)
      }
    }
    for record in records where record.model == nil { try record.checkConstants() }
    var objects = records.compactMap { $0.materialized as? Model }
    if isPlain { return objects }
    if !descriptor.sortBy.isEmpty, !result.isSorted || !own.isEmpty {
      objects.sort(using: descriptor.sortBy)
    }
    let rest = objects.dropFirst(descriptor.fetchOffset ?? 0)
    let found = Array(descriptor.limit.map { rest.prefix($0) } ?? rest)
    // What is loaded together is what is read one after the other.
    context.loading.keepTogether(found.compactMap(\.record), plan)
    return found
  }

  /// The number of objects.
  func count(from store: CustomStore) throws -> Int {
    if pendingRecords.isEmpty, let count = try store.count(asked, state) { return count }
    return try objects(from: store).count
  }

  /// The keys of the rows, in their order, each with its class.
  func rows(from store: CustomStore) throws -> [(key: Int64, plan: EntityPlan)] {
    if pendingRecords.isEmpty, let found = try store.identifiers(asked, state) {
      return found.filter(descriptor.includes).map { id in
        (id.key, plan.family?.plan(named: id.entityName) ?? plan)
      }
    }
    return try objects(from: store).compactMap(\.record).map { ($0.key, $0.entity ?? plan) }
  }

  /// The keys of the rows with a fingerprint of each one's values, in their order.
  func fingerprints(from store: CustomStore) throws -> FetchedRows {
    let records = try objects(from: store).compactMap(\.record)
    return FetchedRows(
      keys: records.map(\.key),
      fingerprints: try records.map { record in
        var hasher = Hasher()
        for property in record.description.properties {
          let slot = record.slot(property.index)
          if case .rows(let list) = slot { hasher.combine(list.keys) }
          if let value = try slot.columnValue() { hasher.combine("\(value)") }
        }
        return hasher.finalize()
      },
      classes: plan.family == nil
        ? [:]
        : Dictionary(
          records.map { ($0.key, $0.description.entityName) }, uniquingKeysWith: { $1 }))
  }

  // MARK: What is pending

  private var state: EditingState { context.connections.editingState }

  /// The objects of the store that are to be saved.
  private var pendingRecords: [Record] {
    context.pending.records.filter { $0.hasChanges && $0.entity?.store == plan.store }
  }

  /// Whether an object is of a class that is fetched.
  private func isOwn(_ record: Record) -> Bool {
    guard let own = record.entity else { return false }
    return own === plan || descriptor.includeSubclasses && own.descends(from: plan)
  }

  /// What a store is asked for: to it, a limit of 0 would be none at all.
  private var asked: FetchDescriptor<Model> {
    var asked = descriptor
    asked.fetchLimit = descriptor.limit
    return asked
  }

  /// Whether pending objects of other classes may decide what is found, or where.
  private func needsAll(others: Int) -> Bool {
    others > 0 && (descriptor.predicate != nil || !descriptor.sortBy.isEmpty)
  }

  /// What the store is asked for, so that what is pending can be put in its place.
  private func wanted(own: Int, others: Int) -> FetchDescriptor<Model> {
    var wanted = asked
    if needsAll(others: others) {
      (wanted.predicate, wanted.sortBy) = (nil, [])
      (wanted.fetchLimit, wanted.fetchOffset) = (nil, nil)
    } else if own > 0 || others > 0 {
      // As many as may be taken out here.
      wanted.fetchLimit = descriptor.limit.map { $0 + (descriptor.fetchOffset ?? 0) + own }
      wanted.fetchOffset = nil
    }
    return wanted
  }

  /// Whether an object is wanted as it is now; where the predicate cannot be computed, it is not.
  private func matches(_ record: Record) throws -> Bool {
    guard let predicate = descriptor.predicate else { return true }
    guard let model = record.materialized as? Model else { return false }
    do {
      return try predicate.evaluate(model)
    } catch is PredicateError {
      return false
    }
  }

  /// The objects that are found as they are in the store.
  private func storedObjects(_ store: CustomStore) throws -> [Model] {
    let other = ModelContext(context.container)
    let found = try other.rows(descriptor, plan)
    let missing = found.filter { context.rows[plan, $0.key] == nil }
    for row in missing { context.loading.noteClass(row.plan, row.key) }
    _ = try context.loading.loadRows(plan, missing.map(\.key))
    return found.compactMap { context.rows[plan, $0.key]?.materialized as? Model }
  }
}
