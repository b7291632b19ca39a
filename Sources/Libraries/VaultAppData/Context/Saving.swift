import VaultDataStore
import VaultStorage

/// One save of a context: every store's part, written before the first of them is committed.
struct Saving {
  typealias Record = _AppData.Record

  let context: ModelContext
  let container: ModelContainer
  private let pending: PendingChanges
  /// The places in the histories after what was written, by store.
  private let tokens = Tokens()
  /// The stores whose part is on disk.
  private var committed: Set<Int> = []

  private final class Tokens {
    var written: [Int: any HistoryToken] = [:]
    /// What the program's own stores have answered.
    var custom: [Int: CustomSaveResult] = [:]
    /// Changed objects whose rows others have deleted.
    var vanished: [Record] = []
    /// What was changed while they saved.
    let late = LateChanges()
    /// What each store's part has changed in the context.
    var journals: [(store: Int, journal: SaveJournal)] = []
  }

  /// One store's part of a save.
  private struct Part {
    let store: Int
    let records: [Record]
    let links: [PairKey]
  }

  init(_ context: ModelContext) {
    self.context = context
    container = context.container
    pending = context.pending
  }

  /// Checks, writes and settles what is pending.
  ///
  /// - Throws: As ``ModelContext/save()``.
  mutating func run() throws {
    let values = try encodeValues()
    defer { values.forEach { $0.forgetPrepared() } }
    var looks = 0
    while true {
      let parts = try checkedParts()
      do {
        try write(parts[...])
        break
      } catch {
        takeBack(except: committed)
        guard committed.isEmpty else {
          try? context.connections.flush(committed)
          throw settlePart(committed, of: parts.count, error)
        }
        let isLate = (error as? SwiftDataError)?.underlying is LateLinks
        guard isLate, looks < Self.mostLooks else { throw error }
        looks += 1
        try context.graph.followLateLinks()
      }
    }
    settle()
    try context.connections.flush(committed)
  }

  /// How often a save begins anew since others go on linking to what it deletes.
  private static let mostLooks = 3

  /// Checks and writes what is pending, in transactions that the context holds.
  ///
  /// - Throws: As ``ModelContext/save()``.
  func write() throws {
    let values = try encodeValues()
    defer { values.forEach { $0.forgetPrepared() } }
    let parts = try checkedParts()
    for part in parts {
      if let store = container.stores[part.store].custom {
        try write(part, to: store)
        continue
      }
      do {
        try context.connections.use(part.store) { connection in
          try write(
            part, connection, context.connections.files(of: part.store),
            isOneOfMany: parts.count > 1)
        }
      } catch {
        throw Self.translated(error)
      }
    }
  }

  /// Makes everything pending again as it was, but for what some stores have saved.
  func takeBack(except committed: Set<Int>) {
    for (store, journal) in tokens.journals.reversed() where !committed.contains(store) {
      journal.takeBack()
    }
    tokens.journals = []
    pending.dropSettled()
  }

  /// Whether one of the program's own stores has saved its part.
  func hasSaved(_ store: Int) -> Bool { tokens.custom[store] != nil }

  /// Makes what was written no longer pending, and tells the other contexts.
  func settle() {
    // Unique values may have put other objects in the place of some.
    settle(pending.records.filter(\.hasChanges), in: Set(container.stores.indices))
  }

  /// Settles what was saved where some stores were saved and others not.
  ///
  /// - Returns: The error that says so.
  func settlePart(_ committed: Set<Int>, of count: Int, _ error: any Error) -> SwiftDataError {
    settle(pending.records.filter { $0.hasChanges && $0.isIn(committed) }, in: committed)
    return SwiftDataError.partlySaved.saying(
      "\(committed.count) of \(Plural.of(count, "store")) \(committed.count == 1 ? "was" : "were") "
        + "saved: \(error)", underlying: error)
  }

  private func checkedParts() throws -> [Part] {
    let rules = SaveRules(context.rows)
    try rules.check(pending.notes, container.plans)
    try rules.check(pending.records.filter(\.hasChanges))
    // Looking at the rules may have given a row that is to be deleted a record.
    return try parts(of: pending.records.filter(\.hasChanges))
  }

