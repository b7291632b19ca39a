import VaultDataStore
import VaultStorage
import VaultSync

/// Tells what was changed in a store: of each row the properties that are other than before.
struct StoreTelling {
  let meeting: StoreMeeting
  /// How far the streams are applied: what the changes know.
  let known: Frontier

  private var state: StoreState { meeting.state }
  private var shown: ShownRows { meeting.shown }
  /// What is not in a record yet.
  private var groups: [Group: DataOperation.RowsOperation] = [:]
  private var order: [Group] = []
  private var deletes: [String: [ObjectID]] = [:]
  private var links: [String: [DataOperation.Link]] = [:]
  private var aliases: [String: [DataOperation.Alias]] = [:]
  private var length = 0
  /// Whether the last record says that another one belongs to it.
  private var isOpen = false

  /// From how many bytes on a record is written before the next row.
  private static let batchLength = 512 << 10
  /// Most bytes of the values in one record: what a row has beyond that follows in the next ones.
  private static let mostOfRecord = WireValue.longest

  private struct Group: Hashable {
    let className: String
    let columns: [DataOperation.Column]
  }

  init(_ meeting: StoreMeeting, knowing known: Frontier) {
    self.meeting = meeting
    self.known = known
  }

  /// Tells of rows and links, and writes the records.
  ///
  /// - Parameters:
  ///   - logged: The rows that may have been changed.
  ///   - loggedLinks: The links.
  /// - Returns: How many objects and links were told.
  /// - Throws: What reading the store and writing records throw.
  mutating func tell(
    _ logged: [SQLiteConnection.LoggedRow], _ loggedLinks: [SQLiteConnection.LoggedLink]
  ) throws -> Int {
    try meeting.noteNew(logged)
    var count = 0
    for place in logged {
      guard let family = shown.tables[place.table]?.first?.family,
        var object = try state.object(of: family, row: place.row)
      else { continue }
      if length > Self.batchLength { try write(continues: true) }
      guard let shape = try shown.shape(ofRow: place.row, in: place.table),
        let values = try meeting.rows[shape.name]?.values(of: place.row)
      else {
        try delete(object)
        count += 1
        continue
      }
      if object.path != shape.name {
        // Another program has made it one of another class of the family.
        try shown.follow(object, place.row, into: shape)
        object.kind = shape.kind
        object.marks = []
      }
      count +=
        try object.marks.isEmpty
        ? make(object, shape, values) ? 1 : 0 : change(object, shape, values) ? 1 : 0
    }
    for place in loggedLinks {
      if length > Self.batchLength { try write(continues: true) }
      count += try tell(place) ? 1 : 0
    }
    try write(continues: false)
    return count
  }

  /// The stamp of what goes into the next record.
  private var stamp: Stamp {
    Stamp(
      stream: meeting.turn.own, number: meeting.turn.lastNumber + 1,
      time: StoreMeeting.clamped(meeting.turn.time))
  }

  private static func columns(_ columns: [TrackedColumn]) -> [DataOperation.Column] {
    columns.map { DataOperation.Column(name: $0.name, mark: $0.mark) }
  }

  private mutating func make(
    _ object: StoreState.Object, _ shape: TrackedClass, _ values: [SQLiteValue]
  ) throws -> Bool {
    let wires = try told(object, shape, values)
    let fitting = shape.columns.indices.filter { wires[$0].length <= WireValue.longest }
    noteTooLong(shape, Set(shape.columns.indices).subtracting(fitting))
    let missing = shape.columns.indices.contains { place in
      let column = shape.columns[place]
      return column.isRequired && !column.hasDefault
        && (!fitting.contains(place) || wires[place] == .null)
    }
    guard !missing else { return false }
    var object = object
    object.marks = []
    for place in shape.columns.indices {
      object.marks +=
        fitting.contains(place)
        ? try WireValue(values[place]).mark() : [UInt8](repeating: 0, count: 8)
    }
    guard let (first, rest) = parted(fitting, shape, wires) else { return false }
    try makeRoom(for: Self.length(first, wires))
    add(
      shape, first,
      DataOperation.Row(
        identity: object.identity, isMade: true, isDerived: false, values: first.map { wires[$0] }))
    // One that others know comes back: what is known of it, and of what waits for it, is another.
    let isBack = object.made.number > 0
    object.made = stamp
    if isBack {
      for (place, column) in shape.columns.enumerated() where values[place] != .null {
        try state.setValue(of: object, column.name, nil)
      }
      try state.undoDeletes(of: object)
      try state.forgetChanges(of: object)
    }
    try state.update(object)
    try tell(rest, of: object, shape, wires)
    if isBack {
      shown.note(object)
      try shown.noteShown(object)
    }
    try noteNothing(object, shape, Array(shape.columns.indices), values)
    try shown.noteTargets(of: object, values)
    return true
  }

