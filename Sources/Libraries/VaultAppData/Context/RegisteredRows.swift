/// The rows that a context knows: one record for each, by entity and key.
///
/// A record stays while its object is in use or has changes; the others are dropped once many have
/// accumulated.
final class RegisteredRows {
  typealias Record = _AppData.Record

  private let plans: [EntityPlan]
  /// By entity.
  let tables: [RecordTable]
  /// By entity: what its records share.
  private let owners: [RecordOwner]
  /// By entity: the count at which rows without objects are dropped.
  private var sweepAt: [Int]
  /// The number of calls that hold rows whose objects are yet to be made.
  private var holds = 0
  /// Keys of new objects whose place was taken by a row with the same unique values.
  private var aliases: [RowKey: Int64] = [:]
  /// New objects that were deleted before they were saved: what still leads to one is told from
  /// what leads to a row that others have deleted.
  private var discarded: [RowKey: Record] = [:]
  /// The class of a row of the store, where a plan may have subclasses.
  var actualPlan: (EntityPlan, Int64) -> EntityPlan = { plan, _ in plan }
  /// Rows that are to be deleted and have no record.
  let alone = RowsDeletedAlone()
  /// Makes the record of such a row.
  var wake: (EntityPlan, Int64) -> Record? = { _, _ in nil }

  private struct RowKey: Hashable {
    let entity: Int
    let key: Int64
  }

  init(_ plans: [EntityPlan], in home: WeakContext) {
    self.plans = plans
    // A key of a family is one row, whichever of its classes asks.
    let own = plans.map { _ in RecordTable() }
    tables = plans.map { own[$0.root.index] }
    owners = plans.map { RecordOwner($0, in: home) }
    sweepAt = Array(repeating: 4_096, count: plans.count)
  }

  /// The number of rows.
  var count: Int {
    plans.reduce(0) { $0 + ($1.root === $1 ? tables[$1.index].count : 0) }
  }

  /// The records of a class, without those of its subclasses.
  func records(of plan: EntityPlan) -> [Record] {
    let all = tables[plan.index].values
    return plan.family == nil ? all : all.filter { $0.entity === plan }
  }

  /// The record of a row, if it is registered or to be deleted.
  subscript(plan: EntityPlan, key: Int64) -> Record? {
    if let record = tables[plan.index][key] { return record }
    return alone.isEmpty ? nil : wake(plan, key)
  }

  /// The record of a row, if it is registered; one that is to be deleted may have none.
  func known(_ plan: EntityPlan, _ key: Int64) -> Record? { tables[plan.index][key] }

  /// Whether a row is to be deleted.
  func isToBeDeleted(_ plan: EntityPlan, _ key: Int64) -> Bool {
    tables[plan.index][key]?.state == .deleted || alone.contains(plan, key)
      || discarded(plan, key) != nil
  }

  /// The new object with a key that was deleted before it was saved.
  func discarded(_ plan: EntityPlan, _ key: Int64) -> Record? {
    discarded.isEmpty ? nil : discarded[RowKey(entity: plan.root.index, key: key)]
  }

  /// Takes out a new object that is deleted.
  func discard(_ record: Record, _ plan: EntityPlan) {
    remove(record, plan)
    discarded[RowKey(entity: plan.root.index, key: record.key)] = record
  }

  /// Forgets what was deleted before it was saved: nothing leads there any more.
  func forgetDiscarded() { discarded.removeAll() }

  /// Whether a row can go without its record: nothing of it is unsaved, and no object is in use.
  func canForget(_ record: Record) -> Bool {
    holds == 0 && !record.isPending && record.state == .stored && record.changed.isEmpty
      && record.model == nil
  }

  /// The record of an identifier's row, if it is registered.
  func find(_ id: PersistentIdentifier, _ plan: EntityPlan) -> Record? {
    self[plan, current(id.key, plan)]
  }

  /// Whether rows have had other keys before.
  var hasAliases: Bool { !aliases.isEmpty }

