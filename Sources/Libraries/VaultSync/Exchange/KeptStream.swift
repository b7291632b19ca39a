import VaultSealing

/// A stream of which this machine has the records, and a store that should have them, too.
///
/// It lies in the space or in one of its channels: what a store loses, or has otherwise, is written
/// again in the same way in both.
struct KeptStream {
  let stream: StreamID
  /// Where it lies: the space, or a channel.
  let place: SpaceID
  let engine: any SyncEngine
  /// The numbers of the records that this machine has: those behind the first one, up to the last.
  let numbers: (start: UInt64, end: UInt64)
  /// How many records are compared at once: those of a channel are long.
  let batch: Int
  /// The records behind a number, at most so many.
  let records: (_ sequence: UInt64, _ limit: Int) throws -> [[UInt8]]
  /// The lengths of some records.
  let lengths: (ClosedRange<UInt64>) throws -> [Int]
  /// Whether bytes are the record with a number, as the stream's machine signed it.
  let isSigned: (_ bytes: [UInt8], _ number: UInt64) -> Bool

  // MARK: Lost records

  /// Compares the records in the store with those that are here, and writes those again that are
  /// missing or altered.
  ///
  /// - Parameters:
  ///   - start: The number before the first one that the store should have.
  ///   - count: The number of the last one that it should have.
  ///   - problems: Gets the records that the store has otherwise and does not replace.
  /// - Returns: How many were written again.
  /// - Throws: ``SyncError`` with code `.copied` where the store has another record that the
  ///   stream's machine has signed; `.unavailable`; what reading the records throws.
  func mend(after start: UInt64, upTo count: UInt64, _ problems: inout [SyncError]) throws -> Int {
    var written = 0
    var number = max(start, numbers.start)
    let end = min(count, numbers.end)
    while number < end {
      let limit = Int(min(end - number, UInt64(batch)))
      let there = try engine.records(of: stream, in: place, after: number, limit: limit)
      let here = try records(number, there.count + 1)
      let same = zip(there, here).prefix { $0 == $1 }.count
      number += UInt64(same)
      // Fewer than all: there may be more behind them.
      guard same < limit, same == 0 || same < there.count else { continue }
      // What this machine lacks it cannot compare.
      guard same < here.count else { break }
      if there.count > same, isSigned(there[same], number + 1) { throw Replica.copied }
      number += 1
      do {
        try engine.restore(here[same], of: stream, at: number, in: place)
        written += 1
      } catch let error as SyncError where error.code == .taken {
        // Not signed by this machine, so nobody copied it; the store takes nothing in its place.
        problems.append(Self.otherBytes(number))
      }
    }
    return written
  }

  /// How many of the records behind a number the store does not show as they are here: of a stream
  /// whose head alone is lost, none.
  func missing(after sequence: UInt64) throws -> Int {
    let here = try records(sequence, .max)
    let there = try engine.records(of: stream, in: place, after: sequence, limit: here.count)
    return here.count - zip(there, here).prefix { $0 == $1 }.count
  }

  static func otherBytes(_ number: UInt64) -> SyncError {
    SyncError(
      .tampered, "the store has other bytes as record \(number) of this machine",
      hint: "an administrator of the store removes them; then they are written again")
  }

  // MARK: New records

  /// Writes records that a store lacks, also in the place of what is none: anybody can put a file
  /// where the next record goes.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - head: The last one of them.
  /// - Throws: ``SyncError`` with code `.copied` where the store has another record that the machine
  ///   has signed; `.taken` where the store does not replace what is there; `.unavailable`.
  func put(_ records: [[UInt8]], head: StreamHead) throws {
    do {
      return try engine.append(records, head: head, in: place)
    } catch let error as SyncError where error.code == .taken {
      let first = head.sequence + 1 - UInt64(records.count)
      for (offset, record) in records.enumerated() {
        let number = first + UInt64(offset)
        let there = try engine.records(of: stream, in: place, after: number - 1, limit: 1)
        guard there != [record] else { continue }
        if let other = there.first, isSigned(other, number) { throw Replica.copied }
        try engine.restore(record, of: stream, at: number, in: place)
      }
      try engine.append(records, head: head, in: place)
    }
  }

  // MARK: Packs

  /// Puts older records in the store together.
  ///
  /// What fails is left for the next time: all records can be read in either form.
  ///
  /// - Parameters:
  ///   - count: How many records the store has.
  ///   - retired: The number of the last one that may go from the store: it is not put together
  ///     first.
  ///   - step: The records of a smaller pack.
  func pack(upTo count: UInt64, behind retired: UInt64 = 0, step: UInt64) {
    let ranges = RecordPack.ranges(upTo: count, step: step).filter {
      $0.upperBound > retired && $0.lowerBound > numbers.start && $0.upperBound <= numbers.end
    }
    guard !ranges.isEmpty else { return }
    try? engine.pack(
      ranges.flatMap { range in
        try RecordPack.fitting(range, step: step) { range in
          try lengths(range).reduce(0) { $0 + 4 + StoredRecord.length(ofRecord: $1) }
        }
      }, of: stream, in: place
    ) { try records($0.lowerBound - 1, $0.count) }
  }
}

extension KeptStream {
  /// A stream of the space.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - log: This machine's records.
  ///   - forks: Which records count of streams that forked.
  ///   - signer: The key that signs the stream's records.
  ///   - space: The space.
  ///   - engine: The store.
  init(
    _ stream: StreamID, in log: [[UInt8]], _ forks: [SettledFork] = [], signedBy signer: [UInt8],
    of space: SpaceID, in engine: any SyncEngine
  ) {
    let log = LoggedStream(stream, in: log, forks)
    self.init(
      stream: stream, place: space, engine: engine, numbers: (log.start, log.end), batch: 1000,
      records: { Array(log.records(after: $0).prefix($1)) },
      lengths: { log.records(after: $0.lowerBound - 1).prefix($0.count).map(\.count) },
      isSigned: { bytes, number in
        guard let record = try? SyncRecord(bytes: bytes) else { return false }
        return record.space == space && record.stream == stream && record.sequence == number
          && record.isSigned(by: signer)
      })
  }
}
