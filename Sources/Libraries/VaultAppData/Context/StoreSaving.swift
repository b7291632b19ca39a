import VaultDataStore
import VaultStorage

/// One store's part of a save, inside of its transaction.
///
/// Deletions come first, so that their unique values are free; then changes, then new rows. Foreign
/// keys are checked when the transaction ends.
final class StoreSaving {
  typealias Record = _AppData.Record

  let rows: RegisteredRows
  let pending: PendingChanges
  let connection: StoreConnection
  let plans: [EntityPlan]

  let store: Int
  private let modelStore: ModelStore
  private let author: String?
  /// What is written to the history; `nil` where none is kept.
  @safe @exclusivity(unchecked) private var history: HistoryRecording?
  /// The number of the transaction in the history.
  private(set) var historyTransaction: Int64?
  /// Changed objects whose rows another context has deleted.
  private(set) var vanished: [Record] = []
  /// What rows have led to whose place new objects have taken.
  var left: [(relationship: RelationshipPlan, row: Record, old: Int64)] = []
  /// What is taken back if the save fails.
  let journal = SaveJournal()
  /// The files of large values; `nil` where there are none.
  var files: ExternalChange?
  /// What the last update was of, and its statement: the next one is mostly of the same kind.
  @safe @exclusivity(unchecked) private var last: LastUpdate?
  private var inFiles: [(record: Record, index: Int, value: _AppData.Slot)] = []

  init(_ context: ModelContext, _ connection: StoreConnection, store: Int) {
    self.store = store
    self.connection = connection
    modelStore = context.container.stores[store]
    author = context.author
    plans = context.container.plans
    rows = context.rows
    pending = context.pending
  }

  private final class LastUpdate {
    let plan: EntityPlan
    let changed: PropertySet
    let statement: SQLiteStatement
    let slots: [Int]

    init(_ plan: EntityPlan, _ changed: PropertySet, _ update: EntityStatements.Update) {
      self.plan = plan
      self.changed = changed
      (statement, slots) = update
    }
  }

  func write(_ records: [_AppData.Record], _ pairs: [PairKey]) throws {
    history = try HistoryRecording(connection.sqlite, author: author)
    let deleted = records.filter { $0.state == .deleted }
    for record in deleted { try delete(record) }
    let alone = pending.alone.groups.filter { $0.plan.store == store }
    for group in alone { try delete(group.keys, group.plan) }
    forgetLinks(to: deleted, alone)
    try mergeUnique(records)
    // Merging may have read arrays, and put into them what they were to get.
    let linked = pending.records.filter {
      $0.isIn(store) && $0.entity?.relationships.isEmpty == false
    }
    try placeInArrays(linked)
    // Merging may have added rows that were clean.
    for record in pending.records where record.isIn(store) && record.state == .stored {
      try update(record)
    }
    try insert(records)
    try checkRequired(deleted)
    for group in alone { try checkRequired(group.keys, group.plan) }
    // Unique rows may have changed the keys in them.
    for (pair, change) in pending.pairs where pairs.contains(pair) || change != 0 {
      try write(pair, change)
    }
    try placeInJoins(linked)
    if connection.sqlite.hasOpenReferences {
      try dropOpenLinks()
      try checkLateLinks(deleted, alone)
    }
    try modelStore.textForms.write(connection.sqlite)
    historyTransaction = try history?.write()
  }

  // MARK: Rows

  private func delete(_ record: Record) throws {
    guard let plan = record.entity else { return }
    // Foreign keys without an inverse would be left dangling; what requires the object is looked at
    // when everything else is written.
    for relationship in plan.incoming where !relationship.isRequired {
      guard case .foreignKey = relationship.storage,
        let column = relationship.entity.slots[relationship.index].column
      else { continue }
      let name = SQLText.name(column)
      try connection.sqlite.execute(
        "UPDATE \(relationship.entity.table) SET \(name)=NULL WHERE \(name)=?",
        [.integer(record.key)])
    }
    try history?.delete(plan, record.key, in: modelStore)
    for index in plan.external { try retire(index, record, plan) }
    // What is inherited last: it leads to the rest.
    for part in plan.parts.reversed() {
      let statement = try connection.statements(part.entity).delete()
      try statement.bind(record.key, at: 1)
      try statement.run()
    }
  }

