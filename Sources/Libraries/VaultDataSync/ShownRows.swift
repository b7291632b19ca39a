import VaultDataStore
import VaultStorage
import VaultSync

/// The rows as the function of what the records come to: decision 18.
///
/// Whoever changes what is known of an object or a link says so; ``settle()`` brings the rows after
/// it, which then are the same whatever came first.
final class ShownRows {
  let state: StoreState
  let connection: SQLiteConnection
  /// By their paths.
  let classes: [String: TrackedClass]
  /// By the tables of the roots: the classes of each family.
  let tables: [String: [TrackedClass]]
  /// By the paths of the classes.
  let rows: [String: TrackedRows]
  let links: [String: LinkRows]
  /// Each property that leads to objects of a class, or of one that it inherits from.
  let incoming: [String: [(shape: TrackedClass, column: TrackedColumn)]]

  /// This machine.
  var own: StreamID?
  /// Keeps what lost.
  let lose: (WireValue, StoreState.Object, String, Stamp) throws -> Void
  /// What lost is current again.
  let regain: (StoreState.Object, String, Stamp) throws -> Void
  let recorded: RecordedValues
  /// Which class an object has; only tests have another way.
  var choice: ObjectKind.Choice = ObjectKind.last
  /// What becomes of two objects that are to have one unique value.
  var mode = UniqueMode.waits
  /// The time of the run, in milliseconds since 1970.
  var now: Int64 = 0

  var history = ChangedRows()
  var forms = WrittenForms()
  /// Objects that came, or came back.
  var shown = 0
  /// Objects that were taken out of the rows.
  var hidden = 0
  /// Objects that wait for others, or belong to deleted ones.
  var waiting = 0
  /// Objects whose deletion was undone, since others that were made meanwhile deny it.
  var kept: Set<Int64> = []
  /// Properties that were typed and not told, of objects that are not shown any more.
  var typed: [Int64: [String]] = [:]
  /// Objects that came into the rows and are to be told as made.
  var untold: [SQLiteConnection.LoggedRow] = []
  /// Objects that are one since they have one unique value: the others are to hear of it.
  var joined: [String: [DataOperation.Alias]] = [:]
  /// Links that nobody was told of, of rows that are others now.
  var movedLinks: [SQLiteConnection.LoggedLink] = []
  /// Pairs of objects that are one since this meeting.
  var unified = 0
  /// Rows that were here before, and are those of objects that came.
  var taken = 0

  // What has to be looked at, by the objects' numbers.
  var openObjects: Set<Int64> = []
  var openReferences: Set<Int64> = []
  var openTargets: Set<Target> = []
  var openLinks: Set<Int64> = []
  var openArrays: Set<Target> = []
  var openLinkArrays: Set<LinkArray> = []
  /// Objects of which all that was said is to be read again.
  var openJoined: Set<Int64> = []
  /// Objects that may not have unique values that they are to have.
  var openUnique: Set<Int64> = []
  /// Objects without a row, since others have unique values of theirs.
  var collided: Set<Int64> = []
  /// References that would offend a constraint.
  var blocked: Set<Place> = []

  /// A column of an object.
  struct Place: Hashable {
    let object: Int64
    let place: Int

    init(_ object: Int64, _ place: Int) {
      self.object = object
      self.place = place
    }
  }

  /// An object to which a property of others leads.
  struct Target: Hashable {
    /// The class that declares the property.
    let owner: String
    let property: String
    let object: Int64
  }

  /// The array that a link's end has.
  struct LinkArray: Hashable {
    let relationship: String
    let identity: ObjectID
    let isOwner: Bool
  }

