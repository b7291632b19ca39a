/// Relationships between objects of the context.
extension ObjectGraph {
  // MARK: Reading

  /// The object that a relationship leads to; `nil` if it was deleted, or cannot be made.
  func target(
    _ relationship: RelationshipPlan, _ key: Int64, near record: Record
  ) -> (any PersistentModel)? {
    let destination = relationship.destination
    if !relationship.isRequired, rows.alone.contains(destination, key) { return nil }
    if let found = rows[destination, key] {
      if found.state == .deleted, !relationship.isRequired { return nil }
      return object(of: found, relationship)
    }
    if let found = rows.discarded(destination, key) {
      return relationship.isRequired ? found.materialized : nil
    }
    do {
      try loading.loadTargets(relationship, near: record)
    } catch {
      pending.problems.append(
        .missingRow.saying("\(relationship.label): \(error)", underlying: error))
      return nil
    }
    return rows[destination, key].flatMap { object(of: $0, relationship) }
  }

  /// The object of a record at the end of a relationship.
  ///
  /// One that lacks the value of a constant cannot be made: the relationship shows what it does
  /// where it leads nowhere, and the next save says why.
  private func object(
    of record: Record, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    guard record.model == nil, !record.description.constantsToCheck.isEmpty else {
      return record.materialized
    }
    if let index = record.missingConstant {
      pending.noteUndecoded(record, index)
      return nil
    }
    return record.materialized
  }

  /// The objects of an array, in its order, without those that were deleted.
  func targets<Element: PersistentModel>(
    _ relationship: RelationshipPlan, _ keys: [Int64], near record: Record
  ) -> [Element] {
    var found: [Element] = []
    found.reserveCapacity(keys.count)
    let destination = relationship.destination
    let table = rows.tables[destination.index]
    let isElement = destination.description.type == Element.self
    for key in keys {
      if isElement, let known = table[key], known.state != .deleted, known.model == nil,
        known.description.constantsToCheck.isEmpty
      {
        // Made with its type, which a cast would have to find again.
        found.append(known.make())
      } else if let model = target(relationship, key, near: record) as? Element {
        found.append(model)
      }
    }
    return found
  }

  /// What new objects lead to among themselves: what stays of their links when they are in no
  /// context any more.
  ///
  /// - Returns: The objects, by record and property, in order.
  func linksAmongNew(
    _ records: [Record]
  ) -> [ObjectIdentifier: [Int: [any PersistentModel]]] {
    let new = records.filter { $0.state == .inserted }
    let isNew = Set(new.map { ObjectIdentifier($0) })
    var links: [ObjectIdentifier: [Int: [any PersistentModel]]] = [:]
    for record in new where !record.slots.isEmpty {
      for relationship in record.entity?.relationships ?? [] {
        let keys =
          switch record.slots[relationship.index] {
          case .integer(let key): [key]
          case .rows(let list): list.keys
          default: [Int64]()
          }
        let targets = keys.compactMap { rows.known(relationship.destination, $0) }
          .filter { isNew.contains(ObjectIdentifier($0)) }
        guard !targets.isEmpty else { continue }
        links[ObjectIdentifier(record), default: [:]][relationship.index] = targets.map(
          \.materialized)
      }
    }
    return links
  }

  // MARK: Writing

  /// The target in this context, inserted if it is in none; `nil` for one of another context.
  func admit(_ target: any PersistentModel, _ relationship: RelationshipPlan) -> Record? {
    guard let record = target.record, record.former !== home else { return nil }
    if record.state == .detached || record.state == .gone { insert(target) }
    guard record.isIn(home) else {
      reportForeign(record)
      return nil
    }
    guard record.entity?.descends(from: relationship.destination) == true else { return nil }
    if record.state == .deleted { return nil }
    return record
  }

  /// Makes a relationship lead to another object, or nowhere.
  func setTarget(
    _ relationship: RelationshipPlan, of record: Record, _ target: (any PersistentModel)?
  ) {
    let new = target.flatMap { admit($0, relationship) }
    // A row that others have deleted is none to lead to.
    if let target, new == nil, target.record?.former !== home { return }
    let old = record.slot(relationship.index).key
    guard old != new?.key else { return }
    if let old { unlink(relationship, record, old) }
    if let new { link(relationship, record, new.key) }
  }

