extension ModelContext {
  // MARK: Inserting

  /// Puts an object into the context, and every object that it leads to.
  ///
  /// An object that is in the context already stays as it is. One of another context is not inserted:
  /// the next ``save()`` throws ``SwiftDataError/modelValidationFailure``.
  public func insert<T: PersistentModel>(_ model: T) { insert(any: model) }

  func insert(any model: any PersistentModel) {
    // Most objects lead nowhere, and need no list of what is still to be inserted.
    if let record = model.record, record.state == .detached,
      let plan = plan(record.description), plan.relationships.isEmpty
    {
      return attach(record, model, plan)
    }
    var open: [any PersistentModel] = [model]
    var links: [NewLinks] = []
    var index = 0
    while index < open.count {
      defer { index += 1 }
      let model = open[index]
      guard let record = model.record else { continue }
      switch record.state {
      case .detached, .gone:
        guard let plan = container.plan(record.description) else {
          problems.append(
            .modelValidationFailure.saying(
              "\(record.description.entityName) is not in the container's schema"))
          continue
        }
        collect(record, plan, &links)
        attach(record, model, plan)
        open += links.suffix(plan.relationships.count).filter { $0.owner === record }.flatMap(
          \.models)
      case .deleted where record.isIn(self):
        perform(.undelete(record))
      case .inserted, .stored, .deleted:
        if !record.isIn(self) { reportForeign(record) }
      }
    }
    connect(links)
  }

  /// The plan of a class: mostly that of the object before.
  private func plan(_ description: ModelDescription) -> EntityPlan? {
    if let lastPlan, lastPlan.description === description { return lastPlan }
    lastPlan = container.plan(description)
    return lastPlan
  }

  func reportForeign(_ record: Record) {
    problems.append(
      .modelValidationFailure.saying(
        "\(record.description.entityName) \(record.key) "
          + (record.context == nil ? "is one whose context is gone" : "belongs to another context"))
    )
  }

  /// What a new object led to before it had a key.
  private struct NewLinks {
    let relationship: RelationshipPlan
    let owner: Record
    let models: [any PersistentModel]
  }

  /// Notes what a new object leads to, and empties the slots for it.
  private func collect(_ record: Record, _ plan: EntityPlan, _ links: inout [NewLinks]) {
    if record.slots.isEmpty { record.fillEmpty() }
    for relationship in plan.relationships {
      let index = relationship.index
      if case .models(let list) = record.slots[index], !list.models.isEmpty {
        links.append(NewLinks(relationship: relationship, owner: record, models: list.models))
      }
      guard relationship.isToMany else {
        record.slots[index] = .null
        continue
      }
      let list = RowList()
      list.isNil = record.slots[index].isNull
      record.slots[index] = .rows(list)
    }
  }

  private func attach(_ record: Record, _ model: any PersistentModel, _ plan: EntityPlan) {
    record.model = model
    if record.slots.isEmpty { record.fillEmpty() }
    model._$writeConstants()
    record.slots.resize(to: max(record.slots.count, plan.slotCount))
    record.key = plan.keys.next()
    record.unsaved = nil
    record.isStored = false
    record.changed = PropertySet()
    insert(record, plan, model)
  }

  /// Turns the models of new objects into keys, and leads back from them.
  private func connect(_ links: [NewLinks]) {
    // Arrays first, since they have an order.
    for new in links where new.relationship.isToMany {
      for model in new.models {
        guard let key = admit(model, new.relationship)?.key,
          case .rows(let list) = new.owner.slots[new.relationship.index], !list.contains(key)
        else { continue }
        link(new.relationship, new.owner, key)
      }
    }
    for new in links where !new.relationship.isToMany {
      setTarget(new.relationship, of: new.owner, new.models.first)
    }
    for new in links where new.relationship.inverse?.isToMany == true { order(new) }
  }

  /// Gives an array the order that it had: the other sides of its links may have come first.
  private func order(_ new: NewLinks) {
    guard case .rows(let list) = new.owner.slots[new.relationship.index] else { return }
    let keys = new.models.compactMap { $0.record?.key }
    if keys == list.keys { return }
    let places = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
    let ordered = list.keys.enumerated().sorted {
      (places[$0.element] ?? Int.max, $0.offset) < (places[$1.element] ?? Int.max, $1.offset)
    }.map(\.element)
    if ordered != list.keys { reorder(new.relationship, new.owner, ordered) }
  }

  // MARK: Attributes

  /// Notes that a property is about to change.
  func willChange(_ record: Record, _ index: Int) {
    guard record.state != .gone, record.state != .detached else { return }
    if undoManager != nil { steps.append(.slot(record, index, record.slots[index].copied)) }
    markChanged(record, index)
  }

  func markChanged(_ record: Record, _ index: Int) {
    if record.state == .stored || record.state == .deleted {
      record.changed.insert(index)
    }
    addPending(record)
  }

  // MARK: Relationships

  /// The object that a relationship leads to; `nil` if it was deleted.
  func target(
    _ relationship: RelationshipPlan, _ key: Int64, near record: Record
  ) -> (any PersistentModel)? {
    let destination = relationship.destination
    if let found = registry[destination.index][key] {
      if found.state == .deleted, !relationship.isRequired { return nil }
      return model(found)
    }
    do {
      try loadTargets(relationship, near: record)
    } catch {
      problems.append(.missingRow.saying("\(relationship.label): \(error)", underlying: error))
      return nil
    }
    return registry[destination.index][key].map(model)
  }

