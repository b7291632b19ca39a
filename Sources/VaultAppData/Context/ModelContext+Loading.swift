import VaultDataStore
import VaultStorage

/// The keys that one fetch gave: what is loaded together when a relationship is first read.
final class FetchBatch {
  let keys: [Int64]

  init(_ keys: [Int64]) { self.keys = keys }
}

extension ModelContext {
  /// How many neighbours of a fetch are loaded along.
  private static let neighbours = 128

  /// Reads the row of a fault; the record is gone if there is none.
  func load(_ record: Record) {
    guard let plan = record.entity else { return }
    do {
      let found = try use(plan) { connection in
        let statement = try connection.statements(plan).selectByKey()
        defer { statement.reset() }
        try statement.bind(record.key, at: 1)
        guard try statement.step() else { return false }
        plan.read(statement, into: &record.slots)
        return true
      }
      if !found { forget(record) }
    } catch {
      problems.append(
        SwiftDataError.missingRow.saying("\(plan.name) cannot be read: \(error)", underlying: error)
      )
    }
  }

  /// Takes a record out of the context whose row is no more.
  func forget(_ record: Record) {
    if let plan = record.entity { registry[plan.index][record.key] = nil }
    record.state = .gone
    record.isStored = false
    record.changed = PropertySet()
    if let plan = record.entity { record.place = RecordOwner(plan, in: nil) }
  }

  /// The record of a row; `nil` if there is none.
  func fetchRecord(_ plan: EntityPlan, _ key: Int64) throws -> Record? {
    try use(plan) { connection in
      let statement = try connection.statements(plan).selectByKey()
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try statement.step() ? take(statement, plan) : nil
    }
  }

  /// The record of the statement's row; what is pending in it stays.
  func take(
    _ row: SQLiteStatement, _ plan: EntityPlan, _ wanted: Set<Int>? = nil
  ) -> Record {
    let key = row.int64(at: 0)
    guard let record = registry[plan.index][key] else {
      let record = Record(plan.description, key: key)
      record.state = .stored
      record.isStored = true
      plan.read(row, into: &record.slots, wanted)
      register(record, plan)
      return record
    }
    if !record.hasChanges { refresh(record, row, wanted, plan) }
    return record
  }

  /// Puts a row's values in the place of those that were read before.
  private func refresh(
    _ record: Record, _ row: SQLiteStatement, _ wanted: Set<Int>?, _ plan: EntityPlan
  ) {
    record.seen = plan.signal.value
    guard !record.slots.isEmpty, record.model != nil else {
      plan.read(row, into: &record.slots, wanted)
      return
    }
    var slots = _AppData.Slots()
    plan.read(row, into: &slots, wanted)
    for index in record.description.properties.indices {
      // Arrays and decoded values stay while what they were made from is the same.
      switch plan.slots[index].kind {
      case .none, .external: slots[index] = record.slots[index]
      case _ where slots[index].isFault: slots[index] = .fault
      default:
        if record.slots[index].isSame(as: slots[index]) {
          slots[index] = record.slots[index]
        } else {
          record.model?._$changing(index)
        }
      }
    }
    record.slots = slots
  }

  // MARK: Relationships and large values

  /// Notes that records came in one query, for relationships that are loaded for several at once.
  func keepTogether(_ records: [Record], _ plan: EntityPlan) {
    guard !plan.relationships.isEmpty else { return }
    let batch = FetchBatch(records.map { $0.key })
    for record in records { record.batch = batch }
  }

  /// Fills a slot that is not part of the row.
  func loadSlot(_ index: Int, of record: Record) {
    guard let plan = record.entity else { return }
    do {
      if index < plan.relationshipByProperty.count,
        let relationship = plan.relationshipByProperty[index]
      {
        try loadLinks(relationship, of: owners(of: record, missing: index))
      } else if record.isStored, plan.slots[index].column != nil {
        try loadColumn(index, of: record, plan)
      }
    } catch {
      problems.append(
        SwiftDataError.missingRow.saying(
          "\(plan.name).\(record.description.properties[index].name) cannot be read: \(error)",
          underlying: error))
    }
    guard record.slots[index].isFault, index < plan.relationshipByProperty.count else { return }
    record.slots[index] =
      plan.relationshipByProperty[index]?.isToMany == true ? .rows(RowList()) : .null
  }

