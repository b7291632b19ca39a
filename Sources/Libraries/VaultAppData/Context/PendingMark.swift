/// What is pending in a context when a transaction begins: if that fails, what its block did is
/// dropped, and nothing else.
struct PendingMark {
  private let context: ModelContext
  private let records: [_AppData.Record]
  private let journal = SaveJournal()
  private let notes: [ListKey: ListNote]
  private let pairs: [PairKey: Int]
  private let problems: [SwiftDataError]

  /// Notes what is pending now.
  init(_ context: ModelContext) {
    self.context = context
    let pending = context.pending
    context.graph.closeArrays()
    // A row that has a record may come back by itself.
    context.graph.wakeAll()
    records = pending.records.filter { $0.isPending && $0.hasChanges }
    notes = pending.notes
    pairs = pending.pairs
    problems = pending.problems
    for record in records { journal.note(record, pending) }
  }

  /// Drops what was done since, and makes pending again what was pending.
  func restore() {
    context.dropChanges(except: Set(records.map(ObjectIdentifier.init)))
    journal.takeBack()
    for record in records where record.entity != nil { context.rows.comeBack(record) }
    context.pending.restore(records, notes, pairs, problems)
  }
}
