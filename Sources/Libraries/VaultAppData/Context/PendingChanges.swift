/// Unsaved changes of a context: objects, links of arrays that are not loaded, rows of join tables.
final class PendingChanges {
  typealias Record = _AppData.Record

  // A context belongs to one thread, and no change of a list calls out while it lasts: checks at
  // run time that no two overlap would be a hundredth of an update.

  /// In the order of the first change; some may have been taken back since.
  @safe @exclusivity(unchecked) private(set) var records: [Record] = []
  /// Raised by every change.
  @safe @exclusivity(unchecked) private(set) var changeCount: UInt64 = 0
  /// Changes that cannot be made; the next save throws the first error.
  var problems: [SwiftDataError] = []
  /// What is to be told of properties that show another value than the store's, which does not
  /// decode.
  var undecoded = UndecodedNotes()
  /// Whether a save has the program's own code make the forms of values.
  var isEncoding = false
  /// What a save does with what others have changed.
  var mergePolicy = MergePolicy.objectWins
  /// Links of arrays that are not loaded.
  private(set) var notes: [ListKey: ListNote] = [:]
  /// Rows of join tables to be added (1) or removed (-1).
  var pairs: [PairKey: Int] = [:]

  /// Rows that are to be deleted and have no record.
  let alone: RowsDeletedAlone

  /// Of the transactions under way, the outer one first.
  @safe @exclusivity(unchecked) private var marks: [PendingMark] = []
  /// Of the save under way, which takes back by itself what it changes.
  var journal: SaveJournal?
  /// Of a program's own store that saves.
  var late: LateChanges?
  private var watchers = PendingWatchers()
  private let plans: [EntityPlan]
  private let connections: ContextConnections
  private let autosaving: Autosaving

  init(
    _ plans: [EntityPlan], _ alone: RowsDeletedAlone, _ connections: ContextConnections,
    _ autosaving: Autosaving
  ) {
    self.plans = plans
    self.alone = alone
    self.connections = connections
    self.autosaving = autosaving
    connections.pending = self
  }

  /// Lets go of the objects, whose context ends.
  func close() {
    // A record holds its object until it is saved, and the object its record.
    for record in records { record.kept = nil }
  }

  /// Tells a watcher of every change from now on, as long as somebody holds it.
  func watch(_ watcher: PendingWatcher) { watchers.add(watcher) }

  // MARK: Objects

  /// Whether an object is to be saved.
  var hasChanges: Bool { !alone.isEmpty || records.contains(where: \.hasChanges) }

  /// The objects that meet a condition.
  func models(where isWanted: (Record) -> Bool) -> [any PersistentModel] {
    records.filter(isWanted).map(\.materialized)
  }

  /// Notes that an object is to be saved, and holds it until it is.
  func add(_ record: Record, _ model: (any PersistentModel)? = nil) {
    changeCount += 1
    if !watchers.isEmpty { watchers.tell() }
    if !record.isTouched { connections.touch(record) }
    // After a save that failed, every change asks again.
    autosaving.noteChange()
    hold(record, model)
  }

  /// Notes that rows are to be deleted without a record of each.
  func add(_ keys: KeyRanges, _ relationship: RelationshipPlan) {
    alone.add(keys, relationship)
    changeCount += 1
    if !watchers.isEmpty { watchers.tell() }
    connections.touch(keys, of: relationship.destination)
    autosaving.noteChange()
  }

  /// Marks what is pending, until ``end(_:)``.
  func mark() -> PendingMark {
    let mark = PendingMark(self)
    marks.append(mark)
    return mark
  }

  /// Forgets a mark.
  func end(_ mark: PendingMark) { marks.removeAll { $0 === mark } }

  /// Notes that an object is about to change, or to be deleted.
  func willChange(_ record: Record) {
    if !marks.isEmpty, journal == nil { for mark in marks { mark.note(record, self) } }
  }

  /// Notes that all that is pending is about to be dropped, but for some objects.
  func willDrop(except kept: Set<ObjectIdentifier>) {
    guard !marks.isEmpty else { return }
    for record in records where !kept.contains(ObjectIdentifier(record)) { willChange(record) }
  }

  /// Notes that an object is new from now on; it may have been before, and was deleted.
  func willInsert(_ record: Record) {
    if !marks.isEmpty { for mark in marks { mark.add(record) } }
  }

  /// Holds an object until it is saved.
  private func hold(_ record: Record, _ model: (any PersistentModel)? = nil) {
    guard !record.isPending else { return }
    if !marks.isEmpty { for mark in marks { mark.add(record) } }
    record.isPending = true
    record.kept = model ?? record.model
    records.append(record)
  }

  /// The key of a new object.
  func nextKey(_ plan: EntityPlan) -> Int64 { connections.nextKey(plan) }