  /// Deletes rows that have no record.
  private func delete(_ keys: KeyRanges, _ plan: EntityPlan) throws {
    let key = StoredEntity.keyColumn
    for relationship in plan.incoming where !relationship.isRequired {
      guard case .foreignKey = relationship.storage,
        let column = relationship.entity.slots[relationship.index].column
      else { continue }
      let name = SQLText.name(column)
      try connection.sqlite.forParts(of: keys) { condition, values in
        try connection.sqlite.execute(
          "UPDATE \(relationship.entity.table) SET \(name)=NULL WHERE \(name) \(condition)", values)
      }
    }
    try history?.delete(plan, keys, in: modelStore)
    for index in plan.external {
      guard let files, let column = plan.slots[index].column.map(SQLText.name) else { continue }
      try connection.sqlite.forParts(of: keys) { condition, values in
        let texts = try connection.sqlite.strings(
          "SELECT \(column) FROM \(plan.table) WHERE \(key) \(condition) "
            + "AND typeof(\(column))='text'", values)
        for reference in texts.compactMap({ ExternalReference($0) }) { files.retire(reference) }
      }
    }
    try connection.sqlite.forParts(of: keys) { condition, values in
      try connection.sqlite.execute("DELETE FROM \(plan.table) WHERE \(key) \(condition)", values)
    }
  }

  /// Clears links of objects in use to deleted rows, in relationships without an inverse.
  private func forgetLinks(to deleted: [Record], _ alone: [RowsDeletedAlone.Group]) {
    var keys: [ObjectIdentifier: Set<Int64>] = [:]
    for group in alone where !group.plan.incoming.isEmpty {
      keys[ObjectIdentifier(group.plan.root), default: []].formUnion(group.keys.keys)
    }
    for record in deleted {
      guard let plan = record.entity, !plan.incoming.isEmpty else { continue }
      keys[ObjectIdentifier(plan.root), default: []].insert(record.key)
    }
    guard !keys.isEmpty else { return }
    for plan in plans {
      for relationship in plan.relationships
      where relationship.inverse == nil && !relationship.isRequired {
        guard case .foreignKey = relationship.storage,
          let gone = keys[ObjectIdentifier(relationship.destination.root)]
        else { continue }
        for other in rows.records(of: plan) where !other.slots.isEmpty {
          if let key = other.slots[relationship.index].key, gone.contains(key) {
            journal.note(other, relationship.index)
            other.slots[relationship.index] = .null
          }
        }
      }
    }
  }

  /// Refuses to delete what a row still requires, in relationships without an inverse; the others
  /// are the graph's to see to.
  private func checkRequired(_ deleted: [Record]) throws {
    for record in deleted {
      guard let plan = record.entity, !plan.incoming.isEmpty else { continue }
      try checkRequired(KeyRanges(keys: [record.key]), plan)
    }
  }

  private func checkRequired(_ keys: KeyRanges, _ plan: EntityPlan) throws {
    for relationship in plan.incoming where relationship.isRequired {
      let owner = relationship.entity
      guard let column = owner.slots[relationship.index].column.map(SQLText.name) else { continue }
      try connection.sqlite.forParts(of: keys) { condition, values in
        let found = try connection.sqlite.first(
          "SELECT \(StoredEntity.keyColumn), \(column) "
            + "FROM \(owner.table(of: relationship.index)) WHERE \(column) \(condition) LIMIT 1",
          values
        ) { ($0.int64(at: 0), $0.int64(at: 1)) }
        guard let (key, target) = found else { return }
        throw owner.failure(
          key, relationship.index,
          "is required, and leads to \(plan.name) \(target), which is to be deleted")
      }
    }
  }

  // MARK: Large values

