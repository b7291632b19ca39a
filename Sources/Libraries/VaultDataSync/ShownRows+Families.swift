import VaultDataStore
import VaultStorage
import VaultSync

/// Classes that inherit from each other: which of them an object has, and what leads to it.
extension ShownRows {
  /// The class of an object; `nil` for one that this version of the application does not have.
  func shape(of object: StoreState.Object) -> TrackedClass? { classes[object.path] }

  /// The class of a row in the table of a family's root; `nil` if there is none whose parts are all
  /// there.
  func shape(ofRow row: Int64, in table: String) throws -> TrackedClass? {
    guard let shapes = tables[table], let first = shapes.first else { return nil }
    guard first.hasClassColumn else { return first }
    let entity = try connection.string(
      "SELECT \(SQLText.name(StoredEntity.classColumn)) FROM \(SQLText.name(table)) "
        + "WHERE \(SQLText.name(StoredEntity.keyColumn))=?", [.integer(row)])
    guard let entity, let shape = shapes.first(where: { $0.entity == entity }),
      try rows[shape.name]?.isThere(row) == true
    else { return nil }
    return shape
  }

  /// Removes what another program left behind of a row whose part in the root's table it removed.
  func removeRest(ofRow row: Int64, in table: String) throws {
    guard let shapes = tables[table], shapes.contains(where: { $0.tables.count > 1 }) else {
      return
    }
    let isThere = try connection.int64(
      "SELECT 1 FROM \(SQLText.name(table)) WHERE \(SQLText.name(StoredEntity.keyColumn))=?",
      [.integer(row)])
    guard isThere == nil else { return }
    for shape in shapes.sorted(by: { $1.tables.count < $0.tables.count }) {
      try rows[shape.name]?.delete(row)
    }
  }

  /// Removes parts of rows that some program left behind, to which nothing leads.
  func removeRests(of shape: TrackedClass) throws {
    guard shape.tables.count > 1, let rows = rows[shape.name] else { return }
    for row in try rows.rests() where try !isLed(to: row, of: shape) { try rows.delete(row) }
  }

  /// Whether anything leads to the parts of a row that lie in other tables than some.
  func isLed(
    to row: Int64, of shape: TrackedClass, keeping kept: [String] = []
  ) throws -> Bool {
    func goes(_ destination: String) -> Bool {
      classes[destination]?.tables.last.map { shape.tables.contains($0) && !kept.contains($0) }
        ?? false
    }
    for (other, column) in incoming[shape.name] ?? []
    where column.reference.map({ goes($0.destination) }) == true {
      if try rows[other.name]?.rows(with: row, in: column).isEmpty == false { return true }
    }
    for links in links.values where goes(links.links.owner) || goes(links.links.destination) {
      if try !links.links(of: row, shape.family).isEmpty { return true }
    }
    return false
  }

  /// The class of a row to which a relationship leads.
  func shape(ofRow row: Int64, at destination: String) throws -> TrackedClass? {
    guard let shape = classes[destination] else { return nil }
    return shape.hasClassColumn ? try self.shape(ofRow: row, in: shape.table) : shape
  }

  /// Whether there is such a row of a class, or of one that inherits from it.
  func isThere(_ row: Int64, at destination: String) throws -> Bool {
    guard let shape = try shape(ofRow: row, at: destination) else { return false }
    return try ClassPath.descends(shape.name, from: destination)
      && rows[shape.name]?.isThere(row) == true
  }

  /// The object that an identity means, if it is of a class or of one that inherits from it.
  func object(_ identity: ObjectID, of path: String) throws -> StoreState.Object? {
    guard let object = try state.object(identity, of: ClassPath.family(of: path)),
      ClassPath.descends(object.path, from: path)
    else { return nil }
    return object
  }

  /// The object that an identity means, if the relationship may lead to it.
  func object(
    _ identity: ObjectID, at reference: TrackedReference
  ) throws -> StoreState.Object? {
    try object(identity, of: reference.destination)
  }

  /// The classes that have a column, which one of them declares.
  func shapes(with column: TrackedColumn) -> [TrackedClass] {
    classes.values.filter { ClassPath.descends($0.name, from: column.owner) }.sorted {
      $0.name < $1.name
    }
  }

  /// The column by which others lead to an object.
  func column(of end: Target) -> TrackedColumn? { classes[end.owner]?.column(end.property) }

  // MARK: Another class

  /// Gives an object the class that the records say.
  ///
  /// An object never changes its class in the application's hands: it gets another row. What no
  /// property of the new class has is among what lost.
  func bringClass(
    of object: inout StoreState.Object, after said: RecordedValues.Said, _ wasUntold: Bool
  ) throws {
    guard let path = choice(said.kinds), path != object.path,
      ClassPath.family(of: path) == object.family
    else { return }
    let old = shape(of: object)
    if let row = object.row, let old {
      if let new = classes[path] {
        try convert(&object, row, old, new, said, wasUntold)
      } else {
        try park(&object, old, row, wasUntold)
      }
    }
    object.kind = ClassPath.kind(of: path)
    try state.update(object)
    for (property, value) in try state.values(of: object)
    where ObjectKind.isForeign(property, to: path) {
      if value != .null, old?.column(property)?.isPlace != true {
        try lose(value, object, property, stamp(of: object, property))
      }
      try state.setValue(of: object, property, nil)
      typed[object.id]?.removeAll { $0 == property }
    }
  }

