import VaultStorage

/// Undoing transactions of the journal.
extension PreferenceDatabase {
  private struct DryRun: Error {}

  /// Undoes transactions, each by a transaction of its own in the journal: all of them or none.
  ///
  /// - Parameters:
  ///   - transactions: Their numbers.
  ///   - isForced: Whether to undo also if that loses a later change of the same key.
  ///   - isDryRun: Whether to change nothing, and only return what would be undone.
  /// - Returns: The changes that were undone, as the journal had them, the oldest first.
  /// - Throws: ``PreferenceError`` with code `.notFound` if the journal does not have one (any
  ///   more), `.conflict` if a key was changed since, `.managed` if the administrator has fixed it,
  ///   `.locked` if a domain's protection cannot be undone without its key.
  package func undo(
    _ transactions: [Int64], isForced: Bool = false, isDryRun: Bool = false
  ) throws(PreferenceError) -> [PreferenceChange] {
    var undone: [PreferenceChange] = []
    var written: ClosedRange<Int64>?
    latestCommit = nil
    do {
      try store.write { _ in
        for number in transactions.sorted(by: >) {
          let entries = try journal()?.entries(of: number) ?? []
          guard !entries.isEmpty else {
            throw PreferenceError(.notFound, "the journal has no transaction \(number)")
          }
          // Read before undoing: undoing a protection deletes the domain's journal.
          let changes = changes(entries)
          let transaction = PreferenceTransaction(self, undoes: number)
          for (entry, change) in zip(entries, changes).reversed() {
            if let key = change.key { try checkManaged(key, in: entry.domain) }
            try undo(entry, among: entries, transaction, isForced: isForced)
          }
          try transaction.finish()
          if let made = transaction.entries {
            written = min(made.lowerBound, written?.lowerBound ?? .max)...made.upperBound
          }
          undone = Self.worthTelling(changes) + undone
        }
        if isDryRun { throw DryRun() }
      }
      latestCommit = written
      // Values that were stored in plain text meanwhile must not remain in any file.
      if undone.contains(where: { $0.kind == .unprotect }) { try scrub() }
    } catch is DryRun {
    } catch {
      throw PreferenceError(wrapping: error)
    }
    return undone
  }

  /// The changes without those of domains whose keys are reported anyway.
  private static func worthTelling(_ changes: [PreferenceChange]) -> [PreferenceChange] {
    let withKeys = Set(
      changes.filter { $0.kind == .set || $0.kind == .remove }.map(\.domain))
    return changes.filter { change in
      change.kind != .makeDomain && change.kind != .removeDomain
        || !withKeys.contains(change.domain)
    }
  }

  private func undo(
    _ entry: JournalEntry, among entries: [JournalEntry], _ transaction: PreferenceTransaction,
    isForced: Bool
  ) throws {
    let domain = entry.domain
    let present = try self.row(of: domain)
    switch entry.kind {
    case .set, .remove:
      guard let name = entry.name else { return }
      let current = try present.flatMap { try stored(name, in: $0.id) }
      guard isForced || current == entry.new else {
        throw PreferenceError(
          .conflict, "a key of \(domain.name) was changed after transaction \(entry.transaction)")
      }
      try transaction.restore(entry.old, name: name, in: domain)
    case .makeDomain:
      // Other programs may have added keys to it since.
      if let present, try isEmpty(present) { try transaction.removeDomain(domain) }
    case .removeDomain:
      // Entries of earlier versions do not record the domain's protection, but its values show it.
      let keyID =
        entry.old?.keyID
        ?? entries.lazy.filter { $0.domain == domain && $0.name != nil }.compactMap {
          $0.old?.keyID
        }
        .first
      if let present {
        if present.keyID == keyID { return }
        guard isForced else {
          throw PreferenceError(
            .conflict,
            "the domain \(domain.name) was made again, with another protection, after transaction "
              + "\(entry.transaction)")
        }
        try transaction.removeDomain(domain)
      }
      try transaction.make(domain, protectedBy: keyID)
    case .protect, .unprotect:
      guard let present, present.keyID == entry.new?.keyID else {
        throw PreferenceError(
          .conflict,
          "the protection of \(domain.name) was changed after transaction \(entry.transaction)")
      }
      var former: DomainSealer?
      if let keyID = entry.old?.keyID { former = try sealer(keyID: keyID, of: domain) }
      try rewrite(present, sealer: former, in: transaction)
    }
  }

  private func isEmpty(_ row: DomainRow) throws -> Bool {
    try store.connection.int64(
      "SELECT 1 FROM preferences_values WHERE domain=? LIMIT 1", [.integer(row.id)]) == nil
  }
}