  /// Replaces the objects of an array.
  func setTargets(
    _ relationship: RelationshipPlan, of record: Record, _ targets: [any PersistentModel]?
  ) {
    var seen: Set<Int64> = []
    var new = (targets ?? []).compactMap { admit($0, relationship)?.key }.filter {
      seen.insert($0).inserted
    }
    guard case .rows(let list) = record.slot(relationship.index) else { return }
    defer {
      // Not a change to be saved: the file does not tell `nil` from an empty array.
      if case .rows(let list) = record.slots[relationship.index] { list.isNil = targets == nil }
    }
    let old = list.keys
    // What cannot be made was not in the array that the program has: it stays.
    new += hidden(old.filter { !seen.contains($0) }, relationship)
    seen.formUnion(new)
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

  /// Those of an array's rows whose objects cannot be made.
  private func hidden(_ keys: [Int64], _ relationship: RelationshipPlan) -> [Int64] {
    guard
      relationship.destination.parts.contains(where: { part in
        !part.entity.description.constantsToCheck.isEmpty
      })
    else { return [] }
    return keys.filter { key in
      guard let record = rows[relationship.destination, key], record.model == nil else {
        return false
      }
      return record.missingConstant != nil
    }
  }

  /// Adds a model at the end of an array; `nil` if it is there already, `false` if it cannot be.
  func append(
    _ model: some PersistentModel, to relationship: RelationshipPlan, of record: Record
  ) -> Bool? {
    guard let target = admit(model, relationship),
      case .rows(let list) = record.slots[relationship.index]
    else { return false }
    if list.contains(target.key) { return nil }
    link(relationship, record, target.key)
    return true
  }

  /// Takes models out of an array by their places, at once: each costs the same, however long the
  /// array is.
  ///
  /// - Returns: `false` where each has to be looked at by itself.
  func remove(_ places: [Int], from relationship: RelationshipPlan, of record: Record) -> Bool {
    // Undo takes them back one by one, and a program's own store sees the whole array.
    guard !undoing.isOn, !relationship.entity.isCustom,
      case .rows(let shared) = record.slots[relationship.index],
      places.allSatisfy({ $0 < shared.count }), hidden(shared.keys, relationship).isEmpty
    else { return false }
    record.model?._$changing(relationship.index)
    let isFirst = record.isStored && !record.changed.contains(relationship.index)
    pending.markChanged(record, relationship.index)
    // The array of the last save is left unchanged.
    let list = isFirst ? shared.copy() : shared
    if isFirst { record.slots[relationship.index] = .rows(list) }
    (shared.open, list.open) = (nil, nil)
    for key in list.remove(at: places) {
      if let inverse = relationship.inverse { remove(inverse, key, record.key) }
      notePair(relationship, record.key, key, -1)
    }
    return true
  }

  /// Gives an array another order.
  func reorder(_ relationship: RelationshipPlan, _ record: Record, _ keys: [Int64]) {
    guard case .rows(let list) = record.slots[relationship.index] else { return }
    let places = Dictionary(zip(list.keys, list.positions), uniquingKeysWith: { $1 })
    willChange(record, relationship.index)
    record.slots[relationship.index] = .rows(
      RowList(keys: keys, positions: keys.map { places[$0] ?? nil }))
  }

  /// Links two rows, on both sides.
  func link(_ relationship: RelationshipPlan, _ owner: Record, _ key: Int64) {
    let inverse = relationship.inverse
    // A relationship to one thing lets go of what it led to before.
    if !relationship.isToMany, let old = owner.slot(relationship.index).key, old != key {
      unlink(relationship, owner, old)
    }
    if let inverse, !inverse.isToMany {
      let target = rows.record(inverse.entity, key)
      if let other = target.slot(inverse.index).key, other != owner.key {
        unlink(inverse, target, other)
      }
    }
    add(relationship, owner.key, key)
    if let inverse { add(inverse, key, owner.key) }
    notePair(relationship, owner.key, key, 1)
  }

  /// Removes the link of two rows, on both sides.
  private func unlink(_ relationship: RelationshipPlan, _ owner: Record, _ key: Int64) {
    remove(relationship, owner.key, key)
    if let inverse = relationship.inverse { remove(inverse, key, owner.key) }
    notePair(relationship, owner.key, key, -1)
  }

  /// Notes a row of a join table to be added (1) or removed (-1).
  func notePair(
    _ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, _ change: Int
  ) {
    // A program's own store has no rows of links.
    guard case .join = relationship.storage, !relationship.entity.isCustom else { return }
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
      let record = rows.record(relationship.entity, owner)
      _ = record.slot(index)
      record.model?._$changing(index)
      willChange(record, index)
      record.slots[index] = .integer(key)
    }
  }

  /// Removes one row from one side.
  func remove(_ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64) {
    let index = relationship.index
    if relationship.isToMany {
      perform(.list(relationship, owner, key, at: nil, isAdded: false))
    } else {
      let record = rows.record(relationship.entity, owner)
      guard record.slot(index).key == key else { return }
      record.model?._$changing(index)
      willChange(record, index)
      record.slots[index] = .null
    }
  }
}