  /// Takes an object out of the rows whose class another version of the application has.
  private func park(
    _ object: inout StoreState.Object, _ shape: TrackedClass, _ row: Int64, _ wasUntold: Bool
  ) throws {
    if let values = try rows[shape.name]?.values(of: row) {
      for (place, column) in shape.columns.enumerated()
      where try wasUntold || isTyped(values[place], object, place) {
        try loseTyped(wire(values[place], column), object, column)
      }
    }
    try hide(object)
    try noteDependents(of: object, shape)
    typed[object.id] = nil
    object = try state.object(id: object.id) ?? object
  }

  private func convert(
    _ object: inout StoreState.Object, _ row: Int64, _ old: TrackedClass, _ new: TrackedClass,
    _ said: RecordedValues.Said, _ wasUntold: Bool
  ) throws {
    guard let values = try rows[old.name]?.values(of: row) else { return }
    for (place, column) in old.columns.enumerated() where !new.columns.contains(column) {
      guard try wasUntold || isTyped(values[place], object, place) else { continue }
      try loseTyped(wire(values[place], column), object, column)
    }
    let replaced = try replace(row, values, old, new, for: object.id) { column in
      (said.changes[column.name] ?? []).filter { $0.mark == column.mark }
        .max(by: RecordedValues.comesBefore)?.value
    }
    guard let replaced else {
      // It waits for what it requires.
      return try park(&object, old, row, wasUntold)
    }
    if !object.marks.isEmpty {
      let before = object.marks
      object.marks = try new.columns.enumerated().flatMap { place, column in
        try old.columns.firstIndex(of: column).map { before.mark(at: $0) }
          ?? WireValue(replaced.values[place]).mark()
      }
    }
    object.row = replaced.row
    object.kind = new.kind
    try state.update(object)
    try lead(from: row, to: replaced.row, old, new, object)
    try clearLinks(of: object, row)
    movedLinks += try moveLinks(from: row, to: replaced.row, old.family, new)
    try rows[old.name]?.delete(row)
    history.note(.delete, old.entity, row)
    history.note(.insert, new.entity, replaced.row)
    // What was typed into the row that goes is told of this one.
    untold.append(.init(table: new.table, row: replaced.row))
    note(object)
    try noteShown(object)
    try noteTargets(of: object, replaced.values)
    try noteMovedArrays(of: new)
    try noteFreed(of: old, old.references.map(\.place))
    // It may lead to itself.
    object = try state.object(id: object.id) ?? object
  }

  /// Makes a row of another class with what a row has; that one lets go of its unique values.
  ///
  /// - Returns: The new row, and what it has; `nil` if something is missing that it requires.
  private func replace(
    _ row: Int64, _ values: [SQLiteValue], _ old: TrackedClass, _ new: TrackedClass,
    for number: Int64, filling: (TrackedColumn) throws -> WireValue?
  ) throws -> (row: Int64, values: [SQLiteValue])? {
    guard let before = rows[old.name], let after = rows[new.name] else { return nil }
    let contested = Set(new.contested.joined())
    var written: [(column: TrackedColumn, value: SQLiteValue)] = []
    for (place, column) in new.columns.enumerated() {
      if let same = old.columns.firstIndex(of: column) {
        if values[same] != .null { written.append((column, values[same])) }
        continue
      }
      let value = try filling(column).flatMap { try accepts($0, in: column, after) ? $0 : nil }
      guard let value, value != .null else { continue }
      if column.reference != nil || contested.contains(place) {
        // It comes when it can; until then it is one that no row has.
        guard column.isRequired else { continue }
        written.append((column, column.reference != nil ? .integer(-number) : column.vacant))
      } else if let stored = value.stored {
        written.append((column, stored))
      }
    }
    let there = Set(written.map(\.column.name))
    guard
      new.columns.allSatisfy({ !$0.isRequired || $0.hasDefault || there.contains($0.name) })
    else { return nil }
    _ = try before.update(
      row,
      Set(old.unique.joined()).sorted().filter { values[$0] != .null }.map {
        (old.columns[$0], old.columns[$0].vacant)
      })
    for (column, value) in written { forms.note(value, in: column, of: new) }
    let made = try after.insert(written)
    return try after.values(of: made).map { (made, $0) }
  }

