import VaultDataStore
import VaultStorage

/// Reads rows into a context's records: faults, relationships, large values.
///
/// The results of a fetch are loaded together: the first read of a relationship loads it for the
/// neighbors too.
final class Loading {
  typealias Record = _AppData.Record
  typealias RowList = _AppData.RowList

  /// The number of neighbors in a fetch that are loaded together.
  private static let neighbors = 128

  let plans: [EntityPlan]
  private let stores: [ModelStore]
  let rows: RegisteredRows
  let connections: ContextConnections
  private let pending: PendingChanges
  /// By the root of a family in a program's own store: the classes of rows, as their identifiers
  /// name them.
  private var classes: [Int: [Int64: EntityPlan]] = [:]

  init(
    _ container: ModelContainer, _ rows: RegisteredRows, _ connections: ContextConnections,
    _ pending: PendingChanges
  ) {
    plans = container.plans
    stores = container.stores
    self.rows = rows
    self.connections = connections
    self.pending = pending
  }

  // MARK: Rows

  /// Reads the row of a fault; the record is gone if there is none.
  func load(_ record: Record) {
    guard let plan = record.entity else { return }
    do {
      if let store = stores[plan.store].custom {
        if try !fill(record, from: store, plan) { rows.forget(record, isByOthers: true) }
        return
      }
      let found = try connections.use(plan) { connection in
        let statement = try connection.statements(plan).selectByKey()
        defer { statement.reset() }
        try statement.bind(record.key, at: 1)
        guard try statement.step() else { return false }
        if let family = plan.family {
          plan.read(statement, into: &record.slots, at: family.layout(of: plan, as: plan))
        } else {
          plan.read(statement, into: &record.slots)
        }
        return true
      }
      if !found { rows.forget(record, isByOthers: true) }
    } catch {
      report("\(plan.name) cannot be read", error)
    }
  }

  /// The record of a row; `nil` if there is none.
  func fetchRecord(_ plan: EntityPlan, _ key: Int64) throws -> Record? {
    if plan.isCustom { return try loadRows(plan, [key]).first }
    return try connections.use(plan) { connection in
      let statement = try connection.statements(plan).selectByKey()
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try statement.step() ? take(statement, plan) : nil
    }
  }

  /// Loads rows by key; those that do not exist are left out.
  @discardableResult
  func loadRows(_ plan: EntityPlan, _ keys: [Int64]) throws -> [Record] {
    guard !keys.isEmpty else { return [] }
    if let store = stores[plan.store].custom {
      return try loadRows(plan, keys, from: store)
    }
    return try connections.use(plan) { connection in
      let statement = try connection.sqlite.cached(plan.selectByKeys)
      defer { statement.reset() }
      try statement.bind(SQLText.array(of: keys), at: 1)
      var found: [Record] = []
      while try statement.step() { found.append(take(statement, plan)) }
      keepTogether(found, plan)
      return found
    }
  }

  /// The record of the statement's row; pending changes stay.
  func take(
    _ row: SQLiteStatement, _ plan: EntityPlan, _ wanted: Set<Int>? = nil
  ) -> Record {
    let key = row.int64(at: 0)
    if let family = plan.family { return take(row, key, plan, family) }
    guard let record = rows[plan, key] else {
      let record = Record(plan.description, key: key)
      record.state = .stored
      record.isStored = true
      plan.read(row, into: &record.slots, wanted)
      rows.register(record, plan)
      return record
    }
    if !record.hasChanges {
      refresh(record, plan) { plan.read(row, into: &$0, wanted) }
    }
    return record
  }

