package import FoundationEssentials
import VaultStorage

/// Undoing transactions of the journal.
extension PreferenceDatabase {
  private struct DryRun: Error {}

  /// Which transactions to undo.
  package enum Undoing {
    /// The latest ones that can be undone.
    case latest(Int)
    /// All since a moment that can be undone.
    case since(Date)
    /// These.
    case transactions([Int64])
  }

  /// Undoes transactions, each by a transaction of its own in the journal: all of them or none.
  ///
  /// - Parameters:
  ///   - transactions: Their numbers.
  ///   - isForced: Whether to undo also if that loses a later change of the same key.
  /// - Returns: The changes that were undone, as the journal had them, the oldest first.
  /// - Throws: The same as ``undo(_:isForced:isDryRun:)-(Undoing,_,_)``.
  package func undo(
    _ transactions: [Int64], isForced: Bool = false
  ) throws(PreferenceError) -> [PreferenceChange] {
    try undo(.transactions(transactions), isForced: isForced).changes
  }

  /// Undoes transactions, each by a transaction of its own in the journal: all of them or none, and
  /// each as a whole.
  ///
  /// Everything is read before something is written, and the journal is shortened after that.
  ///
  /// - Parameters:
  ///   - undoing: Which ones.
  ///   - isForced: Whether to undo also if that loses a later change of the same key.
  ///   - isDryRun: Whether to change nothing, and only return what would be undone.
  ///   - isMeant: Whether a domain is; a transaction with others is left out, unless it was chosen
  ///     by its number.
  /// - Returns: The changes that were undone, as the journal had them, the oldest first, and the
  ///   number of transactions.
  /// - Throws: ``PreferenceError`` with code `.notFound` if the journal does not have one (any
  ///   more) or not all of it, `.conflict` if a key was changed since, `.managed` if the
  ///   administrator has fixed it (unless it is forced, or the key went with its whole domain: such
  ///   keys stay, and ``leftByUndo`` names them), `.locked` if a domain's protection cannot be undone without its
  ///   key.
  package func undo(
    _ undoing: Undoing, isForced: Bool = false, isDryRun: Bool = false,
    where isMeant: ((PreferenceDomain) -> Bool)? = nil
  ) throws(PreferenceError) -> (changes: [PreferenceChange], transactions: Int) {
    var undone: [PreferenceChange] = []
    var count = 0
    var written: ClosedRange<Int64>?
    var left: [String] = []
    var leftOut: Set<Int64> = []
    latestCommit = nil
    leftByUndo = []
    do {
      if try hasTables(), try !hasCurrentTables() { try store.adopt(.preferences) }
      try store.write { _ in
        // Read before undoing: undoing a protection deletes the domain's journal.
        let wanted = try wholeTransactions(undoing, isMeant).map {
          ($0.number, $0.entries, changes($0.entries))
        }
        count = wanted.count
        var crowded: Set<PreferenceDomain> = []
        for (number, entries, changes) in wanted {
          let transaction = PreferenceTransaction(self, undoes: number)
          for (entry, change) in zip(entries, changes).reversed() {
            if let key = change.key, let refusal = try refusal(of: key, in: entry.domain) {
              guard isForced || isRemoved(entry, entries) else { throw refusal }
              // What it had is hidden anyway; the rest must not be lost for it.
              left.append(refusal.message)
              leftOut.insert(entry.sequence)
              continue
            }
            try undo(entry, among: entries, transaction, isForced: isForced)
          }
          crowded.formUnion(try transaction.finish())
          if let made = transaction.entries {
            written = min(made.lowerBound, written?.lowerBound ?? .max)...made.upperBound
          }
          undone = Self.worthTelling(changes.filter { !leftOut.contains($0.sequence) }) + undone
        }
        if isDryRun { throw DryRun() }
        try shortenJournal(of: crowded, after: written)
      }
      latestCommit = written
      leftByUndo = left.sorted()
      // Values that were stored in plain text meanwhile must not remain in any file.
      if undone.contains(where: { $0.kind == .unprotect }) { try scrub() }
    } catch is DryRun {
    } catch {
      throw PreferenceError(wrapping: error)
    }
    return (undone, count)
  }

