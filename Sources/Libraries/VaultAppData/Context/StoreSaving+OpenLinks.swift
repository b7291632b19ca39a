import VaultDataStore
import VaultStorage

extension StoreSaving {
  /// Drops links to rows that another context or process has deleted meanwhile, as a change to such
  /// a row is dropped, and refuses what requires one.
  ///
  /// SQLite only says that there are some; they are looked for then.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``, naming entity, property and object;
  ///   ``SwiftDataError/missingRow``, where the merge policy asks for it.
  func dropOpenLinks() throws {
    for record in pending.records where record.isIn(store) && record.state != .deleted {
      guard let plan = record.entity else { continue }
      for relationship in plan.relationships
      where record.state == .inserted || record.changed.contains(relationship.index) {
        guard case .foreignKey = relationship.storage,
          let key = record.slots[relationship.index].key,
          try isMissing(key, relationship.destination)
        else { continue }
        try drop(relationship, key, of: record, plan)
      }
    }
    for (pair, change) in pending.pairs where change > 0 {
      guard let relationship = plans[pair.entity].relationshipByProperty[pair.property],
        plans[pair.entity].store == store, relationship.links.place == .joinTable
      else { continue }
      let (owner, destination) = (relationship.entity, relationship.destination)
      if try isMissing(pair.owner, owner) {
        try drop(pair, of: relationship, missing: pair.owner, owner)
      } else if try isMissing(pair.destination, destination) {
        try drop(pair, of: relationship, missing: pair.destination, destination)
      }
    }
  }

  private func isMissing(_ key: Int64, _ plan: EntityPlan) throws -> Bool {
    let statement = try connection.sqlite.cached(
      "SELECT 1 FROM main.\(plan.table) WHERE \(StoredEntity.keyColumn)=?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try !statement.step()
  }

  private func drop(
    _ relationship: RelationshipPlan, _ key: Int64, of record: Record, _ plan: EntityPlan
  ) throws {
    let index = relationship.index
    let target =
      "\(relationship.destination.name) \(key), which another context or process has deleted"
    if relationship.isRequired {
      throw plan.failure(record, index, "is required, and leads to \(target)")
    }
    if rows.discarded(relationship.destination, key) == nil {
      try refuseIfAsked("\(relationship.label) of object \(record.key) leads to \(target)")
    }
    record.model?._$changing(index)
    journal.note(record, index)
    record.slots[index] = .null
    guard let column = plan.slots[index].column else { return }
    try connection.sqlite.execute(
      "UPDATE \(plan.table(of: index)) SET \(SQLText.name(column))=NULL "
        + "WHERE \(StoredEntity.keyColumn)=?", [.integer(record.key)])
  }

  private func drop(
    _ pair: PairKey, of relationship: RelationshipPlan, missing key: Int64, _ plan: EntityPlan
  ) throws {
    if rows.discarded(plan, key) == nil {
      try refuseIfAsked(
        "\(relationship.label) links \(plan.name) \(key), which another context or process has "
          + "deleted")
    }
    let links = relationship.links
    try connection.sqlite.execute(
      "DELETE FROM \(links.table) WHERE \(links.owner)=? AND \(links.destination)=?",
      [.integer(pair.owner), .integer(pair.destination)])
    let left: (side: RelationshipPlan?, key: Int64) =
      key == pair.owner && plan === relationship.entity
      ? (relationship.inverse, pair.destination) : (relationship, pair.owner)
    guard let side = left.side, let record = rows.known(side.entity, left.key),
      !record.slots.isEmpty, case .rows(let list) = record.slots[side.index], list.contains(key)
    else { return }
    record.model?._$changing(side.index)
    journal.note(list, keys: list.keys, positions: list.positions)
    list.remove(key)
  }

  private func refuseIfAsked(_ reason: String) throws {
    if pending.mergePolicy == .error { throw SwiftDataError.missingRow.saying(reason) }
  }
}
