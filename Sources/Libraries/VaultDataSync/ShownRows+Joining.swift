import VaultDataStore
import VaultStorage
import VaultSync

/// Objects that are one: decision 19.
extension ShownRows {
  /// Has two objects be one, since they are to have one unique value.
  func join(_ one: StoreState.Object, _ other: StoreState.Object) throws {
    // What nobody was told of has no identity that anybody has to know.
    if one.made.number > 0, other.made.number > 0 {
      joined[one.family, default: []].append(.init(one.identity, other.identity))
    }
    unified += 1
    try join(one.identity, other.identity, of: one.family)
  }

  /// Has two identities mean one object.
  func join(_ one: ObjectID, _ other: ObjectID, of family: String) throws {
    let roots = try [one, other].map { try state.root(of: $0, family) }
    guard roots[0] != roots[1] else { return }
    let found = try roots.compactMap { try state.object($0, of: family) }
    let isTold = found.allSatisfy { $0.made.number > 0 }
    // The row that stays is one that somebody may have in his hands; of two that of the class which
    // the object comes to have.
    let path = choice(found.map { .init(path: $0.path, identity: $0.identity, $0.made) })
    let sorted = found.sorted { left, right in
      if (left.row != nil) != (right.row != nil) { return left.row != nil }
      if (left.path == path) != (right.path == path) { return left.path == path }
      return left.identity < right.identity
    }
    var root = min(roots[0], roots[1])
    if isTold || found.count < 2 {
      try state.unite(roots[0], roots[1], of: family)
    } else {
      root = found.first { $0.made.number > 0 }?.identity ?? sorted[0].identity
    }
    if sorted.count > 1 { try absorb(sorted[1], into: sorted[0]) }
    for identity in roots where identity != sorted.first?.identity {
      try forEachLinks(of: family) {
        try state.forgetLinks($0, of: identity, isOwner: $1)
      }
    }
    guard var kept = sorted.first else { return }
    if kept.identity != root {
      try forEachLinks(of: family) {
        try state.moveLinks($0, of: kept.identity, to: root, isOwner: $1)
      }
    }
    for identity in roots where identity != root { try repoint(identity, to: root, family) }
    try state.setIdentity(of: &kept, root)
    openJoined.insert(kept.id)
  }

  /// An object goes, and is another one from now on.
  private func absorb(_ gone: StoreState.Object, into kept: StoreState.Object) throws {
    guard let shape = shape(of: gone), let rows = rows[shape.name] else {
      // Nothing of its class is here.
      return try state.forget(gone, for: kept)
    }
    let values = try gone.row.flatMap { try rows.values(of: $0) }
    for (place, column) in shape.columns.enumerated() {
      // What was typed and not told.
      if let values, try gone.made.number == 0 || isTyped(values[place], gone, place) {
        try loseTyped(wire(values[place], column), gone, column)
      } else if typed[gone.id]?.contains(column.name) == true,
        let value = try state.value(of: gone, column.name)
      {
        try loseTyped(value, gone, column)
      }
    }
    typed[gone.id] = nil
    // What it could not show is looked at again with the other one's.
    for property in try state.values(of: gone).keys {
      try regain(gone, property, stamp(of: gone, property))
    }
    try noteTargets(of: gone, values)
    if let row = gone.row {
      try clear(gone, shape, row)
      if let other = kept.row {
        movedLinks += try moveLinks(from: row, to: other, shape.family, self.shape(of: kept))
      }
      try rows.delete(row)
      history.note(.delete, shape.entity, row)
    }
    try noteFreed(of: shape, shape.references.map(\.place))
    try state.forget(gone, for: kept)
  }

  func loseTyped(
    _ value: WireValue, _ object: StoreState.Object, _ column: TrackedColumn
  ) throws {
    guard value != .null, !column.isPlace else { return }
    try lose(
      value, object, column.name,
      Stamp(stream: own ?? object.made.stream, number: .max, time: now))
  }

  /// What leads to one identity leads to another one of the same object.
  private func repoint(_ identity: ObjectID, to root: ObjectID, _ family: String) throws {
    for (object, property) in try state.waiting(for: identity)
    where shape(of: object)?.column(property)?.reference?.family == family {
      try state.setValue(of: object, property, .reference(root))
    }
  }

  private func forEachLinks(
    of family: String, _ body: (_ relationship: String, _ isOwner: Bool) throws -> Void
  ) throws {
    for links in links.values {
      for isOwner in [true, false]
      where family == ClassPath.family(of: links.links.end(isOwner: isOwner)) {
        try body(links.links.name, isOwner)
      }
    }
  }

