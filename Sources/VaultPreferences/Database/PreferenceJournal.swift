import FoundationEssentials
import VaultStorage

/// One change, as the journal has it.
public struct PreferenceChange: Sendable, Equatable {
  /// Grows by each change; where a reader left off.
  public let sequence: Int64
  /// Changes with the same number were made together.
  public let transaction: Int64
  /// Seconds since 1970.
  public let time: Double
  /// Which program made it.
  public let process: String
  /// Where.
  public let domain: PreferenceDomain
  /// The key; `nil` where the domain itself was made or removed, or where the key is sealed and the
  /// domain's key is not at hand.
  public let key: String?
  /// The value before; `nil` if there was none, or it is sealed.
  public let old: PreferenceValue?
  /// The value after; `nil` if the key was removed, or it is sealed.
  public let new: PreferenceValue?
  /// What happened.
  public let kind: Kind
  /// The transaction that this one took back.
  public let undoes: Int64?

  /// What a change does.
  public enum Kind: String, Sendable {
    /// The key got a value.
    case set
    /// The key was removed.
    case remove
    /// The domain was made.
    case makeDomain = "make-domain"
    /// The domain was removed.
    case removeDomain = "remove-domain"
  }
}

/// A row of the journal with its columns as they are.
struct JournalRow {
  let sequence: Int64
  let transaction: Int64
  let time: Double
  let process: String
  let domain: PreferenceDomain
  let name: String?
  let old: StoredValue?
  let new: StoredValue?
  let undoes: Int64?
}

extension PreferenceDatabase {
  /// The journal's bounds.
  static let journalCount: Int64 = 20_000
  static let journalAge: Double = 90 * 86_400

  func pruneJournal(keeping sequence: Int64) throws {
    try store.connection.execute(
      "DELETE FROM preferences_journal WHERE sequence<? AND (sequence<=? OR time<?)",
      [
        .integer(sequence), .integer(sequence - Self.journalCount),
        .real(now().timeIntervalSince1970 - Self.journalAge),
      ])
  }