  /// What is told of an object: what it is, even where the row cannot have it.
  private func told(
    _ object: StoreState.Object, _ shape: TrackedClass, _ values: [SQLiteValue]
  ) throws -> [WireValue] {
    try shape.columns.enumerated().map { place, column in
      try values[place] == .null && (column.reference != nil || object.made.number > 0)
        ? shown.current(of: object, column, values[place]) : shown.wire(values[place], column)
    }
  }

  private mutating func change(
    _ object: StoreState.Object, _ shape: TrackedClass, _ values: [SQLiteValue]
  ) throws -> Bool {
    var object = object
    var (typed, derived): ([Int], [Int]) = ([], [])
    var wires = [WireValue](repeating: .null, count: shape.columns.count)
    for place in shape.columns.indices {
      let (mark, before) = (try WireValue(values[place]).mark(), object.marks.mark(at: place))
      guard mark != before else { continue }
      guard WireValue(values[place]).length <= WireValue.longest else {
        noteTooLong(shape, [place])
        continue
      }
      let column = shape.columns[place]
      // What was typed may lead to what is not there any more: it is beside the row then.
      let beside =
        column.reference != nil && values[place] == .null
        ? try state.value(of: object, column.name) : nil
      wires[place] = try beside ?? shown.wire(values[place], column)
      let isNew = before.allSatisfy { $0 == 0 }
      if isNew { derived.append(place) } else { typed.append(place) }
      try object.marks.set(mark, at: place)
      if beside == nil { try state.setValue(of: object, column.name, nil) }
    }
    try tell(typed, of: object, shape, wires)
    try tell(derived, of: object, shape, wires, isDerived: true)
    guard !typed.isEmpty || !derived.isEmpty else { return false }
    try state.update(object)
    try noteChanged(object, shape, typed + derived, values)
    return true
  }

  /// Tells of what was typed into objects that are not shown any more.
  mutating func tellHidden(_ typed: [Int64: [String]]) throws {
    for (id, properties) in typed.sorted(by: { $0.key < $1.key }) {
      guard var object = try state.object(id: id), object.row == nil,
        let shape = shown.shape(of: object)
      else { continue }
      let isMade = object.made.number == 0
      let values = try state.values(of: object)
      let places = shape.columns.indices.filter { place in
        let name = shape.columns[place].name
        return properties.contains(name)
          && values[name].map { $0.length <= WireValue.longest } == true
      }
      guard !places.isEmpty else { continue }
      let wires = shape.columns.map { values[$0.name] ?? .null }
      var (first, rest) = (places, [Int]())
      if isMade {
        guard let parts = parted(places, shape, wires) else { continue }
        (first, rest) = parts
        try makeRoom(for: Self.length(first, wires))
        object.made = stamp
        try state.update(object)
      }
      try tell(first, of: object, shape, wires, isMade: isMade)
      try tell(rest, of: object, shape, wires)
      shown.note(object)
    }
  }

  /// Tells of objects that are one from now on.
  mutating func tell(_ aliases: [String: [DataOperation.Alias]]) throws {
    for (family, aliases) in aliases.sorted(by: { $0.key < $1.key }) {
      for alias in aliases {
        try state.notePair(alias, of: family, stamp)
        self.aliases[family, default: []].append(alias)
        length += 32
        if length > Self.batchLength { try write(continues: false) }
      }
    }
    try write(continues: false)
  }

