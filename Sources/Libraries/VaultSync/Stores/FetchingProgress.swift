import VaultCredentials

/// How many of the records that a store shows have come.
struct FetchingProgress {
  private let tell: Telling
  private let total: Int
  private var done = 0

  /// Hears how far the work is.
  typealias Telling = @Sendable (_ phase: VaultProgress.Phase, _ done: Int, _ total: Int) -> Void

  init(_ heads: [StreamHead], known: Frontier, _ vault: UnlockedVault) {
    self.init(heads, known: known) { vault.blocking.tell($0, $1, of: $2) }
  }

  init(_ heads: [StreamHead], known: Frontier, tell: @escaping Telling) {
    self.tell = tell
    total = heads.reduce(0) { sum, head in
      let have = known[head.stream, default: 0]
      // A store may say any number.
      return head.sequence > have ? sum.addingClamped(Int(clamping: head.sequence - have)) : sum
    }
  }

  mutating func take(_ count: Int) {
    done += count
    tell(.fetching, done, max(done, total))
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
    try all(head, in: space, after: sequence, within: .max) { _ in }.records
  }

  /// The same with a count of those that have come, up to some bytes.
  ///
  /// - Returns: The records; and whether there are more, which are too many.
  func all(
    _ head: StreamHead, in space: SpaceID, after sequence: UInt64, within room: Int,
    _ progress: inout FetchingProgress
  ) throws -> (records: [[UInt8]], isCut: Bool) {
    try all(head, in: space, after: sequence, within: room) { progress.take($0) }
  }

  private func all(
    _ head: StreamHead, in space: SpaceID, after sequence: UInt64, within room: Int,
    _ taken: (Int) -> Void
  ) throws -> (records: [[UInt8]], isCut: Bool) {
    var records: [[UInt8]] = []
    var room = room
    while sequence + UInt64(records.count) < head.sequence {
      guard room > 0 else { return (records, true) }
      let rest = head.sequence - sequence - UInt64(records.count)
      let next = try self.records(
        of: head.stream, in: space, after: sequence + UInt64(records.count),
        limit: Int(min(rest, 1000)))
      if next.isEmpty { break }
      // The one that is too much is the last one.
      let fitting = next.prefix { record in
        defer { room -= record.count }
        return room > 0
      }
      records += fitting
      taken(fitting.count)
      if fitting.count < next.count { return (records, true) }
    }
    return (records, false)
  }
}
