extension ModelContext {
  /// Writes what is pending to the store, in one transaction.
  ///
  /// A property that was read and whose stored value does not decode shows its default value or an
  /// empty one; the next save throws once, and names it. The stored value stays until the property
  /// itself is set. What is set after such a read, as by `list.append(x)`, may have been made of
  /// the value that was shown: each save throws until it is set again without being read in
  /// between, discarded by ``rollback()``, or the object is deleted.
  ///
  /// On an error nothing was written, and everything that was pending still is. Several stores are
  /// written before the first of them is committed; if one cannot be committed after another was,
  /// the error is ``SwiftDataError/partlySaved``, and what was not saved is still pending. What
  /// `encode(to:)` of a value changes is saved, too; it must not save itself. Inside
  /// of a ``transaction(block:)`` it does nothing: what is pending is saved when the block has
  /// ended.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``, naming entity, property and object;
  ///   ``SwiftDataError/saveConflict``, where ``mergePolicy`` asks for it;
  ///   ``SwiftDataError/storeBusy``; ``SwiftDataError/readOnlyStore``; a `StorageError`. With
  ///   ``Durability/grouped``, one of the disk's at the end says that the changes are saved, and
  ///   may not survive a power cut; nothing is pending then.
  public func save() throws { try save(isOwn: true) }

  /// Writes what is pending; `isOwn` is false where the context saves by itself.
  func save(isOwn: Bool) throws {
    if connections.isHolding { return }
    try home.use.during(.save) {
      if pending.isEncoding {
        fatalError(
          "save() is called by encode(to:), or a value transformer, of a value that is being saved: "
            + "change objects there, which the save under way has, and save nothing")
      }
      guard var saving = try prepareToSave(isOwn: isOwn) else { return }
      try saving.run()
      // An import through one context holds what it has yet to save, not what it has saved.
      rows.sweepIfLarge()
    }
  }

  /// What is to be saved; `nil` if there is nothing.
  func prepareToSave(isOwn: Bool = true) throws -> Saving? {
    if isOwn, let problem = pending.takeUndecoded() {
      for (store, values) in pending.undecoded.takeNew() {
        container.stores[store].noteUndecoded(values, isAll: false)
      }
      throw problem
    }
    if let problem = pending.problems.first {
      pending.problems.removeAll()
      // What is set from now on is not made of what was shown before.
      if problem == .sealedAttribute { pending.undecoded.discard() }
      throw problem
    }
    merging.takeIn()
    graph.closeArrays()
    guard hasChanges || !pending.pairs.isEmpty else {
      autosaving.release()
      pending.removeAll().forEach(pending.settle)
      rows.forgetDiscarded()
      return nil
    }
    home.use.outside { NotificationCenter.default.post(name: Self.willSave, object: self) }
    processPendingChanges()
    return Saving(self)
  }

  /// Drops everything that was not saved, and what can be undone.
  ///
  /// New objects are in no context any more, deleted ones are back, changed ones have the values of
  /// the store.
  public func rollback() { home.use.during(.rollback) { dropChanges() } }

  /// Drops everything that was not saved, but for some objects, which stay as they are.
  func dropChanges(except kept: Set<ObjectIdentifier> = []) {
    graph.closeArrays()
    autosaving.release()
    // In a transaction that fails afterwards, what was pending before it is pending again.
    pending.willDrop(except: kept)
    let records = pending.removeAll()
    let links = graph.linksAmongNew(records.filter { !kept.contains(ObjectIdentifier($0)) })
    pending.problems.removeAll()
    undoing.removeAll()
    pending.undecoded.discard()
    for record in records where !kept.contains(ObjectIdentifier(record)) {
      let model = record.model
      record.refused = [:]
      pending.settle(record)
      guard let plan = record.entity else { continue }
      switch record.state {
      case .inserted:
        rows.remove(record, plan)
        record.detach(plan, links[ObjectIdentifier(record)] ?? [:])
      case .deleted, .stored:
        // Another context may have saved since the row was read, and what it was linked with; of
        // that a deleted object has not heard.
        let isStale = record.state == .deleted || record.isOutdated
        record.state = .stored
        record.originals = nil
        guard isStale || !record.changed.isEmpty else { continue }
        for index in record.description.properties.indices
        where isStale || record.changed.contains(index) {
          model?._$changing(index)
        }
        record.changed = PropertySet()
        record.isOutdated = false
        record.slots = .init()
      case .gone, .detached: break
      }
    }
    pending.clearLinks()
    if pending.records.isEmpty { rows.forgetDiscarded() }
  }
}

extension _AppData.Record {
  /// Makes a new object one that is in no context, and stays linked with some objects, by property.
  fileprivate func detach(_ plan: EntityPlan, _ links: [Int: [any PersistentModel]]) {
    for relationship in plan.relationships {
      let targets = links[relationship.index] ?? []
      slots[relationship.index] =
        targets.isEmpty && !relationship.isToMany ? .null : .models(.init(targets))
    }
    state = .detached
    place = nil
    slots.resize(to: description.properties.count)
    key = DetachedKey.make()
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
    /// The places in the stores' histories right after the save, as
    /// `[String: any HistoryToken]` by the stores' identifiers; absent where no history is kept.
    case historyTokens

    static func userInfo(
      inserted: [PersistentIdentifier], updated: [PersistentIdentifier],
      deleted: [PersistentIdentifier], tokens: some Collection<any HistoryToken>
    ) -> [AnyHashable: Any] {
      var info: [AnyHashable: Any] = [
        insertedIdentifiers.rawValue: inserted,
        updatedIdentifiers.rawValue: updated,
        deletedIdentifiers.rawValue: deleted,
        invalidatedAllIdentifiers.rawValue: false,
        insertedIdentifiers: set(inserted),
        updatedIdentifiers: set(updated),
        deletedIdentifiers: set(deleted),
        invalidatedAllIdentifiers: false,
      ]
      if !tokens.isEmpty {
        let byStore: [String: any HistoryToken] = Dictionary(
          tokens.map { ($0.storeIdentifier, $0) }, uniquingKeysWith: { $1 })
        info[historyTokens.rawValue] = byStore
        info[historyTokens] = byStore
      }
      return info
    }

    /// A set of identifiers.
    ///
    /// They are moved out of a copy, which counts no references: where that happens between two
    /// writes to places far apart, each waits for the memory.
    private static func set(_ identifiers: [PersistentIdentifier]) -> Set<PersistentIdentifier> {
      var found = Set<PersistentIdentifier>(minimumCapacity: identifiers.count)
      var rest = identifiers
      while let identifier = rest.popLast() { found.update(with: identifier) }
      return found
    }
  }
}
