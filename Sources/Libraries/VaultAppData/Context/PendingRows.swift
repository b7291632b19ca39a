import Synchronization
import VaultDataStore
import VaultStorage

/// Pending changes of a context as temporary tables, which its queries see in place of the store's.
///
/// A query begins with `WITH "Trip" AS (…)`: the store's rows without those that have changes, and
/// the pending ones. Conditions, orders, limits and counts are then SQLite's, and right by
/// construction; nothing is written to the store, and no lock is taken.
final class PendingRows {
  private static let next = Atomic<Int>(0)

  private let plans: [EntityPlan]
  /// The store's join tables, each as its leading side names it.
  private let joins: [StoredJoin]
  /// Part of the tables' names.
  private let number: Int
  // Added to with every change, by the one thread that the context belongs to.
  @safe @exclusivity(unchecked) private var touched: [_AppData.Record] = []
  private var touchedPairs: Set<PairKey> = []
  /// Rows that are to be deleted and have no record.
  private var touchedKeys: [(plan: EntityPlan, keys: KeyRanges)] = []
  /// What is in the temporary tables.
  struct State {
    /// Entities whose temporary table exists, and whether it has rows.
    fileprivate var tables: [Int: Bool] = [:]
    fileprivate var pairTables: [String: Bool] = [:]
    /// By entity: the keys of the rows in its table.
    fileprivate var written: [Int: Set<Int64>] = [:]
  }

  /// What is in the tables; to be set where a part of a transaction is rolled back.
  var state = State()
  private var tables: [Int: Bool] {
    get { state.tables }
    _modify { yield &state.tables }
  }
  private var pairTables: [String: Bool] {
    get { state.pairTables }
    _modify { yield &state.pairTables }
  }
  private var written: [Int: Set<Int64>] {
    get { state.written }
    _modify { yield &state.written }
  }
  /// By entity: what puts a new row into its table.
  private var insertions: [Int: String] = [:]

  /// - Parameters:
  ///   - plans: The container's entities.
  ///   - store: Which of its stores.
  ///   - isAlone: Whether no other context uses the connection at the same time: then every
  ///     context's tables have the same names, and their statements serve the next one.
  init(_ plans: [EntityPlan], store: Int, isAlone: Bool) {
    self.plans = plans
    number = isAlone ? 0 : PendingRows.next.add(1, ordering: .relaxed).newValue
    // A class below another one has its relationships, too.
    var seen: Set<String> = []
    joins = plans.filter { $0.store == store }.flatMap(\.relationships)
      .filter(\.isLeading).compactMap(\.join).filter { seen.insert($0.table).inserted }
  }

  func touch(_ record: _AppData.Record) {
    guard !record.isTouched else { return }
    record.isTouched = true
    touched.append(record)
  }

  func touch(_ pair: PairKey) { touchedPairs.insert(pair) }

  func touch(_ keys: KeyRanges, of plan: EntityPlan) { touchedKeys.append((plan, keys)) }

  /// Whether something is pending that is not in the tables yet.
  var isBehind: Bool { !touched.isEmpty || !touchedPairs.isEmpty || !touchedKeys.isEmpty }

  /// Brings the tables to what is pending now, and notes the forms of its text.
  func write(_ connection: StoreConnection, pairs: [PairKey: Int]) throws {
    guard isBehind else { return }
    do {
      try connection.sqlite.savepoint {
        // Before the records: one of these rows may have got one since.
        for (plan, keys) in touchedKeys { try write(keys, plan, connection.sqlite) }
        for record in touched { try write(record, connection.sqlite) }
        for pair in touchedPairs { try write(pair, pairs[pair], connection.sqlite) }
      }
    } catch {
      // Which of them are in the tables is not known any more.
      for record in touched {
        for part in record.entity?.parts ?? [] {
          written[part.entity.index, default: []].insert(record.key)
        }
      }
      throw error
    }
    for record in touched { record.isTouched = false }
    touched.removeAll()
    touchedPairs.removeAll()
    touchedKeys.removeAll()
  }

