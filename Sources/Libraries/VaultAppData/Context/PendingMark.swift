/// What is pending in a context when a transaction begins: if that fails, what its block did is
/// dropped, and nothing else.
///
/// An object that was pending is noted when it is first changed afterwards, so that a transaction
/// within another costs nothing for what the outer one has done.
final class PendingMark {
  typealias Record = _AppData.Record

  /// Whether nothing was pending: everything is dropped then.
  private let isEmpty: Bool
  private let journal = SaveJournal()
  private let records: [Record]
  /// Objects that are pending since.
  private var added: Set<ObjectIdentifier> = []
  private var noted: Set<ObjectIdentifier> = []
  private let notes: [ListKey: ListNote]
  private let pairs: [PairKey: Int]
  private let problems: [SwiftDataError]

  init(_ pending: PendingChanges) {
    records = pending.records
    notes = pending.notes
    pairs = pending.pairs
    problems = pending.problems
    isEmpty =
      records.isEmpty && notes.isEmpty && pairs.isEmpty && problems.isEmpty
  }

  /// Notes that an object is pending from now on.
  func add(_ record: Record) {
    // One that was pending may have been deleted meanwhile, and inserted again.
    let id = ObjectIdentifier(record)
    if !isEmpty, !noted.contains(id) { added.insert(id) }
  }

  /// Notes what an object that was pending is before it changes.
  func note(_ record: Record, _ pending: PendingChanges) {
    guard !isEmpty, record.isPending, !added.contains(ObjectIdentifier(record)),
      noted.insert(ObjectIdentifier(record)).inserted
    else { return }
    journal.note(record, pending)
  }

  /// Drops what was done since, and makes pending again what was pending.
  func restore(_ context: ModelContext) {
    let pending = context.pending
    let kept = Set(records.map(ObjectIdentifier.init)).subtracting(added)
    context.dropChanges(except: kept)
    guard !isEmpty else { return }
    journal.takeBack()
    let back = records.filter { $0.isPending && $0.hasChanges }
    for record in back { context.rows.comeBack(record) }
    // An array that was read meanwhile has what was noted for it.
    let notes = notes.filter { key, _ in
      let record = context.rows.known(context.container.plans[key.entity], key.owner)
      return record?.slots.isEmpty != false || record?.slots[key.property].isFault == true
    }
    pending.restore(back, notes, pairs, problems)
  }
}