  /// The sequence number of the latest change; 0 if there is none.
  package func latestSequence() throws(PreferenceError) -> Int64 {
    do {
      guard try hasTables() else { return 0 }
      return try store.connection.int64("SELECT max(sequence) FROM preferences_journal") ?? 0
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  func journalRows(_ condition: String, _ values: [SQLiteValue]) throws -> [JournalRow] {
    guard try hasTables() else { return [] }
    let host = HostIdentity.current
    var rows: [JournalRow] = []
    try store.connection.forEachRow(
      "SELECT sequence, tx, time, process, domain, host, key, old_type, old_value, new_type, "
        + "new_value, undoes FROM preferences_journal WHERE \(condition)", values
    ) { row in
      rows.append(
        JournalRow(
          sequence: row.int64(at: 0), transaction: row.int64(at: 1), time: row.double(at: 2),
          process: row.string(at: 3),
          domain: PreferenceDomain(
            row.string(at: 4), storedHost: row.string(at: 5), current: host),
          name: row.isNull(at: 6) ? nil : row.string(at: 6), old: row.stored(at: 7),
          new: row.stored(at: 9), undoes: row.isNull(at: 11) ? nil : row.int64(at: 11)))
    }
    return rows
  }

  /// Changes after a sequence number, the oldest first.
  ///
  /// - Parameters:
  ///   - sequence: Where to go on.
  ///   - domain: Only changes there.
  ///   - key: Only changes of this key.
  ///   - limit: The latest of them.
  /// - Returns: The changes.
  /// - Throws: ``PreferenceError``.
  package func changes(
    after sequence: Int64 = 0, in domain: PreferenceDomain? = nil, key: String? = nil,
    limit: Int = .max
  ) throws(PreferenceError) -> [PreferenceChange] {
    do {
      var condition = "sequence>?"
      var values: [SQLiteValue] = [.integer(sequence)]
      if let domain {
        condition += " AND domain=? AND host=?"
        values += [.text(domain.name), .text(domain.storedHost)]
      }
      let rows = try journalRows(condition + " ORDER BY sequence", values)
      let changes = rows.map { change($0) }.filter { key == nil || $0.key == key }
      return Array(changes.suffix(limit))
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  private func change(_ row: JournalRow) -> PreferenceChange {
    let isDomain = row.old?.type == "domain" || row.new?.type == "domain"
    var key = row.name
    let old = opened(row.old, named: row.name, in: row.domain, &key)
    let new = opened(row.new, named: row.name, in: row.domain, &key)
    return PreferenceChange(
      sequence: row.sequence, transaction: row.transaction, time: row.time, process: row.process,
      domain: row.domain, key: key, old: old, new: new,
      kind: isDomain
        ? row.new == nil ? .removeDomain : .makeDomain : row.new == nil ? .remove : .set,
      undoes: row.undoes)
  }

  /// The value of a journal entry; what is sealed and cannot be opened is `nil`, and its key too.
  private func opened(
    _ stored: StoredValue?, named name: String?, in domain: PreferenceDomain, _ key: inout String?
  ) -> PreferenceValue? {
    guard let stored, stored.type != "domain" else { return nil }
    guard stored.type == "sealed" else { return try? stored.preference() }
    guard let row = try? row(of: domain), let sealer = try? sealer(for: row),
      let stored = name.flatMap({ try? sealer.open(stored, name: $0, in: domain) })
    else {
      key = nil
      return nil
    }
    key = stored.key
    return stored.value
  }

  /// The latest transactions that were neither taken back nor take one back, the latest first.
  func undoable(where condition: String, _ values: [SQLiteValue]) throws -> [Int64] {
    guard try hasTables() else { return [] }
    return try store.connection.strings(
      "SELECT DISTINCT tx FROM preferences_journal WHERE undoes IS NULL AND tx NOT IN "
        + "(SELECT undoes FROM preferences_journal WHERE undoes IS NOT NULL) AND \(condition) "
        + "ORDER BY tx DESC", values
    ).compactMap { Int64($0) }
  }

  /// The latest transactions that can be taken back.
  package func undoable(latest count: Int) throws(PreferenceError) -> [Int64] {
    do {
      return Array(try undoable(where: "1", []).prefix(count))
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// The transactions since a moment, in seconds since 1970, that can be taken back.
  package func undoable(since time: Double) throws(PreferenceError) -> [Int64] {
    do {
      return try undoable(where: "time>=?", [.real(time)])
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// Takes transactions back, each in a transaction of its own kind, all or none.
  ///
  /// - Parameters:
  ///   - transactions: Their numbers.
  ///   - isForced: Also where a later change of the same key would be lost.
  /// - Returns: How many changes were taken back.
  /// - Throws: ``PreferenceError`` with code `.notFound` if the journal does not have one (any more),
  ///   `.conflict` if a key was changed since.
  package func undo(
    _ transactions: [Int64], isForced: Bool = false
  ) throws(PreferenceError) -> Int {
    do {
      var count = 0
      try store.write { _ in
        for number in transactions.sorted(by: >) {
          let rows = try journalRows("tx=? ORDER BY sequence DESC", [.integer(number)])
          guard !rows.isEmpty else {
            throw PreferenceError(.notFound, "the journal has no transaction \(number)")
          }
          let transaction = PreferenceTransaction(self, undoes: number)
          for row in rows { count += try undo(row, transaction, isForced: isForced) ? 1 : 0 }
          try transaction.finish()
        }
      }
      return count
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  private func undo(
    _ row: JournalRow, _ transaction: PreferenceTransaction, isForced: Bool
  ) throws -> Bool {
    guard let name = row.name else {
      if row.new != nil {
        // The domain was made; others may have put keys into it since.
        if let contents = try? transaction.contents(of: row.domain), contents.isEmpty {
          try transaction.removeDomain(row.domain)
        }
      } else {
        try transaction.make(row.domain)
      }
      return false
    }
    let current = try self.row(of: row.domain).flatMap { try stored(name, in: $0.id) }
    guard isForced || current == row.new else {
      throw PreferenceError(
        .conflict,
        "a key of \(row.domain.name) was changed after transaction \(row.transaction)")
    }
    try transaction.restore(row.old, name: name, in: row.domain)
    return true
  }
}
