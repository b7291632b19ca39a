import VaultDataStore
import VaultStorage
import VaultSync

/// What the records say of objects, whoever has deleted them since.
final class RecordedValues {
  private let side: SideFile
  private let state: StoreState
  private let classes: [String: TrackedClass]
  /// The family at the other end of each relationship that has links.
  private let destinations: [String: String]
  private let content: ([UInt8]) throws -> ChannelContent
  /// The places of the records that say something of an object.
  private var places: [ObjectID: [Int64]]?

  init(
    _ side: SideFile, _ state: StoreState, _ classes: [TrackedClass], _ links: [TrackedLinks],
    _ content: @escaping ([UInt8]) throws -> ChannelContent
  ) {
    self.side = side
    self.state = state
    self.classes = Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0) })
    destinations = Dictionary(uniqueKeysWithValues: links.map { ($0.name, $0.destinationFamily) })
    self.content = content
  }

  /// A value of a property that no other record knows.
  struct Change {
    let stamp: Stamp
    let value: WireValue
    let mark: UInt8
    /// By which of the object's identities.
    let identity: ObjectID
  }

  /// Which of two counts; of those that one record says of several identities, that of the smallest.
  static func comesBefore(_ left: Change, _ right: Change) -> Bool {
    left.stamp == right.stamp ? right.identity < left.identity : left.stamp < right.stamp
  }

  /// The ends of a link.
  struct Ends: Hashable {
    let relationship: String
    let owner: ObjectID
    let destination: ObjectID
  }

  /// All that the records say of an object.
  struct Said {
    /// The last record that made it.
    var made: Stamp?
    /// The records that made it which no other one knows, and the classes that they say.
    var kinds: [ObjectKind.Made] = []
    var changes: [String: [Change]] = [:]
    var links: [Ends: [StoreState.LinkChange]] = [:]
    /// What others replaced that had lost to another one before: nobody saw it then.
    var lost: [(property: String, change: Change)] = []
  }

  /// What is being read of an object.
  private struct Reading {
    let object: StoreState.Object
    let members: Set<ObjectID>
    var view: AliasView
    var said = Said()
    /// Additions of links by the identities that they named.
    var links: [Ends: [(named: DataOperation.Alias, change: StoreState.LinkChange)]] = [:]
    /// The views of objects at the other ends of links.
    var views: [String: [ObjectID: AliasView]] = [:]
  }

  /// The values that an object has by all records.
  func values(of object: StoreState.Object) throws -> [String: WireValue] {
    try said(of: object, knowingDeletes: false).changes.compactMapValues { changes in
      changes.max { $0.stamp < $1.stamp }?.value
    }
  }

  /// What the records that are applied say of an object by any of its identities.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - knowingDeletes: Whether what does not know the object's deletion is left out.
  /// - Returns: The changes that no other one replaced, the links, and what lost meanwhile.
  /// - Throws: What reading the records and the store throw.
  func said(of object: StoreState.Object, knowingDeletes: Bool = true) throws -> Said {
    let members = try state.members(of: object)
    var reading = Reading(
      object: object, members: members,
      view: AliasView(try state.pairs(of: object.identity, object.family)))
    let applied = try state.applied()
    for entry in try entries(about: members)
    where !knowingDeletes || entry.sequence <= applied[entry.stream, default: 0] {
      let isVoid = try knowingDeletes && state.isVoid(entry.past, for: object)
      let content = try content(entry.bytes)
      for operation in content.operations {
        switch Self.known(operation) {
        case .rows(let rows)
        where ClassPath.family(of: rows.className) == object.family && !isVoid:
          try note(rows, entry, content.time, &reading)
        case .links(let links):
          for link in links.links { try note(link, links, entry, content, &reading) }
        default: continue
        }
      }
    }
    reading.said.links = reading.links.mapValues { $0.map(\.change) }
    return reading.said
  }

  private func note(
    _ rows: DataOperation.RowsOperation, _ entry: ChannelEntry, _ time: Int64,
    _ reading: inout Reading
  ) throws {
    let shapes = [reading.object.path, rows.className].compactMap { classes[$0] }
    for row in rows.rows where reading.members.contains(row.identity) {
      let stamp = Stamp(
        stream: entry.stream, number: entry.sequence,
        time: row.isDerived ? 0 : StoreMeeting.clamped(time))
      if row.isMade {
        reading.said.made = max(reading.said.made ?? stamp, stamp)
        var kinds = reading.said.kinds
        kinds.removeAll { made in
          made.stamp.isKnown(by: entry.past)
            && reading.view.areOne(made.identity, row.identity, entry.past)
        }
        kinds.append(.init(path: rows.className, identity: row.identity, stamp))
        reading.said.kinds = kinds
      }
      for (column, value) in zip(rows.columns, row.values) {
        var changes = reading.said.changes[column.name] ?? []
        var replaced: [Change] = []
        changes.removeAll { change in
          let isReplaced =
            change.stamp.isKnown(by: entry.past)
            && reading.view.areOne(change.identity, row.identity, entry.past)
          if isReplaced { replaced.append(change) }
          return isReplaced
        }
        let seen = replaced.max(by: Self.comesBefore)
        reading.said.lost += replaced.filter { change in
          change.identity != seen?.identity && change.value != seen?.value
        }.map { (column.name, $0) }
        let value =
          try shapes.lazy.compactMap { $0.column(column.name) }.first.map {
            try state.root(of: value, in: $0)
          } ?? value
        changes.append(
          Change(stamp: stamp, value: value, mark: column.mark, identity: row.identity))
        reading.said.changes[column.name] = changes
      }
    }
  }

  private func note(
    _ link: DataOperation.Link, _ links: DataOperation.LinksOperation, _ entry: ChannelEntry,
    _ content: ChannelContent, _ reading: inout Reading
  ) throws {
    let (members, family) = (reading.members, reading.object.family)
    guard members.contains(link.owner) || members.contains(link.destination) else { return }
    let name = "\(links.className)/\(links.property)"
    // The class at the other end is the object's, or its relationship is another one.
    let owner = ClassPath.family(of: links.className)
    guard let destination = destinations[name],
      owner == family && members.contains(link.owner)
        || destination == family && members.contains(link.destination)
    else { return }
    let ends = Ends(
      relationship: name, owner: try state.root(of: link.owner, owner),
      destination: try state.root(of: link.destination, destination))
    try open(&reading, ends.owner, owner)
    try open(&reading, ends.destination, destination)
    var changes = reading.links[ends] ?? []
    changes.removeAll { named, change in
      change.stamp.isKnown(by: entry.past)
        && reading.views[owner]?[ends.owner]?.areOne(
          named.identity, link.owner, entry.past) == true
        && reading.views[destination]?[ends.destination]?.areOne(
          named.other, link.destination, entry.past) == true
    }
    if link.isThere {
      let change = StoreState.LinkChange(
        stamp: Stamp(
          stream: entry.stream, number: entry.sequence, time: StoreMeeting.clamped(content.time)),
        places: LinkRows.Places(owner: link.ownerPlace, destination: link.destinationPlace))
      // Of those of one record the last one counts.
      changes.removeAll { $0.change.stamp == change.stamp }
      changes.append((DataOperation.Alias(link.owner, link.destination), change))
    }
    reading.links[ends] = changes
  }

  private func open(
    _ reading: inout Reading, _ identity: ObjectID, _ family: String
  ) throws {
    guard reading.views[family]?[identity] == nil else { return }
    reading.views[family, default: [:]][identity] = AliasView(
      try state.pairs(of: identity, family))
  }

  /// The records that say something of identities, each after those that it has seen.
  private func entries(about members: Set<ObjectID>) throws -> [ChannelEntry] {
    let all = try allPlaces()
    let found = try Set(members.flatMap { all[$0] ?? [] }).sorted().compactMap {
      try side.entry(at: $0)
    }
    // What this run has written is not beside the store yet.
    let frontier = try side.frontier()
    var own: [ChannelEntry] = []
    try state.forEachInOutbox { entry in
      guard entry.sequence > frontier[entry.stream, default: 0] else { return }
      let isAbout = try content(entry.bytes).operations.contains { operation in
        try Self.identities(in: operation).contains(where: members.contains)
      }
      if isAbout { own.append(entry) }
    }
    return found + own
  }

  /// What an operation says; `nil` for one that is not known here, or makes no sense: its stream is
  /// applied up to the record before.
  private static func known(_ operation: ChannelOperation) -> DataOperation? {
    (try? DataOperation(operation)) ?? nil
  }

  private static func identities(in operation: ChannelOperation) throws -> [ObjectID] {
    switch known(operation) {
    case .rows(let rows): rows.rows.map(\.identity)
    case .links(let links): links.links.flatMap { [$0.owner, $0.destination] }
    default: []
    }
  }

  /// One look at all records, since one object that comes back seldom comes alone.
  private func allPlaces() throws -> [ObjectID: [Int64]] {
    if let places { return places }
    var found: [ObjectID: [Int64]] = [:]
    try side.forEach(behind: [:]) { entry, place in
      for operation in try content(entry.bytes).operations {
        for identity in try Self.identities(in: operation) where found[identity]?.last != place {
          found[identity, default: []].append(place)
        }
      }
    }
    places = found
    return found
  }
}
