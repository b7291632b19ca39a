package import VaultStorage

/// Brings a store from the schema that it holds to the one that a program knows.
///
/// All of it is one transaction on the file itself: a crash at any point leaves the store as it was
/// or as it is to be, which SQLite's journal sees to. (A migrated copy that is renamed over the
/// store would lose what another process writes meanwhile, and a crash between the rename and the
/// removal of the old log would leave a log beside a file that it does not belong to:
/// sqlite.org/howtocorrupt.html, 1.4.) Of two processes, one migrates; the other waits for the
/// writers' lock and finds it done.
///
/// ```swift
/// let migration = DataStoreMigration(file: file, to: schema)
/// let report = try migration.run(on: connection)
/// report?.warnings.forEach { log($0) }
/// ```
package struct DataStoreMigration {
  /// From one version to the next.
  package struct Stage {
    package typealias Hook = (SQLiteConnection, ExternalChange) throws -> Void

    package var from: StoredSchema
    package var to: StoredSchema
    /// Whether the application has code of its own for it, and so may change types.
    package var isCustom: Bool
    /// Runs over the old tables, inside the transaction.
    package var willMigrate: Hook?
    /// Runs over the new tables, inside the transaction.
    package var didMigrate: Hook?

    package init(
      from: StoredSchema, to: StoredSchema, isCustom: Bool = false, willMigrate: Hook? = nil,
      didMigrate: Hook? = nil
    ) {
      self.from = from
      self.to = to
      self.isCustom = isCustom
      self.willMigrate = willMigrate
      self.didMigrate = didMigrate
    }
  }

  /// The changes of a migration, planned or made.
  package struct Report: Sendable, Equatable {
    package var from: StoredVersion
    package var to: StoredVersion
    /// One line for each difference.
    package var changes: [String] = []
    /// Losses of data that look like mistakes.
    package var warnings: [String] = []
    /// Why it cannot be done; empty once it was.
    package var obstacles: [String] = []
    /// Where the store is as it was before.
    package var backup: String?
  }

  /// The progress: steps are counted by the rows that they go through.
  package struct Progress: Sendable, Equatable {
    package var completed: Int64
    package var total: Int64
  }

  package var file: DataStoreFile
  package var target: StoredSchema
  /// Each begins where the one before ends; empty to go straight to the target.
  package var stages: [Stage]
  /// Whether a copy of the store is left beside it, as `NAME.previous`.
  package var keepsBackup = true
  /// The time to wait for another process that writes or migrates.
  package var patience: Duration = .seconds(600)
  /// The size in bytes above which a value is stored in a file.
  package var threshold = ExternalFiles.threshold
  /// Called before and after each step; ends the migration by an error, and the store is as it was.
  package var progress: ((Progress) throws(StorageError) -> Void)?

  package init(file: DataStoreFile, to target: StoredSchema, stages: [Stage] = []) {
    self.file = file
    self.target = target
    self.stages = stages
    // A program that names its classes and not their version means the plan's last one.
    if let last = stages.last?.to, last.layout == target.layout {
      self.target.version = max(target.version, last.version)
    }
  }

  // MARK: Which way

  /// The stages from what the store holds to the target; empty if there is nothing to do.
  ///
  /// A declared way is gone whatever the versions are, so also back to an earlier one; no way back
  /// is inferred, since it would drop what a newer program has stored.
  ///
  /// - Throws: ``StorageError`` with code `.newerSchema` if the store is ahead of the program,
  ///   `.unknownSchema` if no stage begins with what it holds.
  package func path(from stored: StoredSchema) throws(StorageError) -> [Stage] {
    // Mostly nothing has changed at all, which is seen sooner.
    if stored == target || stored.layout == target.layout { return [] }
    if let named = stored.withoutBackticks {
      return [Stage(from: stored, to: named)] + (try path(from: named))
    }
    if let declared = declaredPath(from: stored) { return declared }
    guard stored.version <= target.version else {
      throw StorageError(
        .newerSchema,
        "\(file.path) has schema \(stored.version), this program knows up to \(target.version)")
    }
    if stages.isEmpty { return [Stage(from: stored, to: target)] }
    let candidates = stages.indices.filter { stages[$0].from.layout == stored.layout }
    let start = candidates.first { stages[$0].from.version == stored.version } ?? candidates.last
    var found: [Stage]
    if let start {
      found = Array(stages[start...])
    } else if stages.last?.to.layout == stored.layout {
      found = []
    } else {
      throw StorageError(
        .unknownSchema,
        "\(file.path) has schema \(stored.version) (\(stored.fingerprint)), which is none of those "
          + "that this program can migrate\(nearest(stored))")
    }
    if let last = found.last?.to ?? stages.last?.to, last.layout != target.layout {
      found.append(Stage(from: last, to: target))
    }
    return found
  }

  /// What the program declares otherwise under the version that the store has.
  private func nearest(_ stored: StoredSchema) -> String {
    let known = stages.flatMap { [$0.from, $0.to] } + [target]
    guard let same = known.first(where: { $0.version == stored.version }) else {
      let versions = Set(known.map(\.version)).sorted().map(\.description)
      return "; it knows \(versions.joined(separator: ", "))"
    }
    let differences = stored.differences(of: same)
    guard !differences.isEmpty else { return "" }
    return "; its schema \(same.version) \(differences.joined(separator: ", and "))"
  }

  /// The shortest way along the stages; `nil` if none leads to the target.
  private func declaredPath(from stored: StoredSchema) -> [Stage]? {
    func isExact(_ stage: Stage) -> Bool { stage.from.version == stored.version }
    let starts = stages.filter { $0.from.layout == stored.layout }
    // Versions with the same layout differ only in their numbers.
    var open = (starts.contains(where: isExact) ? starts.filter(isExact) : starts).map { [$0] }
    var seen: Set<String> = [stored.layout]
    while !open.isEmpty {
      if let found = open.first(where: { $0.last?.to.layout == target.layout }) { return found }
      open = open.flatMap { path -> [[Stage]] in
        guard let end = path.last?.to, seen.insert(end.layout).inserted else { return [] }
        return stages.filter { $0.from.layout == end.layout && $0.from.version == end.version }
          .map { path + [$0] }
      }
    }
    return nil
  }

  // MARK: Dry run

  /// The changes that ``run(on:)`` would make; nothing is written.
  ///
  /// Rows are looked at for the first stage; what later stages find depends on what it makes of
  /// them.
  ///
  /// - Parameter connection: Reading suffices.
  /// - Returns: `nil` if there is nothing to do.
  /// - Throws: As ``path(from:)``.
  package func outline(on connection: SQLiteConnection) throws -> Report? {
    guard let metadata = try connection.readDataStoreMetadata(path: file.path) else { return nil }
    let path = try path(from: metadata.schema)
    guard !path.isEmpty else { return nil }
    var report = Report(from: metadata.schema.version, to: target.version)
    for (number, stage) in path.enumerated() {
      let plan: MigrationPlan
      do {
        plan = try MigrationPlan(
          from: number == 0 ? metadata.schema : stage.from, to: stage.to, isCustom: stage.isCustom)
      } catch {
        report.obstacles.append(error.message)
        return report
      }
      report.changes += plan.changes
      guard number == 0 else { continue }
      report.warnings += try plan.warnings(on: connection)
      // The application's own step may remove them first.
      if stage.willMigrate == nil { report.obstacles += try plan.obstacles(on: connection) }
    }
    return report
  }

  // MARK: Doing it

  /// Migrates, if there is anything to do; a store's opening.
  ///
  /// External files that no row names are swept away in any case.
  ///
  /// - Parameter connection: Writing, without a transaction; foreign keys are enforced afterwards.
  /// - Returns: `nil` if there was nothing to do.
  /// - Throws: ``StorageError`` with code `.migration` if rows or schema do not allow it, and as
  ///   ``path(from:)``; what a hook throws. The store is as it was.
  package func run(on connection: SQLiteConnection) throws -> Report? {
    guard let found = try connection.readDataStoreMetadata(path: file.path) else { return nil }
    let files = ExternalFiles(store: file)
    if try path(from: found.schema).isEmpty,
      found.schema.describesTheSame(as: target) || found.schema.version > target.version
    {
      // Cleans up after a crash; while another process writes, the next opening does it.
      _ = try? files.sweep(connection)
      return nil
    }
    // Outside the transaction: inside, the pragma does nothing (sqlite.org/pragma.html).
    try connection.executeScript("PRAGMA foreign_keys=OFF")
    connection.setBusyTimeout(patience)
    defer {
      connection.setBusyTimeout(.seconds(5))
      try? connection.executeScript("PRAGMA foreign_keys=ON")
    }
    let report = try files.transaction(on: connection) { change in
      try migrate(connection, change)
    }
    // Includes files that only dropped columns named.
    _ = try? files.sweep(connection)
    return report
  }

  private func migrate(_ connection: SQLiteConnection, _ change: ExternalChange) throws -> Report? {
    // Again: another process may have done it while this one waited.
    guard let metadata = try connection.readDataStoreMetadata(path: file.path) else { return nil }
    let path = try path(from: metadata.schema)
    guard !path.isEmpty else {
      if metadata.schema.version <= target.version { try connection.writeSchema(target) }
      return nil
    }
    var report = Report(from: metadata.schema.version, to: target.version)
    if keepsBackup {
      report.backup = try DataStoreCopy(file: file).makeBeforeMigration(
        metadata.schema, progress: progress == nil ? nil : noteCopying)
    }
    var stored = metadata.schema
    for stage in path {
      if let hook = stage.willMigrate {
        try hook(connection, change)
        try connection.removeLooseLinks(stored)
      }
      let plan = try MigrationPlan(from: stored, to: stage.to, isCustom: stage.isCustom)
      report.changes += plan.changes
      report.warnings += try plan.warnings(on: connection)
      if let obstacle = try plan.obstacles(on: connection).first {
        throw StorageError(.migration, obstacle)
      }
      try run(plan, connection, change)
      try connection.renameTextFormColumns(plan.columnNames)
      if stored.withoutBackticks != nil { try connection.dropBackticksOfHistory() }
      try connection.writeSchema(stage.to)
      if let hook = stage.didMigrate {
        try hook(connection, change)
        try connection.removeLooseLinks(stage.to)
      }
      stored = stage.to
    }
    try connection.writeSchema(target)
    try connection.setMetadata("migrated_from", metadata.schema.version.description)
    if let violation = try connection.foreignKeyCheck().first {
      throw StorageError(
        .migration,
        "after the migration, row \(violation.row ?? 0) of \(violation.table) would name nothing "
          + "in \(violation.parent)")
    }
    return report
  }

  /// Rows are counted when the copy is there.
  private func noteCopying(_ pages: Int, of all: Int) throws(StorageError) {
    try progress?(Progress(completed: 0, total: 0))
  }

  private func run(
    _ plan: MigrationPlan, _ connection: SQLiteConnection, _ change: ExternalChange
  ) throws {
    var counts: [String: Int64] = [:]
    func rows(_ table: String) -> Int64 {
      if let count = counts[table] { return count }
      let count = (try? connection.int64("SELECT count(*) FROM \(SQLText.name(table))")) ?? nil
      counts[table] = count ?? 0
      return count ?? 0
    }
    let weights = plan.steps.map { 1 + ($0.table.map(rows) ?? 0) }
    var done = Progress(completed: 0, total: weights.reduce(0, +))
    for (step, weight) in zip(plan.steps, weights) {
      try progress?(done)
      switch step {
      case .sql(let sql, _):
        try connection.executeMigrationStep(sql)
      case .moveOut(let table, let column):
        try moveOut(table, column, connection, change)
      case .moveIn(let table, let column):
        try moveIn(table, column, connection, change)
      }
      done.completed += weight
    }
    try progress?(done)
  }

  private func moveOut(
    _ table: String, _ column: String, _ connection: SQLiteConnection, _ change: ExternalChange
  ) throws {
    let (table, column) = (SQLText.name(table), SQLText.name(column))
    let key = SQLText.name(StoredEntity.keyColumn)
    var last = Int64.min
    // One at a time: a value may be large.
    while let (id, bytes) = try connection.first(
      "SELECT \(key), \(column) FROM \(table) WHERE \(key)>? AND typeof(\(column))='blob' "
        + "AND length(\(column))>? ORDER BY \(key) LIMIT 1",
      [.integer(last), .integer(Int64(threshold))],
      { ($0.int64(at: 0), $0.bytes(at: 1)) })
    {
      let reference = try change.publish(bytes)
      try connection.execute(
        "UPDATE \(table) SET \(column)=? WHERE \(key)=?", [.text(reference.text), .integer(id)])
      last = id
    }
  }

  private func moveIn(
    _ table: String, _ column: String, _ connection: SQLiteConnection, _ change: ExternalChange
  ) throws {
    let (table, column) = (SQLText.name(table), SQLText.name(column))
    let key = SQLText.name(StoredEntity.keyColumn)
    let files = ExternalFiles(store: file)
    while let (id, text) = try connection.first(
      "SELECT \(key), \(column) FROM \(table) WHERE typeof(\(column))='text' LIMIT 1", [],
      { ($0.int64(at: 0), $0.string(at: 1)) })
    {
      guard let reference = ExternalReference(text) else {
        throw StorageError(.damaged, "row \(id) of \(table) names no external file")
      }
      try connection.execute(
        "UPDATE \(table) SET \(column)=? WHERE \(key)=?",
        [.blob(try files.read(reference)), .integer(id)])
      change.retire(reference)
    }
  }
}

