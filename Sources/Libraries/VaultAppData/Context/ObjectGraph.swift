/// Inserts, deletes and links the objects of a context.
///
/// A link is changed on both of its sides, and noted for undoing and for the next save.
final class ObjectGraph {
  typealias Record = _AppData.Record
  typealias RowList = _AppData.RowList

  let container: ModelContainer
  let home: WeakContext
  let rows: RegisteredRows
  let pending: PendingChanges
  let loading: Loading
  let undoing: Undoing
  /// Arrays that are changed in place, and hold their models meanwhile.
  var openLists: [RowList] = []
  /// Whether each row that a cascade deletes gets a record.
  var isDeletingByObject = false
  /// The class of the object that was inserted last.
  private var lastPlan: EntityPlan?

  init(
    _ container: ModelContainer, _ home: WeakContext, _ rows: RegisteredRows,
    _ pending: PendingChanges, _ loading: Loading, _ undoing: Undoing
  ) {
    self.container = container
    self.home = home
    self.rows = rows
    self.pending = pending
    self.loading = loading
    self.undoing = undoing
  }

  /// The plan of a class: mostly that of the object before.
  func plan(_ description: ModelDescription) -> EntityPlan? {
    if let lastPlan, lastPlan.description === description { return lastPlan }
    lastPlan = container.plan(description)
    return lastPlan
  }

  /// Notes that an object belongs to another context; the next save says so.
  func reportForeign(_ record: Record) {
    pending.problems.append(
      .modelValidationFailure.saying(
        "\(record.description.entityName) \(record.key) "
          + (record.context == nil ? "is one whose context is gone" : "belongs to another context"))
    )
  }

  /// Lets go of the arrays that were changed in place.
  func closeArrays() {
    for list in openLists { list.open = nil }
    openLists.removeAll()
  }

  // MARK: Changes

  /// Notes that a property is about to change.
  func willChange(_ record: Record, _ index: Int) {
    guard record.state != .gone, record.state != .detached else { return }
    // Undo writes the old value again, which may not have been read yet.
    if undoing.isOn, record.slots[index].isFault { _ = record.slot(index) }
    undoing.note(.slot(record, index, record.slots[index].copied))
    if pending.mergePolicy != .objectWins, record.isStored, !record.changed.contains(index) {
      record.noteOriginal(index)
    }
    pending.markChanged(record, index)
  }

  /// Keeps the store's value where it does not decode, and what is assigned may have been made of
  /// the value that was shown in its place.
  ///
  /// - Returns: Whether it was refused; the object shows it, and saving says so.
  func refuse(_ record: Record, _ index: Int, _ slot: _AppData.Slot) -> Bool {
    guard !pending.replacesUndecoded(record, index) else {
      record.shown[index] = nil
      record.refused[index] = nil
      return false
    }
    undoing.note(.slot(record, index, record.slots[index]))
    pending.markChanged(record, index)
    record.refused[index] = slot
    return true
  }

  /// Makes one change, and records how to take it back.
  func perform(_ change: GraphChange) {
    switch change {
    case .insert(let record, let plan):
      insert(record, plan, record.materialized)
    case .delete(let record):
      guard let plan = record.entity else { return }
      pending.willChange(record)
      closeArrays()
      if undoing.isOn {
        for index in plan.slots.indices where plan.slots[index].kind == .external {
          _ = record.slot(index)
        }
      }
      undoing.note(.deleted(record, plan, record.state, record.materialized))
      remove(record, plan)
    case .undelete(let record):
      guard record.state == .deleted else { return }
      pending.willChange(record)
      record.state = .stored
      pending.add(record)
      if record.isOutdated, record.changed.isEmpty {
        // Others have changed it, or what it is linked with, while it was deleted.
        for index in record.description.properties.indices { record.model?._$changing(index) }
        record.isOutdated = false
        record.slots = .init()
      }
      undoing.note(.undeleted(record))
    case .list(let relationship, let owner, let key, let place, let isAdded):
      let done = changeList(relationship, owner, key, at: place, isAdded: isAdded)
      if let done {
        undoing.note(.list(relationship, owner: owner, key: key, place: done, wasAdded: isAdded))
      }
    case .pair(let pair, let change):
      pending.change(pair, by: change)
      undoing.note(.pair(pair, change))
    }
  }

  /// Registers a new object.
  func insert(_ record: Record, _ plan: EntityPlan, _ model: any PersistentModel) {
    pending.willInsert(record)
    record.state = .inserted
    rows.register(record, plan)
    pending.add(record, model)
    undoing.note(.inserted(record, plan, model))
  }

  private func remove(_ record: Record, _ plan: EntityPlan) {
    // A store that is saving a new object has it afterwards.
    if record.isStored || pending.late?.isTold(of: record) == true {
      record.state = .deleted
      pending.add(record)
    } else {
      discard(record, plan)
    }
  }

  /// Forgets an object that nobody else has ever seen.
  private func discard(_ record: Record, _ plan: EntityPlan) {
    rows.discard(record, plan)
    record.state = .gone
    pending.touch(record)
  }

  /// Forgets deleted objects that a store did not take.
  func discard(_ records: [Record]) {
    for record in records { if let plan = record.entity { discard(record, plan) } }
  }

  /// Adds a row to an array or takes it out.
  ///
  /// - Returns: The place, -1 if the array is not loaded; `nil` if nothing was changed.
  private func changeList(
    _ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, at place: Int?, isAdded: Bool
  ) -> Int? {
    let index = relationship.index
    // Undo needs the place, and a snapshot the whole array.
    if undoing.isOn || relationship.entity.isCustom {
      _ = rows.record(relationship.entity, owner).slot(index)
    }
    let record = rows[relationship.entity, owner]
    guard let record, !record.slots.isEmpty, case .rows(let shared) = record.slots[index] else {
      pending.note(relationship, owner, key, isAdded: isAdded)
      return -1
    }
    if shared.contains(key) == isAdded { return nil }
    record.model?._$changing(index)
    let isFirst = record.isStored && !record.changed.contains(index)
    pending.markChanged(record, index)
    // The array of the last save is left unchanged.
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
      if let open, let added = rows[relationship.destination, key] {
        open.append(added.materialized, version: list.version)
      }
      return at
    }
    // Without undo nobody needs the place, and finding it takes time in a long array.
    let found = undoing.isOn ? list.keys.lastIndex(of: key) : 0
    list.remove(key)
    return found
  }
}

/// A change of the graph; every change is one of these, or a slot's.
enum GraphChange {
  case insert(_AppData.Record, EntityPlan)
  case delete(_AppData.Record)
  case undelete(_AppData.Record)
  case list(RelationshipPlan, Int64, Int64, at: Int?, isAdded: Bool)
  case pair(PairKey, Int)
}
