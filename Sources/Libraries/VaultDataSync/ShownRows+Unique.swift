import VaultDataStore
import VaultStorage
import VaultSync

/// Values that no two rows have alike: who has one, who is to have it, and who exchanges theirs.
extension ShownRows {
  /// What becomes of two objects that are to have one unique value.
  enum UniqueMode {
    /// They are one object from now on, and the others hear of it.
    case joins
    /// The one that has the value keeps it; the other waits.
    case waits
  }

  /// What a column of an object is to have, as rows have it; `nil` for nothing.
  func wanted(
    _ object: StoreState.Object, _ column: TrackedColumn, _ inRow: SQLiteValue?
  ) throws -> SQLiteValue? {
    guard let value = try state.value(of: object, column.name) else {
      return inRow == .null ? nil : inRow
    }
    return try stored(value, column)
  }

  /// A value as rows have it; `nil` for nothing, and for what has no row.
  func stored(_ value: WireValue, _ column: TrackedColumn) throws -> SQLiteValue? {
    if let reference = column.reference {
      guard case .reference(let identity) = value else { return nil }
      return try object(identity, at: reference)?.row.map { .integer($0) }
    }
    return value.stored == .null ? nil : value.stored
  }

  /// The values of a constraint that an object is to have; `nil` if one is empty, which is equal to
  /// nothing.
  private func wanted(
    _ object: StoreState.Object, _ shape: TrackedClass, _ group: [Int], _ row: [SQLiteValue]?,
    _ values: [String: WireValue]? = nil
  ) throws -> [SQLiteValue]? {
    var found: [SQLiteValue] = []
    for place in group {
      let column = shape.columns[place]
      let value =
        if let values { try values[column.name].flatMap { try stored($0, column) } } else {
          try wanted(object, column, row?[place])
        }
      guard let value else { return nil }
      found.append(value)
    }
    return found
  }

  /// The key of another row that has the values of a constraint, of whatever class of the family.
  ///
  /// Part of a row that no class has, which another program has left behind, goes: nobody can read
  /// it, and it would be in the way for ever.
  private func otherRow(
    _ shape: TrackedClass, _ group: [Int], _ values: [SQLiteValue], _ row: Int64?
  ) throws -> Int64? {
    guard let rows = rows[shape.name] else { return nil }
    let bound = zip(group, values).map { (shape.columns[$0], $1) }
    while let found = try rows.row(with: bound, otherThan: row) {
      guard let there = try self.shape(ofRow: found, in: shape.table) else {
        try rows.delete(found)
        continue
      }
      // Its own class may have no such part.
      guard !there.tables.contains(shape.columns[group[0]].table),
        try !isLed(to: found, of: shape, keeping: there.tables)
      else { return found }
      try rows.delete(found, keeping: there.tables)
    }
    return nil
  }

  /// Another row that has unique values with which a row is to be written; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - shape: The class.
  ///   - written: The values to be written, by the places of the columns.
  ///   - row: What the row has, and its key; `nil` for a new one.
  /// - Returns: The other row's key.
  /// - Throws: What reading the store throws.
  func blocker(
    _ shape: TrackedClass, _ written: [Int: SQLiteValue],
    _ row: (key: Int64, values: [SQLiteValue])?
  ) throws -> Int64? {
    for group in shape.contested where group.contains(where: { written[$0] != nil }) {
      let values = group.compactMap { written[$0] ?? row?.values[$0] }
      guard values.count == group.count, !values.contains(.null) else { continue }
      if let other = try otherRow(shape, group, values, row?.key) { return other }
    }
    return nil
  }

  /// Looks again at objects that could not have a unique value before.
  func noteBlocked() throws {
    for shape in classes.values where !shape.contested.isEmpty {
      let names = Set(shape.contested.joined().map { shape.columns[$0].name })
      for object in try state.objectsWithValues(of: shape) {
        if object.row == nil {
          note(object)
        } else if try !names.isDisjoint(with: state.values(of: object).keys) {
          openUnique.insert(object.id)
          openReferences.insert(object.id)
        }
      }
    }
  }

  // MARK: Objects without a row

  private struct Claim: Hashable {
    /// The class that declares them, whichever of those below the objects are of.
    let owner: String
    let properties: [String]
    let values: [WireValue]

    init(_ shape: TrackedClass, _ group: [Int], _ values: [SQLiteValue]) {
      owner = shape.columns[group[0]].owner
      properties = group.map { shape.columns[$0].name }
      // Both zeros are equal in the store.
      self.values = values.map { $0 == .real(0) ? .real(0) : WireValue($0) }
    }
  }

