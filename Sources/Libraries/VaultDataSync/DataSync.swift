package import VaultDataStore
import VaultSealing
package import VaultStorage
package import VaultSync

/// The stores of applications that go along with a vault's space.
package struct DataSync {
  private let space: SpaceChannels
  /// How changes of one property meet; only tests have another way.
  package var merging: StoreMeeting.Merge = StoreMeeting.outcome
  /// Which class an object has that several records made; only tests have another way.
  package var choosing: ObjectKind.Choice = ObjectKind.last

  package init(_ space: SyncedVault) { self.space = SpaceChannels(space) }

  /// A store after a run.
  package struct Outcome: Sendable {
    package let store: AddedStore
    /// How many objects it has.
    package let objects: Int
    /// How many classes.
    package let classes: Int
    package let report: DataSyncReport
    /// Whether it was not added before.
    package var isNew = false
    /// Properties that stay on this machine: class and name.
    package let local: [String]
    /// The program's own name for where the objects go; `nil` for most.
    package let database: String?
  }

  // MARK: Adding and dropping

  /// Adds stores, and brings them together with what is there.
  ///
  /// - Parameter stores: The stores.
  /// - Returns: What was done with each.
  /// - Throws: ``SyncError`` with code `.notAllowed` before anything is changed, where one of them
  ///   cannot go to other machines; what a run throws.
  package func add(_ stores: [FoundStore]) throws -> [Outcome] {
    for store in stores { _ = try DataChannel.classes(of: store.metadata) }
    var new: Set<String> = []
    try space.changeAddedStores { added in
      for store in stores {
        let one = AddedStore(
          application: store.metadata.application, store: store.file.stem, path: store.file.path)
        guard !added.contains(where: { $0.name == one.name && $0.path == one.path }) else {
          continue
        }
        added.removeAll { $0.name == one.name }
        added.append(one)
        new.insert(one.name)
      }
    }
    let names = Set(stores.map(\.name))
    return try space.addedStores().filter { names.contains($0.name) }.map { store in
      var outcome = try run(store)
      outcome.isNew = new.contains(store.name)
      return outcome
    }
  }

  /// Leaves stores out from now on: rows stay as they are, here and on the others.
  ///
  /// - Parameter word: An application, or `APPLICATION/STORE`; `nil` for all.
  /// - Returns: The names of those that were left out.
  /// - Throws: ``SyncError``, `StorageError`.
  package func drop(_ word: String?) throws -> [String] {
    var dropped: [AddedStore] = []
    try space.changeAddedStores { added in
      dropped = added.filter { word == nil || $0.name == word || $0.application == word }
      for store in dropped where try DataStoreFile(path: store.path).exists() {
        let (connection, metadata) = try DataStoreFile(path: store.path).open(.write)
        defer { connection.close() }
        guard metadata != nil else { continue }
        try connection.transaction {
          try connection.endRowLog()
          try StoreState(connection: connection).remove()
        }
      }
      for store in dropped { try SideFile.remove(of: store.path) }
      added.removeAll(where: dropped.contains)
    }
    return dropped.map(\.name)
  }

  // MARK: Runs

  /// The stores that were added.
  package func stores() throws -> [AddedStore] { try space.addedStores() }

  /// Begins to listen for what other machines write about a store, if the space's own store can tell.
  ///
  /// - Parameter name: The store, as ``AddedStore/name`` has it.
  /// - Returns: The signal; `nil` from a store of records that cannot tell, and for a store that is
  ///   not added.
  /// - Throws: ``SyncError``.
  package func changes(of name: String) throws -> (any StoreSignal)? {
    guard let store = try stores().first(where: { $0.name == name }) else { return nil }
    return try space.changes(
      of: space.channel(application: store.application, store: store.store))
  }

  /// Brings each store that was added together with the space.
  ///
  /// - Returns: What was done with each, or why it was not.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  package func run() throws -> [(store: AddedStore, result: Result<Outcome, any Error>)] {
    try stores().map { store in (store, Result { try run(store) }) }
  }

  private func run(_ store: AddedStore) throws -> Outcome {
    let part = try open(store)
    defer { part.close() }
    let channel = try space.channel(application: store.application, store: store.store)
    let start = space.time
    let moved: ChannelReport
    do {
      moved = try space.exchange(part, of: channel)
    } catch {
      try? part.note(error, from: start, to: space.time)
      throw error
    }
    var report = part.report
    report.channel = moved
    try space.changeAddedStores { added in
      guard let place = added.firstIndex(where: { $0.name == store.name }) else { return }
      added[place].lastRun = space.time
    }
    return Outcome(
      store: store, objects: Int(try part.state.count()), classes: part.classes.count,
      report: report,
      local: part.classes.flatMap { shape in shape.local.map { "\(shape.entity).\($0)" } },
      database: part.metadata.database.name)
  }

  private func open(_ store: AddedStore) throws -> DataChannel {
    guard let found = try FoundStore(store.path) else {
      throw StorageError(
        .notFound, "the store \(store.name) is not at \(store.path) any more")
    }
    guard found.metadata.application == store.application else {
      throw StorageError(
        .otherApplication, "\(store.path) belongs to the application \(found.metadata.application)")
    }
    let channel = try space.channel(application: store.application, store: store.store)
    let part = try DataChannel(
      found, channel: channel, key: space.ownKey(of: channel), now: { space.time })
    part.merging = merging
    part.choosing = choosing
    return part
  }

  // MARK: What is here

  /// How a store stands to the space, without asking anybody.
  package struct Status: Sendable {
    package let store: AddedStore
    /// Objects that the others know, too.
    package let objects: Int
    /// Rows that may have been changed and are in no record yet.
    package let changed: Int
    /// Records that the channel may lack.
    package let unsent: Int
    /// Values that lost and are kept.
    package let lost: Int
    /// Objects and properties that wait for another version of the application.
    package let waiting: Int
    /// The program's own name for where the objects go; `nil` for most.
    package var database: String?
    /// Why it cannot be looked at; `nil` for most.
    package let problem: String?
  }

  /// The stores that were added, and how they stand.
  package func status() throws -> [Status] {
    try stores().map { store in
      do {
        return try status(of: store)
      } catch {
        let reason = (error as? StorageError)?.message ?? (error as? SyncError)?.message
        return Status(
          store: store, objects: 0, changed: 0, unsent: 0, lost: 0, waiting: 0,
          problem: reason ?? "cannot be read")
      }
    }
  }

  private func status(of store: AddedStore) throws -> Status {
    let (connection, metadata) = try DataStoreFile(path: store.path).open(.read)
    defer { connection.close() }
    let database = metadata?.database.name
    func count(_ table: String, _ condition: String = "") throws -> Int {
      Int(try connection.int64("SELECT count(*) FROM appdata_sync_\(table)\(condition)") ?? 0)
    }
    guard try StoreState.isThere(connection), try connection.hasRowLog() else {
      return Status(
        store: store, objects: 0, changed: 0, unsent: 0, lost: 0, waiting: 0, database: database,
        problem: nil)
    }
    return Status(
      store: store, objects: try count("objects", " WHERE row IS NOT NULL"),
      changed: try count("log") + count("link_log"), unsent: try count("outbox"),
      lost: try count("lost"),
      waiting: try count("parked")
        + count(
          "objects", " o WHERE row IS NULL AND id IN (SELECT object FROM appdata_sync_values)"),
      database: database, problem: nil)
  }

  // MARK: What lost

  /// A value that lost, for a person.
  package struct Conflict: Sendable {
    /// What `restore` takes.
    package let number: Int64
    package let store: String
    package let className: String
    /// The key of the object's row; `nil` if it was deleted.
    package let row: Int64?
    package let identity: String
    package let property: String
    /// The value that lost, as JSON.
    package let lost: JSONValue
    /// The value that counts, as JSON; `nil` for an object that was deleted.
    package let current: JSONValue?
    /// The machine that had written what lost.
    package let machine: String
    /// When, by that machine's clock, in milliseconds since 1970.
    package let time: Int64
  }

  /// What lost in an application's stores, the oldest first.
  ///
  /// - Parameter word: An application, or `APPLICATION/STORE`.
  /// - Returns: A line for each value.
  /// - Throws: ``SyncError`` with code `.notAllowed` for one that was not added; `StorageError`.
  package func conflicts(_ word: String) throws -> [Conflict] {
    try named(word).flatMap { store in
      let part = try open(store)
      defer { part.close() }
      guard try StoreState.isThere(part.connection) else { return [Conflict]() }
      return try part.lost.entries().map { try conflict($0, store, part) }
    }
  }

  private func conflict(
    _ entry: LostValues.Entry, _ store: AddedStore, _ part: DataChannel
  ) throws -> Conflict {
    let object = try part.state.object(entry.identity, of: entry.className)
    let row = object?.row
    let own = part.classes.first { $0.name == object?.path ?? entry.className }
    // What another class of the family has.
    let shape =
      own?.column(entry.property) != nil
      ? own
      : part.classes.first {
        $0.family == entry.className && $0.column(entry.property)?.owner == $0.name
      } ?? own
    let place = shape?.columns.firstIndex { $0.name == entry.property }
    var current: JSONValue?
    if let row, let shape, let place, shape.name == own?.name {
      let rows = TrackedRows(shape, in: part.file, on: part.connection)
      current = try rows.values(of: row).map { WireValue($0[place]).json }
    }
    var lost = entry.value.json
    // As the column has it, where what it leads to is there.
    if case .reference(let identity) = entry.value, let shape, let place,
      let reference = shape.columns[place].reference,
      let target = try part.state.object(identity, of: reference.family)?.row
    {
      lost = .number(target)
    }
    return Conflict(
      number: entry.number, store: store.name, className: shape?.entity ?? entry.className,
      row: row, identity: entry.identity.text,
      property: place.flatMap { shape?.columns[$0].property } ?? entry.property,
      lost: lost, current: current, machine: entry.machine, time: entry.stamp.time)
  }

  private func named(_ word: String) throws -> [AddedStore] {
    let found = try stores().filter { $0.name == word || $0.application == word }
    guard !found.isEmpty else {
      throw SyncError(
        .notAllowed, "no store of that application goes with the space on this machine",
        hint: "the state of the space names those that do")
    }
    return found
  }

  /// Takes a value that lost, as if it were typed now; an object that was deleted comes back with it.
  ///
  /// - Parameters:
  ///   - number: As ``conflicts(_:)`` has it.
  ///   - word: An application, or `APPLICATION/STORE`.
  /// - Returns: What was taken; `nil` if there is no such number.
  /// - Throws: ``SyncError``, `StorageError`.
  package func restore(_ number: Int64, of word: String) throws -> Conflict? {
    for store in try named(word) {
      let part = try open(store)
      defer { part.close() }
      guard try StoreState.isThere(part.connection),
        let entry = try part.lost.entries(number).first
      else { continue }
      let conflict = try conflict(entry, store, part)
      try part.restore(entry, with: space.reader())
      return conflict
    }
    return nil
  }
}

extension WireValue {
  /// The value as JSON; bytes as Base64.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let number): .number(number)
    case .real(let bits):
      Double(bitPattern: bits).isFinite
        ? .number(digits: "\(Double(bitPattern: bits))") : .null
    case .text(let text): .string(text)
    case .blob(let bytes): .string(Base64Text.encode(bytes))
    case .reference(let identity): .string(identity.text)
    }
  }
}
