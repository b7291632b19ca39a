import VaultDataStore
import VaultStorage

extension ModelContext {
  /// Writes what is pending to the store, in one transaction.
  ///
  /// On an error nothing was written, and everything that was pending still is. Several stores are
  /// written before the first of them is committed; if one cannot be committed after another was,
  /// the error is ``SwiftDataError/partlySaved``, and what was not saved is still pending.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``, naming entity, property and object;
  ///   ``SwiftDataError/storeBusy``; ``SwiftDataError/readOnlyStore``; a `StorageError`.
  public func save() throws {
    if let problem = problems.first {
      problems.removeAll()
      throw problem
    }
    drainMail()
    closeArrays()
    guard hasChanges || !pairs.isEmpty else { return finishWithoutChanges() }
    NotificationCenter.default.post(name: Self.willSave, object: self)
    processPendingChanges()
    let records = pending.filter(\.hasChanges)
    try validate(records)
    let parts = try parts(of: records)
    var committed: Set<Int> = []
    do {
      try write(parts[...], &committed)
    } catch {
      guard !committed.isEmpty else { throw error }
      finish(pending.filter { $0.hasChanges && $0.isIn(committed) }, committed)
      throw SwiftDataError.partlySaved.saying(
        "\(committed.count) of \(parts.count) stores were saved: \(error)", underlying: error)
    }
    // Unique values may have put other objects in the place of some.
    finish(pending.filter(\.hasChanges), Set(container.stores.indices))
  }

  private func finishWithoutChanges() {
    autosaveTurn?.release()
    for record in pending {
      record.isPending = false
      record.kept = nil
    }
    pending.removeAll()
  }

  // MARK: Writing

  /// What one store gets.
  private struct Part {
    let store: Int
    let records: [Record]
    let links: [PairKey]
  }

  /// What each store gets, in the order in which every process takes the writers' locks.
  private func parts(of records: [Record]) throws -> [Part] {
    let parts = container.stores.indices.map { store in
      Part(
        store: store, records: records.filter { $0.entity?.store == store },
        links: pairs.keys.filter { container.plans[$0.entity].store == store })
    }.filter { !$0.records.isEmpty || !$0.links.isEmpty }
    for part in parts {
      let configuration = container.stores[part.store].configuration
      guard configuration.allowsSave else {
        throw SwiftDataError.readOnlyStore.saying(configuration.name)
      }
    }
    let url = { (part: Part) in self.container.stores[part.store].configuration.url }
    return parts.sorted { url($0).absoluteString < url($1).absoluteString }
  }

  /// Writes every store's part before the first of them is committed: what fails, fails for all.
  ///
  /// Only a crash or a full disk between two commits leaves some saved and others not.
  private func write(_ parts: ArraySlice<Part>, _ committed: inout Set<Int>) throws {
    guard let part = parts.first else { return }
    let isOneOfMany = parts.startIndex > 0 || parts.count > 1
    do {
      try use(part.store) { connection in
        let saving = Saving(self, connection, store: part.store)
        // Values in files stand for themselves again, whatever happens.
        defer { saving.restore() }
        try container.stores[part.store].transaction(connection) { files in
          saving.files = files
          try saving.write(part.records, part.links)
          // SQLite would say so at the commit, when another store may have had its own.
          if isOneOfMany { try connection.sqlite.checkReferences() }
          try write(parts.dropFirst(), &committed)
        }
      }
      committed.insert(part.store)
    } catch let error as StorageError where error.code == .constraint {
      throw SwiftDataError.modelValidationFailure.saying(
        Self.constraint(error.message), underlying: error)
    } catch {
      throw SwiftDataError.storage(error)
    }
  }

  /// What a constraint of the store means, in the words of a model.
  private static func constraint(_ message: String) -> String {
    let mark = "NOT NULL constraint failed: "
    guard let found = message.range(of: mark) else { return message }
    return "\(message[found.upperBound...]) has no value, and is not optional"
  }

  // MARK: Afterwards