  /// The record of a row that may be of a subclass.
  private func take(
    _ row: SQLiteStatement, _ key: Int64, _ seen: EntityPlan, _ family: EntityFamily
  ) -> Record {
    let plan = family.plan(named: row.string(at: 1)) ?? seen
    let columns = family.layout(of: plan, as: seen)
    guard let record = rows.tables[plan.index][key] else {
      let record = Record(plan.description, key: key)
      record.state = .stored
      record.isStored = true
      plan.read(row, into: &record.slots, at: columns)
      rows.register(record, plan)
      return record
    }
    if !record.hasChanges, record.entity === plan {
      refresh(record, plan) { plan.read(row, into: &$0, at: columns) }
    }
    return record
  }

  /// The class of a row that is in the store.
  func actualPlan(_ plan: EntityPlan, _ key: Int64) -> EntityPlan {
    guard let family = plan.family else { return plan }
    if plan.isCustom { return rows[plan, key]?.entity ?? classes[plan.root.index]?[key] ?? plan }
    let name = try? connections.use(plan) { connection in
      try connection.sqlite.string(
        "SELECT \(StoredEntity.classColumn) FROM \(family.root.table) "
          + "WHERE \(StoredEntity.keyColumn)=?", [.integer(key)])
    }
    return name.flatMap { family.plan(named: $0) } ?? plan
  }

  /// Notes the class of a row in a program's own store, which only its identifier says.
  func noteClass(_ plan: EntityPlan, _ key: Int64) {
    guard plan.family != nil else { return }
    classes[plan.root.index, default: [:]][key] = plan
  }

