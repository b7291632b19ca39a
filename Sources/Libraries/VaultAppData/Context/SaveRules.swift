import VaultDataStore

/// The rules of a schema that a save checks before anything is written.
struct SaveRules {
  typealias Record = _AppData.Record

  private let rows: RegisteredRows

  init(_ rows: RegisteredRows) { self.rows = rows }

  /// Checks the relationships of objects that are to be saved.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``, naming entity, property and object.
  func check(_ records: [Record]) throws {
    for record in records {
      guard let plan = record.entity else { continue }
      if record.state == .deleted {
        try checkDenied(record, plan)
        continue
      }
      guard record.state == .inserted || record.state == .stored else { continue }
      for relationship in plan.relationships
      where record.state == .inserted || record.changed.contains(relationship.index) {
        try check(relationship, record)
      }
    }
  }

  /// Checks how many objects there are in arrays that are not loaded, and that change.
  ///
  /// - Parameters:
  ///   - notes: What is added and removed.
  ///   - plans: The classes.
  /// - Throws: As ``check(_:)``.
  func check(_ notes: [ListKey: ListNote], _ plans: [EntityPlan]) throws {
    for list in notes.keys {
      guard let plan = plans[list.entity].relationshipByProperty[list.property]?.entity,
        let relationship = plans[list.entity].relationshipByProperty[list.property],
        relationship.stored.minimumCount > 0 || relationship.stored.maximumCount > 0,
        !rows.isToBeDeleted(plan, list.owner)
      else { continue }
      let owner = rows.record(plan, list.owner)
      // Reads the array, and brings it to what was noted.
      _ = owner.slot(relationship.index)
      if owner.state == .stored { try check(relationship, owner) }
    }
  }

  private func check(_ relationship: RelationshipPlan, _ record: Record) throws {
    let plan = relationship.entity
    let index = relationship.index
    if relationship.isRequired {
      let target = record.slot(index).key
      if target.map({ rows.isToBeDeleted(relationship.destination, $0) }) != false {
        throw plan.failure(record, index, "is required and leads to nothing")
      }
    }
    guard case .rows(let list) = record.slots[index] else { return }
    let (least, most) = (relationship.stored.minimumCount, relationship.stored.maximumCount)
    if list.count < least {
      throw plan.failure(
        record, index, "has \(list.count) models, at least \(least) are needed")
    }
    if most > 0, list.count > most {
      throw plan.failure(
        record, index, "has \(list.count) models, at most \(most) are allowed")
    }
  }

  private func checkDenied(_ record: Record, _ plan: EntityPlan) throws {
    for relationship in plan.relationships where relationship.rule == .deny {
      let left = record.slot(relationship.index).linkedKeys
        .filter { !rows.isToBeDeleted(relationship.destination, $0) }
      if !left.isEmpty {
        throw plan.failure(
          record, relationship.index,
          "leads to \(left.count) models; the object cannot be deleted before them")
      }
    }
  }
}