  /// Notes again the links of arrays that are not loaded.
  func restore(_ notes: [ListKey: ListNote]) { self.notes = notes }

  /// Makes pending again what was pending before.
  func restore(
    _ records: [Record], _ notes: [ListKey: ListNote], _ pairs: [PairKey: Int],
    _ problems: [SwiftDataError]
  ) {
    self.records = records
    self.notes = notes
    self.pairs = pairs
    self.problems = problems
    changeCount += 1
    touchAll()
    watchers.tell()
    if hasChanges { autosaving.noteChange() }
  }

  /// Notes that queries have to see everything that is pending.
  func touchAll() {
    for record in records { connections.touch(record) }
    for group in alone.groups { connections.touch(group.keys, of: group.plan) }
    for pair in pairs.keys { connections.touch(pair, in: plans[pair.entity].store) }
  }

  /// Notes that queries have to see a record as it is now.
  func touch(_ record: Record) {
    connections.touch(record)
    watchers.tell()
  }

  /// Notes that a property of an object is about to change.
  func markChanged(_ record: Record, _ index: Int) {
    willChange(record)
    if record.state == .stored || record.state == .deleted {
      record.changed.insert(index)
    }
    late?.note(record, index)
    add(record)
  }

  /// Lets go of the objects of some stores.
  func settle(_ stores: Set<Int>, isAll: Bool) {
    guard isAll else {
      for record in records where record.isIn(stores) { settle(record) }
      return dropSettled()
    }
    let all = records
    records.removeAll()
    for record in all { settle(record) }
  }

  /// Lets go of an object.
  func settle(_ record: Record) {
    record.isPending = false
    record.kept = nil
  }

  /// Drops the records that were settled.
  func dropSettled() { records.removeAll { !$0.isPending } }

  /// Takes out all records, which still hold their objects.
  func removeAll() -> [Record] {
    defer {
      records.removeAll()
      watchers.tell()
    }
    return records
  }

  /// Makes pending again what was left out.
  func putBack(_ held: [(record: Record, index: Int)]) {
    for (record, index) in held where record.state == .stored {
      record.changed.insert(index)
      hold(record)
    }
  }

  /// Makes pending again what no store was told of.
  func putBack(_ late: LateChanges) {
    late.records.forEach { hold($0) }
    putBack(late.properties)
    if hasChanges { autosaving.noteChange() }
  }

  // MARK: Links

  /// Notes that a row is added to, or removed from, an array that is not loaded.
  func note(_ relationship: RelationshipPlan, _ owner: Int64, _ key: Int64, isAdded: Bool) {
    let list = ListKey(relationship, owner)
    var note = notes[list] ?? ListNote()
    if isAdded {
      if note.removed.remove(key) == nil { note.added.append(key) }
    } else if let index = note.added.lastIndex(of: key) {
      note.added.remove(at: index)
    } else {
      note.removed.insert(key)
    }
    notes[list] = note.added.isEmpty && note.removed.isEmpty ? nil : note
  }

  /// Brings an array that was just read to what was noted.
  ///
  /// - Returns: Whether there was something.
  func applyNotes(
    to list: _AppData.RowList, _ relationship: RelationshipPlan, _ owner: Int64
  ) -> Bool {
    guard !notes.isEmpty, let note = notes.removeValue(forKey: ListKey(relationship, owner)) else {
      return false
    }
    for key in note.removed { list.remove(key) }
    for key in note.added where !list.contains(key) { list.append(key) }
    return true
  }

  /// Adds a row of a join table (1), or removes it (-1).
  func change(_ pair: PairKey, by change: Int) {
    let sum = (pairs[pair] ?? 0) + change
    pairs[pair] = sum == 0 ? nil : sum
    connections.touch(pair, in: plans[pair.entity].store)
  }

  /// Forgets the links of some stores, or of all, the rows without a record, and what queries see
  /// of pending rows.
  func clearLinks(_ stores: Set<Int>? = nil) {
    func isIn(_ entity: Int) -> Bool { stores?.contains(plans[entity].store) != false }
    notes = notes.filter { !isIn($0.key.entity) }
    pairs = pairs.filter { !isIn($0.key.entity) }
    alone.removeAll(stores)
    connections.clearPendingRows(stores)
  }
}

/// An array of an object.
struct ListKey: Hashable {
  let entity: Int
  let property: Int
  let owner: Int64

  init(_ relationship: RelationshipPlan, _ owner: Int64) {
    entity = relationship.entity.index
    property = relationship.index
    self.owner = owner
  }
}

/// The pending changes of an array that is not loaded.
struct ListNote {
  var added: [Int64] = []
  var removed: Set<Int64> = []
}

/// A row of a join table, as its leading side sees it.
struct PairKey: Hashable {
  let entity: Int
  let property: Int
  let owner: Int64
  let destination: Int64
}
