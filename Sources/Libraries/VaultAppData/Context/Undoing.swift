/// Records a context's changes and takes them back.
final class Undoing {
  /// The manager that records changes; `nil` to record nothing.
  var manager: UndoManager? {
    didSet { steps.removeAll() }
  }
  /// Whether something was done that was not handed to the manager yet.
  var hasSteps: Bool { !steps.isEmpty }
  /// The changes since the last group was handed to the manager.
  private var steps: [UndoStep] = []

  /// Whether changes are to be noted.
  var isOn: Bool { manager != nil }

  /// Records a change, if there is a manager.
  func note(_ step: @autoclosure () -> UndoStep) {
    if manager != nil { steps.append(step()) }
  }

  /// Hands what was done since the last call to the manager, as one group.
  func handOver(_ context: ModelContext) {
    guard let manager, !steps.isEmpty else { return }
    let done = steps
    steps.removeAll()
    manager.registerUndo(withTarget: context) { context in
      // Steps that were not handed over yet are taken back by a later undo.
      for step in done.reversed() { Self.takeBack(step, context.graph) }
      context.processPendingChanges()
    }
  }

  /// Forgets everything that could be undone.
  func removeAll() {
    steps.removeAll()
    manager?.removeAllActions()
  }

  private static func takeBack(_ step: UndoStep, _ graph: ObjectGraph) {
    switch step {
    case .slot(let record, let index, let old):
      guard record.isIn(graph.home) else { return }
      if record.slots.isEmpty { _ = record.slot(index) }
      record.model?._$changing(index)
      graph.willChange(record, index)
      record.refused[index] = nil
      let copy = old.copied
      // The objects may have been saved since, and have got other keys.
      record.slots[index] =
        record.entity?.relationship(index).map { graph.rows.current(copy, $0) } ?? copy
    case .list(let relationship, let owner, let key, let place, let wasAdded):
      let owner = graph.rows.current(owner, relationship.entity)
      let key = graph.rows.current(key, relationship.destination)
      graph.perform(.list(relationship, owner, key, at: place, isAdded: !wasAdded))
    case .pair(let pair, let change):
      graph.perform(.pair(pair, -change))
    case .inserted(let record, _, _):
      if record.state == .inserted || record.state == .stored { graph.perform(.delete(record)) }
    case .deleted(let record, let plan, _, let model):
      record.model = model
      if record.state == .deleted {
        graph.perform(.undelete(record))
      } else if record.state == .gone {
        graph.perform(.insert(record, plan))
      }
    case .undeleted(let record):
      if record.state == .stored { graph.perform(.delete(record)) }
    }
  }
}

extension ModelContext: UndoSource {
  var hasStepsToUndo: Bool { home.use.during(.look) { undoing.hasSteps } }

  func registerSteps() { processPendingChanges() }
}

/// A change, with what is needed to take it back.
enum UndoStep {
  /// A slot had another value.
  case slot(_AppData.Record, Int, _AppData.Slot)
  /// A row was added to an array, or taken from a place in it.
  case list(RelationshipPlan, owner: Int64, key: Int64, place: Int?, wasAdded: Bool)
  /// A row of a join table was added (1) or removed (-1).
  case pair(PairKey, Int)
  /// An object was inserted.
  case inserted(_AppData.Record, EntityPlan, any PersistentModel)
  /// An object was deleted, with what it was before.
  case deleted(_AppData.Record, EntityPlan, _AppData.Record.State, any PersistentModel)
  /// A deletion was taken back.
  case undeleted(_AppData.Record)
}

extension _AppData.Slot {
  /// The slot, with an array of its own.
  var copied: _AppData.Slot {
    if case .rows(let list) = self { .rows(list.copy()) } else { self }
  }
}
