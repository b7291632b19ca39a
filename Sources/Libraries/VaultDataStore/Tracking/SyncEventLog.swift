package import VaultStorage

/// Something that synchronizing did to a store, for the programs that have it open.
package struct StoreSyncEvent: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// The store goes along from then on.
    case setup
    /// Changes of other machines came.
    case arrival = "import"
    /// Changes of this machine went out.
    case export
  }

  /// Counted from 1 in each store.
  package var number: Int64 = 0
  /// Higher with each change of any event of the store.
  package var revision: Int64 = 0
  package let kind: Kind
  /// In milliseconds since 1970.
  package var start: Int64
  /// In milliseconds since 1970; `nil` while it goes on.
  package var end: Int64?
  /// What went wrong, as a code; `nil` if nothing did.
  package var error: String?
  package var (inserted, updated, deleted, sent) = (0, 0, 0, 0)

  package init(_ kind: Kind, from start: Int64, to end: Int64? = nil, error: String? = nil) {
    self.kind = kind
    self.start = start
    self.end = end
    self.error = error
  }
}

/// The newest events of a store: the table `appdata_sync_events`.
///
/// ```
/// $ sqlite3 default.store "SELECT kind, inserted, updated, deleted, sent FROM appdata_sync_events"
/// import|3|0|0|0
/// ```
extension SQLiteConnection {
  private static let syncEvents = "appdata_sync_events"
  /// How many are kept.
  private static let kept = 100

  /// Whether the store has a table of events.
  package func hasSyncEvents() throws(StorageError) -> Bool {
    try int64(
      "SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?", [.text(Self.syncEvents)]) == 1
  }

  /// Makes the table where there is none.
  package func makeSyncEvents() throws(StorageError) {
    // A change gives an event another revision: whoever looks again finds it by that.
    try executeScript(
      """
      CREATE TABLE IF NOT EXISTS \(Self.syncEvents)(
        number INTEGER PRIMARY KEY AUTOINCREMENT, revision INTEGER NOT NULL UNIQUE,
        kind TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER, error TEXT,
        inserted INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER NOT NULL,
        sent INTEGER NOT NULL, last_record INTEGER) STRICT
      """)
  }

  /// Removes the table.
  package func removeSyncEvents() throws(StorageError) {
    try executeScript("DROP TABLE IF EXISTS \(Self.syncEvents)")
  }

  /// Adds an event; the oldest goes.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - record: The number of the last record that it made, for one that goes on until that is sent.
  /// - Throws: ``StorageError``.
  package func addSyncEvent(
    _ event: StoreSyncEvent, upTo record: UInt64? = nil
  ) throws(StorageError) {
    try execute(
      "INSERT INTO \(Self.syncEvents)(revision, kind, start, \"end\", error, inserted, updated, "
        + "deleted, sent, last_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(try syncRevision() + 1), .text(event.kind.rawValue), .integer(event.start),
        event.end.map { .integer($0) } ?? .null, event.error.map { .text($0) } ?? .null,
        .integer(Int64(event.inserted)), .integer(Int64(event.updated)),
        .integer(Int64(event.deleted)), .integer(Int64(event.sent)),
        record.map { .integer(Int64(clamping: $0)) } ?? .null,
      ])
    try execute(
      "DELETE FROM \(Self.syncEvents) WHERE number <= "
        + "(SELECT max(number) FROM \(Self.syncEvents)) - \(Self.kept)")
  }

  /// Ends the events whose records are sent.
  ///
  /// - Parameters:
  ///   - record: The number of the last record that is.
  ///   - time: When, in milliseconds since 1970.
  /// - Throws: ``StorageError``.
  package func endSyncEvents(upTo record: UInt64, at time: Int64) throws {
    var open: [Int64] = []
    try forEachRow(
      "SELECT number FROM \(Self.syncEvents) WHERE \"end\" IS NULL AND last_record <= ?",
      [.integer(Int64(clamping: record))]
    ) { open.append($0.int64(at: 0)) }
    for number in open {
      try execute(
        "UPDATE \(Self.syncEvents) SET \"end\"=?, revision=? WHERE number=?",
        [.integer(time), .integer(try syncRevision() + 1), .integer(number)])
    }
  }

  /// The highest revision that an event has; 0 for none.
  package func syncRevision() throws(StorageError) -> Int64 {
    try int64("SELECT max(revision) FROM \(Self.syncEvents)") ?? 0
  }

  /// The events that were made or changed after a revision, in their order.
  package func syncEvents(after revision: Int64) throws -> [StoreSyncEvent] {
    var events: [StoreSyncEvent] = []
    try forEachRow(
      "SELECT number, kind, start, \"end\", error, inserted, updated, deleted, sent, revision "
        + "FROM \(Self.syncEvents) WHERE revision > ? ORDER BY revision", [.integer(revision)]
    ) { row in
      // A later version may know others.
      guard let kind = StoreSyncEvent.Kind(rawValue: row.string(at: 1)) else { return }
      var event = StoreSyncEvent(kind, from: row.int64(at: 2))
      event.number = row.int64(at: 0)
      event.end = row.isNull(at: 3) ? nil : row.int64(at: 3)
      event.error = row.optionalString(at: 4)
      (event.inserted, event.updated) = (row.int(at: 5), row.int(at: 6))
      (event.deleted, event.sent) = (row.int(at: 7), row.int(at: 8))
      event.revision = row.int64(at: 9)
      events.append(event)
    }
    return events
  }
}
