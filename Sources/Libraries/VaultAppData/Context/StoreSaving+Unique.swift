import VaultDataStore
import VaultStorage

extension StoreSaving {
  /// Lets new objects take the place of rows with the same unique values.
  ///
  /// The row keeps its key: what leads to it stays, the new object's values win, and old and new
  /// object are the same from now on.
  func mergeUnique(_ records: [_AppData.Record]) throws {
    guard let plan = plans.first(where: { $0.store == store && !$0.uniqueness.isEmpty }) else {
      return
    }
    // Another program may have written text in another form since the last query.
    try plan.textForms.read(connection.sqlite)
    var replaced: [Replaced: Int64] = [:]
    var claimed: [Claim: _AppData.Record] = [:]
    for record in records where record.state == .inserted || record.state == .stored {
      guard let plan = record.entity, !plan.uniqueness.isEmpty else { continue }
      for constraint in plan.uniqueness {
        let group = constraint.slots
        let owner = plan.entity(atDepth: constraint.depth)
        if record.state == .stored, !group.contains(where: record.changed.contains) { continue }
        guard let values = try values(record, group) else { continue }
        let claim = Claim(entity: owner.index, group: constraint.number, values: values)
        if let other = claimed[claim], other !== record {
          // An object is of its class for good.
          guard record.entity === other.entity else { throw duplicate(record, group) }
          if record.state == .inserted {
            merge(record, into: other, &replaced)
            break
          }
          // A row that had the value all along keeps it.
          guard other.state == .inserted else { throw duplicate(record, group) }
          merge(other, into: record, &replaced)
          for (claim, owner) in claimed where owner === other { claimed[claim] = record }
        }
        if let key = try conflict(plan, group, record) {
          guard record.state == .inserted, rows.record(plan, key).entity === plan else {
            throw duplicate(record, group)
          }
          let row = rows.record(plan, key)
          merge(record, into: row, &replaced)
          claimed[claim] = row
          try checkMerged(row, plan)
          break
        }
        claimed[claim] = record
      }
    }
    if replaced.isEmpty { return }
    redirect(replaced)
    for (relationship, row, old) in left {
      let root = relationship.destination.root.index
      leave(relationship, row, replaced[Replaced(entity: root, key: old)] ?? old)
    }
    left.removeAll()
  }

  /// Refuses a new object whose unique values are those of two rows: neither can take the other's
  /// place.
  private func checkMerged(_ row: _AppData.Record, _ plan: EntityPlan) throws {
    for constraint in plan.uniqueness {
      let group = constraint.slots
      guard try values(row, group) != nil, let other = try conflict(plan, group, row) else {
        continue
      }
      let names = group.map { plan.description.properties[$0].name }.joined(separator: ", ")
      throw plan.failure(
        row, group.first ?? 0,
        "must be unique: a new object has the unique values of two objects, \(row.key) and "
          + "\(other), which has its \(names)")
    }
  }

  struct Replaced: Hashable {
    let entity: Int
    let key: Int64
  }

  private struct Claim: Hashable {
    let entity: Int
    let group: Int
    let values: [String]
  }

  private func duplicate(_ record: _AppData.Record, _ group: [Int]) -> SwiftDataError {
    guard let plan = record.entity else { return .modelValidationFailure }
    return plan.failure(
      record, group.first ?? 0, "must be unique, and another object has the value")
  }

  /// The unique values as text; `nil` if one is NULL, which is equal to nothing.
  private func values(_ record: _AppData.Record, _ group: [Int]) throws -> [String]? {
    var result: [String] = []
    for index in group {
      switch try record.slot(index).columnValue() {
      case .integer(let value): result.append("i\(value)")
      case .real(let value): result.append("r\(value)")
      case .text(let value): result.append("t\(value.normalized)")
      case .blob(let value): result.append("b\(value)")
      case .null, nil: return nil
      }
    }
    return result
  }

  /// The key of another row with the same values, unless it is about to get others.
  private func conflict(
    _ plan: EntityPlan, _ group: [Int], _ record: _AppData.Record
  ) throws -> Int64? {
    let condition = group.compactMap { plan.comparable($0).map { "\($0)=?" } }
      .joined(separator: " AND ")
    let statement = try connection.query(
      "SELECT \(StoredEntity.keyColumn) FROM \(plan.table(of: group[0])) WHERE \(condition)")
    defer { statement.reset() }
    for (parameter, index) in group.enumerated() {
      var value = try record.slots[index].columnValue() ?? .null
      if plan.slots[index].orderColumn != nil, case .text(let text) = value {
        value = DecimalOrder.key(text).map { .text($0) } ?? .null
      } else if case .text(let text) = value {
        plan.noteText(text, index)
        value = .text(text.normalized)
      }
      try statement.bind(value, at: parameter + 1)
    }
    guard try statement.step() else { return nil }
    let key = statement.int64(at: 0)
    if key == record.key { return nil }
    guard let other = rows.known(plan, key), other.state == .stored,
      group.contains(where: other.changed.contains)
    else { return key }
    statement.reset()
    // What others have saved is looked for before the value goes.
    if let originals = other.originals {
      journal.note { other.originals = originals }
      try mergeOthers(into: other, plan)
      other.originals = nil
    }
    guard let index = group.first(where: other.changed.contains) else { return key }
    try vacate(index, of: other, plan)
    return nil
  }

