import VaultDataStore

/// Deleting, with the rules of the relationships.
extension ObjectGraph {
  /// Deletes an object and what its relationships' rules say.
  func delete(_ model: any PersistentModel) {
    guard let record = model.record else { return }
    switch record.state {
    case .detached, .gone, .deleted: return
    case .inserted, .stored:
      guard record.isIn(home) else { return reportForeign(record) }
      if record.entity?.relationships.isEmpty == true {
        perform(.delete(record))
      } else {
        delete([record])
      }
    }
  }

  /// Deletes objects and what their relationships' rules say.
  func delete(_ records: [Record]) {
    var open = records
    while let record = open.popLast() {
      guard record.state == .inserted || record.state == .stored, let plan = record.entity else {
        continue
      }
      // Loads the links first: they stay readable after the deletion.
      for relationship in plan.relationships {
        let keys =
          deleteLeaves(relationship, of: record) ?? record.slot(relationship.index).linkedKeys
        open += follow(relationship, record.key, keys)
      }
      perform(.delete(record))
    }
  }

  /// Follows the rule of a deleted object's relationship for some of the rows that it leads to.
  ///
  /// - Returns: The rows that are to be deleted, too.
  func follow(_ relationship: RelationshipPlan, _ owner: Int64, _ keys: [Int64]) -> [Record] {
    switch relationship.rule {
    case .cascade:
      leave(relationship, owner, keys)
      return keys.map { rows.record(relationship.destination, $0) }
    case .nullify: leave(relationship, owner, keys)
    case .deny: break
    case .noAction:
      // What requires the object is never left without it.
      let isRequired = relationship.inverse?.isRequired == true
      if case .join = relationship.storage { leave(relationship, owner, keys) }
      if isRequired { leave(relationship, owner, keys) }
    }
    return []
  }

  /// Takes a deleted object out of what it leads to; its own values stay.
  private func leave(_ relationship: RelationshipPlan, _ owner: Int64, _ keys: [Int64]) {
    for key in keys {
      if let inverse = relationship.inverse {
        if inverse.isRequired {
          // The value stays readable; saving says what is missing, unless it is deleted too.
          let other = rows.record(inverse.entity, key)
          if other.slot(inverse.index).key == owner { willChange(other, inverse.index) }
        } else {
          remove(inverse, key, owner)
        }
      }
      notePair(relationship, owner, key, -1)
    }
  }
}

// MARK: Rows without a record

extension ObjectGraph {
  /// Deletes those of the rows that a deleted object's relationship leads to which lead nowhere
  /// else, as rows: nobody else has to hear of them.
  ///
  /// - Returns: The rows that are left, each to be deleted by itself; `nil` if all are.
  private func deleteLeaves(_ relationship: RelationshipPlan, of record: Record) -> [Int64]? {
    guard !undoing.isOn, !isDeletingByObject, record.state == .stored,
      let query = relationship.leafQuery
    else { return nil }
    _ = record.current
    record.loadRow()
    guard record.state == .stored else { return nil }
    let slot = record.slots[relationship.index]
    var listed: Set<Int64>?
    if case .rows(let list) = slot {
      listed = Set(list.keys)
    } else if !slot.isFault || pending.notes[ListKey(relationship, record.key)] != nil {
      return nil
    }
    var found: LeafRows
    do {
      found = try leafRows(query, relationship, record.key, listed)
    } catch {
      // The long way says what is wrong.
      return nil
    }
    if let listed { found.others += listed.subtracting(found.all) }
    if slot.isFault {
      // It stays readable, and leads nowhere.
      let keys = found.all
      record.slots[relationship.index] = .rows(
        RowList(keys: keys, positions: Array(repeating: nil, count: keys.count)))
    }
    guard !found.leaves.isEmpty else { return found.others }
    for key in found.forgotten {
      if let known = rows.known(relationship.destination, key) {
        rows.remove(known, relationship.destination)
      }
    }
    pending.add(found.leaves, relationship)
    return found.others
  }

  /// What a relationship leads to in the store.
  private struct LeafRows {
    var all: [Int64] = []
    /// Those that lead nowhere else, and of which nobody knows.
    var leaves = KeyRanges()
    /// Of these, the ones that have a record which nobody needs.
    var forgotten: [Int64] = []
    var others: [Int64] = []
  }

