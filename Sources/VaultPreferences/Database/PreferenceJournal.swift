import FoundationEssentials
import VaultStorage

/// The table of changes: the only code that writes, reads and prunes it.
///
/// Entries are as the store has them: in a protected domain, keys are hashed and values sealed.
/// `PreferenceDatabase` opens them for its callers. Sequence numbers are never reused.
struct PreferenceJournal {
  /// The most entries that are kept.
  static let count: Int64 = 20_000
  /// The age up to which entries are kept.
  static let age: Double = 90 * 86_400
  /// The interval, in seconds, within which writes of the same key become one entry.
  static let coalescing: Double = 1

  let connection: SQLiteConnection

  // MARK: Reading

  /// The number of the latest entry; 0 if there is none.
  func latestSequence() throws(StorageError) -> Int64 {
    try connection.int64("SELECT max(sequence) FROM preferences_journal") ?? 0
  }

  /// The entries after a number, the oldest first.
  func entries(
    after sequence: Int64, in domain: PreferenceDomain? = nil
  ) throws -> [JournalEntry] {
    guard let domain else { return try entries("sequence>?", [.integer(sequence)]) }
    return try entries(
      "sequence>? AND domain=? AND host=?",
      [.integer(sequence), .text(domain.name), .text(domain.storedHost)])
  }

  /// The entries of a transaction, the oldest first.
  func entries(of transaction: Int64) throws -> [JournalEntry] {
    try entries("tx=?", [.integer(transaction)])
  }

  private func entries(
    _ condition: String, _ values: [SQLiteValue]
  ) throws -> [JournalEntry] {
    let host = HostIdentity.current
    var found: [JournalEntry] = []
    try connection.forEachRow(
      "SELECT sequence, tx, time, process, domain, host, key, old_type, old_value, new_type, "
        + "new_value, undoes FROM preferences_journal WHERE \(condition) ORDER BY sequence", values
    ) { row in
      found.append(
        JournalEntry(
          sequence: row.int64(at: 0), transaction: row.int64(at: 1),
          date: Date(timeIntervalSince1970: row.double(at: 2)), process: row.string(at: 3),
          domain: PreferenceDomain(
            row.string(at: 4), storedHost: row.string(at: 5), current: host),
          name: row.isNull(at: 6) ? nil : row.string(at: 6), old: row.stored(at: 7),
          new: row.stored(at: 9), undoes: row.isNull(at: 11) ? nil : row.int64(at: 11)))
    }
    return found
  }

  /// The keys that entries after a number are about, the oldest first.
  func touches(after sequence: Int64) throws -> [JournalNews.Touch] {
    let host = HostIdentity.current
    var found: [JournalNews.Touch] = []
    try connection.forEachRow(
      "SELECT sequence, domain, host, key, old_type IS NOT NULL AND new_type IS NOT NULL "
        + "FROM preferences_journal WHERE sequence>? ORDER BY sequence", [.integer(sequence)]
    ) { row in
      found.append(
        JournalNews.Touch(
          sequence: row.int64(at: 0),
          domain: PreferenceDomain(
            row.string(at: 1), storedHost: row.string(at: 2), current: host),
          name: row.isNull(at: 3) ? nil : row.string(at: 3), hasBoth: row.bool(at: 4)))
    }
    return found
  }

  /// The transactions that were neither undone nor undo another one, the latest first.
  ///
  /// - Parameters:
  ///   - date: Only those with an entry from then on.
  ///   - limit: The maximum number.
  /// - Returns: The numbers of the transactions.
  /// - Throws: ``StorageError``.
  func undoable(since date: Date? = nil, limit: Int = .max) throws -> [Int64] {
    try connection.strings(
      """
      SELECT DISTINCT tx FROM preferences_journal WHERE undoes IS NULL AND tx NOT IN
        (SELECT undoes FROM preferences_journal WHERE undoes IS NOT NULL) AND time>=?
      ORDER BY tx DESC LIMIT ?
      """,
      [
        .real(date?.timeIntervalSince1970 ?? -.greatestFiniteMagnitude),
        .integer(Int64(clamping: limit)),
      ]
    ).compactMap { Int64($0) }
  }

  // MARK: Writing

