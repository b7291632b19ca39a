import VaultDataStore
import VaultStorage
import VaultSync

/// What the application's versions and the first meeting ask for.
extension StoreMeeting {
  /// Follows the columns that the application's version has, where they are others than before.
  ///
  /// - Returns: Whether they are: then all rows are compared.
  func followSchema() throws -> Bool {
    let isOther = try followColumns()
    try followClasses()
    try followNewTables()
    return isOther
  }

  private func followColumns() throws -> Bool {
    let shapes = Self.text(of: Array(classes.values), shown.links.values.map(\.links))
    let before = try state.value("shape")
    guard before != shapes else { return false }
    for shape in classes.values {
      let names = shape.columns.map { "\($0.name)=\($0.mark)" }.joined(separator: "\n")
      let known = try state.value("columns \(shape.name)")
      guard known != names else { continue }
      if let known { try turnMarks(of: shape, from: known.parts(at: "\n").map(String.init)) }
      try state.set("columns \(shape.name)", names)
    }
    try state.set("shape", shapes)
    return before != nil
  }

  /// What is known of classes on their way, as a text.
  static func text(of classes: [TrackedClass], _ links: [TrackedLinks]) -> String {
    let shapes = classes.sorted { $0.name < $1.name }.flatMap { shape in
      [shape.name]
        + shape.columns.map { column in
          let rule = column.reference.map { " \($0.destination) \($0.rule.rawValue)" } ?? ""
          return "\(column.name)=\(column.mark)\(rule)\(column.isHard ? " !" : "")"
        }
        + shape.unique.map { group in
          "unique \(group.map { shape.columns[$0].name }.joined(separator: ","))"
        }
    }
    return (shapes + links.map(\.name).sorted()).joined(separator: "\n")
  }

  /// Puts the marks of all objects into the order of the columns that there are now.
  private func turnMarks(of shape: TrackedClass, from before: [String]) throws {
    let places = shape.columns.map { before.firstIndex(of: "\($0.name)=\($0.mark)") }
    var objects: [StoreState.Object] = []
    try state.forEachObject(of: shape.family) { objects.append($0) }
    for var object in objects where object.kind == shape.kind && !object.marks.isEmpty {
      let marks = object.marks
      object.marks = places.flatMap { place -> [UInt8] in
        let mark = place.map { marks.mark(at: $0) } ?? []
        return mark.count == 8 ? mark : [UInt8](repeating: 0, count: 8)
      }
      try state.update(object)
    }
  }

