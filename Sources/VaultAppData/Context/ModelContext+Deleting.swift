import VaultDataStore
import VaultStorage

extension ModelContext {
  /// Deletes an object at the next save; one that was never saved is dropped at once.
  ///
  /// Its relationships' rules are applied at once too: what a fetch or another object's arrays show is
  /// what saving will leave. `deny` is checked by ``save()``. An object that was deleted before, or
  /// is in no context, is left as it is.
  public func delete<T: PersistentModel>(_ model: T) { delete(any: model) }

  func delete(any model: any PersistentModel) {
    guard let record = model.record else { return }
    switch record.state {
    case .detached, .gone, .deleted: return
    case .inserted, .stored:
      guard record.isIn(self) else { return reportForeign(record) }
      if record.entity?.relationships.isEmpty == true {
        perform(.delete(record))
      } else {
        delete([record])
      }
    }
  }

  func delete(_ records: [Record]) {
    var open = records
    while let record = open.popLast() {
      guard record.state == .inserted || record.state == .stored, let plan = record.entity else {
        continue
      }
      // What the object leads to must be known, and stays readable afterwards.
      for relationship in plan.relationships {
        let keys = targets(relationship, of: record)
        switch relationship.rule {
        case .cascade:
          open += keys.map { self.record(relationship.destination, $0) }
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

  private func targets(_ relationship: RelationshipPlan, of record: Record) -> [Int64] {
    switch record.slot(relationship.index) {
    case .integer(let key): [key]
    case .rows(let list): list.keys
    default: []
    }
  }

  /// Takes a deleted object out of what it leads to; its own values stay.
  private func leave(_ relationship: RelationshipPlan, _ record: Record, _ keys: [Int64]) {
    for key in keys {
      if let inverse = relationship.inverse {
        let isRequired = inverse.isRequired
        if isRequired {
          // The value stays readable; saving says what is missing, unless it is deleted too.
          let other = self.record(inverse.entity, key)
          if other.slot(inverse.index).key == record.key { willChange(other, inverse.index) }
        } else {
          remove(inverse, key, record.key)
        }
      }
      notePair(relationship, record.key, key, -1)
    }
  }
}