  // MARK: Writing

  /// Each store's part, in the order in which every process takes the writers' locks.
  private func parts(of records: [Record]) throws -> [Part] {
    let isOnly = container.stores.count == 1
    let parts = container.stores.indices.map { store in
      Part(
        store: store, records: isOnly ? records : records.filter { $0.entity?.store == store },
        links: pending.pairs.keys.filter { container.plans[$0.entity].store == store })
    }.filter { part in
      !part.records.isEmpty || !part.links.isEmpty
        || pending.alone.groups.contains { $0.plan.store == part.store }
    }
    for part in parts {
      let configuration = container.stores[part.store].configuration
      guard configuration.allowsSave else {
        throw SwiftDataError.readOnlyStore.saying(configuration.name)
      }
    }
    return parts.sorted { container.stores[$0.store].precedes(container.stores[$1.store]) }
  }

  /// Writes every store's part before the first of them is committed: what fails, fails for all.
  ///
  /// Only a crash or a full disk between two commits leaves some saved and others not.
  private mutating func write(_ parts: ArraySlice<Part>) throws {
    guard let part = parts.first else { return }
    if let store = container.stores[part.store].custom {
      // Nothing can be taken back there: the databases have their parts, and commit them
      // afterwards.
      try write(part, to: store)
      committed.insert(part.store)
      return try write(parts.dropFirst())
    }
    let isOneOfMany = parts.startIndex > 0 || parts.count > 1
    do {
      let store = container.stores[part.store]
      try store.writing {
        try context.connections.use(part.store) { connection in
          try store.transaction(connection) { files in
            try write(part, connection, files, isOneOfMany: isOneOfMany)
            try write(parts.dropFirst())
          }
        }
      }
      committed.insert(part.store)
    } catch {
      throw Self.translated(error)
    }
  }

  private func write(_ part: Part, to store: CustomStore) throws {
    let pending = pending.records
    let deleted = Set(pending.lazy.filter { $0.state == .deleted }.map { ObjectIdentifier($0) })
    tokens.late.tell(of: part.records)
    self.pending.late = tokens.late
    defer { self.pending.late = nil }
    let result: CustomSaveResult
    do {
      result = try write(part.records, to: store)
    } catch {
      context.graph.discard(
        part.records.filter { $0.state == .deleted && !$0.isStored && tokens.late.isTold(of: $0) })
      throw error
    }
    tokens.late.compare(self.pending.records, pending.count, deleted: deleted)
    tokens.custom[part.store] = result
    tokens.vanished += result.vanished
    tokens.written[part.store] = result.token
  }

  private func write(
    _ part: Part, _ connection: StoreConnection, _ files: ExternalChange?, isOneOfMany: Bool
  ) throws {
    let saving = StoreSaving(context, connection, store: part.store)
    // Slots that name a file get their values back, whatever happens.
    defer { saving.restore() }
    tokens.journals.append((part.store, saving.journal))
    saving.journal.note(pending)
    let outer = pending.journal
    pending.journal = saving.journal
    defer { pending.journal = outer }
    saving.files = files
    try saving.write(part.records, part.links)
    tokens.vanished += saving.vanished
    if let transaction = saving.historyTransaction {
      tokens.written[part.store] = DefaultHistoryToken([
        container.stores[part.store].identifier: transaction
      ])
    }
    // SQLite checks at the commit, when another store may have had its own.
    if isOneOfMany { try connection.sqlite.checkReferences() }
  }

  /// A failure of the storage as one of the context's errors.
  static func translated(_ error: any Error) -> any Error {
    if error is LateLinks {
      return SwiftDataError.modelValidationFailure.saying(
        "another context or process goes on linking objects to one that is to be deleted",
        underlying: error)
    }
    guard let error = error as? StorageError, error.code == .constraint else {
      return SwiftDataError.storage(error)
    }
    return SwiftDataError.modelValidationFailure.saying(
      constraint(error.message), underlying: error)
  }