  private func leafRows(
    _ query: LeafQuery, _ relationship: RelationshipPlan, _ owner: Int64, _ listed: Set<Int64>?
  ) throws -> LeafRows {
    let plan = relationship.destination
    let arrays = pending.notes.isEmpty ? [] : plan.relationships.filter(\.isToMany)
    if listed == nil, arrays.isEmpty, let run = try leafRun(query, plan, owner) {
      return LeafRows(all: Array(run), leaves: KeyRanges(run))
    }
    var found = LeafRows()
    var leaves: [Int64] = []
    try loading.connections.use(plan) { connection in
      let statement = try connection.sqlite.cached(query.text)
      defer { statement.reset() }
      try statement.bind(owner, at: 1)
      while try statement.step() {
        let key = statement.int64(at: 0)
        // What was moved elsewhere since, or is deleted with something else, is not this one's.
        if listed?.contains(key) == false || rows.alone.contains(plan, key) { continue }
        found.all.append(key)
        let known = rows.known(plan, key)
        let isLeaf =
          statement.int64(at: 1) == 1 && key < .max && known.map(rows.canForget) != false
          && !arrays.contains { pending.notes[ListKey($0, key)] != nil }
          && !query.others.enumerated().contains { column, other in
            !statement.isNull(at: column + 2)
              && isInLoadedArray(other, statement.int64(at: column + 2))
          }
        if isLeaf { leaves.append(key) } else { found.others.append(key) }
        if isLeaf, known != nil { found.forgotten.append(key) }
      }
    }
    found.leaves = KeyRanges(keys: leaves)
    return found
  }

  /// The rows that a relationship leads to, if they are neighbors, all of them lead nowhere else,
  /// and nobody knows of one: as children are that were made together.
  private func leafRun(
    _ query: LeafQuery, _ plan: EntityPlan, _ owner: Int64
  ) throws -> Range<Int64>? {
    guard let within = query.within, rows.tables[plan.index].count == 0 else { return nil }
    let run = try loading.connections.use(plan) { connection -> Range<Int64>? in
      let ends = try connection.sqlite.cached(query.ends)
      defer { ends.reset() }
      try ends.bind(owner, at: 1)
      guard try ends.step(), !ends.isNull(at: 0) else { return nil }
      let (first, last) = (ends.int64(at: 0), ends.int64(at: 1))
      guard first <= last, last < .max else { return nil }
      let statement = try connection.sqlite.cached(within)
      defer { statement.reset() }
      try statement.bind(owner, at: 1)
      try statement.bind(first, at: 2)
      try statement.bind(last, at: 3)
      guard try statement.step(), statement.int64(at: 0) == statement.int64(at: 1) else {
        return nil
      }
      let run = first..<last + 1
      return run.count == statement.int(at: 1) ? run : nil
    }
    guard let run, !rows.alone.meets(plan, run.lowerBound, run.upperBound - 1) else { return nil }
    return run
  }

  /// Whether the array at the other end of a relationship has been read.
  private func isInLoadedArray(_ relationship: RelationshipPlan, _ target: Int64) -> Bool {
    guard let inverse = relationship.inverse,
      let record = rows.known(relationship.destination, target), !record.slots.isEmpty
    else { return false }
    return !record.slots[inverse.index].isFault
  }

  /// Gives a row that was deleted without a record one after all: what would have been done with it
  /// at first is done now.
  ///
  /// - Returns: The record; `nil` if the row is not to be deleted, or has a record.
  func wake(_ plan: EntityPlan, _ key: Int64) -> Record? {
    guard let relationship = rows.alone.remove(plan, key), let inverse = relationship.inverse else {
      return nil
    }
    var record = rows.record(plan, key)
    record.loadRow()
    if record.state == .gone {
      // Another process has deleted it, too.
      record = rows.record(plan, key)
      record.fillEmpty()
    }
    if let owner = record.slots[inverse.index].key { leave(relationship, owner, [key]) }
    delete([record])
    return record
  }

  /// Gives every row that was deleted without a record one.
  func wakeAll() {
    while let group = rows.alone.groups.first {
      for key in group.keys.keys { _ = wake(group.plan, key) }
    }
  }
}

extension _AppData.Slot {
  /// The rows that a relationship's slot leads to.
  var linkedKeys: [Int64] {
    switch self {
    case .integer(let key): [key]
    case .rows(let list): list.keys
    default: []
    }
  }
}
