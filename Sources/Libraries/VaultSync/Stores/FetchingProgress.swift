import VaultCredentials

/// How many of the records that a store shows have come.
struct FetchingProgress {
  private let vault: UnlockedVault
  private let total: Int
  private var done = 0

  init(_ heads: [StreamHead], known: Frontier, _ vault: UnlockedVault) {
    self.vault = vault
    total = heads.reduce(0) { sum, head in
      let have = known[head.stream, default: 0]
      // A store may say any number.
      return head.sequence > have ? sum.addingClamped(Int(clamping: head.sequence - have)) : sum
    }
  }

  mutating func take(_ count: Int) {
    done += count
    vault.blocking.tell(.fetching, done, of: max(done, total))
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? .max : sum
  }
}

extension SyncEngine {
  /// All records of a stream up to a head, as far as they are there.
  func all(_ head: StreamHead, in space: SpaceID, after sequence: UInt64) throws -> [[UInt8]] {
    try all(head, in: space, after: sequence) { _ in }
  }

  /// The same with a count of those that have come.
  func all(
    _ head: StreamHead, in space: SpaceID, after sequence: UInt64,
    _ progress: inout FetchingProgress
  ) throws -> [[UInt8]] {
    try all(head, in: space, after: sequence) { progress.take($0) }
  }

  private func all(
    _ head: StreamHead, in space: SpaceID, after sequence: UInt64, _ taken: (Int) -> Void
  ) throws -> [[UInt8]] {
    var records: [[UInt8]] = []
    while sequence + UInt64(records.count) < head.sequence {
      let rest = head.sequence - sequence - UInt64(records.count)
      let next = try self.records(
        of: head.stream, in: space, after: sequence + UInt64(records.count),
        limit: Int(min(rest, 1000)))
      if next.isEmpty { break }
      records += next
      taken(next.count)
    }
    return records
  }
}