  /// Translates an error of a constraint into the words of a model.
  private static func constraint(_ message: String) -> String {
    func rest(_ mark: String) -> Substring? {
      message.range(of: mark).map { message[$0.upperBound...] }
    }
    if let column = rest("NOT NULL constraint failed: ") {
      return "\(column) has no value, and is not optional"
    }
    if let columns = rest("UNIQUE constraint failed: ") {
      return "\(columns) must be unique, and another object has the value"
    }
    if rest("FOREIGN KEY constraint failed") != nil {
      return "an object leads to one that another context or process has deleted"
    }
    return message
  }

  // MARK: Afterwards

  /// Makes what was written to some of the stores no longer pending, and tells the other contexts.
  private func settle(_ written: [Record], in stores: Set<Int>) {
    let records = written.filter { !tokens.late.contains($0) }
    for (store, result) in tokens.custom where stores.contains(store) { settle(result, of: store) }
    for record in tokens.late.deletedWhileNew {
      record.unsaved?.clear()
      record.isStored = true
    }
    var keys = (inserted: KeysByEntity(), updated: KeysByEntity(), deleted: KeysByEntity())
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    inserted.reserveCapacity(records.count { $0.state == .inserted })
    updated.reserveCapacity(records.count { $0.state == .stored })
    deleted.reserveCapacity(
      records.count { $0.state == .deleted }
        + pending.alone.groups.reduce(0) { $0 + $1.keys.keyCount })
    for group in pending.alone.groups where stores.contains(group.plan.store) {
      let plan = group.plan
      for key in group.keys.keys {
        deleted.append(PersistentIdentifier(plan.place, key: key))
        keys.deleted.add(key, plan.index)
      }
    }
    for record in tokens.vanished where record.isIn(stores) { record.state = .deleted }
    tokens.vanished.removeAll { $0.isIn(stores) }
    for record in records {
      guard let plan = record.entity else { continue }
      switch record.state {
      case .inserted:
        record.unsaved?.clear()
        record.isStored = true
        inserted.append(record.identifier)
        keys.inserted.add(record.key, plan.index)
      case .stored:
        updated.append(record.identifier)
        keys.updated.add(record.key, plan.index)
      case .deleted:
        deleted.append(record.identifier)
        keys.deleted.add(record.key, plan.index)
      case .gone, .detached: break
      }
      if record.state == .deleted {
        context.rows.forget(record)
      } else if record.state != .gone {
        record.state = .stored
        record.changed = PropertySet()
        record.originals = nil
        if record.isOutdated { context.merging.refault(record) }
      }
    }
    var notice = SaveNotices.Notice(sender: ObjectIdentifier(context))
    notice.inserted = keys.inserted.finish()
    notice.updated = keys.updated.finish()
    notice.deleted = keys.deleted.finish()
    forgetLinks(to: notice.deleted)
    pending.settle(stores, isAll: stores.count == container.stores.count)
    if !tokens.custom.isEmpty { pending.putBack(tokens.late) }
    if pending.records.isEmpty { context.autosaving.release() }
    pending.clearLinks(stores)
    if pending.records.isEmpty { context.rows.forgetDiscarded() }
    container.mailbox.send(notice, from: context.merging.notices)
    let info = ModelContext.NotificationKey.userInfo(
      inserted: inserted, updated: updated, deleted: deleted,
      tokens: tokens.written.filter { stores.contains($0.key) }.values)
    context.home.use.outside {
      NotificationCenter.default.post(
        name: ModelContext.didSave, object: context, userInfo: info)
    }
  }
}

/// Keys of rows by entity; rows of one entity mostly come one after the other.
private struct KeysByEntity {
  private var all: [Int: [Int64]] = [:]
  private var entity = -1
  private var keys: [Int64] = []

  mutating func add(_ key: Int64, _ entity: Int) {
    if entity != self.entity {
      put()
      self.entity = entity
      keys = all.removeValue(forKey: entity) ?? []
    }
    keys.append(key)
  }

  private mutating func put() {
    if !keys.isEmpty { all[entity] = keys }
  }

  /// All keys that were added.
  mutating func finish() -> [Int: [Int64]] {
    put()
    return all
  }
}