  /// The objects of an array, in its order, without those that were deleted.
  func targets<Element: PersistentModel>(
    _ relationship: RelationshipPlan, _ keys: [Int64], near record: Record
  ) -> [Element] {
    var found: [Element] = []
    found.reserveCapacity(keys.count)
    let destination = relationship.destination
    let table = registry[destination.index]
    let isElement = destination.description.type == Element.self
    for key in keys {
      if isElement, let known = table[key], known.state != .deleted, known.model == nil {
        // Made with its type, which a cast would have to find again.
        found.append(make(known))
      } else if let model = target(relationship, key, near: record) as? Element {
        found.append(model)
      }
    }
    return found
  }

  /// The target in this context, inserted if it is in none; `nil` for one of another context.
  func admit(_ target: any PersistentModel, _ relationship: RelationshipPlan) -> Record? {
    guard let record = target.record else { return nil }
    if record.state == .detached || record.state == .gone { insert(any: target) }
    guard record.isIn(self) else {
      reportForeign(record)
      return nil
    }
    guard record.entity === relationship.destination else { return nil }
    if record.state == .deleted { return nil }
    return record
  }

  func setTarget(
    _ relationship: RelationshipPlan, of record: Record, _ target: (any PersistentModel)?
  ) {
    let new = target.flatMap { admit($0, relationship) }
    if target != nil, new == nil { return }
    let old = record.slot(relationship.index).key
    guard old != new?.key else { return }
    if let old { unlink(relationship, record, old) }
    if let new { link(relationship, record, new.key) }
  }

  func setTargets(
    _ relationship: RelationshipPlan, of record: Record, _ targets: [any PersistentModel]?
  ) {
    var seen: Set<Int64> = []
    let new = (targets ?? []).compactMap { admit($0, relationship)?.key }.filter {
      seen.insert($0).inserted
    }
    guard case .rows(let list) = record.slot(relationship.index) else { return }
    defer {
      // Not a change to be saved: the file has no `nil` of its own for arrays.
      if case .rows(let list) = record.slots[relationship.index] { list.isNil = targets == nil }
    }
    let old = list.keys
    guard old != new else { return }
    if new.starts(with: old) {
      for key in new[old.count...] { link(relationship, record, key) }
      return
    }
    for key in old where !seen.contains(key) { unlink(relationship, record, key) }
    let before = Set(old)
    for key in new where !before.contains(key) { link(relationship, record, key) }
    guard case .rows(let now) = record.slots[relationship.index], now.keys != new else { return }
    reorder(relationship, record, new)
  }

  private func reorder(_ relationship: RelationshipPlan, _ record: Record, _ keys: [Int64]) {
    guard case .rows(let list) = record.slots[relationship.index] else { return }
    let places = Dictionary(zip(list.keys, list.positions), uniquingKeysWith: { $1 })
    willChange(record, relationship.index)
    record.slots[relationship.index] = .rows(
      RowList(keys: keys, positions: keys.map { places[$0] ?? nil }))
  }

  /// Links two rows, on both sides.
  func link(_ relationship: RelationshipPlan, _ owner: Record, _ key: Int64) {
    let inverse = relationship.inverse
    // What leads to one thing only leaves what it led to before.
    if !relationship.isToMany, let old = owner.slot(relationship.index).key, old != key {
      unlink(relationship, owner, old)
    }
    if let inverse, !inverse.isToMany {
      let target = record(inverse.entity, key)
      if let other = target.slot(inverse.index).key, other != owner.key {
        unlink(inverse, target, other)
      }
    }
    add(relationship, owner.key, key)
    if let inverse { add(inverse, key, owner.key) }
    notePair(relationship, owner.key, key, 1)
  }

  /// Takes the link of two rows away, on both sides.
  func unlink(_ relationship: RelationshipPlan, _ owner: Record, _ key: Int64) {
    remove(relationship, owner.key, key)
    if let inverse = relationship.inverse { remove(inverse, key, owner.key) }
    notePair(relationship, owner.key, key, -1)
  }

  func notePair(
    _ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, _ change: Int
  ) {
    guard case .join = relationship.storage else { return }
    let pair =
      if relationship.isLeading || relationship.inverse == nil {
        PairKey(
          entity: relationship.entity.index, property: relationship.index, owner: owner,
          destination: key)
      } else {
        PairKey(
          entity: relationship.destination.index, property: relationship.inverse?.index ?? 0,
          owner: key, destination: owner)
      }
    perform(.pair(pair, change))
  }

  /// Adds one row to one side.
  private func add(_ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64) {
    let index = relationship.index
    if relationship.isToMany {
      perform(.list(relationship, owner, key, at: nil, isAdded: true))
    } else {
      let record = record(relationship.entity, owner)
      _ = record.slot(index)
      record.model?._$changing(index)
      willChange(record, index)
      record.slots[index] = .integer(key)
    }
  }

  /// Takes one row from one side.
  func remove(_ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64) {
    let index = relationship.index
    if relationship.isToMany {
      perform(.list(relationship, owner, key, at: nil, isAdded: false))
    } else {
      let record = record(relationship.entity, owner)
      guard record.slot(index).key == key else { return }
      record.model?._$changing(index)
      willChange(record, index)
      record.slots[index] = .null
    }
  }
}

extension _AppData.Slot {
  /// The slot, with an array of its own.
  var copied: _AppData.Slot {
    if case .rows(let list) = self { .rows(list.copy()) } else { self }
  }
}