  /// Makes what was written to some of the stores no longer pending.
  private func finish(_ records: [Record], _ stores: Set<Int>) {
    var letter = SaveNotices.Notice(sender: ObjectIdentifier(self))
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    inserted.reserveCapacity(records.count { $0.state == .inserted })
    updated.reserveCapacity(records.count { $0.state == .stored })
    deleted.reserveCapacity(records.count { $0.state == .deleted })
    for record in records {
      guard let plan = record.entity else { continue }
      switch record.state {
      case .inserted:
        record.unsaved?.clear()
        record.isStored = true
        inserted.append(record.identifier)
        letter.inserted[plan.index, default: []].append(record.key)
      case .stored:
        updated.append(record.identifier)
        letter.updated[plan.index, default: []].append(record.key)
      case .deleted:
        deleted.append(record.identifier)
        letter.deleted[plan.index, default: []].append(record.key)
      case .gone, .detached: break
      }
      if record.state == .deleted {
        forget(record)
      } else if record.state != .gone {
        record.state = .stored
        record.changed = PropertySet()
        if record.isOutdated { refault(record) }
      }
    }
    for record in pending where record.isIn(stores) {
      record.isPending = false
      record.kept = nil
    }
    pending.removeAll { !$0.isPending }
    if pending.isEmpty { autosaveTurn?.release() }
    clearNotes(stores)
    container.mailbox.send(letter, from: mail)
    // What was just sent is no news here.
    NotificationCenter.default.post(
      name: Self.didSave, object: self,
      userInfo: [
        NotificationKey.insertedIdentifiers.rawValue: inserted,
        NotificationKey.updatedIdentifiers.rawValue: updated,
        NotificationKey.deletedIdentifiers.rawValue: deleted,
        NotificationKey.invalidatedAllIdentifiers.rawValue: false,
        NotificationKey.insertedIdentifiers: Set(inserted),
        NotificationKey.updatedIdentifiers: Set(updated),
        NotificationKey.deletedIdentifiers: Set(deleted),
        NotificationKey.invalidatedAllIdentifiers: false,
      ])
  }

  /// Forgets what is pending besides the objects, in all stores or some.
  func clearNotes(_ stores: Set<Int>? = nil) {
    func isIn(_ entity: Int) -> Bool { stores?.contains(container.plans[entity].store) != false }
    notes = notes.filter { !isIn($0.key.entity) }
    pairs = pairs.filter { !isIn($0.key.entity) }
    for (index, overlay) in overlays.enumerated() where stores?.contains(index) != false {
      guard let lease = leases[index] else {
        overlay.clear(nil, self)
        continue
      }
      try? container.stores[index].use(lease) { overlay.clear($0, self) }
    }
  }

  // MARK: Rules

  private func validate(_ records: [Record]) throws {
    for record in records {
      guard let plan = record.entity else { continue }
      if record.state == .deleted {
        try checkDenied(record, plan)
        continue
      }
      guard record.state == .inserted || record.state == .stored else { continue }
      for relationship in plan.relationships
      where record.state == .inserted || record.changed.contains(relationship.index) {
        try check(relationship, record)
      }
    }
  }

  private func check(_ relationship: RelationshipPlan, _ record: Record) throws {
    let plan = relationship.entity
    let index = relationship.index
    if relationship.isRequired {
      let target = record.slot(index).key.flatMap { registry[relationship.destination.index][$0] }
      if record.slot(index).key == nil || target?.state == .deleted {
        throw plan.failure(record, index, "is required and leads to nothing")
      }
    }
    guard case .rows(let list) = record.slots[index] else { return }
    let (least, most) = (relationship.stored.minimumCount, relationship.stored.maximumCount)
    if list.count < least {
      throw plan.failure(
        record, index, "has \(list.count) models, at least \(least) are needed")
    }
    if most > 0, list.count > most {
      throw plan.failure(
        record, index, "has \(list.count) models, at most \(most) are allowed")
    }
  }

  private func checkDenied(_ record: Record, _ plan: EntityPlan) throws {
    for relationship in plan.relationships where relationship.rule == .deny {
      let registered = registry[relationship.destination.index]
      let keys: [Int64] =
        switch record.slot(relationship.index) {
        case .integer(let key): [key]
        case .rows(let list): list.keys
        default: []
        }
      let left = keys.filter { registered[$0]?.state != .deleted }
      if !left.isEmpty {
        throw plan.failure(
          record, relationship.index,
          "leads to \(left.count) models; the object cannot be deleted before them")
      }
    }
  }
}

extension ModelContext {
  /// Posted before a context saves; the object is the context.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted after a context saved; `userInfo` has arrays of ``PersistentIdentifier`` under the raw
  /// values of ``NotificationKey``, and sets of them under its values.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys of a notification's `userInfo`: arrays are under the raw values.
  public enum NotificationKey: String, Sendable {
    /// Not used.
    case queryGeneration
    /// Whether everything may have changed.
    case invalidatedAllIdentifiers
    /// Identifiers of new objects.
    case insertedIdentifiers
    /// Identifiers of changed objects.
    case updatedIdentifiers
    /// Identifiers of deleted objects.
    case deletedIdentifiers
    /// Not used.
    case historyTokens
  }
}
