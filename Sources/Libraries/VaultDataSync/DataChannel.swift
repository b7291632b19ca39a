package import VaultDataStore
package import VaultSealing
import VaultStorage
package import VaultSync

/// A store of an application as a channel of a space: the rows, and the records beside them.
package final class DataChannel: SyncedChannel {
  let file: DataStoreFile
  let metadata: DataStoreMetadata
  let classes: [TrackedClass]
  let links: [TrackedLinks]
  let connection: SQLiteConnection
  let side: SideFile
  let lost: LostValues
  let channel: ChannelID
  let now: () -> Int64
  var state: StoreState { StoreState(connection: connection) }
  /// How changes of one property meet; only tests have another way.
  var merging: StoreMeeting.Merge = StoreMeeting.outcome
  /// Which class an object has that several records made; only tests have another way.
  var choosing: ObjectKind.Choice = ObjectKind.last
  /// What the last meeting did.
  package private(set) var report = DataSyncReport()

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - found: The store.
  ///   - channel: Its channel.
  ///   - key: Seals what lost.
  ///   - now: The time, in milliseconds since 1970.
  /// - Throws: ``SyncError`` with code `.notAllowed` for a store that cannot go to other machines;
  ///   `StorageError`.
  package init(
    _ found: FoundStore, channel: ChannelID, key: SecretBytes, now: @escaping () -> Int64
  ) throws {
    self.now = now
    let (connection, metadata) = try found.file.open(
      .write, ofApplication: found.metadata.application)
    guard let metadata else {
      connection.close()
      throw StorageError(.notFound, "there is no store \(found.file.path)")
    }
    self.connection = connection
    self.metadata = metadata
    file = found.file
    self.channel = channel
    lost = LostValues(connection: connection, key: key)
    do {
      classes = try Self.classes(of: metadata)
      links = metadata.schema.trackedLinks()
      side = try SideFile(of: found.file.path, channel: channel)
      try keepOutbox()
    } catch {
      connection.close()
      throw error
    }
  }

  package func close() {
    side.close()
    connection.close()
  }

  /// The classes of a store, all of which can go to other machines.
  ///
  /// - Throws: ``SyncError`` with code `.notAllowed`, which names what cannot.
  package static func classes(of metadata: DataStoreMetadata) throws -> [TrackedClass] {
    guard metadata.database != .none else {
      throw SyncError(
        .notAllowed,
        "\(metadata.application) keeps its objects on this machine: its configuration says "
          + "cloudKitDatabase: .none",
        hint: "nothing was changed; the program's author decides that")
    }
    let (classes, obstacles) = metadata.schema.tracked()
    guard obstacles.isEmpty else {
      let named = obstacles.prefix(3).map(\.message).joined(separator: "; ")
      let more = obstacles.count > 3 ? "; and \(obstacles.count - 3) more" : ""
      throw SyncError(
        .notAllowed, "\(metadata.application) cannot go to other machines yet: \(named)\(more)",
        hint: "nothing was changed; classes without these can be synchronized")
    }
    return classes
  }

  // MARK: Records

  package func frontier() throws -> Frontier { try side.frontier() }

  package func entry(_ stream: StreamID, _ sequence: UInt64) throws -> ChannelEntry? {
    try side.entry(stream, sequence)
  }

  package func keep(_ records: [ChannelEntry]) throws {
    try side.keep(records)
    // Where the file beside the store is new, those before them have just come.
    try keepOutbox()
  }

  /// Keeps what this machine wrote and had not sent beside the store, too: behind what is there.
  private func keepOutbox() throws {
    guard try StoreState.isThere(connection) else { return }
    guard try !state.isOutboxEmpty() else { return }
    var frontier = try side.frontier()
    try side.keeping { keep in
      try state.forEachInOutbox { entry in
        guard entry.sequence == frontier[entry.stream, default: 0] + 1 else { return }
        try keep(entry)
        frontier[entry.stream] = entry.sequence
      }
    }
  }

  package func records(
    of stream: StreamID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    try side.records(of: stream, after: sequence, limit: limit)
  }

  package func lengths(of stream: StreamID, _ numbers: ClosedRange<UInt64>) throws -> [Int] {
    try side.lengths(of: stream, numbers)
  }

  package func lastMended() throws -> Int64 { try side.lastMended() }

  package func setLastMended(_ time: Int64) throws { try side.setLastMended(time) }

  package func lastWritten(_ stream: StreamID) throws -> UInt64 {
    try side.frontier()[stream, default: 0]
  }

  package func sent(upTo sequence: UInt64, of stream: StreamID) throws {
    guard try StoreState.isThere(connection) else { return }
    try state.emptyOutbox(upTo: sequence, of: stream)
    try noteSent(upTo: sequence, at: now())
  }

  // MARK: The meeting

  package func meet(_ turn: inout ChannelTurn) throws {
    var stopped = DataSyncReport()
    let records = try countedRecords(turn, &stopped)
    let isThere = try StoreState.isThere(connection)
    if isThere, try records.isEmpty && isAtRest(turn) {
      report = stopped
      return
    }
    let meeting = try connection.transaction {
      try state.make()
      try checkChannel()
      let before = connection.totalChanges
      let meeting = makeMeeting(turn)
      try meet(meeting, records)
      try state.setSettled(connection.totalChanges == before)
      try note(meeting, isSetup: !isThere, from: turn.time)
      return meeting
    }
    // What is in the store's transaction is kept beside it, too, before anybody else has it.
    try keepOutbox()
    turn = meeting.turn
    report = meeting.report
    (report.newer, report.malformed) = (stopped.newer, stopped.malformed)
  }

  private func makeMeeting(_ turn: ChannelTurn) -> StoreMeeting {
    let recorded = RecordedValues(side, state, classes, links) { try turn.content(of: $0) }
    // What lost is told by the meeting, which is made of the rows.
    weak var meeting: StoreMeeting?
    let shown = ShownRows(
      file, classes, links, on: connection,
      lose: { try meeting?.lose($0, $1, $2, $3) },
      regain: { [lost] object, property, stamp in
        try lost.forget(object.identity, object.family, property, stamp)
      },
      recorded: recorded)
    (shown.own, shown.now) = (turn.own, turn.time)
    shown.choice = choosing
    shown.mode = turn.mayWrite ? .joins : .waits
    let made = StoreMeeting(shown, lost, turn, merging: merging)
    meeting = made
    return made
  }

  private func meet(_ meeting: StoreMeeting, _ records: [CountedRecord]) throws {
    try lost.forgetOld(now: meeting.turn.time)
    let known = try state.applied()
    let own = meeting.turn.own
    guard known[own, default: 0] <= meeting.turn.lastNumber else {
      throw SyncError(
        .rolledBack, "records of this machine are neither beside the store nor in the channel",
        hint: "bring back the file \(file.path).sync, or drop the store from the space and add it")
    }
    let schemaChanged = try meeting.followSchema()
    // What waited comes before what the new version of the application made of it.
    if schemaChanged {
      try meeting.unpark()
      try meeting.shown.noteAll()
      try meeting.shown.settle()
    }
    let logged = try loggedChanges(meeting, comparesAll: schemaChanged)
    try meeting.shown.noteBlocked()
    // A store that was put back, or joins, hears first what it lacks.
    let isBehind = known.isEmpty || known[own, default: 0] < meeting.turn.lastNumber
    let isFirst = known.isEmpty
    if !isFirst { try meeting.noteNew(logged.rows) }
    if !isBehind { try tell(logged, meeting) }
    meeting.isFirst = isFirst
    for record in records {
      guard let content = try content(of: record, meeting.turn) else { break }
      try meeting.apply(record.entry, content)
      try state.setApplied(record.entry.stream, record.entry.sequence)
    }
    try meeting.unpark()
    try meeting.shown.settle()
    if isFirst { try meeting.joinEqualRows() }
    // Of what this wrote nobody need be told.
    _ = try connection.takeRowLog()
    _ = try connection.takeLinkLog()
    if isBehind {
      // What is told knows which objects are one.
      try tellJoined(meeting)
      try tell(isFirst ? loggedChanges(meeting, comparesAll: true) : logged, meeting)
    } else if !meeting.turn.mayWrite {
      try connection.noteRows(logged.rows)
      try connection.noteLinks(logged.links)
    }
    try tellKept(meeting)
    let applied = try state.applied()
    if meeting.turn.vouches(knowing: applied) {
      let entry = try meeting.turn.write([], knowing: applied)
      try state.putOut(entry)
      try state.setApplied(entry.stream, entry.sequence)
    }
    try connection.noteLinks(meeting.shown.movedLinks)
    meeting.report.unified = meeting.shown.unified
    meeting.report.joined += meeting.shown.taken
    meeting.report.arrived += meeting.shown.shown
    meeting.report.deleted += meeting.shown.hidden
    meeting.report.hidden = meeting.shown.waiting
    try meeting.shown.forms.write(to: connection)
    try meeting.shown.history.write(to: connection, application: metadata.application)
  }

  /// Tells of objects that are one from now on.
  private func tellJoined(_ meeting: StoreMeeting) throws {
    let joined = meeting.shown.joined
    meeting.shown.joined = [:]
    var telling = StoreTelling(meeting, knowing: try state.applied())
    try telling.tell(joined)
  }

  /// Tells of objects as made whose deletion was undone, and of those that waited here and were
  /// never told.
  private func tellKept(_ meeting: StoreMeeting) throws {
    let shown = meeting.shown
    try shown.settle()
    meeting.report.undeleted += shown.kept.count
    while meeting.turn.mayWrite,
      !shown.kept.isEmpty || !shown.untold.isEmpty || !shown.typed.isEmpty || !shown.joined.isEmpty
    {
      var rows = shown.untold
      for id in shown.kept.sorted() {
        guard var object = try state.object(id: id), let row = object.row,
          let shape = shown.shape(of: object)
        else { continue }
        object.marks = []
        try state.update(object)
        rows.append(.init(table: shape.table, row: row))
      }
      let typed = shown.typed
      (shown.kept, shown.untold, shown.typed) = ([], [], [:])
      try tellJoined(meeting)
      var telling = StoreTelling(meeting, knowing: try state.applied())
      try telling.tellHidden(typed)
      _ = try telling.tell(rows, [])
      try shown.settle()
      // Of what this wrote nobody need be told.
      try forgetSettled(meeting)
    }
    try connection.noteRows(shown.untold)
  }

  /// Rows that were written only to bring them after the records are told nobody.
  private func forgetSettled(_ meeting: StoreMeeting) throws {
    let rows = try takeRowLog().sorted { ($0.table, $0.row) < ($1.table, $1.row) }
      .filter(meeting.isChanged)
    let links = try connection.takeLinkLog().filter(meeting.isChanged)
    try connection.noteRows(rows)
    try connection.noteLinks(links)
  }

  /// What was changed here since the last meeting.
  private struct Logged {
    var rows: [SQLiteConnection.LoggedRow]
    var links: [SQLiteConnection.LoggedLink]
  }

  private func tell(_ logged: Logged, _ meeting: StoreMeeting) throws {
    guard meeting.turn.mayWrite else {
      let rows = try logged.rows.filter(meeting.isChanged)
      let links = try logged.links.filter(meeting.isChanged)
      meeting.report.kept = rows.count + links.count
      try connection.noteRows(rows)
      try connection.noteLinks(links)
      return
    }
    var telling = StoreTelling(meeting, knowing: try state.applied())
    meeting.report.told += try telling.tell(logged.rows, logged.links)
    try meeting.shown.settle()
    try forgetSettled(meeting)
  }

  /// The rows and links that may have been changed since the last meeting.
  private func loggedChanges(_ meeting: StoreMeeting, comparesAll: Bool) throws -> Logged {
    let missing = Set(try connection.keepRowLog(of: tables, links))
    var logged = try takeRowLog()
    for (table, shapes) in meeting.shown.tables.sorted(by: { $0.key < $1.key }) {
      var comparesAll = comparesAll || !missing.isDisjoint(with: shapes.flatMap(\.tables))
      if !comparesAll, meeting.turn.mayWrite, logged.contains(where: { $0.table == table }) {
        // A statement that replaces a row of another key fires no trigger for that one.
        comparesAll = try meeting.disagrees(shapes, logged)
      }
      guard comparesAll, let first = shapes.min(by: { $0.name < $1.name }) else { continue }
      if try !meeting.isFirst && state.count(of: first.family) > 0 {
        meeting.report.compared.append(first.entity)
      }
      for shape in shapes {
        try meeting.shown.removeRests(of: shape)
        try meeting.rows[shape.name]?.forEach { row, _ in
          logged.insert(.init(table: table, row: row))
        }
      }
      for row in try state.rows(of: first.family) { logged.insert(.init(table: table, row: row)) }
    }
    var links = Set(try connection.takeLinkLog())
    for rows in meeting.shown.links.values
    where comparesAll || missing.contains(rows.links.table) {
      try links.formUnion(allLinks(rows, meeting))
    }
    return Logged(
      rows: logged.sorted { ($0.table, $0.row) < ($1.table, $1.row) },
      links: links.sorted {
        ($0.table, $0.owner, $0.destination) < ($1.table, $1.owner, $1.destination)
      })
  }

  /// The tables of all classes, each once.
  var tables: [String] { Set(classes.flatMap(\.tables)).sorted() }

  /// The rows that were noted, by the tables of the roots: a row of a subclass has parts in several.
  private func takeRowLog() throws -> Set<SQLiteConnection.LoggedRow> {
    let roots = Dictionary(
      classes.flatMap { shape in shape.tables.map { ($0, shape.table) } },
      uniquingKeysWith: { first, _ in first })
    return Set(
      try connection.takeRowLog().map { .init(table: roots[$0.table] ?? $0.table, row: $0.row) })
  }

  /// The links that there are, and those that are known.
  private func allLinks(
    _ rows: LinkRows, _ meeting: StoreMeeting
  ) throws -> Set<SQLiteConnection.LoggedLink> {
    var found: Set<SQLiteConnection.LoggedLink> = []
    let table = rows.links.table
    try rows.forEach { owner, destination in
      found.insert(.init(table: table, owner: owner, destination: destination))
    }
    for link in try state.shownLinks(rows.links.name) {
      guard let (owner, destination) = try meeting.shown.ends(of: link, rows) else { continue }
      found.insert(.init(table: table, owner: owner, destination: destination))
    }
    return found
  }

  /// A record that is not applied, and counts.
  private struct CountedRecord {
    /// Without its bytes.
    let entry: ChannelEntry
    /// Where it lies in the file beside the store.
    let place: Int64
    /// What it says; `nil` where it is read anew when it is applied.
    let content: ChannelContent?
  }

  /// Most bytes of records whose contents are held: a member may write a transaction that never ends.
  private static let mostHeld = 64 << 20

  private func content(of record: CountedRecord, _ turn: ChannelTurn) throws -> ChannelContent? {
    try record.content ?? side.entry(at: record.place).map { try turn.content(of: $0.bytes) }
  }

  /// The records that are not applied and count, with all that belongs to them.
  private func countedRecords(
    _ turn: ChannelTurn, _ report: inout DataSyncReport
  ) throws -> [CountedRecord] {
    let known = try StoreState.isThere(connection) ? state.applied() : [:]
    // Where each stream's transactions end.
    var ends: [StreamID: [UInt64]] = [:]
    var stopped: Set<StreamID> = []
    var candidates: [CountedRecord] = []
    var held = 0
    try side.forEach(behind: known) { entry, place in
      guard !stopped.contains(entry.stream), entry.sequence <= turn.limit(entry.stream) else {
        return
      }
      let content = try turn.content(of: entry.bytes)
      do {
        guard try content.operations.allSatisfy({ try DataOperation($0) != nil }) else {
          stopped.insert(entry.stream)
          report.newer.insert(turn.label(entry.stream))
          return
        }
      } catch is MalformedRecord {
        stopped.insert(entry.stream)
        report.malformed.insert(turn.label(entry.stream))
        return
      }
      held += entry.bytes.count
      candidates.append(
        CountedRecord(
          entry: ChannelEntry(
            stream: entry.stream, sequence: entry.sequence, hash: entry.hash, past: entry.past),
          place: place, content: held <= Self.mostHeld ? content : nil))
      if !content.continues { ends[entry.stream, default: []].append(entry.sequence) }
    }
    func end(_ stream: StreamID) -> UInt64 { ends[stream]?.last ?? known[stream, default: 0] }
    // What has seen something that does not count yet waits for it, and its transaction with it.
    var goesOn = true
    while goesOn {
      goesOn = false
      for entry in candidates.map(\.entry) where entry.sequence <= end(entry.stream) {
        guard entry.past.contains(where: { $0.value > end($0.key) }) else { continue }
        while end(entry.stream) >= entry.sequence { ends[entry.stream]?.removeLast() }
        goesOn = true
      }
    }
    return candidates.filter { $0.entry.sequence <= end($0.entry.stream) }
  }

  /// Whether nothing was changed here either.
  private func isAtRest(_ turn: ChannelTurn) throws -> Bool {
    guard try connection.hasRowLog(), try connection.isRowLogEmpty(),
      try state.value("shape") == StoreMeeting.text(of: classes, links), try state.isSettled(),
      try connection.hasWholeRowLog(of: tables, links)
    else { return false }
    return try !turn.vouches(knowing: state.applied())
  }

  private func checkChannel() throws {
    let known = try state.value("channel")
    if let known, known != channel.text {
      // It went along with another space, or is a copy of another store.
      try state.remove()
      try state.make()
    }
    if known != channel.text { try state.set("channel", channel.text) }
  }
}