  /// Brings the tables to what is pending now.
  ///
  /// - Returns: What a query begins with; empty if nothing is pending.
  func prefix(_ connection: StoreConnection, pairs: [PairKey: Int]) throws -> String {
    try write(connection, pairs: pairs)
    var parts: [String] = []
    for (index, hasRows) in tables.sorted(by: { $0.key < $1.key }) where hasRows {
      let plan = plans[index]
      let all = plan.columns + plan.ordered.compactMap { plan.slots[$0].orderColumn }
      let columns = all.map(SQLText.name).joined(separator: ", ")
      parts.append(
        "\(plan.table) AS (SELECT \(columns) FROM main.\(plan.table) WHERE \(key) NOT IN "
          + "(SELECT \(key) FROM temp.\(name(plan))) UNION ALL "
          + "SELECT \(columns) FROM temp.\(name(plan)) WHERE _deleted=0)")
    }
    for join in joins where pairTables[join.table] == true {
      let own = SQLText.name(join.owner)
      let other = SQLText.name(join.destination)
      let columns = [join.owner, join.destination, join.position, join.inversePosition]
        .compactMap { $0.map(SQLText.name) }.joined(separator: ", ")
      parts.append(
        "\(SQLText.name(join.table)) AS (SELECT \(columns) FROM main.\(SQLText.name(join.table)) "
          + "WHERE (\(own), \(other)) NOT IN (SELECT \(own), \(other) FROM temp.\(name(join))) "
          + "UNION ALL SELECT \(columns) FROM temp.\(name(join)) WHERE _deleted=0)")
    }
    return parts.isEmpty ? "" : "WITH \(parts.joined(separator: ", ")) "
  }

  private var key: String { StoredEntity.keyColumn }

  private func name(_ plan: EntityPlan) -> String {
    SQLText.name("pending_\(number)_\(plan.stored.table)")
  }

  private func name(_ join: StoredJoin) -> String {
    SQLText.name("pending_\(number)_\(join.table)")
  }

  private func write(_ record: _AppData.Record, _ connection: SQLiteConnection) throws {
    guard let plan = record.entity else { return }
    guard plan.family == nil else {
      for part in plan.parts { try write(record, part.entity, part, connection) }
      return
    }
    try write(record, plan, nil, connection)
  }

  /// Brings the table of one class to a record; `part` is what of the record is in it, all if
  /// `nil`.
  private func write(
    _ record: _AppData.Record, _ plan: EntityPlan, _ part: TablePart?,
    _ connection: SQLiteConnection
  ) throws {
    let table = try table(plan, connection)
    if written[plan.index, default: []].insert(record.key).inserted == false {
      try connection.execute("DELETE FROM \(table) WHERE \(key)=?", [.integer(record.key)])
    }
    switch record.state {
    case .inserted:
      let statement = try connection.cached(insertion(plan, table))
      if let part, let own = record.entity {
        try own.bindAll(record, part, to: statement, isChecked: false)
      } else {
        try plan.bindAll(record, to: statement, isChecked: false)
      }
      try statement.run()
    case .stored:
      guard record.hasChanges else { return }
      // Also where nothing but a to-many has changed: the row is to go with the others.
      tables[plan.index] = true
      try connection.execute(
        "INSERT INTO \(table) SELECT *, 0 FROM main.\(plan.table) WHERE \(key)=?",
        [.integer(record.key)])
      let own = record.entity ?? plan
      let slots = (part?.bound ?? plan.bound).filter(record.changed.contains)
      guard !slots.isEmpty else { return }
      let statement = try connection.cached(
        own.update(slots).replacingOccurrences(
          of: "UPDATE \(plan.table) ", with: "UPDATE \(table) "))
      try own.bind(record, slots, to: statement, isChecked: false)
      try statement.run()
    case .deleted, .gone, .detached:
      try connection.execute(
        "INSERT INTO \(table)(\(key), _deleted) VALUES (?, 1)", [.integer(record.key)])
    }
    tables[plan.index] = true
  }

