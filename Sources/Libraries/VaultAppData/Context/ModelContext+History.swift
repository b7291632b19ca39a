import VaultDataStore
import VaultStorage

extension ModelContext {
  /// The transactions of the stores' history: who saved which changes when.
  ///
  /// A store keeps a history unless ``ModelConfiguration/keepsHistory`` says otherwise. It has the
  /// saves of all programs, since it has been kept.
  ///
  /// ```swift
  /// let all = HistoryDescriptor<DefaultHistoryTransaction>()
  /// for transaction in try context.fetchHistory(all) {
  ///   for change in transaction.changes {
  ///     switch change {
  ///     case .insert(let change as DefaultHistoryInsert<Trip>):
  ///       print("new:", change.changedPersistentIdentifier)
  ///     case .update(let change as DefaultHistoryUpdate<Trip>):
  ///       print("renamed:", change.containsAttribute(\.name))
  ///     default: break
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter descriptor: Which transactions, in which order.
  /// - Returns: The transactions of all stores, by their time unless the descriptor sorts them; what
  ///   is pending is in none.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after a token that the
  ///   predicate asks for have been deleted; ``SwiftDataError/invalidTransactionFetchRequest`` if
  ///   the configurations say that no store keeps one, or for another type of transactions; a
  ///   `StorageError`.
  public func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] {
    let custom = customStores(T.self)
    let others = try custom.flatMap { store in
      try store.call { store in
        guard let store = store as? any HistoryProviding else { return [] as [T] }
        return try store.transactions(descriptor)
      }
    }
    // Of another type, or none at all: the databases have nothing to add.
    if !custom.isEmpty, !(try keepsOwnHistory(T.self)) { return others }
    let found = HistoryOrder.merged(try transactions(default: descriptor))
    let wanted = try HistoryDescriptor<DefaultHistoryTransaction>(descriptor).select(found)
    return wanted.compactMap { $0 as? T } + others
  }

  /// Deletes transactions of the stores' history; the models stay as they are.
  ///
  /// ```swift
  /// let old = Date.now.addingTimeInterval(-30 * 86_400)
  /// try context.deleteHistory(
  ///   HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp < old }))
  /// ```
  ///
  /// - Parameter descriptor: Which transactions.
  /// - Throws: As ``fetchHistory(_:)``, ``SwiftDataError/readOnlyStore``.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let custom = customStores(T.self)
    for store in custom {
      try store.call { store in
        guard let store = store as? any HistoryProviding else { return }
        try store.deleteTransactions(descriptor)
      }
    }
    if !custom.isEmpty, !(try keepsOwnHistory(T.self)) { return }
    let found = try transactions(default: descriptor)
    let wanted = Set(
      try HistoryDescriptor<DefaultHistoryTransaction>(descriptor).select(
        HistoryOrder.merged(found)))
    for part in found {
      let index = part.store
      let ids = part.transactions.filter(wanted.contains).map(\.transactionIdentifier)
      let store = container.stores[index]
      guard store.configuration.allowsSave else {
        throw SwiftDataError.readOnlyStore.saying(store.configuration.name)
      }
      func delete() throws {
        try connections.use(index) { connection in
          let sqlite = connection.sqlite
          if sqlite.isInTransaction {
            return try sqlite.savepoint { try sqlite.deleteHistory(ids) }
          }
          try store.immediate(connection) { try sqlite.deleteHistory(ids) }
        }
      }
      do {
        if connections.holds(index) { try delete() } else { try store.writing(delete) }
      } catch {
        throw SwiftDataError.storage(error)
      }
      if !connections.holds(index) { try connections.flush([index]) }
    }
  }

  /// The program's own stores whose history has transactions of a type.
  private func customStores<T: HistoryTransaction>(_ type: T.Type) -> [CustomStore] {
    container.customStores.filter { store in
      store.call { ($0 as? any HistoryProviding)?.provides(type) == true }
    }
  }

  /// Whether a database of the container keeps a history of such transactions.
  private func keepsOwnHistory<T: HistoryTransaction>(_ type: T.Type) throws -> Bool {
    guard type == DefaultHistoryTransaction.self else { return false }
    return try container.databases.contains { index in
      try connections.use(index) { try $0.sqlite.hasHistory() }
    }
  }

  /// The transactions within a predicate's bounds, by store.
  private func transactions<T: HistoryTransaction>(
    default descriptor: HistoryDescriptor<T>
  ) throws -> [StoreHistory] {
    let bounds = HistoryBounds(
      try HistoryDescriptor<DefaultHistoryTransaction>(descriptor).predicate)
    var isKept = container.databases.contains { index in
      // One that cannot be written has none yet.
      container.stores[index].configuration.keepsHistory != false
    }
    let found = try container.databases.map { index in
      let store = container.stores[index]
      let rows = try connections.use(index) { connection in
        guard try connection.sqlite.hasHistory() else {
          return [] as [(DataStoreHistory.Transaction, [DataStoreHistory.Change])]
        }
        isKept = true
        let wanted = bounds.bounds(in: store.identifier)
        if let token = bounds.token(in: store.identifier),
          token < (try connection.sqlite.historyDeletedThrough())
        {
          throw SwiftDataError.historyTokenExpired.saying(
            "transactions after the token have been deleted from \(store.configuration.name)")
        }
        return try connection.sqlite.readHistory(wanted)
      }
      let reading = HistoryReading(container.plans.filter { $0.store == index }, store)
      return StoreHistory(
        store: index, identifier: store.identifier, start: bounds.token(in: store.identifier) ?? 0,
        transactions: rows.map { reading.transaction($0, $1) })
    }
    guard isKept else {
      throw SwiftDataError.invalidTransactionFetchRequest.saying(
        "no store keeps a history: keepsHistory of its configuration is false")
    }
    return found
  }
}