  /// Objects that cannot have a row, since another one has a unique value of theirs or is to have it.
  ///
  /// - Parameters:
  ///   - candidates: Objects without a row that could have one, in the order of their identities.
  ///   - isGoing: Whether an object that has a row will have none.
  /// - Returns: Their numbers.
  /// - Throws: What reading the store throws.
  func collisions(
    _ candidates: [(object: StoreState.Object, values: [String: WireValue])],
    isGoing: (StoreState.Object) throws -> Bool
  ) throws -> Set<Int64> {
    var claims: Set<Claim> = []
    var found: Set<Int64> = []
    for (object, values) in candidates {
      guard let shape = shape(of: object) else { continue }
      for group in shape.contested {
        guard let wanted = try wanted(object, shape, group, nil, values) else { continue }
        let isClaimed = !claims.insert(
          Claim(shape, group, wanted)
        ).inserted
        guard
          try isClaimed
            || otherRow(shape, group, wanted, nil).map({ row in
              try state.object(of: shape.family, row: row).map { try !isGoing($0) } ?? true
            }) ?? false
        else { continue }
        found.insert(object.id)
      }
    }
    return found
  }

  // MARK: Settling

  /// An object that is to have other unique values than its row, or that has no row for them.
  private struct Mover {
    var object: StoreState.Object
    let shape: TrackedClass
    let row: [SQLiteValue]?
  }

  /// Has objects be one that are to have one unique value, and rows exchange theirs.
  ///
  /// - Returns: Whether anything was changed: then there is more to be settled.
  func settleUnique() throws -> Bool {
    let open = openUnique.union(collided).sorted()
    guard !open.isEmpty else { return false }
    openUnique = []
    var movers: [Mover] = []
    for id in open {
      guard let object = try state.object(id: id), let shape = shape(of: object),
        object.row != nil || collided.contains(id)
      else { continue }
      let row = try object.row.flatMap { try rows[shape.name]?.values(of: $0) }
      movers.append(Mover(object: object, shape: shape, row: row))
    }
    movers.sort { $0.object.identity < $1.object.identity }
    if mode == .joins, try joinEqual(movers) {
      openUnique.formUnion(open)
      return true
    }
    guard try move(movers) else { return try hideBlocked() }
    // Who had no row for them may have one now.
    for id in collided { openObjects.insert(id) }
    return true
  }

  private func joinEqual(_ movers: [Mover]) throws -> Bool {
    var claims: [Claim: StoreState.Object] = [:]
    var isChanged = false
    for mover in movers {
      guard let object = try state.object(id: mover.object.id) else { continue }
      for group in mover.shape.contested {
        guard let wanted = try wanted(object, mover.shape, group, mover.row) else { continue }
        let claim = Claim(mover.shape, group, wanted)
        let claimed = try claims[claim].flatMap { other in
          try state.object(other.identity, of: mover.shape.family)
        }
        if let claimed, claimed.id != object.id {
          try join(object, claimed)
          claims[claim] = claimed
          isChanged = true
          // What it comes to is known when all that was said of both is.
          break
        }
        claims[claim] = object
        guard let key = try otherRow(mover.shape, group, wanted, object.row) else { continue }
        guard let other = try state.object(of: mover.shape.family, row: key) else {
          try take(key, for: object, mover.shape)
          isChanged = true
          break
        }
        guard let shape = shape(of: other),
          let values = try rows[shape.name]?.values(of: key),
          let same = mover.shape.places(group, in: shape),
          try self.wanted(other, shape, same, values) == wanted
        else { continue }
        try join(object, other)
        claims[claim] = other
        isChanged = true
        break
      }
    }
    return isChanged
  }