  /// Appends an entry.
  func append(_ entry: JournalEntry) throws {
    let insert = try connection.cached(
      "INSERT INTO preferences_journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    try insert.bind(entry.sequence, at: 1)
    try insert.bind(entry.transaction, at: 2)
    try insert.bind(entry.date.timeIntervalSince1970, at: 3)
    try insert.bind(entry.process, at: 4)
    try insert.bind(entry.domain.name, at: 5)
    try insert.bind(entry.domain.storedHost, at: 6)
    if let name = entry.name { try insert.bind(name, at: 7) } else { try insert.bindNull(at: 7) }
    try insert.bind(entry.old, at: 8)
    try insert.bind(entry.new, at: 10)
    if let undoes = entry.undoes {
      try insert.bind(undoes, at: 12)
    } else {
      try insert.bindNull(at: 12)
    }
    try insert.run()
  }

  /// Merges an entry with the one before it, if both are quick writes of the same key.
  ///
  /// A slider writes sixty times a second. If the entry before is of the same key and process,
  /// alone in its transaction and at most ``coalescing`` old, it is deleted, and this one takes
  /// over its old value.
  ///
  /// - Parameter sequence: An entry that is alone in its transaction.
  /// - Throws: ``StorageError``.
  func coalesce(_ sequence: Int64) throws {
    let before = try connection.first(
      """
      SELECT b.sequence, b.old_type, b.old_value
      FROM preferences_journal AS n JOIN preferences_journal AS b
        ON b.sequence>=n.sequence-8 AND b.sequence<n.sequence AND b.domain=n.domain
          AND b.host=n.host AND b.key=n.key AND b.process=n.process
      WHERE n.sequence=? AND n.time-b.time BETWEEN 0 AND ? AND b.undoes IS NULL
        AND b.tx=b.sequence AND b.old_type IS NOT NULL AND b.new_type IS NOT NULL
        AND n.new_type IS NOT NULL
        AND NOT EXISTS(SELECT 1 FROM preferences_journal WHERE sequence=b.sequence+1 AND tx=b.tx)
      ORDER BY b.sequence DESC LIMIT 1
      """, [.integer(sequence), .real(Self.coalescing)]
    ) { row in (row.int64(at: 0), row.stored(at: 1)) }
    guard let (merged, old) = before else { return }
    let update = try connection.cached(
      "UPDATE preferences_journal SET old_type=?, old_value=? WHERE sequence=?")
    try update.bind(old, at: 1)
    try update.bind(sequence, at: 3)
    try update.run()
    try connection.execute("DELETE FROM preferences_journal WHERE sequence=?", [.integer(merged)])
  }

  /// Deletes what is beyond the journal's bounds.
  ///
  /// - Parameters:
  ///   - sequence: The latest entry, which always stays.
  ///   - now: The current time.
  /// - Throws: ``StorageError``.
  func prune(keeping sequence: Int64, now: Date) throws {
    try connection.execute(
      "DELETE FROM preferences_journal WHERE sequence<? AND (sequence<=? OR time<?)",
      [
        .integer(sequence), .integer(sequence - Self.count),
        .real(now.timeIntervalSince1970 - Self.age),
      ])
  }

  /// Deletes a domain's entries.
  func removeEntries(of domain: PreferenceDomain) throws {
    try connection.execute(
      "DELETE FROM preferences_journal WHERE domain=? AND host=?",
      [.text(domain.name), .text(domain.storedHost)])
  }

  /// Deletes the entries of a domain's parts for hosts that do not exist any more.
  func removeEntries(ofRemovedPartsOf name: String) throws {
    try connection.execute(
      "DELETE FROM preferences_journal WHERE domain=?1 "
        + "AND host NOT IN (SELECT host FROM preferences_domains WHERE name=?1)", [.text(name)])
  }
}

/// A row of the journal as it is stored.
struct JournalEntry {
  let sequence: Int64
  let transaction: Int64
  let date: Date
  let process: String
  let domain: PreferenceDomain
  /// The key, hashed in a protected domain; `nil` for a change of the domain itself.
  let name: String?
  let old: StoredValue?
  let new: StoredValue?
  let undoes: Int64?

  var kind: PreferenceChange.Kind {
    guard old?.type == StoredValue.domainType || new?.type == StoredValue.domainType else {
      return new == nil ? .remove : .set
    }
    guard old != nil else { return .makeDomain }
    guard let new else { return .removeDomain }
    return new.keyID == nil ? .unprotect : .protect
  }
}
