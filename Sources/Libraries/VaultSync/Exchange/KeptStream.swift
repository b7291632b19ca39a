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
  /// The records behind a number, at most so many.
  let records: (_ sequence: UInt64, _ limit: Int) throws -> [[UInt8]]
  /// The lengths of some records.
  let lengths: (ClosedRange<UInt64>) throws -> [Int]
  /// Whether bytes are the record with a number, as the stream's machine signed it.
  let isSigned: (_ bytes: [UInt8], _ number: UInt64) -> Bool

  /// Most bytes of records that are held at once: a channel may have more than memory.
  private static let mostHeld = 32 << 20

  /// The records behind a number that are looked at together: none behind the last one.
  private func part(after sequence: UInt64, atMost most: Int = .max) throws -> [[UInt8]] {
    guard sequence < numbers.end else { return [] }
    let end = min(numbers.end - sequence, UInt64(most)) + sequence
    var size = 0
    let fitting = try lengths(sequence + 1...end).prefix { length in
      size += length
      return size <= Self.mostHeld
    }
    return try records(sequence, max(1, fitting.count))
  }

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
      let here = try part(after: number, atMost: Int(min(end - number, 1000)))
      // What this machine lacks it cannot compare.
      guard !here.isEmpty else { break }
      let there = try engine.records(of: stream, in: place, after: number, limit: here.count)
      let same = zip(there, here).prefix { $0 == $1 }.count
      number += UInt64(same)
      // Fewer than all: there may be more behind them.
      guard same < here.count, same == 0 || same < there.count else { continue }
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

  /// Writes again what the store has lost of a stream's end, and looks at it once more: a store that
  /// goes on showing less has lost nothing, it hides it.
  ///
  /// - Parameter start: The number of the last record that the store shows.
  /// - Returns: How many records the store lacked: none where the head alone was lost. `nil` where it
  ///   hides them, and where this machine lacks some of them itself.
  /// - Throws: ``SyncError``, as ``put(_:head:)`` does; what reading the records throws.
  func restore(after start: UInt64) throws -> Int? {
    guard start < numbers.end else { return nil }
    var (missing, number) = (0, start)
    while number < numbers.end {
      let here = try part(after: number)
      guard !here.isEmpty else { return nil }
      let there = try engine.records(of: stream, in: place, after: number, limit: here.count)
      missing += here.count - zip(there, here).prefix { $0 == $1 }.count
      number += UInt64(here.count)
      try put(here, head: head(number, here))
    }
    let shown = try engine.records(of: stream, in: place, after: number - 1, limit: 1)
    return try shown == records(number - 1, 1) ? missing : nil
  }

  static func otherBytes(_ number: UInt64) -> SyncError {
    SyncError(
      .tampered, "the store has other bytes as record \(number) of this machine",
      hint: "an administrator of the store removes them; then they are written again")
  }

  // MARK: New records

  /// Writes the records behind a number, and the head.
  ///
  /// - Parameters:
  ///   - sequence: The number; behind the newest record, the head alone is written.
  ///   - newest: The newest record.
  /// - Returns: How many were written: fewer than there are where this machine lacks some itself.
  /// - Throws: ``SyncError``, as ``put(_:head:)`` does; what reading the records throws.
  func send(after sequence: UInt64, newest: StreamHead) throws -> Int {
    if sequence >= newest.sequence { try put([], head: newest) }
    var (sent, number) = (0, max(sequence, numbers.start))
    while number < newest.sequence {
      let here = try part(after: number)
      guard !here.isEmpty else { break }
      sent += here.count
      number += UInt64(here.count)
      try put(here, head: number == newest.sequence ? newest : head(number, here))
    }
    return sent
  }

  /// The head of a stream that ends with a part.
  private func head(_ sequence: UInt64, _ part: [[UInt8]]) throws -> StreamHead {
    StreamHead(stream: stream, sequence: sequence, hash: try Hash.blake2b(part[part.count - 1]))
  }

  /// Writes records that a store lacks, also in the place of what is none: anybody can put a file
  /// where the next record goes.
  ///
  /// - Parameters:
  ///   - here: The records.
  ///   - head: The last one of them.
  /// - Throws: ``SyncError`` with code `.copied` where the store has another record that the machine
  ///   has signed; `.taken` where the store does not replace what is there; `.unavailable`.
  private func put(_ here: [[UInt8]], head: StreamHead) throws {
    do {
      return try engine.append(here, head: head, in: place)
    } catch let error as SyncError where error.code == .taken {
      let first = head.sequence + 1 - UInt64(here.count)
      for (offset, record) in here.enumerated() {
        let number = first + UInt64(offset)
        let there = try engine.records(of: stream, in: place, after: number - 1, limit: 1)
        guard there != [record] else { continue }
        if let other = there.first, isSigned(other, number) { throw Replica.copied }
        try engine.restore(record, of: stream, at: number, in: place)
      }
      try engine.append(here, head: head, in: place)
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
      stream: stream, place: space, engine: engine, numbers: (log.start, log.end),
      records: { Array(log.records(after: $0).prefix($1)) },
      lengths: { log.records(after: $0.lowerBound - 1).prefix($0.count).map(\.count) },
      isSigned: { bytes, number in
        guard let record = try? SyncRecord(bytes: bytes) else { return false }
        return record.space == space && record.stream == stream && record.sequence == number
          && record.isSigned(by: signer)
      })
  }
}
