import VaultDataStore
import VaultStorage
import VaultSync

extension DataChannel {
  /// Takes a value that lost, as if it were typed now: the next run tells it.
  ///
  /// An object that was deleted comes back with what was deleted with it and belongs to it; for one
  /// that is not shown, what it waits for does.
  func restore(_ entry: LostValues.Entry, with reader: ChannelReader) throws {
    let recorded = RecordedValues(side, state, classes, links) { try reader.content(of: $0) }
    try connection.transaction {
      if try !connection.keepRowLog(of: tables, links).isEmpty {
        // The next run compares everything.
        try state.set("shape", "")
      }
      let shown = ShownRows(
        file, classes, links, on: connection, lose: { _, _, _, _ in },
        regain: { [lost] object, property, stamp in
          try lost.forget(object.identity, object.family, property, stamp)
        },
        recorded: recorded)
      guard let object = try state.object(entry.identity, of: entry.className) else {
        throw Self.noPlace
      }
      if ObjectKind.isForeign(entry.property, to: object.path) { throw Self.otherClass }
      if object.row != nil {
        try shown.take(entry.value, of: object, entry.property)
      } else {
        try shown.bringBack(object, with: [entry.property: entry.value])
      }
      try shown.settle()
      guard let back = try state.object(id: object.id), back.row != nil else {
        throw shown.collided.isEmpty ? Self.noPlace : Self.taken
      }
      if object.row == nil, try !shown.has(entry.value, back, entry.property) {
        // It waited, with another value.
        try shown.take(entry.value, of: back, entry.property)
        try shown.settle()
      }
      try connection.noteRows(shown.untold)
      try lost.forget(entry.number)
      try shown.forms.write(to: connection)
      try shown.history.write(to: connection, application: metadata.application)
    }
  }

  static let noPlace = SyncError(
    .notAllowed, "the store has no place for that value any more",
    hint: "another version of the application may have it, or what it leads to is gone")
}

extension DataChannel {
  static let otherClass = SyncError(
    .notAllowed, "the object is of another class now, which has no such property",
    hint: "the value stays among the conflicts for thirty days: copy it by hand")
  static let taken = SyncError(
    .notAllowed, "another object has that value now, and it is unique",
    hint: "give that one another value first, or delete it")
}

extension ShownRows {
  /// Whether a property of an object with a row is a value.
  ///
  /// - Throws: ``SyncError`` with code `.notAllowed` where there is no such property.
  fileprivate func has(
    _ value: WireValue, _ object: StoreState.Object, _ property: String
  ) throws -> Bool {
    guard let shape = shape(of: object), let row = object.row,
      let column = shape.column(property), let values = try rows[shape.name]?.values(of: row)
    else { throw DataChannel.noPlace }
    return try current(of: object, column, values[shape.place(of: column)])
      == state.root(of: value, in: column)
  }

  /// Gives a property of an object with a row a value, which is told as what a person types.
  fileprivate func take(
    _ value: WireValue, of object: StoreState.Object, _ property: String
  ) throws {
    guard let shape = shape(of: object), let rows = rows[shape.name], let row = object.row,
      let column = shape.column(property),
      try accepts(value, in: column, rows)
    else { throw DataChannel.noPlace }
    var stored = value.stored
    if let reference = column.reference, case .reference(let identity) = value {
      guard let target = try self.object(identity, at: reference) else {
        throw DataChannel.noPlace
      }
      if target.row == nil { try bringBack(target, with: [:]) }
      // It leads there as soon as it can.
      if try state.value(of: object, property) == value { return }
      stored = try state.object(id: target.id)?.row.map { .integer($0) }
    }
    guard let stored, let values = try rows.values(of: row) else { throw DataChannel.noPlace }
    guard try blocker(shape, [shape.place(of: column): stored], (row, values)) == nil else {
      throw DataChannel.taken
    }
    _ = try rows.update(row, [(column, stored)])
    try state.setValue(of: object, property, nil)
    forms.note(stored, in: column, of: shape)
    history.note(.update, shape.entity, row, [column.property])
  }

  /// Makes rows of an object that has none, and of what it needs and what belongs to it.
  fileprivate func bringBack(
    _ object: StoreState.Object, with values: [String: WireValue]
  ) throws {
    var open = [object]
    var seen: Set<Int64> = []
    var back: [StoreState.Object] = []
    while let next = open.popLast() {
      guard next.row == nil, seen.insert(next.id).inserted, let shape = shape(of: next)
      else { continue }
      var known = try recorded(next)
      if next.id == object.id { known.merge(values) { $1 } }
      if try state.isDeleted(next) {
        guard try isComplete(known, shape) else { throw DataChannel.noPlace }
        try makeAgain(next, known)
        back.append(next)
      } else {
        known = try state.values(of: next)
        note(next)
      }
      for (place, reference) in shape.references
      where shape.columns[place].isHard || reference.rule == .deny {
        guard case .reference(let identity)? = known[shape.columns[place].name],
          let target = try self.object(identity, at: reference)
        else { continue }
        open.append(target)
      }
      open += try deletedWith(next)
    }
    for object in back { try noteShown(object) }
  }

  private func makeAgain(_ object: StoreState.Object, _ values: [String: WireValue]) throws {
    if let shape = shape(of: object) {
      var written: [Int: SQLiteValue] = [:]
      for (place, column) in shape.columns.enumerated() {
        written[place] = try values[column.name].flatMap { try stored($0, column) }
      }
      guard try blocker(shape, written, nil) == nil else { throw DataChannel.taken }
    }
    try show(object, values)
    guard var made = try state.object(id: object.id) else { throw StoreState.damaged }
    // It is told as made.
    made.marks = []
    try state.update(made)
    note(made)
  }

  /// What was deleted by the same records and belongs to an object.
  private func deletedWith(_ object: StoreState.Object) throws -> [StoreState.Object] {
    let belonging = (incoming[object.path] ?? []).filter { $0.column.isHard }
    guard !belonging.isEmpty else { return [] }
    let stamps = try state.deletions(of: object).filter { !$0.isUndone }.map(\.stamp)
    return try state.objects(deletedBy: stamps).filter { other in
      guard belonging.contains(where: { $0.shape.name == other.path }) else { return false }
      let values = try recorded(other)
      return belonging.contains { shape, column in
        shape.name == other.path && values[column.name] == .reference(object.identity)
      }
    }
  }
}