  /// Applies what waited, where this version of the application has a place for it.
  func unpark() throws {
    guard try connection.int64("SELECT 1 FROM appdata_sync_parked LIMIT 1") != nil else { return }
    var found: [(IncomingRow, mark: UInt8)] = []
    try connection.forEachRow(
      "SELECT identity, class, stream, number, time, is_made, past, property, mark, value "
        + "FROM appdata_sync_parked ORDER BY identity, class, stream, number, property"
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 0)), let stream = StreamID(row.bytes(at: 2))
      else {
        throw StoreState.damaged
      }
      let column = DataOperation.Column(
        name: row.string(at: 7), mark: UInt8(clamping: row.int64(at: 8)))
      let incoming = IncomingRow(
        identity: identity, className: row.string(at: 1), isMade: row.int64(at: 5) == 1,
        values: [Incoming(column: column, value: try WireValue(encoded: row.bytes(at: 9)))],
        stamp: Stamp(
          stream: stream, number: UInt64(row.int64(at: 3)), time: row.int64(at: 4)),
        past: SideFile.past(row.bytes(at: 6)))
      found.append((incoming, column.mark))
    }
    // What was made as one is made as one; then what was changed in it, in its order.
    var whole: [IncomingRow] = []
    for (incoming, _) in found {
      if let last = whole.last, last.identity == incoming.identity,
        last.className == incoming.className, last.stamp == incoming.stamp,
        last.isMade == incoming.isMade, !incoming.isLink, !last.isLink
      {
        whole[whole.count - 1] = IncomingRow(
          identity: last.identity, className: last.className, isMade: last.isMade,
          values: last.values + incoming.values, stamp: last.stamp, past: last.past)
      } else {
        whole.append(incoming)
      }
    }
    let waiting = report.waiting
    for incoming in whole.sorted(by: Self.comesBefore) {
      let links = incoming.values.compactMap { value in
        parkedLink(incoming, value).map { (value, $0) }
      }
      for (value, link) in links where shown.links["\(link.className)/\(link.property)"] != nil {
        try forgetParked(incoming, value.column.name)
        try apply(link)
      }
      guard try links.isEmpty && hasPlace(for: incoming) else { continue }
      try forgetParked(incoming, nil)
      try apply(incoming)
    }
    report.waiting = waiting
  }

  private func forgetParked(_ row: IncomingRow, _ property: String?) throws {
    try connection.execute(
      "DELETE FROM appdata_sync_parked WHERE identity=? AND class=? AND stream=? AND number=?"
        + (property == nil ? "" : " AND property=?"),
      [
        .blob(row.identity.bytes), .text(row.className), .blob(row.stamp.stream.bytes),
        .integer(Int64(clamping: row.stamp.number)),
      ] + (property.map { [.text($0)] } ?? []))
  }

  private static func comesBefore(_ left: IncomingRow, _ right: IncomingRow) -> Bool {
    if left.isMade != right.isMade { return left.isMade }
    if left.stamp.isKnown(by: right.past) != right.stamp.isKnown(by: left.past) {
      return left.stamp.isKnown(by: right.past)
    }
    return left.stamp < right.stamp
  }

  /// Whether there is a place for something of it now.
  private func hasPlace(for incoming: IncomingRow) throws -> Bool {
    let object = try state.object(
      incoming.identity, of: ClassPath.family(of: incoming.className))
    guard let shape = classes[object?.path ?? incoming.className] else { return false }
    if ObjectKind.isForeign(incoming, to: shape) { return true }
    return incoming.values.contains { shape.column($0.column.name)?.mark == $0.column.mark }
  }

  /// Has objects of a class that this version of the application has no longer wait for one that has.
  ///
  /// Its migration has removed their rows. Those of a class that it has now are read again.
  private func followClasses() throws {
    let paths = classes.keys.sorted().joined(separator: "\n")
    let known = try state.value("classes")
    guard known != paths else { return }
    try state.set("classes", paths)
    var gone: [StoreState.Object] = []
    for object in try state.allObjects() {
      if classes[object.path] == nil, object.row != nil {
        gone.append(object)
      } else if classes[object.path] != nil, object.row == nil, try !state.isDeleted(object) {
        shown.openJoined.insert(object.id)
      }
    }
    try leaveRows(gone)
  }

  // MARK: The first meeting

  /// Takes rows that were here before for objects that came, where all their values are equal.
  ///
  /// The row that was here keeps its key: the application may have it in its hands. What leads to
  /// the other one leads to it from then on, so that what belongs to both may be equal, too.
  func joinEqualRows() throws {
    var goesOn = true
    while goesOn {
      goesOn = false
      for shape in classes.values.sorted(by: { $0.name < $1.name }) {
        if try joinEqualRows(of: shape) { goesOn = true }
      }
    }
  }

  private func joinEqualRows(of shape: TrackedClass) throws -> Bool {
    guard let rows = rows[shape.name], let arrived = made[shape.name], !arrived.isEmpty else {
      return false
    }
    var own: [[UInt8]: [Int64]] = [:]
    try rows.forEach { row, values in
      guard try state.object(of: shape.family, row: row) == nil else { return }
      own[try Self.marks(values), default: []].append(row)
    }
    guard !own.isEmpty else { return false }
    for place in own.keys { own[place]?.reverse() }
    var left: [Int64] = []
    for row in arrived {
      guard var object = try state.object(of: shape.family, row: row),
        let values = try rows.values(of: row), let same = own[try Self.marks(values)]?.popLast()
      else {
        left.append(row)
        continue
      }
      try lead(to: same, insteadOf: row, shape)
      try rows.delete(row)
      shown.history.note(.delete, shape.entity, row)
      object.row = same
      try state.update(object)
      report.arrived -= 1
      report.joined += 1
    }
    made[shape.name] = left
    return left.count < arrived.count
  }

  /// Has what leads to one row lead to another one.
  private func lead(to same: Int64, insteadOf row: Int64, _ shape: TrackedClass) throws {
    for (other, column) in shown.incoming[shape.name] ?? [] {
      guard let rows = rows[other.name] else { continue }
      for key in try rows.rows(with: row, in: column) {
        _ = try rows.update(key, [(column, .integer(same))])
        guard var object = try state.object(of: other.family, row: key), !object.marks.isEmpty
        else {
          continue
        }
        try object.marks.set(WireValue.integer(same).mark(), at: other.place(of: column))
        try state.update(object)
      }
    }
    for links in shown.links.values where links.links.leads(shape.family) {
      try links.move(from: row, to: same, shape.family)
    }
  }

  private static func marks(_ values: [SQLiteValue]) throws -> [UInt8] {
    try values.flatMap { try WireValue($0).mark() }
  }

  // MARK: What was changed here

  /// Notes rows that nobody else knows, before anything is told that leads to them.
  func noteNew(_ logged: [SQLiteConnection.LoggedRow]) throws {
    for place in logged {
      guard let family = shown.tables[place.table]?.first?.family,
        try state.object(of: family, row: place.row) == nil
      else { continue }
      guard let shape = try shown.shape(ofRow: place.row, in: place.table),
        try rows[shape.name]?.isThere(place.row) == true
      else {
        try shown.removeRest(ofRow: place.row, in: place.table)
        continue
      }
      try state.add(
        ObjectID.new(), of: shape.name, row: place.row,
        made: Stamp(stream: turn.own, number: 0, time: Self.clamped(turn.time)), marks: [])
    }
  }

  /// Whether a row is other than the others know it.
  func isChanged(_ place: SQLiteConnection.LoggedRow) throws -> Bool {
    guard let family = shown.tables[place.table]?.first?.family else { return false }
    let object = try state.object(of: family, row: place.row)
    guard let shape = try shown.shape(ofRow: place.row, in: place.table),
      let values = try rows[shape.name]?.values(of: place.row)
    else { return object != nil }
    return try object?.path != shape.name || object?.marks != Self.marks(values)
  }

  /// Whether a link is other than the others know it.
  func isChanged(_ place: SQLiteConnection.LoggedLink) throws -> Bool {
    guard let rows = shown.links.values.first(where: { $0.links.table == place.table }) else {
      return false
    }
    let places = try rows.places(place.owner, place.destination)
    guard let owner = try state.object(of: rows.links.ownerFamily, row: place.owner),
      let destination = try state.object(of: rows.links.destinationFamily, row: place.destination),
      let link = try state.link(rows.links.name, owner.identity, destination.identity)
    else { return places != nil }
    return link.isShown ? places != link.places : places != nil
  }

  /// Whether a family has other rows than are known, with those that were noted.
  func disagrees(
    _ shapes: [TrackedClass], _ logged: Set<SQLiteConnection.LoggedRow>
  ) throws -> Bool {
    guard let first = shapes.first else { return false }
    var count = try state.count(of: first.family)
    for place in logged where place.table == first.table {
      let isKnown = try state.object(of: first.family, row: place.row) != nil
      let isThere =
        try shown.shape(ofRow: place.row, in: first.table)
        .map { try rows[$0.name]?.isThere(place.row) == true } ?? false
      if isThere != isKnown { count += isThere ? 1 : -1 }
    }
    return try count != shapes.reduce(0) { try $0 + (rows[$1.name]?.count() ?? 0) }
  }
}

extension ObjectKind {
  /// Whether something of what came is of another class of the family than the object.
  fileprivate static func isForeign(
    _ incoming: StoreMeeting.IncomingRow, to shape: TrackedClass
  ) -> Bool {
    incoming.values.contains { isForeign($0.column.name, to: shape.name) }
  }
}

extension StoreMeeting.IncomingRow {
  fileprivate var isLink: Bool { values.contains { $0.column.mark == StoreMeeting.linkMark } }
}
