import VaultCredentials
import VaultSealing

/// Writes records of this machine's own stream.
struct RecordWriter {
  let keys: KeyPairs
  let stream: StreamID
  let time: Int64
  /// The records, in order.
  private(set) var written: [[UInt8]] = []

  init(keys: KeyPairs, stream: StreamID, time: Int64) {
    self.keys = keys
    self.stream = stream
    self.time = time
  }

  /// Most bytes of changes that are put into one record with others.
  private static let batchLength = 256 << 10

  /// Writes operations, in one record or in several, and takes them into the history.
  ///
  /// - Parameters:
  ///   - operations: What is to be told.
  ///   - history: What is known; gets the records.
  ///   - frontier: What the operations know of others; `nil` for everything that is known.
  ///   - epoch: The key to seal with; `nil` for the current one.
  /// - Throws: ``SyncError`` with code `.removed` without a key; ``MalformedRecord`` for too much.
  mutating func write(
    _ operations: [Operation], to history: inout SpaceHistory, knowing frontier: Frontier? = nil,
    with epoch: EpochKey? = nil
  ) throws {
    var batch: [Operation] = []
    var length = 0
    for operation in operations {
      var builder = SecretBuilder()
      try operation.encode(into: &builder)
      if !batch.isEmpty, length + builder.count > Self.batchLength {
        try writeOne(batch, &history, frontier, epoch)
        (batch, length) = ([], 0)
      }
      batch.append(operation)
      length += builder.count
    }
    if !batch.isEmpty { try writeOne(batch, &history, frontier, epoch) }
  }

  private mutating func writeOne(
    _ operations: [Operation], _ history: inout SpaceHistory, _ frontier: Frontier?,
    _ epoch: EpochKey?
  ) throws {
    let last = history.last(stream)
    let known = frontier ?? history.frontier
    let seen = known.sorted { $0.key < $1.key }.compactMap { other, sequence -> Sighting? in
      guard other != stream, sequence > last?.past[other] ?? 0,
        let record = history.record(other, sequence)
      else { return nil }
      return Sighting(stream: other, sequence: sequence, hash: record.hash)
    }
    guard let epoch = epoch ?? Roster(history, upTo: history.frontier).current else {
      throw SyncError(.removed, "this machine has no key of the space")
    }
    let record = try SyncRecord(
      RecordContent(time: time, seen: seen, operations: operations), space: history.space,
      stream: stream, sequence: (last?.sequence ?? 0) + 1,
      previous: last?.hash ?? [UInt8](repeating: 0, count: 32), epoch: epoch,
      signer: keys.signing)
    history.add([record.bytes], of: stream)
    try history.open(areVerified: true)
    guard history.last(stream)?.hash == record.hash else {
      throw SyncError(.tampered, "a record of this machine does not follow its others")
    }
    written.append(record.bytes)
  }
}