/// The transactions of one store.
private struct StoreHistory {
  let store: Int
  let identifier: String
  /// The transaction before the first.
  let start: Int64
  let transactions: [DefaultHistoryTransaction]
}

/// The order of the transactions of several stores.
private enum HistoryOrder {
  /// All transactions by their time, those of one store in their order; each has a token that knows
  /// the place in all stores.
  static func merged(_ histories: [StoreHistory]) -> [DefaultHistoryTransaction] {
    if histories.count == 1 { return histories[0].transactions }
    var place = Dictionary(
      histories.map { ($0.identifier, $0.start) }, uniquingKeysWith: { max($0, $1) })
    var rest = histories.map { $0.transactions[...] }
    var merged: [DefaultHistoryTransaction] = []
    merged.reserveCapacity(rest.reduce(0) { $0 + $1.count })
    while let next = rest.indices.filter({ !rest[$0].isEmpty }).min(by: { left, right in
      (rest[left].first?.timestamp ?? .distantFuture)
        < (rest[right].first?.timestamp ?? .distantFuture)
    }) {
      let transaction = rest[next].removeFirst()
      let store = transaction.storeIdentifier
      place[store] = transaction.transactionIdentifier
      merged.append(transaction.with(DefaultHistoryToken(place, of: store)))
    }
    return merged
  }
}

extension HistoryProviding {
  /// Whether the store's transactions are of a type.
  fileprivate func provides<T: HistoryTransaction>(_ type: T.Type) -> Bool {
    Self.historyType == type
  }

  fileprivate func transactions<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] {
    guard let own = descriptor as? HistoryDescriptor<HistoryType> else { return [] }
    return try fetchHistory(own).compactMap { $0 as? T }
  }

  fileprivate func deleteTransactions<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws {
    guard let own = descriptor as? HistoryDescriptor<HistoryType> else { return }
    try deleteHistory(own)
  }
}

extension HistoryDescriptor where TransactionType == DefaultHistoryTransaction {
  /// A descriptor of this library's transactions.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` for one of others.
  fileprivate init<Other: HistoryTransaction>(_ other: HistoryDescriptor<Other>) throws {
    guard let own = other as? Self else {
      throw SwiftDataError.invalidTransactionFetchRequest.saying(
        "the stores have no transactions of the type \(Other.self)")
    }
    self = own
  }

  /// The transactions that it describes, in its order.
  fileprivate func select(
    _ transactions: [DefaultHistoryTransaction]
  ) throws -> [DefaultHistoryTransaction] {
    var found = transactions
    if let predicate { found = try found.filter(predicate.evaluate) }
    if !sortBy.isEmpty { found.sort(using: sortBy) }
    return fetchLimit == 0 ? found : Array(found.prefix(Int(clamping: fetchLimit)))
  }
}

/// Makes transactions of a store's rows.
struct HistoryReading {
  private let plans: [String: EntityPlan]
  private let store: ModelStore

  init(_ plans: [EntityPlan], _ store: ModelStore) {
    self.plans = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.store = store
  }