extension MigrationPlan.Step {
  var table: String? {
    switch self {
    case .sql(_, let table): table
    case .moveOut(let table, _), .moveIn(let table, _): table
    }
  }
}

extension MigrationPlan {
  /// The losses that would happen to the rows that there are.
  func warnings(on connection: SQLiteConnection) throws(StorageError) -> [String] {
    var found: [String] = []
    for risk in risks {
      do {
        if try connection.int64(risk.query) == nil { continue }
      } catch {
        // Asked of tables that have another name until then: rather said once too often.
        guard error.code == .statement else { throw error }
      }
      found.append(risk.message)
    }
    return found
  }

  /// Why the rows that there are do not allow it.
  func obstacles(on connection: SQLiteConnection) throws(StorageError) -> [String] {
    var found: [String] = []
    for requirement in requirements {
      switch requirement {
      case .noRows(let property, let table):
        if try connection.int64("SELECT 1 FROM \(SQLText.name(table)) LIMIT 1") != nil {
          found.append(
            "\(property) is new and required, but has no default value for the rows that there are")
        }
      case .noNulls(let property, let table, let column):
        let count =
          try connection.int64(
            "SELECT count(*) FROM \(SQLText.name(table)) WHERE \(SQLText.name(column)) IS NULL")
          ?? 0
        if count > 0 {
          found.append(
            "\(property) is now required, but \(Plural.of(Int(count), "row")) "
              + "\(count == 1 ? "has" : "have") no value")
        }
      case .noDuplicates(let property, let table, let columns):
        let list = columns.map(SQLText.name).joined(separator: ", ")
        let present = columns.map { "\(SQLText.name($0)) IS NOT NULL" }.joined(separator: " AND ")
        // Row numbers, never values: errors must not contain data.
        var rows = try connection.string(
          "SELECT group_concat(_id, ', ') FROM \(SQLText.name(table)) WHERE \(present) "
            + "GROUP BY \(list) HAVING count(*)>1 ORDER BY min(_id) LIMIT 1")
        if rows == nil { rows = try connection.rowsOfEqualText(table, columns) }
        if let rows {
          found.append("\(property) is now unique, but has the same value in rows \(rows)")
        }
      }
    }
    return found
  }
}

