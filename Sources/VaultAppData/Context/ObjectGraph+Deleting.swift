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
        let keys = record.slot(relationship.index).linkedKeys
        switch relationship.rule {
        case .cascade:
          open += keys.map { rows.record(relationship.destination, $0) }
          leave(relationship, record, keys)
        case .nullify: leave(relationship, record, keys)
        case .deny: continue
        case .noAction:
          if case .join = relationship.storage { leave(relationship, record, keys) }
        }
      }
      perform(.delete(record))
    }
  }

  /// Takes a deleted object out of what it leads to; its own values stay.
  private func leave(_ relationship: RelationshipPlan, _ record: Record, _ keys: [Int64]) {
    for key in keys {
      if let inverse = relationship.inverse {
        if inverse.isRequired {
          // The value stays readable; saving says what is missing, unless it is deleted too.
          let other = rows.record(inverse.entity, key)
          if other.slot(inverse.index).key == record.key { willChange(other, inverse.index) }
        } else {
          remove(inverse, key, record.key)
        }
      }
      notePair(relationship, record.key, key, -1)
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