  private func loadColumn(_ index: Int, of record: Record, _ plan: EntityPlan) throws {
    guard let column = plan.slots[index].column else { return }
    try use(plan) { connection in
      let statement = try connection.sqlite.cached(
        "SELECT \(SQLText.name(column)) FROM \(plan.table) WHERE \(StoredEntity.keyColumn)=?")
      defer { statement.reset() }
      try statement.bind(record.key, at: 1)
      guard try statement.step() else { return }
      let slot = plan.slots[index].kind.read(statement, 0)
      record.slots[index] = try container.stores[plan.store].large(slot, plan.slots[index])
    }
  }

  /// The record and its neighbours in the same fetch that miss the same slot.
  private func owners(of record: Record, missing index: Int) -> [Record] {
    guard let plan = record.entity, let batch = record.batch,
      let place = batch.keys.firstIndex(of: record.key)
    else { return [record] }
    var found = [record]
    for key in batch.keys[batch.keys.index(after: place)...].prefix(Self.neighbours) {
      if let other = registry[plan.index][key], other.state == .stored, !other.slots.isEmpty,
        other.slots[index].isFault
      {
        found.append(other)
      }
    }
    return found
  }

  /// Loads the arrays, or the other sides, of some owners in one query.
  func loadLinks(_ relationship: RelationshipPlan, of owners: [Record]) throws {
    let plan = relationship.entity
    let destination = relationship.destination
    let keys = owners.filter(\.isStored).map(\.key)
    var links: [Int64: RowList] = [:]
    var found: [Record] = []
    if !keys.isEmpty, let text = relationship.selectLinks {
      try use(plan) { connection in
        let statement = try connection.sqlite.cached(text)
        defer { statement.reset() }
        try statement.bind(jsonArray(keys), at: 1)
        let count = destination.selectionCount
        // Rows come in the order of their owners.
        var current: (owner: Int64, list: RowList)?
        while try statement.step() {
          // The destination's row, then the owner's key and the place in its array.
          let record = take(statement, destination)
          found.append(record)
          let owner = statement.int64(at: count)
          let list: RowList
          if let current, current.owner == owner {
            list = current.list
          } else {
            list = links[owner] ?? RowList()
            links[owner] = list
            current = (owner, list)
          }
          list.append(
            record.key,
            position: statement.isNull(at: count + 1) ? nil : statement.int64(at: count + 1))
        }
      }
    }
    keepTogether(found, destination)
    for owner in owners where owner.slots[relationship.index].isFault {
      let list = links[owner.key] ?? RowList()
      let isNoted = applyNotes(to: list, relationship, owner.key)
      owner.slots[relationship.index] =
        relationship.isToMany ? .rows(list) : list.keys.last.map { .integer($0) } ?? .null
      // New rows need places when they are saved.
      if isNoted { markChanged(owner, relationship.index) }
    }
  }

  /// Brings an array that was just read to what is pending.
  private func applyNotes(
    to list: RowList, _ relationship: RelationshipPlan, _ owner: Int64
  ) -> Bool {
    let plan = relationship.entity
    guard
      let note = notes.removeValue(
        forKey: ListKey(entity: plan.index, property: relationship.index, owner: owner))
    else { return false }
    for key in note.removed { list.remove(key) }
    for key in note.added where !list.contains(key) { list.append(key) }
    return true
  }

  /// Loads what relationships to one model lead to, for a record and its neighbours.
  func loadTargets(_ relationship: RelationshipPlan, near record: Record) throws {
    let destination = relationship.destination
    var keys: Set<Int64> = []
    for owner in [record] + neighbours(of: record) {
      guard !owner.slots.isEmpty, let key = owner.slots[relationship.index].key,
        registry[destination.index][key]?.slots.isEmpty != false
      else { continue }
      keys.insert(key)
    }
    try loadRows(destination, keys.sorted())
  }

