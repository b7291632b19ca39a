/// What was done, so that it can be taken back.
enum UndoStep {
  /// A slot had another value.
  case slot(_AppData.Record, Int, _AppData.Slot)
  /// A row was added to an array, or taken from a place in it.
  case list(RelationshipPlan, owner: Int64, key: Int64, place: Int?, wasAdded: Bool)
  /// A row of a join table was added (1) or removed (-1).
  case pair(PairKey, Int)
  case inserted(_AppData.Record, EntityPlan, any PersistentModel)
  /// An object was deleted: what it was before.
  case deleted(_AppData.Record, EntityPlan, _AppData.Record.State, any PersistentModel)
  case undeleted(_AppData.Record)
}

/// What can be done to the graph; every change is one of these, or a slot's.
enum GraphChange {
  case insert(_AppData.Record, EntityPlan)
  case delete(_AppData.Record)
  case undelete(_AppData.Record)
  case list(RelationshipPlan, Int64, Int64, at: Int?, isAdded: Bool)
  case pair(PairKey, Int)
}

extension ModelContext {
  /// Does one thing, and notes how it is taken back.
  func perform(_ change: GraphChange) {
    switch change {
    case .insert(let record, let plan):
      insert(record, plan, model(record))
    case .delete(let record):
      guard let plan = record.entity else { return }
      closeArrays()
      if undoManager != nil {
        steps.append(.deleted(record, plan, record.state, model(record)))
      }
      remove(record, plan)
    case .undelete(let record):
      guard record.state == .deleted else { return }
      record.state = .stored
      addPending(record)
      if undoManager != nil { steps.append(.undeleted(record)) }
    case .list(let relationship, let owner, let key, let place, let isAdded):
      let done = changeList(relationship, owner, key, at: place, isAdded: isAdded)
      if undoManager != nil, let done {
        steps.append(.list(relationship, owner: owner, key: key, place: done, wasAdded: isAdded))
      }
    case .pair(let pair, let change):
      let sum = (pairs[pair] ?? 0) + change
      pairs[pair] = sum == 0 ? nil : sum
      if let plan = container.plans.first(where: { $0.index == pair.entity }) {
        overlays[plan.store].touch(pair)
      }
      if undoManager != nil { steps.append(.pair(pair, change)) }
    }
  }

  func insert(_ record: Record, _ plan: EntityPlan, _ model: any PersistentModel) {
    record.state = .inserted
    register(record, plan)
    addPending(record, model)
    if undoManager != nil { steps.append(.inserted(record, plan, model)) }
  }

  private func remove(_ record: Record, _ plan: EntityPlan) {
    if record.isStored {
      record.state = .deleted
      addPending(record)
    } else {
      // Nobody else has ever seen it.
      registry[plan.index][record.key] = nil
      record.state = .gone
      overlays[plan.store].touch(record)
    }
  }

  /// Adds a row to an array or takes it out.
  ///
  /// - Returns: The place, -1 if the array is not loaded; `nil` if nothing was changed.
  private func changeList(
    _ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, at place: Int?, isAdded: Bool
  ) -> Int? {
    let index = relationship.index
    // To take it back, the place must be known.
    if undoManager != nil { _ = self.record(relationship.entity, owner).slot(index) }
    let record = registry[relationship.entity.index][owner]
    guard let record, !record.slots.isEmpty, case .rows(let shared) = record.slots[index] else {
      note(relationship, owner, key, isAdded: isAdded)
      return -1
    }
    if shared.contains(key) == isAdded { return nil }
    record.model?._$changing(index)
    let isFirst = record.isStored && !record.changed.contains(index)
    markChanged(record, index)
    // What was last saved keeps its own array.
    let list = isFirst ? shared.copy() : shared
    if isFirst {
      record.slots[index] = .rows(list)
      (list.open, shared.open) = (shared.open, nil)
      if list.open != nil { openLists.append(list) }
    }
    if isAdded {
      let at = place.map { $0 < 0 ? list.count : min($0, list.count) } ?? list.count
      let open = at == list.count && list.open?.version == list.version ? list.open : nil
      list.insert(key, at: at)
      if let open, let added = registry[relationship.destination.index][key] {
        open.append(model(added), version: list.version)
      }
      return at
    }
    // Who takes nothing back needs no place.
    let found = undoManager == nil ? 0 : list.keys.lastIndex(of: key)
    list.remove(key)
    return found
  }

  private func note(
    _ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, isAdded: Bool
  ) {
    let list = ListKey(
      entity: relationship.entity.index, property: relationship.index, owner: owner)
    var note = notes[list] ?? ListNote()
    if isAdded {
      if note.removed.remove(key) == nil { note.added.append(key) }
    } else if let index = note.added.lastIndex(of: key) {
      note.added.remove(at: index)
    } else {
      note.removed.insert(key)
    }
    notes[list] = note.added.isEmpty && note.removed.isEmpty ? nil : note
  }
}