  /// One transaction; changes of classes that the container does not have are left out.
  func transaction(
    _ row: DataStoreHistory.Transaction, _ changes: [DataStoreHistory.Change]
  ) -> DefaultHistoryTransaction {
    DefaultHistoryTransaction(
      author: row.author, bundleIdentifier: row.bundle,
      changes: changes.flatMap { change in
        plans[change.entity].map { self.changes(change, $0, $0.description.type) } ?? []
      },
      processIdentifier: row.process, storeIdentifier: store.identifier,
      timestamp: Date(timeIntervalSinceReferenceDate: row.time),
      token: DefaultHistoryToken([store.identifier: row.id], of: store.identifier),
      transactionIdentifier: row.id)
  }

  private func changes<Model: PersistentModel>(
    _ run: DataStoreHistory.Change, _ plan: EntityPlan, _ type: Model.Type
  ) -> [HistoryChange] {
    let properties = properties(of: run, plan, type)
    return (0..<run.count).map { offset in
      let object = PersistentIdentifier(plan.place, key: run.firstRow + offset)
      // Unique in the store, and in the order of the changes.
      let number = run.transaction << 32 | (run.number + offset)
      switch run.kind {
      case .insert:
        return .insert(
          DefaultHistoryInsert<Model>(
            changeIdentifier: number, changedPersistentIdentifier: object,
            transactionIdentifier: run.transaction))
      case .update:
        return .update(
          DefaultHistoryUpdate<Model>(
            changeIdentifier: number, changedPersistentIdentifier: object,
            transactionIdentifier: run.transaction, updatedAttributes: properties))
      case .delete:
        return .delete(
          DefaultHistoryDelete<Model>(
            changeIdentifier: number, changedPersistentIdentifier: object,
            tombstone: tombstone(run.tombstone, plan, key: object.key, type),
            transactionIdentifier: run.transaction))
      }
    }
  }

  private func properties<Model: PersistentModel>(
    of run: DataStoreHistory.Change, _ plan: EntityPlan, _ type: Model.Type
  ) -> [any PartialKeyPath<Model> & Sendable] {
    guard let text = run.properties,
      let names = try? ValueCoding.decode(text, as: [String].self)
    else { return [] }
    return names.compactMap { name in
      // As it was called then.
      let index = plan.description.index(named: name) ?? plan.description.index(originalName: name)
      return index.flatMap { plan.path($0, type) }
    }
  }

  private func tombstone<Model: PersistentModel>(
    _ text: String?, _ plan: EntityPlan, key: Int64, _ type: Model.Type
  ) -> HistoryTombstone<Model> {
    guard let text else { return HistoryTombstone([]) }
    var slots = HistoryTombstoneText.slots(text, plan)
    // Kept as they were sealed; one that does not open is as one that was not preserved.
    for (index, slot) in slots where plan.slots[index].isSealed {
      slots[index] = try? plan.opened(slot, index, key: key)
    }
    // So is one that does not decode: no other value is shown for it.
    slots = slots.filter { plan.description.decodes($1, $0) }
    let record = _AppData.Record(plan.description, key: 0)
    record.slots.fill(count: plan.slotCount) { slots[$0] ?? .null }
    return HistoryTombstone(
      slots.keys.sorted().compactMap { index in
        let value = record.anyValue(index)
        return plan.path(index, type).map { ($0, value) }
      })
  }
}

extension _AppData.ModelDescription {
  /// The property that once had a name.
  fileprivate func index(originalName: String) -> Int? {
    properties.first { property in
      let relationship = property.metadata as? Schema.Relationship
      return (property.attribute?.originalName ?? relationship?.originalName) == originalName
    }?.index
  }
}

extension EntityPlan {
  /// A property's key path.
  fileprivate func path<Model: PersistentModel>(
    _ index: Int, _ type: Model.Type
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    let property = description.properties[index].keyPath
    guard let path = property as? PartialKeyPath<Model> else {
      // One of the superclass's, which reads every object of this class.
      guard index < description.parent?.count ?? 0, description.type == type else { return nil }
      return unsafe unsafeBitCast(property, to: (any PartialKeyPath<Model> & Sendable).self)
    }
    // Properties' key paths capture nothing, as SortDescriptor's do not.
    return unsafe unsafeBitCast(path, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}

extension _AppData.Record {
  /// The value of a slot as the property's type.
  fileprivate func anyValue(_ index: Int) -> any Sendable {
    func value<Value>(_ type: Value.Type) -> any Sendable {
      var value: Any = decodedUnconstrained(index, as: Value.self)
      if let optional = value as? any OptionalValue, let wrapped = optional.wrapped {
        value = wrapped
      }
      // A value that was just made here, and is nobody else's.
      return unsafe unsafeBitCast([value], to: [any Sendable].self)[0]
    }
    return _openExistential(description.properties[index].valueType, do: value)
  }
}