  // MARK: What the records say of both

  /// Brings objects after all that was said of them by any of their identities.
  func settleJoined() throws {
    let open = openJoined.sorted()
    openJoined = []
    for id in open {
      guard let object = try state.object(id: id) else { continue }
      try recall(object)
    }
  }

  private func recall(_ object: StoreState.Object) throws {
    var object = object
    let said = try said(object)
    let wasUntold = object.made.number == 0
    try bringClass(of: &object, after: said, wasUntold)
    if let made = said.made { object.made = made }
    try recallLinks(said)
    if try state.isDeleted(object) { try loseUnseen(object) }
    guard let shape = shape(of: object) else {
      // It waits for a version of the application that has its class.
      return try state.update(object)
    }
    if try object.made.number == 0 || state.isDeleted(object) && object.row == nil {
      try state.update(object)
      return
    }
    if object.row != nil, object.made.number > 0, object.marks.isEmpty {
      object.marks = [UInt8](repeating: 0, count: 8 * shape.columns.count)
    }
    try state.update(object)
    try state.forgetChanges(of: object)
    for place in shape.columns.indices {
      try recall(&object, shape, place, said.changes[shape.columns[place].name] ?? [], wasUntold)
    }
    try loseOthers(of: object, shape, said)
    try forgetParked(of: object, shape)
    for (property, change) in said.lost where now - change.stamp.time <= LostValues.time {
      let counts = said.changes[property]?.max(by: RecordedValues.comesBefore)
      // What another class of the family has lost as well.
      let isHere =
        shape.column(property).map { $0.mark == change.mark }
        ?? ObjectKind.isForeign(property, to: shape.name)
      guard isHere, change.mark != TrackedColumn.placeMark, change.value != .null,
        change.value != counts?.value
      else { continue }
      try lose(change.value, object.named(change.identity), property, change.stamp)
    }
    try state.update(object)
    note(object)
    openUnique.insert(object.id)
    try noteShown(object)
    try noteTargets(of: object, object.row.flatMap { try rows[shape.name]?.values(of: $0) })
    try noteMovedArrays(of: shape)
  }

  /// Who deleted an object that others have become saw what it was then, and not what had lost to
  /// that.
  private func loseUnseen(_ object: StoreState.Object) throws {
    let said = try recorded.said(of: object, knowingDeletes: false)
    var lost = said.lost
    for (property, changes) in said.changes {
      let seen = changes.max(by: RecordedValues.comesBefore)
      lost += changes.filter { $0.value != seen?.value }.map { (property, $0) }
    }
    for (property, change) in lost
    where change.value != .null && change.mark != TrackedColumn.placeMark
      && now - change.stamp.time <= LostValues.time
    {
      try lose(change.value, object.named(change.identity), property, change.stamp)
    }
  }

  private func recall(
    _ object: inout StoreState.Object, _ shape: TrackedClass, _ place: Int,
    _ changes: [RecordedValues.Change], _ wasUntold: Bool
  ) throws {
    let column = shape.columns[place]
    guard let rows = rows[shape.name] else { return }
    let changes = try changes.filter {
      try $0.mark == column.mark && accepts($0.value, in: column, rows)
    }
    var first: [Stamp: RecordedValues.Change] = [:]
    for change in changes
    where first[change.stamp].map({ RecordedValues.comesBefore($0, change) }) ?? true {
      first[change.stamp] = change
    }
    guard let winner = changes.max(by: RecordedValues.comesBefore) else { return }
    try state.setChanges(
      of: object, column.name,
      to: first.values.map {
        StoreState.Change(stamp: $0.stamp, value: $0.stamp == winner.stamp ? nil : $0.value)
      })
    for change in changes where change.value != winner.value && change.value != .null {
      try lose(change.value, object.named(change.identity), column.name, change.stamp)
    }
    try regain(object.named(winner.identity), column.name, winner.stamp)
    guard let row = object.row, let inRow = try rows.values(of: row)?[place] else {
      if typed[object.id]?.contains(column.name) != true {
        try state.setValue(of: object, column.name, winner.value)
      }
      return
    }
    let isTyped =
      wasUntold ? inRow != .null : try self.isTyped(inRow, object, place)
    if isTyped {
      let mine = try wire(inRow, column)
      guard mine != winner.value else {
        try state.setValue(of: object, column.name, nil)
        return try object.marks.set(WireValue(inRow).mark(), at: place)
      }
      // It is told as a change of what the others have.
      try object.marks.set(
        column.reference == nil ? winner.value.mark() : WireValue.null.mark(), at: place)
      if winner.value != .null { try lose(winner.value, object, column.name, winner.stamp) }
      return
    }
    try fit(winner.value, &object, shape, place, inRow)
  }