  private func neighbours(of record: Record) -> [Record] {
    guard let plan = record.entity, let batch = record.batch,
      let place = batch.keys.firstIndex(of: record.key)
    else { return [] }
    return batch.keys[batch.keys.index(after: place)...].prefix(Self.neighbours)
      .compactMap { registry[plan.index][$0] }
  }

  /// Loads rows by key; those that do not exist are left out.
  @discardableResult
  func loadRows(_ plan: EntityPlan, _ keys: [Int64]) throws -> [Record] {
    guard !keys.isEmpty else { return [] }
    return try use(plan) { connection in
      let statement = try connection.sqlite.cached(plan.selectByKeys)
      defer { statement.reset() }
      try statement.bind(jsonArray(keys), at: 1)
      var found: [Record] = []
      while try statement.step() { found.append(take(statement, plan)) }
      keepTogether(found, plan)
      return found
    }
  }

  func jsonArray(_ keys: [Int64]) -> String {
    "[\(keys.map(String.init).joined(separator: ","))]"
  }
}

extension EntityPlan {
  /// Fills slots from the statement's row, whose first column is the key.
  func read(_ row: SQLiteStatement, into slots: inout _AppData.Slots, _ wanted: Set<Int>? = nil) {
    var column = 0
    slots.fill(count: kinds.count) { index in
      let kind = kinds[index]
      if kind == .none || kind == .external { return .fault }
      if let wanted, !wanted.contains(index) { return .fault }
      column += 1
      return kind.read(row, column)
    }
  }
}

extension SlotPlan.Kind {
  /// The value of a column.
  func read(_ row: SQLiteStatement, _ column: Int) -> _AppData.Slot {
    switch self {
    case .integer:
      // NULL reads as 0: a call more for zeros alone.
      let value = row.int64(at: column)
      return value == 0 && row.isNull(at: column) ? .null : .integer(value)
    case .real:
      let value = row.double(at: column)
      return value == 0 && row.isNull(at: column) ? .null : .real(value)
    case .text: return row.optionalString(at: column).map { .text($0) } ?? .null
    case .data:
      return row.isNull(at: column) ? .null : .data(Data(row.bytes(at: column)))
    case .any, .external:
      if row.isNull(at: column) { return .null }
      switch row.type(at: column) {
      case .integer: return .integer(row.int64(at: column))
      case .blob: return .data(Data(row.bytes(at: column)))
      default: return .text(row.string(at: column))
      }
    case .none: return .fault
    }
  }
}

extension RelationshipPlan {
  /// The destinations of some owners: the row, the owner's key, the place in the owner's array.
  var selectLinks: String? {
    let key = SQLText.name(StoredEntity.keyColumn)
    let columns = destination.selection(prefix: "d.")
    switch storage {
    case .foreignKey: return nil
    case .inverse:
      guard case .foreignKey(let column, let position)? = inverse?.stored.storage else {
        return nil
      }
      let owner = "d.\(SQLText.name(column))"
      let place = position.map { "d.\(SQLText.name($0))" } ?? "NULL"
      return "SELECT \(columns), \(owner), \(place) FROM \(destination.table) d "
        + "WHERE \(owner) IN (SELECT value FROM json_each(?)) ORDER BY \(owner), \(place), d.\(key)"
    case .join(let join):
      let owner = "j.\(SQLText.name(join.owner))"
      let place = "j.\(SQLText.name(join.position))"
      return "SELECT \(columns), \(owner), \(place) FROM \(SQLText.name(join.table)) j "
        + "JOIN \(destination.table) d ON d.\(key)=j.\(SQLText.name(join.destination)) "
        + "WHERE \(owner) IN (SELECT value FROM json_each(?)) ORDER BY \(owner), \(place), d.\(key)"
    }
  }
}

extension _AppData.Slot {
  /// Whether both hold the same column value.
  func isSame(as other: _AppData.Slot) -> Bool {
    switch (self, other) {
    case (.null, .null), (.fault, .fault): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.boxed(let box), .text(let text)): (try? box.encoded()) == text
    default: false
    }
  }
}