  /// The key that a row has now.
  func current(_ key: Int64, _ plan: EntityPlan) -> Int64 {
    if aliases.isEmpty { return key }
    return aliases[RowKey(entity: plan.root.index, key: key)] ?? key
  }

  /// Notes that a row had another key before.
  func addAlias(_ alias: Int64, of key: Int64, _ plan: EntityPlan) {
    aliases[RowKey(entity: plan.root.index, key: alias)] = key
  }

  /// The record of a row, registered without looking whether the row exists.
  func record(_ plan: EntityPlan, _ key: Int64) -> Record {
    if let record = self[plan, key] { return record }
    let plan = plan.family == nil ? plan : actualPlan(plan, key)
    let record = Record(plan.description, key: key)
    record.state = .stored
    record.isStored = true
    register(record, plan)
    return record
  }

  /// Registers a record under its key; inlined, since every row of a fetch is registered.
  @inline(__always) func register(_ record: Record, _ plan: EntityPlan) {
    let owner = owners[plan.index]
    record.place = owner
    record.seen = owner.signal.value
    tables[plan.index][record.key] = record
    if !discarded.isEmpty { discarded[RowKey(entity: plan.root.index, key: record.key)] = nil }
  }

  /// Takes a record out; it stays as it is.
  func remove(_ record: Record, _ plan: EntityPlan) { tables[plan.index][record.key] = nil }

  /// Takes out a record whose row is gone; `isByOthers` says whether this context has not deleted
  /// it.
  func forget(_ record: Record, isByOthers: Bool = false) {
    if let plan = record.entity { remove(record, plan) }
    if isByOthers { record.former = record.place?.home }
    record.state = .gone
    record.isStored = false
    record.changed = PropertySet()
    if let plan = record.entity { record.place = RecordOwner(plan, in: nil) }
  }

  /// Makes the object of a new record one of a row that has the same unique values.
  func replace(_ record: Record, by row: Record, _ plan: EntityPlan) {
    remove(record, plan)
    aliases[RowKey(entity: plan.root.index, key: record.key)] = row.key
    record.unsaved?.clear()
    record.state = .gone
    record.isPending = false
    record.kept = nil
    guard let model = record.model else { return }
    model.useRecord(row)
    if row.model == nil { row.model = model }
    if row.isPending { row.kept = row.model }
  }

  /// Puts a record back that was taken out.
  func comeBack(_ record: Record) {
    guard let plan = record.entity else { return }
    tables[plan.index][record.key] = record
    discarded[RowKey(entity: plan.root.index, key: record.key)] = nil
  }

  /// Takes back ``replace(_:by:_:)``.
  func restore(_ record: Record, _ plan: EntityPlan, _ model: any PersistentModel) {
    aliases[RowKey(entity: plan.root.index, key: record.key)] = nil
    tables[plan.index][record.key] = record
    record.unsaved?.restore()
    model.useRecord(record)
  }

  // MARK: Dropping rows without objects

  /// Runs `body`, which has rows in hand whose objects are yet to be made; no row is dropped
  /// meanwhile.
  func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    holds += 1
    defer { holds -= 1 }
    return try body()
  }

  /// Drops rows without objects, of entities with more than `count` rows.
  func sweep(largerThan count: Int) {
    guard holds == 0 else { return }
    for plan in plans where tables[plan.index].count > count { sweep(plan) }
  }

  /// Drops rows without objects, of entities that have grown large.
  ///
  /// Call it between two calls of the program's: a row that is just being read has no object yet.
  func sweepIfLarge() {
    guard holds == 0 else { return }
    for plan in plans where tables[plan.index].count >= sweepAt[plan.index] { sweep(plan) }
  }

  private func sweep(_ plan: EntityPlan) {
    tables[plan.index].filter { record in record.isPending || record.model != nil }
    sweepAt[plan.index] = max(4_096, tables[plan.index].count * 2)
  }
}

extension PersistentModel {
  fileprivate func useRecord(_ record: _AppData.Record) {
    persistentBackingData = _AppData.ModelBackingData<Self>(record)
  }
}
