extension ModelContext {
  /// Hands what was done since the last call to the undo manager, as one group.
  ///
  /// Called by fetches and by ``save()`` too.
  public func processPendingChanges() {
    closeArrays()
    guard let undoManager, !steps.isEmpty else { return }
    let done = steps
    steps.removeAll()
    undoManager.registerUndo(withTarget: self) { context in context.takeBack(done) }
  }

  private func takeBack(_ done: [UndoStep]) {
    // What was not handed over yet would be taken back by a later undo.
    for step in done.reversed() { takeBack(step) }
    processPendingChanges()
  }

  private func takeBack(_ step: UndoStep) {
    switch step {
    case .slot(let record, let index, let old):
      guard record.isIn(self) else { return }
      if record.slots.isEmpty { _ = record.slot(index) }
      record.model?._$changing(index)
      willChange(record, index)
      record.slots[index] = old.copied
    case .list(let relationship, let owner, let key, let place, let wasAdded):
      perform(.list(relationship, owner, key, at: place, isAdded: !wasAdded))
    case .pair(let pair, let change):
      perform(.pair(pair, -change))
    case .inserted(let record, _, _):
      if record.state == .inserted || record.state == .stored { perform(.delete(record)) }
    case .deleted(let record, let plan, _, let model):
      record.model = model
      if record.state == .deleted {
        perform(.undelete(record))
      } else if record.state == .gone {
        perform(.insert(record, plan))
      }
    case .undeleted(let record):
      if record.state == .stored { perform(.delete(record)) }
    }
  }

  /// Drops everything that was not saved, and what can be undone.
  ///
  /// New objects are in no context any more, deleted ones are back, changed ones have the values of
  /// the store.
  public func rollback() {
    closeArrays()
    autosaveTurn?.release()
    let records = pending
    pending.removeAll()
    steps.removeAll()
    problems.removeAll()
    undoManager?.removeAllActions()
    for record in records {
      record.isPending = false
      let model = record.model
      record.kept = nil
      guard let plan = record.entity else { continue }
      switch record.state {
      case .inserted:
        registry[plan.index][record.key] = nil
        release(record, plan)
      case .deleted, .stored:
        record.state = .stored
        guard !record.changed.isEmpty else { continue }
        for index in record.description.properties.indices where record.changed.contains(index) {
          model?._$changing(index)
        }
        record.changed = PropertySet()
        // Whatever was read before may be another's by now.
        record.slots = .init()
      case .gone, .detached: break
      }
    }
    clearNotes()
  }

  /// Makes a new object one that is in no context.
  private func release(_ record: Record, _ plan: EntityPlan) {
    for relationship in plan.relationships {
      record.slots[relationship.index] = relationship.isToMany ? .models(.init([])) : .null
    }
    record.state = .detached
    record.place = nil
    record.slots.resize(to: record.description.properties.count)
    record.key = DetachedKey.make()
  }

  /// Runs a block and saves what it did; if it throws, what it did is dropped.
  ///
  /// - Parameter block: Changes models; nothing is on disk before it ends.
  /// - Throws: What `block` throws, after ``rollback()``; what ``save()`` throws.
  public func transaction(block: () throws -> Void) throws {
    do {
      try block()
    } catch {
      rollback()
      throw error
    }
    try save()
  }
}
