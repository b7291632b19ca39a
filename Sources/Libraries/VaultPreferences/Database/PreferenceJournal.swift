import FoundationEssentials
import VaultStorage

/// The table of changes: the only code that writes, reads and prunes it.
///
/// Entries are as the store has them: in a protected domain, keys are hashed and values sealed.
/// `PreferenceDatabase` opens them for its callers. Sequence numbers are never reused.
struct PreferenceJournal {
  /// How much is kept of each domain, by entries and by the bytes of their values; its latest
  /// transaction is kept whole, however large it is.
  struct Limit {
    var count: Int64 = 20_000
    var bytes: Int64 = 32 << 20

    /// What is left after a cut, so that not every change makes one.
    fileprivate var afterCut: Limit { Limit(count: count / 8 * 7, bytes: bytes / 8 * 7) }

    fileprivate func isExceeded(byCount count: Int64, bytes: Int64) -> Bool {
      count > self.count || bytes > self.bytes
    }
  }

  /// The age up to which entries are kept.
  static let age: Double = 90 * 86_400
  /// The interval, in seconds, within which writes of the same key become one entry.
  static let coalescing: Double = 1
  /// What the entries of a first look undo: nothing, so they are not undone either.
  ///
  /// What another program has had all along was no change.
  static let firstLook: Int64 = 0

  let connection: SQLiteConnection

  // MARK: Reading

  /// The number of the latest entry; 0 if there is none.
  func latestSequence() throws(StorageError) -> Int64 {
    try connection.int64("SELECT max(sequence) FROM preferences_journal") ?? 0
  }