  /// Replaces the values that were read before by those of the row.
  private func refresh(
    _ record: Record, _ plan: EntityPlan, _ read: (inout _AppData.Slots) -> Void
  ) {
    record.seen = plan.signal.value
    guard !record.slots.isEmpty, record.model != nil else { return read(&record.slots) }
    var slots = _AppData.Slots()
    read(&slots)
    for index in record.description.properties.indices {
      // Arrays and decoded values stay while what they were made from is the same.
      switch plan.slots[index].kind {
      case .external where plan.slots[index].isSealed: slots[index] = .fault
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
    guard !plan.relationships.isEmpty || plan.family?.hasRelationships == true else { return }
    let batch = FetchBatch(records.map { $0.key })
    for record in records { record.batch = batch }
  }

  /// Fills a slot that is not part of the row.
  func loadSlot(_ index: Int, of record: Record) {
    guard let plan = record.entity else { return }
    do {
      if let store = stores[plan.store].custom {
        if record.isStored { _ = try fill(record, from: store, plan) }
      } else if let relationship = plan.relationship(index) {
        try loadLinks(relationship, of: owners(of: record, missing: index))
      } else if record.isStored, plan.slots[index].column != nil {
        try loadColumn(index, of: record, plan)
      }
    } catch {
      report("\(plan.name).\(record.description.properties[index].name) cannot be read", error)
    }
    // A sealed value that does not open stays unread: nothing else may be written in its place.
    guard record.slots[index].isFault, index < plan.relationshipByProperty.count,
      !plan.slots[index].isSealed
    else { return }
    record.slots[index] =
      plan.relationshipByProperty[index]?.isToMany == true ? .rows(RowList()) : .null
  }

  /// Fills the slot of an attribute that is not part of the row, or says why it cannot be.
  func open(_ index: Int, of record: Record) throws {
    record.loadRow()
    guard record.slots[index].isFault, record.isStored, let plan = record.entity,
      plan.relationship(index) == nil, plan.slots[index].column != nil
    else { return }
    do {
      try loadColumn(index, of: record, plan)
    } catch {
      throw SwiftDataError.storage(error)
    }
    if record.slots[index].isFault {
      throw SwiftDataError.missingRow.saying("\(plan.name) \(record.key) is not in the store")
    }
  }

  private func loadColumn(_ index: Int, of record: Record, _ plan: EntityPlan) throws {
    guard let text = plan.selectColumn(index) else { return }
    try connections.use(plan) { connection in
      let statement = try connection.sqlite.cached(text)
      defer { statement.reset() }
      try statement.bind(record.key, at: 1)
      guard try statement.step() else { return }
      let slot = plan.slots[index].kind.read(statement, 0)
      let whole = try stores[plan.store].large(slot, plan.slots[index])
      record.slots[index] = try plan.opened(whole, index, key: record.key)
    }
  }

  /// Loads the arrays, or the other sides, of some owners in one query.
  func loadLinks(_ relationship: RelationshipPlan, of owners: [Record]) throws {
    let destination = relationship.destination
    let keys = owners.filter(\.isStored).map(\.key)
    var links: [Int64: RowList] = [:]
    var found: [Record] = []
    // Owners of arrays that rows were taken out of by their deletion.
    var shortened: Set<Int64> = []
    if !keys.isEmpty, let text = relationship.selectLinks {
      try connections.use(relationship.entity) { connection in
        let statement = try connection.sqlite.cached(text)
        defer { statement.reset() }
        try statement.bind(SQLText.array(of: keys), at: 1)
        let count = destination.selectionCount
        // Rows come in the order of their owners.
        var current: (owner: Int64, list: RowList)?
        while try statement.step() {
          // Its deletion has taken it out of the arrays that its own row leads to.
          if relationship.join == nil, rows.alone.contains(destination, statement.int64(at: 0)) {
            shortened.insert(statement.int64(at: count))
            continue
          }
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
      let isNoted = pending.applyNotes(to: list, relationship, owner.key)
      // What the transaction of a save shows is nothing to keep if that fails.
      pending.journal?.note(owner, relationship.index)
      // New rows need places when they are saved.
      if isNoted || shortened.contains(owner.key) { pending.markChanged(owner, relationship.index) }
      owner.slots[relationship.index] =
        relationship.isToMany ? .rows(list) : list.keys.last.map { .integer($0) } ?? .null
    }
  }

  /// Loads what relationships to one model lead to, for a record and its neighbors.
  func loadTargets(_ relationship: RelationshipPlan, near record: Record) throws {
    try loadTargets(relationship, of: [record] + neighbors(of: record))
  }

  /// Loads what relationships to one model lead to and is not loaded yet.
  func loadTargets(_ relationship: RelationshipPlan, of owners: [Record]) throws {
    let destination = relationship.destination
    var keys: Set<Int64> = []
    for owner in owners {
      guard !owner.slots.isEmpty else { continue }
      for key in owner.slots[relationship.index].linkedKeys
      where rows.known(destination, key)?.slots.isEmpty != false
        && !rows.alone.contains(destination, key)
      {
        keys.insert(key)
      }
    }
    try loadRows(destination, keys.sorted())
  }

  /// The record and its neighbors that miss the same slot.
  private func owners(of record: Record, missing index: Int) -> [Record] {
    [record]
      + neighbors(of: record).filter { other in
        other.state == .stored && !other.slots.isEmpty && other.slots[index].isFault
      }
  }

  /// The records that come after a record in its fetch.
  private func neighbors(of record: Record) -> [Record] {
    guard let plan = record.entity, let batch = record.batch,
      let place = batch.keys.firstIndex(of: record.key)
    else { return [] }
    let found = batch.keys[batch.keys.index(after: place)...].prefix(Self.neighbors)
      .compactMap { rows.known(plan, $0) }
    // Of one class, as what is loaded for them is.
    return plan.family == nil ? found : found.filter { $0.entity === plan }
  }

  /// Keeps an error of a read, which cannot throw, for the next save.
  private func report(_ what: String, _ error: any Error) {
    let problem =
      (error as? SwiftDataError)
      ?? SwiftDataError.missingRow.saying("\(what): \(error)", underlying: error)
    // A sealed value that does not open is asked for again at each reading.
    guard !pending.problems.contains(where: { "\($0)" == "\(problem)" }) else { return }
    pending.problems.append(problem)
  }
}

/// The keys that one fetch found: what is loaded together when a relationship is first read.
final class FetchBatch {
  let keys: [Int64]

  init(_ keys: [Int64]) { self.keys = keys }
}