  /// Has what depends on what was typed looked at.
  private func noteChanged(
    _ object: StoreState.Object, _ shape: TrackedClass, _ places: [Int], _ values: [SQLiteValue]
  ) throws {
    let references = places.compactMap { place -> Int? in
      switch shape.columns[place].kind {
      case .attribute: nil
      case .reference: place
      case .position(let name): shape.columns.firstIndex { $0.name == name }
      }
    }
    guard !references.isEmpty else { return }
    try noteNothing(object, shape, places, values)
    shown.note(object)
    try shown.noteTargets(of: object, values, at: references)
    try shown.noteMovedArrays(of: shape)
    try shown.noteFreed(of: shape, references)
  }

  /// A key that no row has leads to nothing: the row is brought after what was told.
  private func noteNothing(
    _ object: StoreState.Object, _ shape: TrackedClass, _ places: [Int], _ values: [SQLiteValue]
  ) throws {
    for place in places where values[place] != .null {
      let column = shape.columns[place]
      guard column.reference != nil, try shown.wire(values[place], column) == .null else {
        continue
      }
      try state.setValue(of: object, column.name, .null)
      shown.note(object)
    }
  }

  private mutating func delete(_ object: StoreState.Object) throws {
    var object = object
    guard let row = object.row, let shape = shown.shape(of: object) else { return }
    if object.made.number > 0 {
      // All that it is.
      let members = try state.members(of: object)
      deletes[object.family, default: []] += members.sorted()
      length += 16 * members.count
    }
    var past = known
    past[stamp.stream] = stamp.number
    for identity in try state.members(of: object) {
      try state.addDelete(of: object, as: identity, stamp, knowing: past)
    }
    try shown.clear(object, shape, row)
    // Another program may have left some of its parts behind.
    try meeting.rows[shape.name]?.delete(row)
    try shown.noteFreed(of: shape, shape.references.map(\.place))
    try state.forgetChanges(of: object)
    try state.forgetValues(of: object)
    (object.row, object.marks) = (nil, [])
    try state.update(object)
    shown.note(object)
  }

  private mutating func tell(_ place: SQLiteConnection.LoggedLink) throws -> Bool {
    guard let rows = shown.links.values.first(where: { $0.links.table == place.table }),
      let owner = try state.object(of: rows.links.ownerFamily, row: place.owner),
      let destination = try state.object(of: rows.links.destinationFamily, row: place.destination)
    else {
      // A program that switched foreign keys off has left it behind.
      if let rows = shown.links.values.first(where: { $0.links.table == place.table }),
        try !shown.isThere(place.owner, at: rows.links.owner)
          || !shown.isThere(place.destination, at: rows.links.destination)
      {
        try rows.remove(place.owner, place.destination)
      }
      return false
    }
    let name = rows.links.name
    let known = try state.link(name, owner.identity, destination.identity)
    let places = try rows.places(place.owner, place.destination)
    guard places != (known?.isShown == true ? known?.places : nil) else { return false }
    var link = try known ?? state.makeLink(name, owner.identity, destination.identity)
    links[name, default: []].append(
      DataOperation.Link(
        owner: owner.identity, destination: destination.identity, isThere: places != nil,
        ownerPlace: places?.owner, destinationPlace: places?.destination))
    length += 49
    try state.setChanges(
      of: link, to: places.map { [StoreState.LinkChange(stamp: stamp, places: $0)] } ?? [])
    link.isShown = places != nil
    link.places = places ?? link.places
    try state.update(link)
    shown.openLinks.insert(link.id)
    return true
  }

  private mutating func add(
    _ shape: TrackedClass, _ places: [Int], _ row: DataOperation.Row
  ) {
    let group = Group(
      className: shape.name, columns: Self.columns(places.map { shape.columns[$0] }))
    if groups[group] == nil {
      order.append(group)
      groups[group] = DataOperation.RowsOperation(
        className: shape.name, columns: group.columns, rows: [])
    }
    groups[group]?.rows.append(row)
    length += 17 + row.values.reduce(0) { $0 + $1.length }
  }

