import VaultDataStore
import VaultStorage
package import VaultSync

/// What a run did to a store.
package struct DataSyncReport: Sendable {
  /// Objects that came, by this run.
  package var arrived = 0
  /// Objects of which others changed something.
  package var changed = 0
  /// Objects that others deleted.
  package var deleted = 0
  /// Objects that were here already, and are the same elsewhere.
  package var joined = 0
  /// Objects that are one with another one since they have one unique value.
  package var unified = 0
  /// Objects that were told: made, changed or deleted here.
  package var told = 0
  /// Values that lost.
  package var lost = 0
  /// Objects, or properties of them, that wait for another version of the application.
  package var waiting = 0
  /// Objects that are not shown, since they belong to what was deleted, or need it.
  package var hidden = 0
  /// Objects whose deletion was undone, since others that lead to them deny it.
  package var undeleted = 0
  /// Machines whose records say what this version of the vault does not know: they wait.
  package var newer: Set<String> = []
  /// Machines whose records make no sense: nothing of them counts from there on.
  package var malformed: Set<String> = []
  /// Rows that were changed here and stay here, since this machine only reads the space.
  package var kept = 0
  /// Values that are too long to travel: class and property.
  package var tooLong: Set<String> = []
  /// Classes that were compared whole, since nothing had noted what was changed in them.
  package var compared: [String] = []
  /// What moved.
  package var channel = ChannelReport()

  package init() {}
}

