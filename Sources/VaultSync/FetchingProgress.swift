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

  /// The next records of a stream, up to some bytes, or the first that does not follow.
  ///
  /// Numbers and chain are in clear: what does not follow by them need not be verified, and nothing
  /// behind it is asked for.
  ///
  /// - Parameters:
  ///   - head: What the store shows, which may be any number.
  ///   - space: The space.
  ///   - sequence: The number before the first one.
  ///   - progress: Gets how many have come.
  /// - Returns: The records, and at their end the one that does not follow.
  /// - Throws: ``SyncError``.
  func batch(
    _ head: StreamHead, in space: SpaceID, after sequence: UInt64,
    _ progress: inout FetchingProgress
  ) throws -> [[UInt8]] {
    var (records, size, last): ([[UInt8]], Int, [UInt8]?) = ([], 0, nil)
    while size < SyncRecord.unverifiedLength {
      let after = sequence + UInt64(records.count)
      guard after < head.sequence else { break }
      let next = try self.records(
        of: head.stream, in: space, after: after, limit: Int(min(head.sequence - after, 1000)))
      if next.isEmpty { break }
      progress.take(next.count)
      for bytes in next {
        let number = sequence + UInt64(records.count) + 1
        records.append(bytes)
        size += bytes.count
        guard let record = try? SyncRecord(bytes: bytes), record.stream == head.stream,
          record.sequence == number, last ?? record.previous == record.previous
        else { return records }
        last = record.hash
      }
    }
    return records
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
