import VaultDataStore
import VaultStorage

extension ModelContext {
  /// Deletes all objects of a class, or those that a predicate finds, from the store at once.
  ///
  /// Not at the next save, and not to be rolled back; in a ``transaction(block:)``, with the rest
  /// of it. Pending changes do not count, and those of a deleted object are dropped. The
  /// relationships' rules hold.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: Which objects; `nil` for all.
  ///   - includeSubclasses: Whether objects of classes that inherit from this one count.
  /// - Throws: As ``fetch(_:)`` and ``save()``; then nothing was deleted.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let plan = try container.plan(T.self)
    guard container.stores[plan.store].configuration.allowsSave else {
      throw SwiftDataError.readOnlyStore.saying(container.stores[plan.store].configuration.name)
    }
    try home.use.during(.batchDelete) {
      try delete(model, where: predicate, includeSubclasses: includeSubclasses, plan)
    }
  }

  private func delete<T: PersistentModel>(
    _ model: T.Type, where predicate: Predicate<T>?, includeSubclasses: Bool, _ plan: EntityPlan
  ) throws {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.includeSubclasses = includeSubclasses
    if connections.isHolding {
      // With the rest of the transaction.
      return try fetch(descriptor).forEach { delete($0) }
    }
    descriptor.includePendingChanges = false
    let found = try rows(descriptor, plan)
    let keys = found.map(\.key)
    guard !keys.isEmpty else { return }
    if try deleteByStore(T.self, predicate, plan, includeSubclasses: includeSubclasses) {
      var notice = SaveNotices.Notice(sender: ObjectIdentifier(self))
      notice.deleted[plan.index] = keys
      container.mailbox.send(notice, from: merging.notices)
    } else if plan.isAlone, !plan.isCustom {
      try deleteRows(plan, keys)
    } else {
      // The rules are the graph's: another context's, since pending changes here are to stay.
      let worker = ModelContext(container)
      worker.author = author
      worker.graph.delete(found.map { worker.rows.record($0.plan, $0.key) })
      try worker.save()
    }
    merging.takeIn()
    for key in keys {
      guard let record = rows.known(plan, key), record.state != .deleted else { continue }
      pending.settle(record)
      rows.forget(record)
    }
    pending.dropSettled()
  }

  /// Lets a store of the program's own delete by itself.
  ///
  /// - Returns: Whether it has.
  private func deleteByStore<T: PersistentModel>(
    _ type: T.Type, _ predicate: Predicate<T>?, _ plan: EntityPlan, includeSubclasses: Bool
  ) throws -> Bool {
    let all = [plan] + (plan.family?.descendants(of: plan) ?? [])
    guard let store = container.stores[plan.store].custom,
      all.allSatisfy({ $0.relationships.isEmpty && $0.incoming.isEmpty })
    else { return false }
    do {
      return try store.call { store in
        guard let store = store as? any DataStoreBatching else { return false }
        try store.delete(type, predicate, editingState, includeSubclasses: includeSubclasses)
        return true
      }
    } catch DataStoreError.preferInMemoryFilter {
      return false
    } catch DataStoreError.unsupportedFeature {
      return false
    }
  }

  private func deleteRows(_ plan: EntityPlan, _ keys: [Int64]) throws {
    do {
      try container.stores[plan.store].writing {
        try connections.use(plan) { connection in
          try container.stores[plan.store].immediate(connection) {
            if var history = try HistoryRecording(connection.sqlite, author: author) {
              let store = container.stores[plan.store]
              for key in keys { try history.delete(plan, key, in: store) }
              _ = try history.write()
            }
            for start in stride(from: 0, to: keys.count, by: 10_000) {
              let part = Array(keys[start..<min(start + 10_000, keys.count)])
              try connection.sqlite.execute(
                "DELETE FROM \(plan.table) WHERE \(StoredEntity.keyColumn) IN "
                  + "(SELECT value FROM json_each(?))", [.text(SQLText.array(of: part))])
            }
          }
        }
      }
    } catch {
      throw SwiftDataError.storage(error)
    }
    var notice = SaveNotices.Notice(sender: ObjectIdentifier(self))
    notice.deleted[plan.index] = keys
    container.mailbox.send(notice, from: merging.notices)
    // The notice is for the others; arrays here are to be read again, too.
    merging.refaultLinks(to: [plan.index])
    try connections.flush([plan.store])
  }
}

extension EntityPlan {
  /// Whether rows can go without a look at others, or at files.
  var isAlone: Bool {
    family == nil && incoming.isEmpty && !slots.contains { $0.kind == .external }
      && relationships.allSatisfy { relationship in
        guard case .foreignKey = relationship.storage else { return false }
        // The other end's array may need as many as it has.
        guard (relationship.inverse?.stored.minimumCount ?? 0) == 0 else { return false }
        return relationship.rule == .nullify || relationship.rule == .noAction
      }
  }
}

extension ModelContainer {
  /// Deletes all rows of all stores, and the large values beside them; the files stay.
  ///
  /// - Throws: `StorageError`; a store's rows are then as they were.
  public func erase() throws {
    for store in stores { try store.erase() }
    var notice = SaveNotices.Notice(sender: ObjectIdentifier(self))
    notice.isAll = true
    mailbox.send(notice, from: SaveNotices.Queue())
  }

  /// The same as ``erase()``.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() { try? erase() }
}

extension ModelStore {
  func erase() throws {
    if let custom { return try custom.call { try $0.erase() } }
    guard configuration.allowsSave else {
      throw SwiftDataError.readOnlyStore.saying(configuration.name)
    }
    try writing { try withConnection(erase) }
  }

  private func erase(_ connection: StoreConnection) throws {
    let sqlite = connection.sqlite
    try immediate(connection) {
      if try sqlite.hasHistory() { try sqlite.deleteAllHistory() }
      let joins = schema.entities.flatMap(\.relationships).compactMap { relationship in
        if case .join(let join) = relationship.storage { join.table } else { nil as String? }
      }
      // Below before above: a row leads to what it inherits.
      let tables = schema.entities.sorted {
        schema.lineage(of: $0).count > schema.lineage(of: $1).count
      }.map(\.table)
      for table in Set(joins).sorted() + tables {
        try sqlite.execute("DELETE FROM main.\(SQLText.name(table))")
      }
    }
    try sweepFiles(sqlite)
    try sqlite.vacuum()
  }
}