/// One meeting of a store and the records of its channel, within one transaction.
package final class StoreMeeting {
  let state: StoreState
  let lost: LostValues
  let shown: ShownRows
  let connection: SQLiteConnection
  private let merging: Merge
  var turn: ChannelTurn
  var report = DataSyncReport()
  /// Whether the store hears for the first time what there is: what lost long ago is not told then.
  var isFirst = false
  /// Objects whose rows this meeting has made, by class.
  var made: [String: [Int64]] = [:]

  var classes: [String: TrackedClass] { shown.classes }
  var rows: [String: TrackedRows] { shown.rows }

  init(_ shown: ShownRows, _ lost: LostValues, _ turn: ChannelTurn, merging: @escaping Merge) {
    self.merging = merging
    self.shown = shown
    self.lost = lost
    self.turn = turn
    state = shown.state
    connection = shown.connection
  }

  // MARK: One record

  /// Applies what another machine says.
  func apply(_ entry: ChannelEntry, _ content: ChannelContent) throws {
    for operation in content.operations {
      // A kind that is not known stops the stream before this.
      switch try DataOperation(operation) {
      case .rows(let operation): try apply(operation, entry, content.time)
      case .deletes(let className, let identities):
        for identity in identities { try delete(identity, className, entry) }
      case .links(let operation):
        for link in operation.links {
          try apply(
            IncomingLink(
              className: operation.className, property: operation.property, link: link,
              stamp: Stamp(
                stream: entry.stream, number: entry.sequence, time: Self.clamped(content.time)),
              past: entry.past))
        }
      case .aliases(let className, let aliases):
        let stamp = Stamp(stream: entry.stream, number: entry.sequence, time: 0)
        for alias in aliases {
          try state.notePair(alias, of: className, stamp)
          try shown.join(alias.identity, alias.other, of: className)
        }
      case nil: continue
      }
    }
  }

  private func apply(
    _ operation: DataOperation.RowsOperation, _ entry: ChannelEntry, _ time: Int64
  ) throws {
    for row in operation.rows {
      let stamp = Stamp(
        stream: entry.stream, number: entry.sequence, time: row.isDerived ? 0 : Self.clamped(time))
      let values = zip(operation.columns, row.values).map { Incoming(column: $0, value: $1) }
      try apply(
        IncomingRow(
          identity: row.identity, className: operation.className, isMade: row.isMade,
          values: values, stamp: stamp, past: entry.past))
    }
  }

  /// A time between 1970 and 9999.
  static func clamped(_ time: Int64) -> Int64 { min(max(time, 1), 253_402_300_799_000) }

  /// A value of a property that came.
  struct Incoming {
    let column: DataOperation.Column
    let value: WireValue
  }

  struct IncomingRow {
    let identity: ObjectID
    /// Its `ClassPath`.
    let className: String
    let isMade: Bool
    let values: [Incoming]
    let stamp: Stamp
    let past: Frontier
  }

  func apply(_ incoming: IncomingRow) throws {
    let object = try state.object(
      incoming.identity, of: ClassPath.family(of: incoming.className))
    guard let object else {
      if incoming.isMade, classes[incoming.className] != nil { return try make(incoming, nil) }
      // What made it waits, too.
      for value in incoming.values { try park(value, incoming) }
      return
    }
    if try state.isVoid(incoming.past, for: object) {
      // Deleted by somebody who did not know of this.
      for value in incoming.values {
        try lose(value.value, object, value.column.name, incoming.stamp)
      }
      return
    }
    if incoming.isMade, incoming.className != object.path {
      // Which of them it is the records decide.
      shown.openJoined.insert(object.id)
    }
    guard shown.shape(of: object) != nil else {
      for value in incoming.values { try park(value, incoming) }
      if incoming.isMade { try state.undoDeletes(of: object, knowing: incoming.past) }
      return
    }
    guard try incoming.isMade && state.isDeleted(object) else {
      return try meet(object, incoming)
    }
    try state.undoDeletes(of: object, knowing: incoming.past)
    if object.row == nil { return try make(incoming, object) }
    // It was kept here all the time.
    try meet(object, incoming)
    try shown.noteShown(object)
  }

  // MARK: Objects

  /// The values of an object that came: those for which there is a place, and the others.
  private struct Sorted {
    var known: [(place: Int, wire: WireValue)] = []
    var unknown: [Incoming] = []
    /// What another class of the family has.
    var foreign: [Incoming] = []
  }

  private func sorted(
    _ values: [Incoming], _ shape: TrackedClass, _ rows: TrackedRows
  ) throws -> Sorted {
    var sorted = Sorted()
    for value in values {
      // What leads to one of several identities leads to the object.
      let value = Incoming(
        column: value.column,
        value: try shape.column(value.column.name).map { try state.root(of: value.value, in: $0) }
          ?? value.value)
      guard let place = shape.columns.firstIndex(where: { $0.name == value.column.name }),
        shape.columns[place].mark == value.column.mark,
        try shown.accepts(value.value, in: shape.columns[place], rows)
      else {
        if ObjectKind.isForeign(value.column.name, to: shape.name) {
          sorted.foreign.append(value)
        } else {
          sorted.unknown.append(value)
        }
        continue
      }
      sorted.known.append((place, value.value))
    }
    return sorted
  }

  private func make(_ incoming: IncomingRow, _ object: StoreState.Object?) throws {
    let path = object?.path ?? incoming.className
    guard let shape = classes[path], let rows = rows[path] else { return }
    let values = try sorted(incoming.values, shape, rows)
    let there = Set(values.known.map { shape.columns[$0.place].name })
    guard
      shape.columns.allSatisfy({ !$0.isRequired || $0.hasDefault || there.contains($0.name) })
    else {
      for value in incoming.values { try park(value, incoming) }
      return
    }
    for value in values.unknown { try park(value, incoming) }
    if let object { try lose(values.foreign, object, incoming) }
    if let object {
      try state.forgetChanges(of: object)
      try state.forgetValues(of: object)
    }
    var object = try object ?? add(incoming, shape)
    object.made = incoming.stamp
    var marks = [UInt8](repeating: 0, count: 8 * shape.columns.count)
    var written: [(column: TrackedColumn, value: SQLiteValue)] = []
    var (lacks, isOpen) = (false, false)
    for (place, wire) in values.known {
      let column = shape.columns[place]
      var stored = wire.stored
      if column.reference != nil {
        stored = try key(of: wire, column)
        // It comes when its target has a row.
        if stored == nil || column.reference?.isExclusive == true {
          try state.setValue(of: object, column.name, wire)
          isOpen = true
          if column.isHard, stored == nil { lacks = true }
          if !column.isRequired { stored = .null }
        }
      }
      guard let stored else { continue }
      written.append((column, stored))
      try marks.set(WireValue(stored).mark(), at: place)
    }
    if !lacks, !shape.unique.isEmpty,
      try shown.blocker(
        shape,
        Dictionary(uniqueKeysWithValues: written.map { (shape.place(of: $0.column), $0.value) }),
        nil) != nil
    {
      lacks = true
      isOpen = true
    }
    if lacks {
      // Its row is made, or not, when all that came is known.
      for (place, wire) in values.known {
        try state.setValue(of: object, shape.columns[place].name, wire)
      }
      object.marks = []
    } else {
      for (column, value) in written { shown.forms.note(value, in: column, of: shape) }
      let row = try rows.insert(written)
      (object.row, object.marks) = (row, marks)
      made[shape.name, default: []].append(row)
      shown.history.note(.insert, shape.entity, row)
      try noteInverses(shape, written)
    }
    try state.update(object)
    if isOpen { shown.note(object) }
    if try state.members(of: object).count > 1 { shown.openJoined.insert(object.id) }
    try shown.noteShown(object)
    try shown.noteTargets(of: object, object.row.flatMap { try rows.values(of: $0) })
    if object.row != nil { report.arrived += 1 }
  }

  private func add(_ incoming: IncomingRow, _ shape: TrackedClass) throws -> StoreState.Object {
    try state.add(incoming.identity, of: shape.name, row: nil, made: incoming.stamp, marks: [])
    guard let object = try state.object(incoming.identity, of: shape.family) else {
      throw StoreState.damaged
    }
    return object
  }

  private func noteInverses(
    _ shape: TrackedClass, _ written: [(column: TrackedColumn, value: SQLiteValue)]
  ) throws {
    for (column, value) in written {
      if let reference = column.reference { try shown.noteInverse(reference, value) }
    }
  }

  /// The key of what a value leads to, if it has a row.
  private func key(of wire: WireValue, _ column: TrackedColumn) throws -> SQLiteValue? {
    guard let reference = column.reference, case .reference(let identity) = wire else {
      return wire.stored
    }
    return try shown.object(identity, at: reference)?.row.map { .integer($0) }
  }

  func park(_ incoming: Incoming, _ row: IncomingRow) throws {
    try connection.execute(
      "INSERT OR IGNORE INTO appdata_sync_parked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(row.identity.bytes), .text(incoming.column.name), .blob(row.stamp.stream.bytes),
        .integer(Int64(clamping: row.stamp.number)), .text(row.className),
        .integer(row.stamp.time), .integer(row.isMade ? 1 : 0),
        .integer(Int64(incoming.column.mark)), .blob(SideFile.bytes(row.past)),
        .blob(incoming.value.encoded),
      ])
    report.waiting += 1
  }

  private func delete(
    _ identity: ObjectID, _ family: String, _ entry: ChannelEntry
  ) throws {
    let below = family + ClassPath.separator
    try connection.execute(
      "DELETE FROM appdata_sync_parked WHERE identity=? "
        + "AND (class=? OR substr(class, 1, length(?))=?)",
      [.blob(identity.bytes), .text(family), .text(below), .text(below)])
    guard let object = try state.object(identity, of: family) else { return }
    try state.addDelete(
      of: object, as: identity,
      Stamp(stream: entry.stream, number: entry.sequence, time: 0), knowing: entry.past)
    let values = try object.row.flatMap { try rows[object.path]?.values(of: $0) }
    try shown.noteTargets(of: object, values)
    shown.note(object)
    guard try object.row == nil && state.isDeleted(object) else { return }
    // What was not shown is among what lost, unless it came just now.
    let deletions = try state.deletions(of: object).filter { !$0.isUndone }
    for (property, value) in try state.values(of: object) where value != .null {
      for change in try state.changes(of: object, property)
      where deletions.contains(where: { !change.stamp.isKnown(by: $0.past) }) {
        try lose(change.value ?? value, object, property, change.stamp)
      }
    }
    try state.forgetChanges(of: object)
    try state.forgetValues(of: object)
  }

  // MARK: Properties

  private func meet(_ object: StoreState.Object, _ incoming: IncomingRow) throws {
    guard let shape = shown.shape(of: object), let rows = rows[shape.name] else { return }
    let values = try sorted(incoming.values, shape, rows)
    for value in values.unknown { try park(value, incoming) }
    try lose(values.foreign, object, incoming)
    guard try state.knowsAliases(incoming.past, of: object.identity, object.family) else {
      // It replaces what it knows of that one of two which it means: that is read again.
      shown.openJoined.insert(object.id)
      return
    }
    var object = object
    let before = try object.row.flatMap { try rows.values(of: $0) }
    let references = values.known.map(\.place).filter { shape.columns[$0].reference != nil }
    if !references.isEmpty {
      try shown.noteTargets(of: object, before, at: references)
      try shown.noteMovedArrays(of: shape)
    }
    if !references.isEmpty || object.row == nil { shown.note(object) }
    var written: [(column: TrackedColumn, value: SQLiteValue)] = []
    for (place, value) in values.known {
      let column = shape.columns[place]
      let mark = object.marks.mark(at: place)
      // What was typed here and told nobody yet stays: it knows what it replaces when it is told.
      // What a new version of the application made of it was typed by nobody.
      let inRow = before?[place]
      let isTyped =
        try mark.contains { $0 != 0 } && inRow.map { try WireValue($0).mark() } != mark
      let current =
        try isTyped
        ? inRow.map { try shown.wire($0, column) } ?? .null
        : shown.current(of: object, column, inRow)
      let outcome = try merging(
        state.changes(of: object, column.name), current, (incoming.stamp, value), incoming.past)
      for (value, stamp) in outcome.lost { try lose(value, object, column.name, stamp) }
      try state.setChanges(of: object, column.name, to: outcome.changes)
      guard let winner = outcome.written, !ShownRows.isUntold(object) else { continue }
      if isTyped {
        if current == winner, let inRow {
          try object.marks.set(WireValue(inRow).mark(), at: place)
        } else if column.reference == nil {
          try object.marks.set(winner.mark(), at: place)
        }
        if current != winner, current != value {
          try lose(winner, object, column.name, incoming.stamp)
        }
        continue
      }
      if try isBeside(object, column) {
        try state.setValue(of: object, column.name, winner)
        // What a new version of the application has in the row meanwhile is not told.
        if let inRow, !mark.contains(where: { $0 != 0 }) {
          try object.marks.set(WireValue(inRow).mark(), at: place)
        }
        continue
      }
      if let stored = winner.stored { written.append((column, stored)) }
    }
    if let row = object.row, let before {
      try putBeside(&written, object, shape, row, before)
    }
    for (column, stored) in written {
      try object.marks.set(WireValue(stored).mark(), at: shape.place(of: column))
    }
    try state.update(object)
    try notePositions(of: object, shape, values.known.map(\.place), before)
    let changed = written.filter { change in
      before.map { $0[shape.place(of: change.column)] != change.value } ?? false
    }
    guard let row = object.row else { return }
    if !references.isEmpty, changed.isEmpty { report.changed += 1 }
    guard !changed.isEmpty, try rows.update(row, changed) else { return }
    for (column, value) in changed { shown.forms.note(value, in: column, of: shape) }
    shown.history.note(.update, shape.entity, row, changed.map(\.column.property))
    report.changed += 1
  }

  /// Whether a value goes beside the row first: what leads elsewhere, and what has no row.
  private func isBeside(_ object: StoreState.Object, _ column: TrackedColumn) throws -> Bool {
    if object.row == nil || column.reference != nil { return true }
    return try state.value(of: object, column.name) != nil
  }

  /// Keeps unique values beside a row that another one has, until both are settled.
  private func putBeside(
    _ written: inout [(column: TrackedColumn, value: SQLiteValue)], _ object: StoreState.Object,
    _ shape: TrackedClass, _ row: Int64, _ before: [SQLiteValue]
  ) throws {
    let places = Set(shape.contested.joined())
    let unique = Dictionary(
      uniqueKeysWithValues: written.filter { places.contains(shape.place(of: $0.column)) }.map {
        (shape.place(of: $0.column), $0.value)
      })
    guard !unique.isEmpty, try shown.blocker(shape, unique, (row, before)) != nil else { return }
    for (place, value) in unique {
      try state.setValue(of: object, shape.columns[place].name, WireValue(value))
    }
    written.removeAll { unique[shape.place(of: $0.column)] != nil }
    shown.openUnique.insert(object.id)
  }

  /// Looks at the arrays in which an object has another place.
  private func notePositions(
    of object: StoreState.Object, _ shape: TrackedClass, _ places: [Int], _ before: [SQLiteValue]?
  ) throws {
    for place in places {
      guard case .position(let name) = shape.columns[place].kind,
        let reference = shape.columns.firstIndex(where: { $0.name == name })
      else { continue }
      try shown.noteTargets(of: object, before, at: [reference])
    }
  }

  /// Keeps what another class of the family has among what lost, until the object is of that class.
  private func lose(
    _ foreign: [Incoming], _ object: StoreState.Object, _ incoming: IncomingRow
  ) throws {
    for value in foreign
    where value.value != .null && value.column.mark != TrackedColumn.placeMark {
      try lose(value.value, object, value.column.name, incoming.stamp)
    }
  }

  func lose(
    _ value: WireValue, _ object: StoreState.Object, _ property: String, _ stamp: Stamp
  ) throws {
    if isFirst, turn.time - stamp.time > LostValues.time { return }
    let isNew = try lost.note(
      value, of: object.identity, object.family, property, stamp,
      machine: turn.label(stamp.stream), now: turn.time)
    if isNew { report.lost += 1 }
  }
}

extension TrackedClass {
  func place(of column: TrackedColumn) -> Int { columns.firstIndex(of: column) ?? 0 }
}

extension [UInt8] {
  /// The 8 bytes of a column.
  func mark(at place: Int) -> [UInt8] {
    count >= 8 * place + 8 ? Array(self[8 * place..<8 * place + 8]) : []
  }

  mutating func set(_ mark: [UInt8], at place: Int) throws {
    guard count >= 8 * place + 8, mark.count == 8 else { throw StoreState.damaged }
    replaceSubrange(8 * place..<8 * place + 8, with: mark)
  }
}