  /// Hides rows that are to be deleted and have no record.
  private func write(
    _ keys: KeyRanges, _ plan: EntityPlan, _ connection: SQLiteConnection
  ) throws {
    let table = try table(plan, connection)
    try connection.forParts(of: keys) { condition, values in
      try connection.execute(
        "INSERT OR REPLACE INTO \(table)(\(key), _deleted) "
          + "SELECT \(key), 1 FROM main.\(plan.table) WHERE \(key) \(condition)", values)
    }
    written[plan.index, default: []].formUnion(keys.keys)
    tables[plan.index] = true
  }

  /// The temporary table of a class, made if there is none yet.
  private func table(_ plan: EntityPlan, _ connection: SQLiteConnection) throws -> String {
    let table = "temp.\(name(plan))"
    if tables[plan.index] == nil {
      try connection.executeScript(
        "CREATE TABLE \(table) AS SELECT *, 0 AS _deleted FROM main.\(plan.table) LIMIT 0; "
          + "CREATE UNIQUE INDEX temp.\(SQLText.name("pending_\(number)_\(plan.index)")) "
          + "ON \(name(plan))(\(key))")
      tables[plan.index] = false
    }
    return table
  }

  private func insertion(_ plan: EntityPlan, _ table: String) -> String {
    if let made = insertions[plan.index] { return made }
    let made = plan.insertion.replacingOccurrences(
      of: "INSERT INTO \(plan.table)(", with: "INSERT INTO \(table)(_deleted, "
    )
    .replacingOccurrences(of: "VALUES (", with: "VALUES (0, ")
    insertions[plan.index] = made
    return made
  }

  private func write(
    _ pair: PairKey, _ change: Int?, _ connection: SQLiteConnection
  ) throws {
    guard let join = plans[pair.entity].relationshipByProperty[pair.property]?.join else { return }
    let table = "temp.\(name(join))"
    if pairTables[join.table] == nil {
      try connection.executeScript(
        "CREATE TABLE \(table) AS SELECT *, 0 AS _deleted FROM main.\(SQLText.name(join.table)) LIMIT 0"
      )
    }
    pairTables[join.table] = true
    let own = SQLText.name(join.owner)
    let other = SQLText.name(join.destination)
    let keys: [SQLiteValue] = [.integer(pair.owner), .integer(pair.destination)]
    try connection.execute("DELETE FROM \(table) WHERE \(own)=? AND \(other)=?", keys)
    guard let change else { return }
    try connection.execute(
      "INSERT INTO \(table)(\(own), \(other), _deleted) VALUES (?, ?, \(change > 0 ? 0 : 1))", keys)
  }

  /// Empties the tables: nothing is pending any more.
  func clear(_ connection: StoreConnection?) {
    for record in touched { record.isTouched = false }
    touched.removeAll()
    touchedPairs.removeAll()
    touchedKeys.removeAll()
    guard let connection else { return }
    for (index, hasRows) in tables where hasRows {
      try? connection.sqlite.execute("DELETE FROM temp.\(name(plans[index]))")
      tables[index] = false
    }
    written.removeAll()
    for (table, hasRows) in pairTables where hasRows {
      try? connection.sqlite.execute(
        "DELETE FROM temp.\(SQLText.name("pending_\(number)_\(table)"))")
      pairTables[table] = false
    }
  }

  /// Drops the tables, for the connection to serve another context.
  func drop(_ connection: StoreConnection) {
    for index in tables.keys {
      try? connection.sqlite.executeScript("DROP TABLE temp.\(name(plans[index]))")
    }
    for table in pairTables.keys {
      try? connection.sqlite.executeScript(
        "DROP TABLE temp.\(SQLText.name("pending_\(number)_\(table)"))")
    }
    forget()
  }

  /// Notes that the tables are gone, with the connection or with a transaction.
  func forget() {
    tables.removeAll()
    pairTables.removeAll()
    written.removeAll()
  }
}