  // MARK: Rows that are too long for one record

  private static func length(_ places: [Int], _ wires: [WireValue]) -> Int {
    places.reduce(0) { $0 + wires[$1].length }
  }

  /// Which properties the record says that makes an object, and which ones follow; `nil` if those
  /// without which there is no object do not fit.
  private func parted(
    _ places: [Int], _ shape: TrackedClass, _ wires: [WireValue]
  ) -> (first: [Int], rest: [Int])? {
    let needed = places.filter { shape.columns[$0].isRequired && !shape.columns[$0].hasDefault }
    var size = Self.length(needed, wires)
    guard size <= Self.mostOfRecord else {
      let longest = needed.max { wires[$0].length < wires[$1].length }
      noteTooLong(shape, Set(longest.map { [$0] } ?? []))
      return nil
    }
    var first = Set(needed)
    for place in places where !first.contains(place) {
      guard size + wires[place].length <= Self.mostOfRecord else { continue }
      size += wires[place].length
      first.insert(place)
    }
    return (places.filter(first.contains), places.filter { !first.contains($0) })
  }

  /// Has what follows go into another record, where this one has no room for it.
  private mutating func makeRoom(for size: Int) throws {
    if length > 0, length + size > Self.mostOfRecord { try write(continues: true) }
  }

  /// Tells of properties of an object, in as many records as they need.
  ///
  /// - Parameters:
  ///   - places: Which ones; nothing is told for none.
  ///   - object: The object.
  ///   - shape: Its class.
  ///   - wires: The values of all of its properties.
  ///   - isMade: Whether the first of the records makes the object.
  ///   - isDerived: Whether a program computed the values.
  /// - Throws: What writing the store and records throws.
  private mutating func tell(
    _ places: [Int], of object: StoreState.Object, _ shape: TrackedClass, _ wires: [WireValue],
    isMade: Bool = false, isDerived: Bool = false
  ) throws {
    var rest = places
    while let first = rest.first {
      var (run, size) = ([first], wires[first].length)
      for place in rest.dropFirst() {
        guard size + wires[place].length <= Self.mostOfRecord else { break }
        size += wires[place].length
        run.append(place)
      }
      try makeRoom(for: size)
      var stamp = stamp
      if isDerived { stamp = Stamp(stream: stamp.stream, number: stamp.number, time: 0) }
      for place in run {
        try state.setChanges(
          of: object, shape.columns[place].name, to: [StoreState.Change(stamp: stamp, value: nil)])
      }
      add(
        shape, run,
        DataOperation.Row(
          identity: object.identity, isMade: isMade && rest.count == places.count,
          isDerived: isDerived, values: run.map { wires[$0] }))
      rest.removeFirst(run.count)
    }
  }

  private func noteTooLong(_ shape: TrackedClass, _ places: Set<Int>) {
    for place in places {
      meeting.report.tooLong.insert("\(shape.entity).\(shape.columns[place].property)")
    }
  }

  private mutating func write(continues: Bool) throws {
    guard
      !groups.isEmpty || !deletes.isEmpty || !links.isEmpty || !aliases.isEmpty
        || isOpen && !continues
    else { return }
    isOpen = continues
    var operations: [DataOperation] = aliases.sorted { $0.key < $1.key }.map {
      .aliases(className: $0, $1)
    }
    operations += order.compactMap { groups[$0].map { .rows($0) } }
    for (name, links) in links.sorted(by: { $0.key < $1.key }) {
      guard let tracked = shown.links[name]?.links else { continue }
      operations.append(
        .links(.init(className: tracked.owner, property: tracked.property, links: links)))
    }
    operations += deletes.sorted { $0.key < $1.key }.map { .deletes(className: $0, $1) }
    let entry = try meeting.turn.write(
      operations.map { try $0.encoded() }, knowing: known, continues: continues)
    try state.putOut(entry)
    try state.setApplied(entry.stream, entry.sequence)
    (groups, order, deletes, links, aliases, length) = ([:], [], [:], [:], [:], 0)
  }
}
