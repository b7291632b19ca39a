import VaultDataStore
import VaultStorage
import VaultSync

/// What properties lead to, and the order of arrays.
extension ShownRows {
  /// Brings references into rows whose target is there, and out of those whose target is not.
  func settleReferences() throws {
    let open = openReferences.sorted()
    openReferences = []
    for id in open {
      guard let object = try state.object(id: id), object.row != nil,
        let shape = shape(of: object)
      else { continue }
      for (place, reference) in shape.references {
        try settle(id, shape, place, reference)
        try settlePosition(id, shape, place)
      }
    }
  }

  /// What is in no array has the place that it was given.
  private func settlePosition(_ id: Int64, _ shape: TrackedClass, _ place: Int) throws {
    guard let position = shape.position(of: shape.columns[place]),
      var object = try state.object(id: id), let row = object.row,
      let given = try state.value(of: object, position.name)?.stored,
      let values = try rows[shape.name]?.values(of: row), values[place] == .null
    else { return }
    try state.setValue(of: object, position.name, nil)
    let column = shape.place(of: position)
    if values[column] != given { try write(given, &object, shape, column) }
  }

  private func settle(
    _ id: Int64, _ shape: TrackedClass, _ place: Int, _ reference: TrackedReference
  ) throws {
    let column = shape.columns[place]
    guard var object = try state.object(id: id), let row = object.row,
      let wanted = try state.value(of: object, column.name),
      let before = try rows[shape.name]?.values(of: row)?[place]
    else { return }
    var value = SQLiteValue.null
    var isKnown = false
    if case .reference(let identity) = wanted,
      let target = try self.object(identity, at: reference)
    {
      isKnown = true
      let end = Target(owner: column.owner, property: column.name, object: target.id)
      if reference.isExclusive, !column.isRequired {
        if before != .null, before != target.row.map({ .integer($0) }),
          shape.unique.contains(where: { $0.contains(place) })
        {
          // It lets go of what another one may get, whichever of them comes first.
          try write(.null, &object, shape, place)
        }
        // Of several the later one leads to it.
        openTargets.insert(end)
        if target.row != nil { return }
      }
      if let key = target.row { value = .integer(key) }
      if shape.position(of: column) != nil { openArrays.insert(end) }
    }
    let isEmpty = value == .null
    // One that is required is there with its target, or not at all.
    if isEmpty, column.isRequired { return }
    if !isEmpty, before != value, let inRows = try rows[shape.name]?.values(of: row),
      try blocker(shape, [place: value], (row, inRows)) != nil
    {
      blocked.insert(Place(id, place))
      openUnique.insert(id)
      return
    }
    if !isEmpty || wanted == .null { try state.setValue(of: object, column.name, nil) }
    try noteLead(of: object, column.name, wanted, isEmpty: isEmpty && isKnown)
    guard before != value else { return }
    try write(value, &object, shape, place)
    try noteInverse(reference, before)
    try noteInverse(reference, value)
  }

  /// What does not lead where it was to lead is kept with what lost, until it does.
  private func noteLead(
    of object: StoreState.Object, _ property: String, _ wanted: WireValue, isEmpty: Bool
  ) throws {
    let stamp = try stamp(of: object, property)
    if isEmpty {
      try lose(wanted, object, property, stamp)
    } else {
      try regain(object, property, stamp)
    }
  }

  /// Of the objects that lead to one by a relationship that is to-one on both sides, the one with the
  /// later change does.
  func settleTargets() throws {
    let open = openTargets.sorted { ($0.object, $0.property) < ($1.object, $1.property) }
    openTargets = []
    for end in open {
      guard let target = try state.object(id: end.object), let key = target.row,
        let column = column(of: end), let reference = column.reference, !column.isRequired
      else { continue }
      var candidates: [(object: StoreState.Object, stamp: Stamp)] = []
      for shape in shapes(with: column) {
        for object in try referrers(of: target, shape, column) where object.row != nil {
          candidates.append((object, try stamp(of: object, column.name)))
        }
      }
      let winner = candidates.max { $0.stamp < $1.stamp }?.object.id
      // The one that does comes last, after the others have let go.
      for (object, _) in candidates.sorted(by: {
        ($0.object.id == winner ? 1 : 0, $0.object.id)
          < ($1.object.id == winner ? 1 : 0, $1.object.id)
      }) {
        var object = object
        guard let row = object.row, let shape = shape(of: object) else { continue }
        let place = shape.place(of: column)
        guard let before = try rows[shape.name]?.values(of: row)?[place] else { continue }
        let isWinner = object.id == winner
        let value: SQLiteValue = isWinner ? .integer(key) : .null
        try state.setValue(
          of: object, column.name, isWinner ? nil : .reference(target.identity))
        try noteLead(
          of: object, column.name, .reference(target.identity), isEmpty: !isWinner)
        guard before != value else { continue }
        try write(value, &object, shape, place)
        try noteInverse(reference, .integer(key))
      }
    }
  }