  /// Has what leads to a row lead to another one, where it may.
  private func lead(
    from row: Int64, to other: Int64?, _ old: TrackedClass, _ new: TrackedClass,
    _ object: StoreState.Object
  ) throws {
    for (shape, column) in incoming[old.name] ?? [] {
      guard let rows = rows[shape.name], let reference = column.reference else { continue }
      let mayLead = ClassPath.descends(new.name, from: reference.destination)
      if other == row, mayLead { continue }
      for key in try rows.rows(with: row, in: column) {
        var referrer = try state.object(of: shape.family, row: key)
        if let other, mayLead {
          _ = try rows.update(key, [(column, .integer(other))])
          history.note(.update, shape.entity, key, [column.property])
          guard var referrer, !referrer.marks.isEmpty else { continue }
          let place = shape.place(of: column)
          if try referrer.marks.mark(at: place) == WireValue.integer(row).mark() {
            try referrer.marks.set(WireValue.integer(other).mark(), at: place)
            try state.update(referrer)
          }
          continue
        }
        if referrer == nil, column.isRequired {
          // Nobody knows it yet; it waits as others do.
          try state.add(
            ObjectID.new(), of: shape.name, row: key,
            made: Stamp(stream: own ?? object.made.stream, number: 0, time: now), marks: [])
          referrer = try state.object(of: shape.family, row: key)
        }
        guard var referrer else {
          _ = try rows.update(key, [(column, .null)])
          continue
        }
        if try state.value(of: referrer, column.name) == nil {
          try state.setValue(of: referrer, column.name, .reference(object.identity))
        }
        note(referrer)
        if !column.isRequired {
          try write(.null, &referrer, shape, shape.place(of: column), evenTyped: true)
        }
      }
    }
  }

  /// Has nothing lead to a row that may not lead to its class, which another program has changed:
  /// so do the other machines.
  func follow(_ object: StoreState.Object, _ row: Int64, into new: TrackedClass) throws {
    if let old = shape(of: object) {
      try lead(from: row, to: row, old, new, object)
      // What the program has left behind.
      try rows[old.name]?.delete(row, keeping: new.tables)
    }
    try clearLinks(of: object, row, notOf: new)
  }

  /// Has the links of one row that nobody was told of lead to another one, where they may.
  ///
  /// - Returns: Those that lead there now.
  func moveLinks(
    from key: Int64, to other: Int64, _ family: String, _ shape: TrackedClass?
  ) throws -> [SQLiteConnection.LoggedLink] {
    var moved: [SQLiteConnection.LoggedLink] = []
    for links in links.values where links.links.leads(family) {
      func end(_ row: Int64, _ path: String) -> Int64? {
        guard ClassPath.family(of: path) == family, row == key else { return row }
        return shape.map { ClassPath.descends($0.name, from: path) } == true ? other : nil
      }
      for (owner, destination) in try links.links(of: key, family) {
        let places = try links.places(owner, destination)
        try links.remove(owner, destination)
        guard let places, let owner = end(owner, links.links.owner),
          let destination = end(destination, links.links.destination)
        else { continue }
        if try links.places(owner, destination) == nil {
          try links.put(owner, destination, at: places)
        }
        moved.append(.init(table: links.links.table, owner: owner, destination: destination))
      }
    }
    return moved
  }

  /// A row that nobody was told of as one of another class, so that an object that came can have it.
  ///
  /// - Returns: The row's key from now on; `nil` if there is none any more.
  func turned(
    _ row: Int64, into new: TrackedClass, for object: StoreState.Object
  ) throws -> Int64? {
    guard let old = try shape(ofRow: row, in: new.table),
      let values = try rows[old.name]?.values(of: row)
    else { return nil }
    guard old.name != new.name else { return row }
    let replaced = try replace(row, values, old, new, for: object.id) {
      try state.value(of: object, $0.name)
    }
    for (place, column) in old.columns.enumerated()
    where replaced == nil || !new.columns.contains(column) {
      try loseTyped(wire(values[place], column), object, column)
    }
    try lead(from: row, to: replaced?.row, old, new, object)
    if let replaced {
      movedLinks += try moveLinks(from: row, to: replaced.row, old.family, new)
      history.note(.insert, new.entity, replaced.row)
    }
    try rows[old.name]?.delete(row)
    history.note(.delete, old.entity, row)
    return replaced?.row
  }

  /// What an object's class has no property for is among what lost.
  func loseOthers(
    of object: StoreState.Object, _ shape: TrackedClass, _ said: RecordedValues.Said
  ) throws {
    for (property, changes) in said.changes where ObjectKind.isForeign(property, to: shape.name) {
      for change in changes where change.value != .null && change.mark != TrackedColumn.placeMark {
        try lose(change.value, object.named(change.identity), property, change.stamp)
      }
    }
  }
}

extension TrackedClass {
  /// The places of columns in another class of the family that has them, too.
  func places(_ group: [Int], in other: TrackedClass) -> [Int]? {
    let found = group.compactMap { other.columns.firstIndex(of: columns[$0]) }
    return found.count == group.count ? found : nil
  }
}