  /// Writes large values to files; the slots name them until ``restore()``.
  private func publish(_ record: Record, _ plan: EntityPlan) throws {
    guard let files else { return }
    for index in plan.external {
      if record.isStored {
        guard record.changed.contains(index) else { continue }
        try retire(index, record, plan)
      }
      guard case .data(let data) = record.slots[index], data.count > ExternalFiles.threshold else {
        continue
      }
      inFiles.append((record, index, record.slots[index]))
      let bytes = try plan.slots[index].isSealed ? plan.sealedBytes(record, index) : [UInt8](data)
      record.slots[index] = .text(try files.publish(bytes).text)
    }
  }

  private func retire(_ index: Int, _ record: Record, _ plan: EntityPlan) throws {
    guard let files, let column = plan.slots[index].column,
      let text = try connection.sqlite.string(
        "SELECT \(SQLText.name(column)) FROM \(plan.table(of: index)) "
          + "WHERE \(StoredEntity.keyColumn)=? AND typeof(\(SQLText.name(column)))='text'",
        [.integer(record.key)]),
      let reference = ExternalReference(text)
    else { return }
    files.retire(reference)
  }

  func restore() {
    for (record, index, value) in inFiles { record.slots[index] = value }
    inFiles.removeAll()
  }

  private func update(_ record: Record) throws {
    guard let plan = record.entity else { return }
    if record.originals != nil { try mergeOthers(into: record, plan) }
    if !plan.external.isEmpty { try publish(record, plan) }
    guard try write(record, plan) else {
      // Another context has deleted it, which stands; what was changed here has no place any more.
      guard pending.mergePolicy != .error else {
        throw SwiftDataError.missingRow.saying(
          "\(plan.name) \(record.key) was deleted by another context")
      }
      // No row names the files of its large values.
      for (other, index, _) in inFiles where other === record {
        if case .text(let text) = record.slots[index], let file = ExternalReference(text) {
          files?.retire(file)
        }
      }
      vanished.append(record)
      return
    }
    history?.update(plan, record.key, record.changed)
  }

  /// Writes what has changed in an object; `false` if its row is gone.
  private func write(_ record: Record, _ plan: EntityPlan) throws -> Bool {
    if plan.family != nil {
      for part in plan.parts {
        let slots = part.bound.filter(record.changed.contains)
        guard !slots.isEmpty else { continue }
        let statement = try connection.sqlite.cached(plan.update(slots))
        guard try write(record, plan, slots, statement) else { return false }
      }
      return true
    }
    if let last, last.plan === plan, last.changed == record.changed {
      return try write(record, plan, last.slots, last.statement)
    }
    guard let found = try connection.statements(plan).update(record.changed) else { return true }
    last = LastUpdate(plan, record.changed, found)
    return try write(record, plan, found.slots, found.statement)
  }

  private func write(
    _ record: Record, _ plan: EntityPlan, _ slots: [Int], _ statement: SQLiteStatement
  ) throws -> Bool {
    try plan.bind(record, slots, to: statement)
    try statement.run()
    return connection.sqlite.changes > 0
  }

  /// Does what the merge policy says with attributes that somebody else has changed since they were
  /// read here.
  func mergeOthers(into record: Record, _ plan: EntityPlan) throws {
    let originals = (record.originals ?? [:]).filter { index, original in
      record.changed.contains(index) && plan.slots[index].column != nil
        && plan.slots[index].kind != .external && !original.isFault
    }
    let indices = originals.keys.sorted()
    guard pending.mergePolicy != .objectWins, !indices.isEmpty else { return }
    let columns = indices.compactMap { plan.slots[$0].column }.map(SQLText.name)
    let now = try connection.sqlite.first(
      "SELECT \(columns.joined(separator: ", ")) FROM \(plan.source) "
        + "WHERE \(StoredEntity.keyColumn)=?", [.integer(record.key)]
    ) { row in
      indices.enumerated().map { plan.slots[$1].kind.read(row, $0) }
    }
    guard let now else { return }
    for (index, slot) in zip(indices, now) {
      // Also where both have come to the same value: two that add one have added two.
      guard let original = originals[index], !original.isSame(as: slot),
        !(plan.description.properties[index].isJSON && original.isSameJSON(as: slot))
      else { continue }
      if pending.mergePolicy == .error { throw plan.conflict(record, index) }
      record.model?._$changing(index)
      journal.note(record, index)
      record.slots[index] = slot
      record.changed.remove(index)
    }
  }