  init(
    _ file: DataStoreFile, _ classes: [TrackedClass], _ links: [TrackedLinks],
    on connection: SQLiteConnection,
    lose: @escaping (WireValue, StoreState.Object, String, Stamp) throws -> Void,
    regain: @escaping (StoreState.Object, String, Stamp) throws -> Void,
    recorded: RecordedValues
  ) {
    state = StoreState(connection: connection)
    self.connection = connection
    self.classes = Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0) })
    tables = Dictionary(grouping: classes, by: \.table)
    rows = Dictionary(
      uniqueKeysWithValues: classes.map { ($0.name, TrackedRows($0, in: file, on: connection)) })
    self.links = Dictionary(
      uniqueKeysWithValues: links.map { ($0.name, LinkRows($0, on: connection)) })
    var incoming: [String: [(shape: TrackedClass, column: TrackedColumn)]] = [:]
    for shape in classes {
      for (place, reference) in shape.references {
        for target in classes where ClassPath.descends(target.name, from: reference.destination) {
          incoming[target.name, default: []].append((shape, shape.columns[place]))
        }
      }
    }
    self.incoming = incoming
    self.lose = lose
    self.regain = regain
    self.recorded = recorded
  }

  // MARK: What changed

  /// Whether an object is made, deleted or leads elsewhere than before.
  func note(_ object: StoreState.Object) {
    openObjects.insert(object.id)
    openReferences.insert(object.id)
  }

  /// An object has a row that had none, or is alive that was deleted: what waits for it may come.
  func noteShown(_ object: StoreState.Object) throws {
    for (other, _) in try state.waiting(for: object.identity) { note(other) }
    try noteLinks(of: object)
  }

  func noteLinks(of object: StoreState.Object) throws {
    for links in links.values {
      for isOwner in [true, false]
      where object.family == ClassPath.family(of: links.links.end(isOwner: isOwner)) {
        for link in try state.links(links.links.name, of: object.identity, isOwner: isOwner) {
          openLinks.insert(link.id)
        }
      }
    }
  }

  /// Looks at every object whose row is not all that is known of it.
  func noteAll() throws {
    openObjects.formUnion(try state.objectsWithValues())
    openReferences.formUnion(openObjects)
  }

  /// Looks at what an object leads to, before it leads elsewhere or goes: deletions of it may have
  /// been denied by this one, and another one may lead to it now.
  func noteTargets(
    of object: StoreState.Object, _ values: [SQLiteValue]?, at places: [Int]? = nil
  ) throws {
    guard let shape = shape(of: object) else { return }
    for (place, reference) in shape.references where places?.contains(place) ?? true {
      let column = shape.columns[place]
      guard let target = try self.target(of: object, column, reference, values?[place]) else {
        continue
      }
      if reference.rule == .deny, try state.isDeleted(target) { openObjects.insert(target.id) }
      let end = Target(owner: column.owner, property: column.name, object: target.id)
      if reference.isExclusive { openTargets.insert(end) }
      if shape.position(of: column) != nil { openArrays.insert(end) }
    }
  }

  /// Looks at the arrays in which rows lie at other places than they were given.
  func noteMovedArrays(of shape: TrackedClass) throws {
    for (place, reference) in shape.references {
      let column = shape.columns[place]
      guard let position = shape.position(of: column) else { continue }
      let name = SQLText.name(column.column)
      try connection.forEachRow(
        "SELECT DISTINCT t.\(name) FROM appdata_sync_values v JOIN appdata_sync_objects o "
          + "ON o.id=v.object AND o.class=? JOIN \(SQLText.name(column.table)) t "
          + "ON t.\(SQLText.name(StoredEntity.keyColumn))=o.row "
          + "WHERE v.property=? AND t.\(name) IS NOT NULL",
        [.text(shape.family), .text(position.name)]
      ) { row in
        guard let target = try state.object(of: reference.family, row: row.int64(at: 0)) else {
          return
        }
        openArrays.insert(
          Target(owner: column.owner, property: column.name, object: target.id))
      }
    }
  }

  /// Objects no longer lead to what others lead to as well: one of those does now.
  func noteFreed(of shape: TrackedClass, _ places: [Int]) throws {
    for place in places where shape.columns[place].reference?.isExclusive == true {
      try connection.forEachRow(
        "SELECT v.object FROM appdata_sync_values v JOIN appdata_sync_objects o ON o.id=v.object "
          + "AND o.class=? WHERE v.property=?",
        [.text(shape.family), .text(shape.columns[place].name)]
      ) { openReferences.insert($0.int64(at: 0)) }
    }
  }

  // MARK: Reading

  /// A column's value as it travels.
  func wire(_ value: SQLiteValue, _ column: TrackedColumn) throws -> WireValue {
    guard let reference = column.reference else { return WireValue(value) }
    guard case .integer(let key) = value,
      let object = try state.object(of: reference.family, row: key)
    else { return .null }
    return .reference(object.identity)
  }

  /// What a property of an object is, whatever its row has.
  func current(
    of object: StoreState.Object, _ column: TrackedColumn, _ inRow: SQLiteValue?
  ) throws -> WireValue {
    if let value = try state.value(of: object, column.name) { return value }
    return try inRow.map { try wire($0, column) } ?? .null
  }

  /// What a property of an object leads to, as far as anybody has made it.
  func target(
    of object: StoreState.Object, _ column: TrackedColumn, _ reference: TrackedReference,
    _ inRow: SQLiteValue?
  ) throws -> StoreState.Object? {
    guard case .reference(let identity) = try current(of: object, column, inRow) else {
      return nil
    }
    return try self.object(identity, at: reference)
  }

  /// The change of a property that counts.
  func stamp(of object: StoreState.Object, _ property: String) throws -> Stamp {
    try state.changes(of: object, property).first { $0.value == nil }?.stamp ?? object.made
  }

  /// An object that is to be told as made, with a row.
  static func isUntold(_ object: StoreState.Object) -> Bool {
    object.row != nil && object.marks.isEmpty
  }

  func isAlive(_ object: StoreState.Object) throws -> Bool {
    try Self.isUntold(object) || !state.isDeleted(object)
  }

  /// Objects of a class itself that lead to another one by a property.
  func referrers(
    of target: StoreState.Object, _ shape: TrackedClass, _ column: TrackedColumn
  ) throws -> [StoreState.Object] {
    var found: [Int64: StoreState.Object] = [:]
    if let key = target.row, let rows = rows[shape.name] {
      for row in try rows.rows(with: key, in: column) {
        guard let object = try state.object(of: shape.family, row: row),
          try state.value(of: object, column.name) == nil
        else { continue }
        found[object.id] = object
      }
    }
    for (object, property) in try state.waiting(for: target.identity)
    where object.path == shape.name && property == column.name {
      found[object.id] = object
    }
    return found.values.sorted { $0.id < $1.id }
  }

  /// What the records say of a deleted object.
  func recorded(_ object: StoreState.Object) throws -> [String: WireValue] {
    try recorded.values(of: object)
  }

  /// What the records that count say of an object.
  func said(_ object: StoreState.Object) throws -> RecordedValues.Said {
    try recorded.said(of: object)
  }

  // MARK: Settling

  /// Brings the rows after what is known.
  func settle() throws {
    repeat {
      try settleJoined()
      let objects = openObjects
      openObjects = []
      try settleObjects(objects)
      try settleReferences()
      try settleTargets()
    } while try settleUnique()
    try noteCollided()
    try settleLinks()
    try settleArrays()
    try settleLinkArrays()
  }

  /// Gives a column of a row another value; what was typed there and not told stays.
  func write(
    _ value: SQLiteValue, _ object: inout StoreState.Object, _ shape: TrackedClass, _ place: Int,
    evenTyped: Bool = false
  ) throws {
    guard let row = object.row, let rows = rows[shape.name],
      let before = try rows.values(of: row)?[place]
    else { return }
    if !object.marks.isEmpty {
      let isTyped = try isTyped(before, object, place)
      if isTyped, !evenTyped { return }
      if !isTyped { try object.marks.set(WireValue(value).mark(), at: place) }
      try state.update(object)
    }
    _ = try rows.update(row, [(shape.columns[place], value)])
    history.note(.update, shape.entity, row, [shape.columns[place].property])
  }

  /// Whether a row has what was typed there, and not told.
  func isTyped(
    _ value: SQLiteValue, _ object: StoreState.Object, _ place: Int
  ) throws -> Bool {
    let mark = object.marks.mark(at: place)
    return try mark.contains { $0 != 0 } && WireValue(value).mark() != mark
  }

  /// Notes for the history that the other side of a relationship has changed.
  func noteInverse(_ reference: TrackedReference, _ key: SQLiteValue?) throws {
    guard let inverse = reference.inverse, case .integer(let row)? = key,
      let shape = try shape(ofRow: row, at: reference.destination)
    else { return }
    history.note(.update, shape.entity, row, [inverse])
  }
}