  /// Gives a column of a row what the records say.
  private func fit(
    _ value: WireValue, _ object: inout StoreState.Object, _ shape: TrackedClass, _ place: Int,
    _ inRow: SQLiteValue
  ) throws {
    let column = shape.columns[place]
    try object.marks.set(WireValue(inRow).mark(), at: place)
    if column.reference == nil, WireValue(inRow) == value {
      return try state.setValue(of: object, column.name, nil)
    }
    let isContested = shape.contested.contains { $0.contains(place) }
    guard column.reference == nil, !column.isPlace, !isContested, let stored = value.stored else {
      // It comes into the row when it can.
      return try state.setValue(of: object, column.name, value)
    }
    try state.setValue(of: object, column.name, nil)
    try object.marks.set(value.mark(), at: place)
    guard let row = object.row else { return }
    _ = try rows[shape.name]?.update(row, [(column, stored)])
    forms.note(stored, in: column, of: shape)
    history.note(.update, shape.entity, row, [column.property])
  }

  /// What waited was read with the rest: it is not applied once more, after what came later.
  ///
  /// What this version of the application has no place for goes on waiting.
  private func forgetParked(of object: StoreState.Object, _ shape: TrackedClass) throws {
    guard let rows = rows[shape.name] else { return }
    for identity in try state.members(of: object) {
      for parked in try state.parked(identity, object.family) {
        guard let column = shape.column(parked.property), column.mark == parked.mark,
          try accepts(parked.value, in: column, rows)
        else { continue }
        try state.forget(parked)
      }
    }
  }

  private func recallLinks(_ said: RecordedValues.Said) throws {
    for (ends, changes) in said.links {
      guard
        let link = try state.link(ends.relationship, ends.owner, ends.destination)
          ?? (changes.isEmpty
            ? nil : state.makeLink(ends.relationship, ends.owner, ends.destination))
      else { continue }
      try state.setChanges(of: link, to: changes)
      openLinks.insert(link.id)
    }
  }

  // MARK: Rows that were here before

  /// Takes a row that nobody was told of for an object that came.
  ///
  /// What the others have counts; what the row has in its place is kept with what lost.
  func take(_ row: Int64, for object: StoreState.Object, _ shape: TrackedClass) throws {
    guard let rows = rows[shape.name], let row = try turned(row, into: shape, for: object),
      let values = try rows.values(of: row)
    else { return }
    var object = object
    let before = object.row
    var own: [(place: Int, value: WireValue)] = []
    if let before, let old = try rows.values(of: before) {
      // It has a row already: that of the application stays.
      for (place, column) in shape.columns.enumerated() {
        let value = try current(of: object, column, old[place])
        try state.setValue(of: object, column.name, value)
      }
      try clear(object, shape, before)
      try rows.delete(before)
      history.note(.delete, shape.entity, before)
    }
    object.row = row
    object.marks = [UInt8](repeating: 0, count: 8 * shape.columns.count)
    try state.update(object)
    for (place, column) in shape.columns.enumerated() {
      guard let value = try state.value(of: object, column.name) else { continue }
      let mine = try wire(values[place], column)
      if value == .null, mine != .null {
        // It is told as a change.
        try object.marks.set(WireValue.null.mark(), at: place)
        try state.setValue(of: object, column.name, nil)
      } else {
        if mine != .null, mine != value { own.append((place, mine)) }
        try fit(value, &object, shape, place, values[place])
      }
    }
    try state.update(object)
    for (place, value) in own { try loseTyped(value, object, shape.columns[place]) }
    note(object)
    openUnique.insert(object.id)
    collided.remove(object.id)
    for column in shape.columns { try regain(object, column.name, stamp(of: object, column.name)) }
    try noteShown(object)
    try noteTargets(of: object, rows.values(of: row))
    try noteMovedArrays(of: shape)
    taken += 1
  }
}

extension TrackedColumn {
  /// Whether it is the place in an array.
  var isPlace: Bool { if case .position = kind { true } else { false } }
}