  /// The limit of text and bytes in one statement: SQLite copies what is bound.
  private static let bytesAtOnce = 1 << 18

  /// Writes new rows, as many of a kind in one statement as it takes.
  private func insert(_ records: [Record]) throws {
    var batch: [Record] = []
    var bytes = 0
    for record in records where record.state == .inserted {
      let size = record.byteCount
      if let first = batch.first,
        first.entity !== record.entity || batch.count == first.entity?.rowsAtOnce
          || bytes + size > Self.bytesAtOnce
      {
        try insert(batch: batch)
        batch.removeAll(keepingCapacity: true)
        bytes = 0
      }
      batch.append(record)
      bytes += size
    }
    try insert(batch: batch)
  }

  private func insert(batch: [Record]) throws {
    guard let plan = batch.first?.entity else { return }
    if !plan.external.isEmpty { for record in batch { try publish(record, plan) } }
    if history != nil { for record in batch { history?.insert(plan, record.key) } }
    if plan.family != nil {
      for part in plan.parts { try insert(batch, part) }
      return
    }
    if batch.count == plan.rowsAtOnce {
      let statement = try connection.statements(plan).insertMany()
      var parameter = 1
      for record in batch { parameter = try plan.bindAll(record, to: statement, from: parameter) }
      return try statement.run()
    }
    let statement = try connection.statements(plan).insert()
    for record in batch {
      try plan.bindAll(record, to: statement)
      try statement.run()
    }
  }

  /// Writes new rows to one of the tables that they are in.
  private func insert(_ batch: [Record], _ part: TablePart) throws {
    let statements = connection.statements(part.entity)
    var rest = batch[...]
    while !rest.isEmpty {
      let count = rest.count >= part.entity.rowsAtOnce ? part.entity.rowsAtOnce : 1
      let statement = try count == 1 ? statements.insert() : statements.insertMany()
      var parameter = 1
      for record in rest.prefix(count) {
        parameter =
          try record.entity?.bindAll(record, part, to: statement, from: parameter) ?? parameter
      }
      try statement.run()
      rest = rest.dropFirst(count)
    }
  }

  // MARK: Links

  private func write(_ pair: PairKey, _ change: Int) throws {
    guard
      let links = plans[pair.entity].relationshipByProperty[pair.property]?.links,
      links.place == .joinTable
    else { return }
    let keys: [SQLiteValue] = [.integer(pair.owner), .integer(pair.destination)]
    if change > 0, !vanished.contains(where: { $0.isEnd(of: pair, plans) }) {
      try connection.sqlite.execute(
        "INSERT OR IGNORE INTO \(links.table)(\(links.owner), \(links.destination)) VALUES (?, ?)",
        keys)
    } else if change < 0 {
      try connection.sqlite.execute(
        "DELETE FROM \(links.table) WHERE \(links.owner)=? AND \(links.destination)=?", keys)
    }
  }

  /// Gives the rows of arrays that have no place, or no rising one, their places.
  private func placeInJoins(_ linked: [Record]) throws {
    for record in linked where record.state == .inserted || record.state == .stored {
      guard let plan = record.entity else { continue }
      for relationship in plan.relationships {
        let links = relationship.links
        guard links.place == .joinTable, let position = links.position,
          record.state == .inserted || record.changed.contains(relationship.index),
          !record.slots.isEmpty, case .rows(let list) = record.slots[relationship.index]
        else { continue }
        for (place, key) in newPlaces(in: list) {
          try connection.sqlite.execute(
            "UPDATE \(links.table) SET \(position)=? "
              + "WHERE \(links.owner)=? AND \(links.destination)=?",
            [.integer(place), .integer(record.key), .integer(key)])
        }
      }
    }
    // Arrays that are not loaded get their new rows at the end.
    for (key, note) in pending.notes {
      guard
        let links = plans[key.entity].relationshipByProperty[key.property]?.links,
        links.place == .joinTable, let position = links.position
      else { continue }
      for added in note.added {
        try connection.sqlite.execute(
          "UPDATE \(links.table) SET \(position)=(SELECT coalesce(max(\(position)), 0)+1 "
            + "FROM \(links.table) WHERE \(links.owner)=?1) "
            + "WHERE \(links.owner)=?1 AND \(links.destination)=?2",
          [.integer(key.owner), .integer(added)])
      }
    }
  }

