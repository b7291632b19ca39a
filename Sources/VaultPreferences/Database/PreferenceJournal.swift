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
  /// The key; `nil` where the change is one of the domain itself, or where the key is sealed and the
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
    /// The domain's keys and values were sealed; its journal from before is gone.
    case protect
    /// The domain's keys and values were stored plainly again; its journal from before is gone.
    case unprotect
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

  var kind: PreferenceChange.Kind {
    guard old?.type == StoredValue.domainType || new?.type == StoredValue.domainType else {
      return new == nil ? .remove : .set
    }
    guard old != nil else { return .makeDomain }
    guard let new else { return .removeDomain }
    return new.keyID == nil ? .unprotect : .protect
  }
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
      let changes = readable(rows).filter { key == nil || $0.key == key }
      return Array(changes.suffix(limit))
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// Rows as changes; what is sealed is opened where its key is at hand.
  func readable(_ rows: [JournalRow]) -> [PreferenceChange] {
    var sealers: [PreferenceDomain: [[UInt8]: DomainSealer?]] = [:]
    return rows.map { row in
      change(row) { keyID in
        if let known = sealers[row.domain]?[keyID] { return known }
        let sealer = try? sealer(keyID: keyID, of: row.domain)
        sealers[row.domain, default: [:]][keyID] = .some(sealer)
        return sealer
      }
    }
  }

  private func change(
    _ row: JournalRow, _ sealer: ([UInt8]) -> DomainSealer?
  ) -> PreferenceChange {
    var key = row.name
    func opened(_ stored: StoredValue?) -> PreferenceValue? {
      guard let stored, stored.type != StoredValue.domainType else { return nil }
      guard stored.type == StoredValue.sealedType else { return try? stored.preference() }
      guard let name = row.name, let sealer = stored.keyID.flatMap(sealer),
        let (opened, value) = try? sealer.open(stored, name: name, in: row.domain)
      else {
        key = nil
        return nil
      }
      key = opened
      return value
    }
    let (old, new) = (opened(row.old), opened(row.new))
    return PreferenceChange(
      sequence: row.sequence, transaction: row.transaction, time: row.time, process: row.process,
      domain: row.domain, key: key, old: old, new: new, kind: row.kind, undoes: row.undoes)
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

  /// What the journal has after a sequence number, and whether it can be relied on.
  ///
  /// - Parameters:
  ///   - sequence: How far it was read before.
  ///   - readingChanges: Whether the changes themselves are wanted.
  /// - Returns: Entries and numbers of one moment.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  func news(
    after sequence: Int64, readingChanges: Bool = false
  ) throws(PreferenceError) -> JournalNews {
    do {
      // One read transaction: the version belongs to the entries.
      return try store.connection.transaction(.deferred) {
        var touched: [JournalNews.Entry] = []
        var latest: Int64 = 0
        var changes: [PreferenceChange] = []
        if try hasTables() {
          let host = HostIdentity.current
          try store.connection.forEachRow(
            "SELECT sequence, domain, host, key, old_type IS NOT NULL AND new_type IS NOT NULL "
              + "FROM preferences_journal WHERE sequence>? ORDER BY sequence", [.integer(sequence)]
          ) { row in
            touched.append(
              JournalNews.Entry(
                sequence: row.int64(at: 0),
                domain: PreferenceDomain(
                  row.string(at: 1), storedHost: row.string(at: 2), current: host),
                name: row.isNull(at: 3) ? nil : row.string(at: 3), hasBoth: row.bool(at: 4)))
          }
          latest =
            try touched.last?.sequence
            ?? store.connection.int64("SELECT max(sequence) FROM preferences_journal") ?? 0
          if readingChanges, !touched.isEmpty {
            changes = readable(
              try journalRows("sequence>? ORDER BY sequence", [.integer(sequence)]))
          }
        }
        return JournalNews(
          touched: touched, changes: changes, latest: latest,
          dataVersion: try store.connection.dataVersion(),
          isComplete: latest == sequence &+ Int64(touched.count))
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }
}

/// What a reader of the journal finds when it looks again.
struct JournalNews {
  struct Entry {
    let sequence: Int64
    let domain: PreferenceDomain
    /// The key as the journal has it: hashed in a protected domain; `nil` for a change of the domain itself.
    let name: String?
    let hasBoth: Bool

    /// Whether the domain was protected, or is so no more.
    var isOfProtection: Bool { name == nil && hasBoth }
  }

  let touched: [Entry]
  let changes: [PreferenceChange]
  /// The number of the latest entry.
  let latest: Int64
  /// A number that changes when another connection commits.
  let dataVersion: Int64
  /// Whether no entry is missing: quick writes of one key become one, old entries go, those of a domain that is
  /// protected too.
  let isComplete: Bool
}