  /// Gives rows the unique values that they are to have, several at once where they exchange them.
  private func move(_ movers: [Mover]) throws -> Bool {
    var open: [Int64: Mover] = [:]
    var targets: [Int64: [Int: SQLiteValue]] = [:]
    for mover in movers {
      guard let row = mover.row else { continue }
      var target: [Int: SQLiteValue] = [:]
      for place in Set(mover.shape.contested.joined()) {
        guard let value = try state.value(of: mover.object, mover.shape.columns[place].name),
          try !isTyped(row[place], mover.object, place)
        else { continue }
        let column = mover.shape.columns[place]
        guard column.reference == nil || blocked.contains(.init(mover.object.id, place)) else {
          continue
        }
        let wanted = try stored(value, column)
        // What requires what is not there is not shown.
        guard wanted != nil || !column.isRequired else { continue }
        target[place] = wanted ?? .null
      }
      guard target.contains(where: { row[$0] != $1 }) else { continue }
      (open[mover.object.id], targets[mover.object.id]) = (mover, target)
    }
    // Of several that are to have one value the first one gets it.
    var claims: Set<Claim> = []
    for mover in movers {
      guard let row = mover.row, let target = targets[mover.object.id] else { continue }
      for group in mover.shape.contested where group.contains(where: { target[$0] != nil }) {
        let values = group.map { target[$0] ?? row[$0] }
        guard !values.contains(.null) else { continue }
        if !claims.insert(Claim(mover.shape, group, values)).inserted {
          open[mover.object.id] = nil
        }
      }
    }
    // Who waits for a row that stays, stays.
    var blockers: [Int64: Int64] = [:]
    var goesOn = true
    while goesOn {
      goesOn = false
      for (id, mover) in open.sorted(by: { $0.key < $1.key }) {
        guard let row = mover.row, let key = mover.object.row, let target = targets[id],
          let blocker = try blocker(mover.shape, target, (key, row))
        else { continue }
        let other = try state.object(of: mover.shape.family, row: blocker)?.id
        if let other, open[other] != nil {
          blockers[id] = other
        } else {
          open[id] = nil
          goesOn = true
        }
      }
    }
    for id in Set(blockers.filter { open[$0.key] != nil }.values).sorted() {
      guard var mover = open[id], let row = mover.object.row, let target = targets[id] else {
        continue
      }
      for place in target.keys.sorted() where mover.row?[place] != target[place] {
        let column = mover.shape.columns[place]
        let vacant = column.vacant
        _ = try rows[mover.shape.name]?.update(row, [(column, vacant)])
        if !mover.object.marks.isEmpty {
          try mover.object.marks.set(WireValue(vacant).mark(), at: place)
        }
      }
      try state.update(mover.object)
      open[id] = mover
    }
    for (id, mover) in open.sorted(by: { $0.key < $1.key }) {
      try write(mover, targets[id] ?? [:])
    }
    return !open.isEmpty
  }

  private func write(_ mover: Mover, _ target: [Int: SQLiteValue]) throws {
    for (place, value) in target.sorted(by: { $0.key < $1.key }) {
      let column = mover.shape.columns[place]
      if column.reference != nil {
        blocked.remove(.init(mover.object.id, place))
        openReferences.insert(mover.object.id)
        continue
      }
      guard var object = try state.object(id: mover.object.id) else { continue }
      try state.setValue(of: object, column.name, nil)
      try write(value, &object, mover.shape, place)
      forms.note(value, in: column, of: mover.shape)
    }
  }
}

extension ShownRows {
  /// Takes objects out of the rows that require what another one leads to alone.
  private func hideBlocked() throws -> Bool {
    var isChanged = false
    for place in blocked.sorted(by: { ($0.object, $0.place) < ($1.object, $1.place) }) {
      guard let object = try state.object(id: place.object), let row = object.row,
        let shape = shape(of: object), shape.columns[place.place].isRequired,
        let destination = shape.columns[place.place].reference?.destination,
        case .integer(let key)? = try rows[shape.name]?.values(of: row)?[place.place],
        try !isThere(key, at: destination)
      else { continue }
      try hide(object)
      try noteDependents(of: object, shape)
      isChanged = true
    }
    blocked = []
    return isChanged
  }

  /// Looks at objects that may not be shown without another one.
  func noteDependents(of object: StoreState.Object, _ shape: TrackedClass) throws {
    for (other, column) in incoming[shape.name] ?? [] where column.isHard {
      for referrer in try referrers(of: object, other, column) { note(referrer) }
    }
  }
}

extension TrackedClass {
  /// The constraints that two objects can offend: what leads to an object to which only one leads is
  /// another one for each.
  var contested: [[Int]] {
    unique.filter { group in
      !group.contains { columns[$0].reference?.isExclusive == true && !columns[$0].isRequired }
    }
  }
}

extension StoreState {
  /// The objects of a class itself that have any value beside the rows.
  fileprivate func objectsWithValues(of shape: TrackedClass) throws -> [Object] {
    var ids: [Int64] = []
    try connection.forEachRow(
      "SELECT DISTINCT v.object FROM appdata_sync_values v JOIN appdata_sync_objects o "
        + "ON o.id=v.object WHERE o.class=? AND o.kind=?", [.text(shape.family), .text(shape.kind)]
    ) { ids.append($0.int64(at: 0)) }
    return try ids.compactMap { try object(id: $0) }
  }
}