  // MARK: Arrays

  /// Places that rise along an array: those that were given, moved on where two are equal.
  static func places(_ given: [Int64?]) -> [Int64?] {
    let empty = given.prefix { $0 == nil }.count
    var last: Int64?
    return given.enumerated().map { index, place in
      guard let place else {
        guard empty > 1 else { return nil }
        let first = given.count > empty ? given[empty] ?? 1 : 1
        return first.subtractingReportingOverflow(Int64(empty - index)).partialValue
      }
      let next = last.map { $0 == .max ? $0 : max(place, $0 + 1) } ?? place
      last = next
      return next
    }
  }

  static func comesBefore(
    _ left: (place: Int64?, identity: [UInt8]), _ right: (place: Int64?, identity: [UInt8])
  ) -> Bool {
    let (one, other) = (left.place ?? .min, right.place ?? .min)
    if one != other { return one < other }
    if (left.place == nil) != (right.place == nil) { return left.place == nil }
    return left.identity.lexicographicallyPrecedes(right.identity)
  }

  private struct Child {
    let row: Int64
    let object: Int64?
    let shown: Int64?
    let given: Int64?
    let identity: [UInt8]
  }

  func settleArrays() throws {
    let open = openArrays.sorted { ($0.object, $0.property) < ($1.object, $1.property) }
    openArrays = []
    for end in open {
      guard let target = try state.object(id: end.object), let key = target.row,
        let column = column(of: end),
        let position = shapes(with: column).first?.position(of: column)
      else { continue }
      let children = try children(of: key, column, position)
      let places = Self.places(children.map(\.given))
      var isMoved = false
      for (child, place) in zip(children, places) {
        guard let id = child.object, var object = try state.object(id: id),
          let shape = shape(of: object)
        else { continue }
        if child.shown != place {
          let value: SQLiteValue = place.map { .integer($0) } ?? .null
          try write(value, &object, shape, shape.place(of: position))
          isMoved = true
        }
        guard child.shown != place || child.given != child.shown else { continue }
        let given: WireValue? =
          place == child.given ? nil : child.given.map { .integer($0) } ?? .null
        try state.setValue(of: object, position.name, given)
      }
      if isMoved, let reference = column.reference { try noteInverse(reference, .integer(key)) }
    }
  }

  private func children(
    of key: Int64, _ column: TrackedColumn, _ position: TrackedColumn
  ) throws -> [Child] {
    var children: [Child] = []
    let (row, place) = (SQLText.name(StoredEntity.keyColumn), SQLText.name(position.column))
    try connection.forEachRow(
      "SELECT t.\(row), o.id, t.\(place), v.value, o.identity FROM \(SQLText.name(column.table)) t "
        + "LEFT JOIN appdata_sync_objects o ON o.class=? AND o.row=t.\(row) "
        + "LEFT JOIN appdata_sync_values v ON v.object=o.id AND v.property=? "
        + "WHERE t.\(SQLText.name(column.column))=?",
      [
        .text(ClassPath.family(of: column.owner)), .text(position.name), .integer(key),
      ]
    ) { found in
      let shown = found.isNull(at: 2) ? nil : found.int64(at: 2)
      var given = shown
      if !found.isNull(at: 3) {
        given =
          if case .integer(let number) = try WireValue(encoded: found.bytes(at: 3)) { number } else
          {
            nil
          }
      }
      children.append(
        Child(
          row: found.int64(at: 0), object: found.isNull(at: 1) ? nil : found.int64(at: 1),
          shown: shown, given: given,
          identity: found.isNull(at: 4)
            ? [UInt8](repeating: 255, count: 17) : found.bytes(at: 4)))
    }
    return children.sorted {
      Self.comesBefore(($0.given, $0.identity), ($1.given, $1.identity))
    }
  }
}