  /// Frees a unique value whose row is about to change, so that two rows may exchange
  /// theirs: SQLite checks each statement by itself, not the transaction.
  private func vacate(_ index: Int, of record: _AppData.Record, _ plan: EntityPlan) throws {
    guard let column = plan.slots[index].column else { return }
    let owner = plan.entity(atDepth: plan.slots[index].depth)
    let attribute = owner.stored.attribute(plan.description.properties[index].name)
    // NULL equals nothing; where it is not allowed, use a value that no row has.
    let value =
      switch attribute?.type {
      case _ where attribute?.isOptional != false: "NULL"
      case .boolean, .integer: "random()"
      case .float, .double, .date: "CAST(random() AS REAL)"
      case .data, .transformable, .sealed: "randomblob(16)"
      case .json: "json_quote(hex(randomblob(16)))"
      default: "hex(randomblob(16))"
      }
    try connection.sqlite.execute(
      "UPDATE \(owner.table) SET \(SQLText.name(column))=\(value) "
        + "WHERE \(StoredEntity.keyColumn)=?", [.integer(record.key)])
  }

  private func merge(
    _ record: _AppData.Record, into row: _AppData.Record, _ replaced: inout [Replaced: Int64]
  ) {
    guard let plan = record.entity else { return }
    row.loadRow()
    for index in record.description.properties.indices where plan.slots[index].kind != .external {
      _ = row.slot(index)
    }
    let model = record.materialized
    journal.note { [rows] in rows.restore(record, plan, model) }
    journal.note(record, pending)
    journal.note(row, pending)
    for index in record.description.properties.indices {
      if let relationship = plan.relationshipByProperty[index] {
        if relationship.isToMany { continue }
        if case .inverse = relationship.storage {
          // The other side has the key: what leads to the row stays, unless another one does now.
          guard let new = record.slots[index].key else { continue }
          let root = relationship.destination.root.index
          func merged(_ key: Int64) -> Int64 { replaced[Replaced(entity: root, key: key)] ?? key }
          if let old = row.slots[index].key, merged(old) != merged(new) {
            release(relationship, merged(old))
          }
        }
      }
      if row.isStored { pending.markChanged(row, index) }
      if let relationship = plan.relationshipByProperty[index], let old = row.slots[index].key {
        left.append((relationship, row, old))
      }
      row.slots[index] = record.slots[index]
    }
    for relationship in plan.relationships where relationship.isToMany {
      guard case .rows(let new) = record.slots[relationship.index],
        case .rows(let old) = row.slots[relationship.index]
      else { continue }
      let added = new.keys.filter { !old.contains($0) }
      if added.isEmpty { continue }
      if row.isStored { pending.markChanged(row, relationship.index) }
      row.slots[relationship.index] = .rows(
        _AppData.RowList(
          keys: old.keys + added, positions: old.positions + added.map { _ in nil }))
    }
    replaced[Replaced(entity: plan.root.index, key: record.key)] = row.key
    rows.replace(record, by: row, plan)
  }

  /// Lets go of an object that led to a row to which another one leads now.
  private func release(_ relationship: RelationshipPlan, _ old: Int64) {
    guard let inverse = relationship.inverse else { return }
    let target = rows.record(relationship.destination, old)
    target.loadRow()
    guard target.state != .deleted, target.state != .gone else { return }
    journal.note(target, pending)
    target.model?._$changing(inverse.index)
    if target.isStored { pending.markChanged(target, inverse.index) }
    target.slots[inverse.index] = .null
  }

  /// Takes a row out of what it led to, if it leads to another one now.
  private func leave(_ relationship: RelationshipPlan, _ row: _AppData.Record, _ old: Int64) {
    guard let inverse = relationship.inverse, old != row.slots[relationship.index].key,
      let target = rows.known(relationship.destination, old), !target.slots.isEmpty
    else { return }
    switch target.slots[inverse.index] {
    case .rows(let list) where list.contains(row.key):
      target.model?._$changing(inverse.index)
      journal.note(list, keys: list.keys, positions: list.positions)
      list.remove(row.key)
    case .integer(row.key):
      target.model?._$changing(inverse.index)
      journal.note(target, inverse.index)
      target.slots[inverse.index] = .null
    default: break
    }
  }

  /// Makes every link to a replaced object lead to the row that took its place.
  private func redirect(_ replaced: [Replaced: Int64]) {
    for record in pending.records {
      guard let plan = record.entity, !record.slots.isEmpty else { continue }
      for relationship in plan.relationships {
        let entity = relationship.destination.root.index
        switch record.slots[relationship.index] {
        case .integer(let key):
          if let new = replaced[Replaced(entity: entity, key: key)] {
            journal.note(record, relationship.index)
            record.slots[relationship.index] = .integer(new)
          }
        case .rows(let list):
          let keys = list.keys.map { replaced[Replaced(entity: entity, key: $0)] ?? $0 }
          if keys != list.keys {
            journal.note(list, keys: list.keys, positions: list.positions)
            // Several may have come to one, which is in an array once.
            var seen: Set<Int64> = []
            let places = keys.indices.filter { seen.insert(keys[$0]).inserted }
            list.replace(
              keys: places.map { keys[$0] }, positions: places.map { list.positions[$0] })
          }
        default: break
        }
      }
    }
    let pairs = pending.pairs
    journal.note { [pending] in pending.pairs = pairs }
    pending.pairs = [:]
    for (pair, change) in pairs {
      let plan = plans[pair.entity]
      let destination = plan.relationshipByProperty[pair.property]?.destination.root.index ?? 0
      let new = PairKey(
        entity: pair.entity, property: pair.property,
        owner: replaced[Replaced(entity: plan.root.index, key: pair.owner)] ?? pair.owner,
        destination: replaced[Replaced(entity: destination, key: pair.destination)]
          ?? pair.destination)
      // A link that one object gives up another one may take, and several may take one.
      pending.pairs[new] = max(-1, min(1, (pending.pairs[new] ?? 0) + change))
    }
  }
}
