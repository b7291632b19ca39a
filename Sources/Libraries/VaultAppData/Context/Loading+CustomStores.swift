/// Rows of a program's own store: a snapshot has all values of a model, and leads to all others.
extension Loading {
  /// Fills the slots of a record that are not filled yet; those with changes stay.
  ///
  /// - Returns: Whether the store has the row.
  func fill(_ record: Record, from store: CustomStore, _ plan: EntityPlan) throws -> Bool {
    let found = try store.snapshots(plan, [record.key], connections.editingState)
    guard let snapshot = found[record.key] else { return false }
    fill(record, from: snapshot, plan)
    return true
  }

  private func fill(_ record: Record, from snapshot: DefaultSnapshot, _ plan: EntityPlan) {
    noteClasses(snapshot, plan)
    let properties = plan.description.properties
    guard !record.slots.isEmpty else {
      return record.slots.fill(count: plan.slotCount) { index in
        index < properties.count ? snapshot.slot(properties[index]) : .null
      }
    }
    for property in properties where record.slots[property.index].isFault {
      record.slots[property.index] = snapshot.slot(property)
    }
  }

  /// Takes in what others have saved of an object that has changes; the changes stay.
  ///
  /// - Returns: Whether the store has the row; if not, the object stays as it is.
  func freshen(_ record: Record, from store: CustomStore, _ plan: EntityPlan) throws -> Bool {
    let found = try store.snapshots(plan, [record.key], connections.editingState)
    guard let snapshot = found[record.key] else { return false }
    for index in record.slots.indices where !record.changed.contains(index) {
      record.slots[index] = .fault
    }
    fill(record, from: snapshot, plan)
    return true
  }

  /// The records of rows; those that do not exist are left out.
  func loadRows(_ plan: EntityPlan, _ keys: [Int64], from store: CustomStore) throws -> [Record] {
    var found: [Int64: Record] = [:]
    for (index, keys) in Dictionary(grouping: keys, by: { actualPlan(plan, $0).index }) {
      let snapshots = try store.snapshots(plans[index], keys, connections.editingState)
      for (key, snapshot) in snapshots { found[key] = try take(snapshot, plans[index]) }
    }
    let records = keys.compactMap { found[$0] }
    keepTogether(records, plan)
    return records
  }

  /// The records of an answer, in its order; what it leads to is registered too.
  func take(_ result: CustomFetchResult, _ plan: EntityPlan) throws -> [Record] {
    for snapshot in result.related {
      let name = snapshot.persistentIdentifier.entityName
      if let other = plans.first(where: { $0.name == name && $0.store == plan.store }) {
        _ = try take(snapshot, other)
      }
    }
    let records = try result.fetched.map { try take($0, plan) }
    if records.count > 1 { keepTogether(records, plan) }
    return records
  }

  /// The record of a snapshot; pending changes stay.
  ///
  /// - Throws: ``SwiftDataError/missingRow`` where the store has given one key to models of two
  ///   classes that inherit from one another.
  func take(_ snapshot: DefaultSnapshot, _ plan: EntityPlan) throws -> Record {
    let id = snapshot.persistentIdentifier
    let plan = plan.family?.plan(named: id.entityName) ?? plan
    let known = rows[plan, id.key]?.entity
    guard known == nil || known === plan else { throw plan.sharedKey(id.key) }
    noteClass(plan, id.key)
    let record = rows.record(plan, id.key)
    if !record.hasChanges { refresh(record, snapshot, plan) }
    return record
  }

  /// Replaces the values that were read before by those of a snapshot.
  func refresh(_ record: Record, _ snapshot: DefaultSnapshot, _ plan: EntityPlan) {
    record.seen = plan.signal.value
    noteClasses(snapshot, plan)
    guard !record.slots.isEmpty else { return fill(record, from: snapshot, plan) }
    for property in plan.description.properties {
      let slot = snapshot.slot(property)
      // Arrays and decoded values stay while what they were made from is the same.
      if record.slots[property.index].holdsSame(as: slot) { continue }
      record.model?._$changing(property.index)
      record.slots[property.index] = slot
    }
  }

  /// Notes the classes of what a snapshot leads to: the slots have the keys alone.
  private func noteClasses(_ snapshot: DefaultSnapshot, _ plan: EntityPlan) {
    for relationship in plan.relationships {
      guard let family = relationship.destination.family else { continue }
      for id in snapshot.related(relationship.property) ?? [] {
        if let own = family.plan(named: id.entityName) { noteClass(own, id.key) }
      }
    }
  }
}

extension EntityPlan {
  /// The error of a program's own store that gives one key to models of two classes of a family.
  func sharedKey(_ key: Int64) -> SwiftDataError {
    .missingRow.saying(
      "the store has given the key \(KeyText.text(of: key) ?? "\(key)") to a \(name) and to an "
        + "object of another class that inherits from the same: their keys must differ")
  }
}

extension _AppData.Slot {
  /// Whether both hold the same value of a snapshot.
  fileprivate func holdsSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.rows(let left), .rows(let right)): left.keys == right.keys
    default: isSame(as: other)
    }
  }
}
