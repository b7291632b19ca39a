import FoundationEssentials
import VaultStorage

/// Records the changes of one transaction in the journal.
struct JournalWriter {
  private let journal: PreferenceJournal
  private let process: String
  private let date: Date
  private let undoes: Int64?
  /// The latest entries of the same writer that are alone in their transactions.
  private let own: [Int64]
  /// The number of the latest entry, ours or another's; `nil` until it is needed.
  private var sequence: Int64?
  /// The transaction's number, that of its first entry; `nil` as long as nothing was recorded.
  private(set) var transaction: Int64?
  /// What was recorded, by domain.
  private var tallies: [PreferenceDomain: JournalTally] = [:]
  /// Whether entries of this transaction may have been deleted again.
  private var changedProtection = false

  /// - Parameters:
  ///   - journal: The journal of an open write transaction.
  ///   - process: The name of this process.
  ///   - date: The time of all entries.
  ///   - undoes: The transaction that this one undoes.
  ///   - own: The latest entries of the same writer that are alone in their transactions.
  init(
    _ journal: PreferenceJournal, process: String, date: Date, undoes: Int64?, own: [Int64]
  ) {
    self.journal = journal
    self.process = process
    self.date = date
    self.undoes = undoes
    self.own = own
  }

  /// The entries that were recorded; `nil` if there are none.
  var entries: ClosedRange<Int64>? {
    guard let transaction, let sequence else { return nil }
    return transaction...sequence
  }

  /// Records a change.
  ///
  /// - Parameters:
  ///   - domain: The domain.
  ///   - name: The stored name of the key; `nil` for a change of the domain itself.
  ///   - old: The value before.
  ///   - new: The value after.
  /// - Throws: ``StorageError``.
  mutating func record(
    _ domain: PreferenceDomain, _ name: String?, old: StoredValue?, new: StoredValue?
  ) throws {
    let next = try (sequence ?? journal.latestSequence()) + 1
    let transaction = transaction ?? next
    self.transaction = transaction
    sequence = next
    tallies[domain, default: JournalTally()].changes += 1
    tallies[domain]?.bytes += Int64((name?.utf8.count ?? 0) + (old?.size ?? 0) + (new?.size ?? 0))
    try journal.append(
      JournalEntry(
        sequence: next, transaction: transaction, date: date, process: process, domain: domain,
        name: name, old: old, new: new, undoes: undoes))
  }

  /// Records a change of a domain's protection in the place of the domain's other entries.
  ///
  /// - Parameters:
  ///   - domain: The domain.
  ///   - old: The key that sealed it; `nil` if it was plain.
  ///   - new: The key that seals it; `nil` if it becomes plain.
  ///   - body: Rewrites the domain's values; it may delete further entries.
  /// - Throws: ``StorageError``; any error of `body`.
  mutating func recordProtection(
    of domain: PreferenceDomain, from old: [UInt8]?, to new: [UInt8]?, _ body: () throws -> Void
  ) throws {
    // The latest entries may be among those that are deleted, and no number may be given twice.
    if sequence == nil { sequence = try journal.latestSequence() }
    changedProtection = true
    try body()
    try journal.removeEntries(of: domain)
    try record(domain, nil, old: .domain(protectedBy: old), new: .domain(protectedBy: new))
  }

  /// Merges quick writes of one key, and records how large the transaction is.
  ///
  /// - Parameter limit: How much the journal keeps of each domain.
  /// - Returns: The domains of which the journal has more; they are cut when nothing is read from
  ///   it any more.
  /// - Throws: ``StorageError``.
  func finish(limit: PreferenceJournal.Limit) throws -> [PreferenceDomain] {
    guard let transaction, let sequence else { return [] }
    if transaction == sequence {
      // The entry took the place of another one.
      if undoes == nil, try journal.coalesce(transaction, own: own) != nil { return [] }
    } else {
      let size =
        changedProtection
        ? try journal.entries(of: transaction).count : Int(sequence - transaction) + 1
      try journal.append(size: Int64(size), of: transaction)
    }
    return try tallies.filter { try journal.count($1, in: $0, limit: limit) }.map(\.key)
  }
}