extension SQLiteConnection {
  fileprivate func executeMigrationStep(_ sql: String) throws(StorageError) {
    do {
      // One statement: names in it come out of the store's own metadata.
      try execute(sql)
    } catch {
      guard error.code == .constraint else { throw error }
      throw StorageError(
        .migration, "the rows do not fit the new schema: \(error.message)",
        databaseError: error.databaseError, sql: sql)
    }
  }

  /// Removes links and inherited rows whose other end is gone: while foreign keys are off, their
  /// ON DELETE CASCADE does not work.
  func removeLooseLinks(_ schema: StoredSchema) throws(StorageError) {
    let key = SQLText.name(StoredEntity.keyColumn)
    func remove(_ table: String, _ column: String, _ other: String) throws(StorageError) {
      try execute(
        "DELETE FROM \(SQLText.name(table)) WHERE \(SQLText.name(column)) NOT IN "
          + "(SELECT \(key) FROM \(SQLText.name(other)))")
    }
    for (owner, destination, join) in schema.joins {
      try remove(join.table, join.owner, owner.table)
      try remove(join.table, join.destination, destination.table)
    }
    // From the root down.
    for entity in schema.entities.sorted(by: {
      schema.lineage(of: $0).count < schema.lineage(of: $1).count
    }) {
      if let parent = entity.superentity.flatMap({ schema.entity($0) }) {
        try remove(entity.table, StoredEntity.keyColumn, parent.table)
      }
    }
  }
}
