package import FoundationEssentials
import VaultStorage

/// The journal for readers: sealed entries are opened where their key is available.
extension PreferenceDatabase {
  /// The journal; `nil` as long as the store has no tables.
  func journal() throws(StorageError) -> PreferenceJournal? {
    try hasTables() ? PreferenceJournal(connection: store.connection) : nil
  }

  /// The number of the latest change; 0 if there is none.
  package func latestSequence() throws(PreferenceError) -> Int64 {
    try PreferenceError.wrapping { try journal()?.latestSequence() ?? 0 }
  }

  /// Changes after a number, the oldest first.
  ///
  /// - Parameters:
  ///   - sequence: The number to continue after.
  ///   - domain: Only changes of this domain.
  ///   - key: Only changes of this key.
  ///   - limit: The maximum number; the latest are returned.
  /// - Returns: The changes.
  /// - Throws: ``PreferenceError``.
  package func changes(
    after sequence: Int64 = 0, in domain: PreferenceDomain? = nil, key: String? = nil,
    limit: Int = .max
  ) throws(PreferenceError) -> [PreferenceChange] {
    try PreferenceError.wrapping {
      guard let journal = try journal() else { return [] }
      guard let key else {
        return changes(try journal.latestEntries(after: sequence, in: domain, limit: limit))
      }
      let entries = try journal.entries(after: sequence, in: domain)
      return Array(changes(entries).filter { $0.key == key }.suffix(limit))
    }
  }

  /// The latest change of each key of some domains, where certain programs have made it.
  ///
  /// - Parameters:
  ///   - sequence: Only changes after this number.
  ///   - prefix: What the names of the domains begin with.
  ///   - word: What the names of the programs have in them.
  /// - Returns: The changes, the oldest first.
  /// - Throws: ``PreferenceError``.
  package func latestChanges(
    after sequence: Int64, inDomainsWith prefix: String, ifBy word: String
  ) throws(PreferenceError) -> [PreferenceChange] {
    try PreferenceError.wrapping {
      changes(
        try journal()?.latestOfKeys(after: sequence, inDomainsWith: prefix, ifBy: word) ?? [])
    }
  }

  /// The latest of the changes after a number that the journal does not have any more.
  ///
  /// - Parameters:
  ///   - sequence: The number that a reader continues after.
  ///   - domain: Only changes of this domain.
  /// - Returns: Its number; `nil` if all are there, except for quick writes that became one.
  /// - Throws: ``PreferenceError``.
  package func gap(
    after sequence: Int64, in domain: PreferenceDomain? = nil
  ) throws(PreferenceError) -> Int64? {
    try PreferenceError.wrapping {
      guard try hasTables(), let journal = try journal() else { return nil }
      guard try hasCurrentTables() else {
        // An earlier version deletes from the beginning, of all domains alike.
        guard let first = try journal.firstSequence(), first > sequence + 1 else { return nil }
        return first - 1
      }
      return try journal.losses(after: sequence)
        .first { $0.domain == nil || domain == nil || $0.domain == domain }?.sequence
    }
  }

  /// The latest transactions that can be undone, the latest first.
  package func undoable(latest count: Int) throws(PreferenceError) -> [Int64] {
    try PreferenceError.wrapping {
      (try journal()?.undoable(limit: count) ?? []).map(\.transaction)
    }
  }

  /// The transactions since a moment that can be undone, the latest first.
  package func undoable(since date: Date) throws(PreferenceError) -> [Int64] {
    try PreferenceError.wrapping {
      (try journal()?.undoable(since: date) ?? []).map(\.transaction)
    }
  }

  /// Entries as changes; what is sealed is opened where its key is available.
  func changes(_ entries: [JournalEntry]) -> [PreferenceChange] {
    var sealers: [PreferenceDomain: [[UInt8]: DomainSealer?]] = [:]
    return entries.map { entry in
      change(entry) { keyID in
        if let known = sealers[entry.domain]?[keyID] { return known }
        let sealer = try? sealer(keyID: keyID, of: entry.domain)
        sealers[entry.domain, default: [:]][keyID] = .some(sealer)
        return sealer
      }
    }
  }

  private func change(
    _ entry: JournalEntry, _ sealer: ([UInt8]) -> DomainSealer?
  ) -> PreferenceChange {
    var key = entry.name
    func opened(_ stored: StoredValue?) -> PreferenceValue? {
      guard let stored, stored.type != StoredValue.domainType else { return nil }
      guard stored.type == StoredValue.sealedType else { return try? stored.preference() }
      guard let name = entry.name, let sealer = stored.keyID.flatMap(sealer),
        let (opened, value) = try? sealer.open(stored, name: name, in: entry.domain)
      else {
        key = nil
        return nil
      }
      key = opened
      return value
    }
    let (old, new) = (opened(entry.old), opened(entry.new))
    return PreferenceChange(
      sequence: entry.sequence, transaction: entry.transaction, date: entry.date,
      process: entry.process, domain: entry.domain, key: key, old: old, new: new,
      kind: entry.kind,
      undoes: entry.undoes == PreferenceJournal.firstLook ? nil : entry.undoes)
  }

  /// The journal's entries after a number, and whether they explain everything that happened.
  ///
  /// - Parameters:
  ///   - sequence: The number that was read last.
  ///   - readingChanges: Whether to return the changes themselves, too.
  /// - Returns: Entries and numbers of one moment.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  func news(
    after sequence: Int64, readingChanges: Bool = false
  ) throws(PreferenceError) -> JournalNews {
    try PreferenceError.wrapping {
      // One read transaction, so that the data version belongs to the entries.
      try store.connection.transaction(.deferred) {
        let journal = try journal()
        let touched = try journal?.touches(after: sequence) ?? []
        let latest = try touched.last?.sequence ?? journal?.latestSequence() ?? 0
        var changes: [PreferenceChange] = []
        if readingChanges, !touched.isEmpty {
          changes = self.changes(try journal?.entries(after: sequence) ?? [])
        }
        return JournalNews(
          touched: touched, changes: changes, latest: latest,
          dataVersion: try store.connection.dataVersion(),
          isComplete: latest == sequence &+ Int64(touched.count))
      }
    }
  }
}

/// The journal's news for a reader that follows it.
struct JournalNews {
  /// An entry without its values.
  struct Touch {
    let sequence: Int64
    let domain: PreferenceDomain
    /// The key, hashed in a protected domain; `nil` for a change of the domain itself.
    let name: String?
    /// Whether the entry has an old and a new value.
    let hasBoth: Bool

    /// Whether the domain became protected or unprotected.
    var isOfProtection: Bool { name == nil && hasBoth }
  }

  let touched: [Touch]
  let changes: [PreferenceChange]
  /// The number of the latest entry.
  let latest: Int64
  /// A number that changes when another connection commits.
  let dataVersion: Int64
  /// Whether no entry is missing.
  ///
  /// Quick writes of one key become one entry; old entries, and those of a domain that becomes
  /// protected, are deleted.
  let isComplete: Bool
}
