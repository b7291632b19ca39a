import VaultDataStore
import VaultStorage

/// That another context or process has linked something to an object which was deleted here: the
/// rules of the object's relationships have yet to be followed for it.
struct LateLinks: Error {}

extension ObjectGraph {
  /// Does what the relationships of objects that are to be deleted say with what others have linked
  /// to them since.
  func followLateLinks() throws {
    // What leads to a row without a record is found by its record.
    wakeAll()
    var next = 0
    while next < pending.records.count {
      let record = pending.records[next]
      next += 1
      guard record.state == .deleted, let plan = record.entity, !plan.isCustom else { continue }
      for relationship in plan.relationships {
        let late = try lateKeys(relationship, record)
        guard !late.isEmpty else { continue }
        note(late, relationship, record)
        delete(follow(relationship, record.key, late))
      }
    }
  }

  /// The rows that lead to an object in the store and of which its deletion has not heard; they are
  /// brought to what the store has.
  private func lateKeys(_ relationship: RelationshipPlan, _ record: Record) throws -> [Int64] {
    guard case .inverse = relationship.storage, let inverse = relationship.inverse,
      let query = relationship.selectLate
    else { return [] }
    let found = try loading.connections.use(inverse.entity) { connection in
      let statement = try connection.sqlite.cached(query)
      defer { statement.reset() }
      try statement.bind(record.key, at: 1)
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.int64(at: 0)) }
      return keys
    }
    return found.filter { key in
      let other = rows.record(inverse.entity, key)
      // What was changed here is written as it is here.
      guard other.state == .stored, !other.changed.contains(inverse.index) else { return false }
      guard !other.slots.isEmpty, other.slots[inverse.index].key != record.key else { return true }
      other.model?._$changing(inverse.index)
      other.slots[inverse.index] = .integer(record.key)
      return true
    }
  }

  /// Notes in a deleted object what leads to it, for rules that look there.
  private func note(_ keys: [Int64], _ relationship: RelationshipPlan, _ record: Record) {
    guard !record.slots.isEmpty else { return }
    switch record.slots[relationship.index] {
    case .rows(let known):
      let list = known.copy()
      for key in keys where !list.contains(key) { list.append(key) }
      record.slots[relationship.index] = .rows(list)
    case .null: record.slots[relationship.index] = keys.first.map { .integer($0) } ?? .null
    default: break
    }
  }
}

extension StoreSaving {
  /// Refuses to go on where others have linked something to what is deleted; call it when
  /// everything is written and a foreign key leads nowhere.
  ///
  /// - Throws: ``LateLinks``.
  func checkLateLinks(_ deleted: [Record], _ alone: [RowsDeletedAlone.Group]) throws {
    for record in deleted {
      if let plan = record.entity { try checkLateLinks(KeyRanges(keys: [record.key]), plan) }
    }
    for group in alone { try checkLateLinks(group.keys, group.plan) }
  }

  private func checkLateLinks(_ keys: KeyRanges, _ plan: EntityPlan) throws {
    for relationship in plan.relationships {
      guard case .inverse = relationship.storage, let inverse = relationship.inverse,
        let column = inverse.entity.slots[inverse.index].column.map(SQLText.name)
      else { continue }
      try connection.sqlite.forParts(of: keys) { condition, values in
        let found = try connection.sqlite.int64(
          "SELECT \(StoredEntity.keyColumn) FROM \(inverse.entity.table(of: inverse.index)) "
            + "WHERE \(column) \(condition) LIMIT 1", values)
        if found != nil { throw LateLinks() }
      }
    }
  }
}