  /// The number of the oldest entry; `nil` if there is none.
  func firstSequence() throws(StorageError) -> Int64? {
    try connection.int64("SELECT min(sequence) FROM preferences_journal")
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

  /// The latest entries, the oldest first.
  func latestEntries(
    after sequence: Int64, in domain: PreferenceDomain?, limit: Int
  ) throws -> [JournalEntry] {
    var condition = "sequence>?"
    var values: [SQLiteValue] = [.integer(sequence)]
    if let domain {
      condition += " AND domain=? AND host=?"
      values += [.text(domain.name), .text(domain.storedHost)]
    }
    return try entries(
      "sequence IN (SELECT sequence FROM preferences_journal WHERE \(condition) "
        + "ORDER BY sequence DESC LIMIT ?)", values + [.integer(Int64(clamping: limit))])
  }

  /// The latest entry of each key of some domains, where certain programs have made it.
  func latestOfKeys(
    after sequence: Int64, inDomainsWith prefix: String, ifBy word: String
  ) throws -> [JournalEntry] {
    // Beside max(), SQLite takes the other columns from the row that has the maximum.
    try entries(
      """
      sequence IN (SELECT latest FROM (
        SELECT max(sequence) AS latest, process AS program FROM preferences_journal
        WHERE sequence>?1 AND substr(domain, 1, length(?2))=?2 AND key IS NOT NULL
        GROUP BY domain, host, key) WHERE instr(program, ?3)>0)
      """, [.integer(sequence), .text(prefix), .text(word)])
  }

  /// The entries of a transaction, the oldest first.
  ///
  /// They lie together, from the one with the transaction's number on.
  func entries(of transaction: Int64) throws -> [JournalEntry] {
    let next = try connection.int64(
      "SELECT sequence FROM preferences_journal WHERE sequence>=?1 AND tx<>?1 "
        + "ORDER BY sequence LIMIT 1", [.integer(transaction)])
    return try entries(
      "sequence>=? AND sequence<?", [.integer(transaction), .integer(next ?? .max)])
  }

  /// How many entries a transaction had when it was committed; `nil` if nothing is known of it.
  ///
  /// A transaction of one entry has no row of its own, and neither has one that an earlier version
  /// wrote: of that, only the beginning can be missing.
  func size(of transaction: Int64, among entries: [JournalEntry]) throws -> Int? {
    if let size = try connection.int64(
      "SELECT changes FROM preferences_transactions WHERE tx=?", [.integer(transaction)])
    {
      return Int(size)
    }
    return entries.last.map { Int($0.sequence - transaction) + 1 }
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

  /// A transaction that can be undone.
  struct Undoable {
    /// Its number.
    let transaction: Int64
    /// The number of the latest transaction that made it count: its own, or that of the one that
    /// took its undo back.
    let latest: Int64
  }

  /// The transactions that count, the latest first.
  ///
  /// They were not undone, or their undo was; nor do they undo another one, or are a first look.
  /// Only the last entry of each is looked at, and only as many as are needed.
  ///
  /// - Parameters:
  ///   - date: Only those from then on.
  ///   - limit: The maximum number.
  /// - Returns: The transactions.
  /// - Throws: ``StorageError``.
  func undoable(since date: Date? = nil, limit: Int = .max) throws -> [Undoable] {
    var found: [Undoable] = []
    // What undoes a transaction comes after it.
    var settled: Set<Int64> = []
    var before = Int64.max
    while found.count < limit,
      let (transaction, time, undoes) = try connection.first(
        "SELECT tx, time, undoes FROM preferences_journal WHERE sequence<? "
          + "ORDER BY sequence DESC LIMIT 1", [.integer(before)],
        { ($0.int64(at: 0), $0.double(at: 1), $0.isNull(at: 2) ? nil : $0.int64(at: 2)) })
    {
      before = transaction
      // What was taken back takes nothing back any more.
      guard !settled.contains(transaction) else { continue }
      var origin = (transaction: transaction, time: time)
      if let undoes {
        settled.insert(undoes)
        guard let redone = try redone(byUndoing: undoes), !settled.contains(redone.transaction)
        else { continue }
        origin = redone
        settled.insert(redone.transaction)
      }
      if date.map({ origin.time >= $0.timeIntervalSince1970 }) ?? true {
        found.append(Undoable(transaction: origin.transaction, latest: transaction))
      }
    }
    return found
  }

  /// The transaction that counts again once an undo of it is undone.
  ///
  /// - Parameter transaction: The transaction that is undone.
  /// - Returns: The transaction and its time; `nil` if what is undone is no undo, or the undo of a
  ///   redo, or if the journal has lost one of them.
  /// - Throws: ``StorageError``.
  private func redone(
    byUndoing transaction: Int64
  ) throws -> (transaction: Int64, time: Double)? {
    var (transaction, isRedo) = (transaction, false)
    while let row = try connection.first(
      "SELECT tx, time, undoes FROM preferences_journal WHERE sequence>=? ORDER BY sequence LIMIT 1",
      [.integer(transaction)],
      { ($0.int64(at: 0), $0.double(at: 1), $0.isNull(at: 2) ? nil : $0.int64(at: 2)) }),
      row.0 == transaction
    {
      guard let undoes = row.2 else { return isRedo ? (transaction, row.1) : nil }
      (transaction, isRedo) = (undoes, !isRedo)
    }
    return nil
  }

  /// What the journal has lost: for each domain, the latest entry that it does not have any more.
  ///
  /// - Parameter sequence: Only losses after this entry.
  /// - Returns: The losses, the latest first.
  /// - Throws: ``StorageError``.
  func losses(after sequence: Int64) throws -> [JournalLoss] {
    let host = HostIdentity.current
    var found: [JournalLoss] = []
    try connection.forEachRow(
      "SELECT domain, host, lost, lost_time FROM preferences_journals WHERE lost>? "
        + "ORDER BY lost DESC", [.integer(sequence)]
    ) { row in
      let name = row.string(at: 0)
      found.append(
        JournalLoss(
          domain: name.isEmpty
            ? nil : PreferenceDomain(name, storedHost: row.string(at: 1), current: host),
          sequence: row.int64(at: 2), date: Date(timeIntervalSince1970: row.double(at: 3))))
    }
    return found
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
  /// A slider writes sixty times a second. If an entry before is of the same key and writer, alone in
  /// its transaction and at most ``coalescing`` old, it is deleted, and this one takes over its old
  /// value: unless anything happened to the key between them, or it has its old value again.
  ///
  /// - Parameters:
  ///   - sequence: An entry that is alone in its transaction.
  ///   - own: The latest such entries of the same writer. Another process of the same name is
  ///     another writer: each of its lines can be undone.
  /// - Returns: The entry that it was merged with; `nil` if there was none.
  /// - Throws: ``StorageError``.
  func coalesce(_ sequence: Int64, own: [Int64]) throws -> Int64? {
    guard !own.isEmpty else { return nil }
    let before = try connection.first(
      """
      SELECT b.sequence, b.old_type, b.old_value
      FROM preferences_journal AS n JOIN preferences_journal AS b
        ON b.sequence>=n.sequence-8 AND b.sequence<n.sequence AND b.domain=n.domain
          AND b.host=n.host AND b.key=n.key AND b.process=n.process
          AND b.new_type IS n.old_type AND b.new_value IS n.old_value
          AND NOT (b.old_type IS n.new_type AND b.old_value IS n.new_value)
      WHERE n.sequence=? AND n.time-b.time BETWEEN 0 AND ? AND b.undoes IS NULL
        AND b.tx=b.sequence AND b.old_type IS NOT NULL AND b.new_type IS NOT NULL
        AND n.new_type IS NOT NULL
        AND NOT EXISTS(SELECT 1 FROM preferences_journal WHERE sequence=b.sequence+1 AND tx=b.tx)
        AND NOT EXISTS(SELECT 1 FROM preferences_journal AS m
          WHERE m.sequence>b.sequence AND m.sequence<n.sequence AND m.domain=n.domain
            AND m.host=n.host AND (m.key=n.key OR m.key IS NULL))
      ORDER BY b.sequence DESC LIMIT 1
      """, [.integer(sequence), .real(Self.coalescing)]
    ) { row in (row.int64(at: 0), row.stored(at: 1)) }
    guard let (merged, old) = before, own.contains(merged) else { return nil }
    let update = try connection.cached(
      "UPDATE preferences_journal SET old_type=?, old_value=? WHERE sequence=?")
    try update.bind(old, at: 1)
    try update.bind(sequence, at: 3)
    try update.run()
    try connection.execute("DELETE FROM preferences_journal WHERE sequence=?", [.integer(merged)])
    return merged
  }

  /// Records how many entries a transaction has.
  func append(size: Int64, of transaction: Int64) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO preferences_transactions VALUES (?, ?)",
      [.integer(transaction), .integer(size)])
  }

  /// Counts what a transaction added to a domain's part of the journal.
  ///
  /// - Returns: Whether that part has become larger than the limit.
  /// - Throws: ``StorageError``.
  func count(
    _ added: JournalTally, in domain: PreferenceDomain, limit: Limit
  ) throws -> Bool {
    try connection.first(
      """
      INSERT INTO preferences_journals(domain, host, changes, bytes) VALUES (?, ?, ?, ?)
      ON CONFLICT(domain, host) DO UPDATE SET
        changes=changes+excluded.changes, bytes=bytes+excluded.bytes
      RETURNING changes, bytes
      """,
      [
        .text(domain.name), .text(domain.storedHost), .integer(added.changes),
        .integer(added.bytes),
      ]
    ) { limit.isExceeded(byCount: $0.int64(at: 0), bytes: $0.int64(at: 1)) } ?? false
  }

  /// Deletes a domain's oldest transactions that are beyond the limit; the latest always stays.
  ///
  /// - Parameters:
  ///   - domain: The domain; what others have of the same transactions stays.
  ///   - limit: How much is kept.
  /// - Throws: ``StorageError``.
  func cut(_ domain: PreferenceDomain, to limit: Limit) throws {
    let place: [SQLiteValue] = [.text(domain.name), .text(domain.storedHost)]
    let kept = limit.afterCut
    // The counts are made anew: earlier versions of this program do not keep them.
    var (whole, begun) = (JournalTally(), JournalTally())
    var transaction: (number: Int64, last: Int64, time: Double, isLatest: Bool)?
    var lost: (sequence: Int64, time: Double)?
    let rows = try connection.cached(
      """
      SELECT sequence, tx, time, coalesce(length(CAST(old_value AS BLOB)), 0)
        + coalesce(length(CAST(new_value AS BLOB)), 0) + coalesce(length(CAST(key AS BLOB)), 0)
      FROM preferences_journal WHERE domain=? AND host=? ORDER BY sequence DESC
      """)
    defer { rows.reset() }
    try rows.bind(place)
    while try rows.step() {
      if rows.int64(at: 1) != transaction?.number {
        whole = begun
        transaction = (
          rows.int64(at: 1), rows.int64(at: 0), rows.double(at: 2), transaction == nil
        )
      }
      begun.changes += 1
      begun.bytes += rows.int64(at: 3)
      if let transaction, !transaction.isLatest,
        kept.isExceeded(byCount: begun.changes, bytes: begun.bytes)
      {
        lost = (transaction.last, transaction.time)
        break
      }
    }
    let remaining = lost == nil ? begun : whole
    rows.reset()
    try connection.execute(
      "UPDATE preferences_journals SET changes=?3, bytes=?4 WHERE domain=?1 AND host=?2",
      place + [.integer(remaining.changes), .integer(remaining.bytes)])
    guard let lost else { return }
    try connection.execute(
      "DELETE FROM preferences_journal WHERE domain=? AND host=? AND sequence<=?",
      place + [.integer(lost.sequence)])
    try connection.execute(
      "UPDATE preferences_journals SET lost=?3, lost_time=?4 WHERE domain=?1 AND host=?2",
      place + [.integer(lost.sequence), .real(lost.time)])
    try forgetSizes()
  }

  /// Deletes entries that are too old.
  ///
  /// - Parameters:
  ///   - sequence: The latest entry, which always stays.
  ///   - now: The current time.
  /// - Throws: ``StorageError``.
  func removeOld(keeping sequence: Int64, now: Date) throws {
    let bounds: [SQLiteValue] = [
      .integer(sequence), .real(now.timeIntervalSince1970 - Self.age),
    ]
    let oldest = try connection.first(
      "SELECT time FROM preferences_journal ORDER BY sequence LIMIT 1"
    ) { $0.double(at: 0) }
    guard let oldest, oldest < now.timeIntervalSince1970 - Self.age else { return }
    try markLost("sequence<?1 AND time<?2", bounds)
    try connection.execute(
      "DELETE FROM preferences_journal WHERE sequence<? AND time<?", bounds)
    try forgetSizes()
  }

  /// Deletes a domain's entries.
  func removeEntries(of domain: PreferenceDomain) throws {
    let place: [SQLiteValue] = [.text(domain.name), .text(domain.storedHost)]
    try markLost("domain=?1 AND host=?2", place)
    try connection.execute("DELETE FROM preferences_journal WHERE domain=? AND host=?", place)
  }

  /// Deletes the entries of a domain's parts for hosts that do not exist any more.
  func removeEntries(ofRemovedPartsOf name: String) throws {
    let condition =
      "domain=?1 AND host NOT IN (SELECT host FROM preferences_domains WHERE name=?1)"
    try markLost(condition, [.text(name)])
    try connection.execute("DELETE FROM preferences_journal WHERE \(condition)", [.text(name)])
  }

  /// Records which entries are about to be deleted, so that neither `undo` nor a reader that
  /// follows the journal takes the rest for all that happened.
  private func markLost(_ condition: String, _ values: [SQLiteValue]) throws {
    try connection.execute(
      """
      INSERT INTO preferences_journals
        SELECT domain, host, -count(*), 0, max(sequence), max(time)
        FROM preferences_journal WHERE \(condition) GROUP BY domain, host
      ON CONFLICT(domain, host) DO UPDATE SET changes=max(0, changes+excluded.changes),
        lost=max(lost, excluded.lost), lost_time=max(lost_time, excluded.lost_time)
      """, values)
  }

  /// Deletes the sizes of transactions of which nothing is left.
  private func forgetSizes() throws {
    try connection.execute(
      "DELETE FROM preferences_transactions WHERE tx + changes <= "
        + "(SELECT min(sequence) FROM preferences_journal)")
  }
}

/// What the journal does not have any more.
struct JournalLoss {
  /// The domain; `nil` if an earlier version of this program deleted it, of any domain.
  let domain: PreferenceDomain?
  /// The latest entry that was deleted.
  let sequence: Int64
  let date: Date
}

/// An amount of entries.
struct JournalTally {
  var changes: Int64 = 0
  /// The bytes of keys and values, old and new.
  var bytes: Int64 = 0
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