  /// Makes the places rise along an array; they are new again if the save fails.
  private func newPlaces(in list: _AppData.RowList) -> [(place: Int64, key: Int64)] {
    let (keys, positions) = (list.keys, list.positions)
    let new = list.place()
    if !new.isEmpty { journal.note(list, keys: keys, positions: positions) }
    return new
  }

  private func placeInArrays(_ linked: [Record]) throws {
    for record in linked where record.state == .inserted || record.state == .stored {
      guard let plan = record.entity else { continue }
      for relationship in plan.relationships {
        guard case .inverse = relationship.storage, relationship.isToMany,
          record.state == .inserted || record.changed.contains(relationship.index),
          !record.slots.isEmpty, case .rows(let list) = record.slots[relationship.index],
          let inverse = relationship.inverse,
          inverse.entity.slots[inverse.index].positionSlot != nil
        else { continue }
        for (place, key) in newPlaces(in: list) { try put(key, at: place, inverse) }
      }
    }
    // Rows that were added to arrays that are not loaded get places at the end.
    for (key, note) in pending.notes {
      guard
        let relationship = plans[key.entity].relationshipByProperty[key.property],
        case .inverse = relationship.storage, relationship.isToMany,
        let inverse = relationship.inverse,
        let slot = inverse.entity.slots[inverse.index].positionSlot,
        let column = inverse.entity.slots[inverse.index].column,
        let position = inverse.entity.slots[slot].column
      else { continue }
      var last =
        try connection.sqlite.int64(
          "SELECT max(\(SQLText.name(position))) FROM \(inverse.entity.table) "
            + "WHERE \(SQLText.name(column))=?", [.integer(key.owner)]) ?? 0
      for added in note.added {
        last += 1
        try put(added, at: last, inverse)
      }
    }
  }

  private func put(_ key: Int64, at place: Int64, _ relationship: RelationshipPlan) throws {
    let plan = relationship.entity
    if let record = rows.known(plan, key), !record.slots.isEmpty,
      // A subclass has its own number for the slot.
      let slot = record.entity?.slots[relationship.index].positionSlot
    {
      record.slots[slot] = .integer(place)
      if record.state == .inserted { return }
      if record.hasChanges {
        record.changed.insert(slot)
        return
      }
    }
    guard let slot = plan.slots[relationship.index].positionSlot,
      let column = plan.slots[slot].column
    else { return }
    try connection.sqlite.execute(
      "UPDATE \(plan.table) SET \(SQLText.name(column))=? WHERE \(StoredEntity.keyColumn)=?",
      [.integer(place), .integer(key)])
  }
}

extension _AppData.Record {
  /// Whether it is at one end of a row of a join table.
  fileprivate func isEnd(of pair: PairKey, _ plans: [EntityPlan]) -> Bool {
    let owner = plans[pair.entity]
    let destination = owner.relationshipByProperty[pair.property]?.destination
    return (key == pair.owner && entity?.root === owner.root)
      || (key == pair.destination && entity?.root === destination?.root)
  }

  func isIn(_ store: Int) -> Bool { entity?.store == store && hasChanges }

  /// Whether the object's row is in one of some stores.
  func isIn(_ stores: Set<Int>) -> Bool { entity.map { stores.contains($0.store) } ?? true }

  /// The size of the object's text and data in bytes.
  fileprivate var byteCount: Int {
    slots.indices.reduce(0) { sum, index in
      switch slots[index] {
      case .text(let text): sum + text.utf8.count
      case .data(let data): sum + data.count
      default: sum
      }
    }
  }
}