  /// Why a key cannot be changed, since the administrator has fixed it; `nil` if it can.
  private func refusal(of key: String, in domain: PreferenceDomain) throws -> PreferenceError? {
    do {
      try checkManaged(key, in: domain)
    } catch {
      guard error.code == .managed else { throw error }
      return error
    }
    return nil
  }

  /// Whether a key went with its whole domain.
  private func isRemoved(_ entry: JournalEntry, _ entries: [JournalEntry]) -> Bool {
    entry.kind == .remove
      && entries.contains { $0.kind == .removeDomain && $0.domain == entry.domain }
  }

  /// The transactions to undo with all of their entries, the latest first.
  ///
  /// - Throws: ``PreferenceError`` with code `.notFound` where the journal has lost one of them, or
  ///   a part of one.
  private func wholeTransactions(
    _ undoing: Undoing, _ isMeant: ((PreferenceDomain) -> Bool)?
  ) throws -> [(number: Int64, entries: [JournalEntry])] {
    guard let journal = try journal() else { return [] }
    var counting: [PreferenceJournal.Undoable]
    switch undoing {
    case .transactions(let chosen):
      return try Set(chosen).sorted(by: >).map { ($0, try entries(of: $0, in: journal)) }
    case .latest(let limit): counting = try journal.undoable(limit: isMeant == nil ? limit : .max)
    case .since(let date): counting = try journal.undoable(since: date)
    }
    if let isMeant {
      var limit = Int.max
      if case .latest(let count) = undoing { limit = count }
      var meant: [PreferenceJournal.Undoable] = []
      for one in counting where meant.count < limit {
        if try journal.entries(of: one.transaction).allSatisfy({ isMeant($0.domain) }) {
          meant.append(one)
        }
      }
      counting = meant
    }
    let found = try counting.map { ($0.transaction, try entries(of: $0.transaction, in: journal)) }
    // Between them, or before the first of too few, there may have been another one.
    let isAll: Bool
    if case .latest(let limit) = undoing { isAll = found.count == limit } else { isAll = false }
    let first = isAll ? counting.last?.latest ?? 0 : 0
    for loss in try journal.losses(after: 0) where loss.sequence > first {
      if case .since(let date) = undoing, loss.date < date { continue }
      if let domain = loss.domain, isMeant?(domain) == false { continue }
      throw Self.lost(loss)
    }
    return found
  }

  private func entries(
    of number: Int64, in journal: PreferenceJournal
  ) throws -> [JournalEntry] {
    let entries = try journal.entries(of: number)
    guard let first = entries.first else {
      for loss in try journal.losses(after: number - 1) { throw Self.lost(loss) }
      throw PreferenceError(.notFound, "the journal has no transaction \(number)")
    }
    guard first.undoes != PreferenceJournal.firstLook else {
      throw PreferenceError(
        .notFound,
        "transaction \(number) records what was there when it was looked at, and no change to take "
          + "back")
    }
    let size = try journal.size(of: number, among: entries) ?? 0
    guard entries.count == size else {
      throw PreferenceError(
        .notFound,
        "transaction \(number) of \(Self.time(first.date)) had \(Plural.of(size, "change")), and "
          + "the journal has \(entries.count) of them: \(Self.bounds)")
    }
    return entries
  }

  private static func lost(_ loss: JournalLoss) -> PreferenceError {
    PreferenceError(
      .notFound,
      "the journal lacks changes\(loss.domain.map { " of \($0.name)" } ?? "") up to number "
        + "\(loss.sequence), of \(time(loss.date)): \(bounds)")
  }

  private static func time(_ date: Date) -> String { CalendarTime(date)?.iso8601 ?? "\(date)" }

  private static let bounds =
    "of each domain it keeps 20,000 changes, 32 MiB and 90 days, and nothing from before it was "
    + "protected"

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
