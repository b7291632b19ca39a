import VaultStorage

/// Saves to a program's own store: it takes all of a save's snapshots, or none.
extension Saving {
  /// Writes the records of one store.
  ///
  /// - Throws: What the store throws; ``SwiftDataError/modelValidationFailure`` where an object that
  ///   stays requires one that is deleted; ``SwiftDataError/missingRow`` for new objects that the
  ///   store gives no identifier and, where ``ModelContext/mergePolicy`` asks for it, for changed
  ///   ones that others have deleted.
  func write(_ records: [Record], to store: CustomStore) throws -> CustomSaveResult {
    if let cancellation = context.connections.cancellation, cancellation.isCancelled {
      throw CancellationError()
    }
    var changes = CustomChanges()
    var vanished: [Record] = []
    for record in records {
      switch record.state {
      case .inserted: changes.inserted.append(record)
      case .stored:
        // A snapshot has all values: those of others are not to be undone.
        if record.isOutdated, let plan = record.entity,
          try !context.loading.freshen(record, from: store, plan)
        {
          guard context.pending.mergePolicy != .error else {
            throw SwiftDataError.missingRow.saying(
              "\(plan.name) \(record.key) was deleted by another context")
          }
          vanished.append(record)
          continue
        }
        changes.updated.append(record)
      case .deleted: changes.deleted.append(record)
      case .gone, .detached: break
      }
    }
    let state = context.editingState
    try checkRequired(changes.deleted, store)
    var result = try store.call { try $0.save(changes, state) }
    let homeless = changes.inserted.count { result.remapped[$0.identifier] == nil }
    guard homeless == 0 else {
      throw SwiftDataError.missingRow.saying(
        "the store \(store.name) has given \(Plural.of(homeless, "new object")) no identifier")
    }
    for record in changes.inserted {
      guard let plan = record.entity, let key = result.remapped[record.identifier]?.key,
        let known = context.rows[plan, key]?.entity, known !== plan
      else { continue }
      throw plan.sharedKey(key)
    }
    result.vanished = vanished
    return result
  }

  /// Refuses to delete what an object still requires, in relationships without an inverse; the
  /// others are the graph's to see to.
  private func checkRequired(_ deleted: [Record], _ store: CustomStore) throws {
    var gone: [ObjectIdentifier: Set<Int64>] = [:]
    for record in deleted {
      guard let plan = record.entity else { continue }
      gone[ObjectIdentifier(plan.root), default: []].insert(record.key)
    }
    guard !gone.isEmpty else { return }
    for plan in container.plans where container.stores[plan.store].custom === store {
      let links = plan.relationships.filter {
        $0.isRequired && $0.inverse == nil && gone[ObjectIdentifier($0.destination.root)] != nil
      }
      guard !links.isEmpty else { continue }
      for snapshot in try snapshots(plan.description.type, store) {
        let key = snapshot.persistentIdentifier.key
        let record = context.rows.known(plan, key)
        if record?.state == .deleted { continue }
        for link in links {
          // Where it is changed here, the rules have been looked at.
          if record?.changed.contains(link.index) == true { continue }
          guard let target = snapshot.slot(link.property).key,
            gone[ObjectIdentifier(link.destination.root)]?.contains(target) == true
          else { continue }
          throw plan.failure(
            key, link.index,
            "is required, and leads to \(link.destination.name) "
              + "\(KeyText.text(of: target) ?? "\(target)"), which is to be deleted")
        }
      }
    }
  }

  /// Everything that a store has of one class, without its subclasses.
  private func snapshots<T: PersistentModel>(
    _ type: T.Type, _ store: CustomStore
  ) throws -> [DefaultSnapshot] {
    var descriptor = FetchDescriptor<T>()
    descriptor.includeSubclasses = false
    return try store.fetch(descriptor, context.editingState).fetched
  }

  /// Gives the objects that a store has saved their identifiers and, where it has changed them,
  /// their values.
  func settle(_ result: CustomSaveResult, of store: Int) {
    let rows = context.rows
    for (old, new) in result.remapped {
      guard let plan = container.plan(named: old.entityName), plan.store == store,
        let record = rows[plan, old.key]
      else { continue }
      if let row = rows.give(record, new.key, plan) { context.merging.refault(row) }
    }
    rows.followAliases(container.plans.filter { $0.store == store })
    for snapshot in result.changed {
      let id = snapshot.persistentIdentifier
      guard let plan = container.plan(named: id.entityName), plan.store == store,
        let record = rows[plan, id.key]
      else { continue }
      context.loading.refresh(record, snapshot, plan)
    }
  }

  /// Takes deleted rows out of what leads to them without an inverse.
  func forgetLinks(to deleted: [Int: [Int64]]) {
    guard !deleted.isEmpty, container.plans.contains(where: \.isCustom) else { return }
    var gone: [Int: Set<Int64>] = [:]
    for (entity, keys) in deleted {
      gone[container.plans[entity].root.index, default: []].formUnion(keys)
    }
    for plan in container.plans where plan.isCustom {
      for relationship in plan.relationships where relationship.inverse == nil {
        guard let gone = gone[relationship.destination.root.index] else { continue }
        for record in context.rows.records(of: plan) where !record.slots.isEmpty {
          record.slots[relationship.index] = record.slots[relationship.index].without(gone)
        }
      }
    }
  }
}

extension RegisteredRows {
  /// Gives a new object the key that its store has chosen.
  ///
  /// - Returns: The row that was there before with this key, whose object it is now.
  func give(_ record: Record, _ key: Int64, _ plan: EntityPlan) -> Record? {
    if record.key == key { return nil }
    if let row = self[plan, key] {
      replace(record, by: row, plan)
      return row
    }
    remove(record, plan)
    addAlias(record.key, of: key, plan)
    record.key = key
    register(record, plan)
    return nil
  }

  /// Leads every relationship of some classes to the keys that rows have now.
  func followAliases(_ plans: [EntityPlan]) {
    for plan in plans {
      for relationship in plan.relationships {
        for record in records(of: plan) where !record.slots.isEmpty {
          record.slots[relationship.index] = current(
            record.slots[relationship.index], relationship)
        }
      }
    }
  }

  /// A slot that leads to the keys that rows have now.
  func current(
    _ slot: _AppData.Slot, _ relationship: RelationshipPlan
  ) -> _AppData.Slot {
    guard hasAliases else { return slot }
    switch slot {
    case .integer(let key): return .integer(current(key, relationship.destination))
    case .rows(let list):
      let keys = list.keys.map { current($0, relationship.destination) }
      if keys != list.keys { list.replace(keys: keys, positions: list.positions) }
      return slot
    default: return slot
    }
  }
}

extension _AppData.Slot {
  /// The slot, not leading to some rows.
  fileprivate func without(_ gone: Set<Int64>) -> Self {
    switch self {
    case .integer(let key) where gone.contains(key): return .null
    case .rows(let list) where !gone.isDisjoint(with: list.keys):
      let left = list.copy()
      for key in gone { left.remove(key) }
      return .rows(left)
    default: return self
    }
  }
}
