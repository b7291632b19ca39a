import VaultCredentials
import VaultSealing

/// Writes records of this machine's own stream.
struct RecordWriter {
  let keys: KeyPairs
  let stream: StreamID
  let time: Int64
  /// Hears how many of the operations that are to be told are in records; `nil` for nobody.
  var progress: (@Sendable (_ done: Int, _ total: Int) -> Void)?
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
  ///   - frontier: What the operations know of others; `nil` for everything that is known. Where
  ///     the stream knows more already, the records say so.
  ///   - epoch: The key to seal with; `nil` for the current one.
  /// - Throws: ``SyncError`` with code `.removed` without a key; ``MalformedRecord`` for too much.
  mutating func write(
    _ operations: [Operation], to history: inout Space, knowing frontier: Frontier? = nil,
    with epoch: EpochKey? = nil
  ) throws {
    var batch: [Operation] = []
    var length = 0
    for (place, operation) in operations.enumerated() {
      progress?(place, operations.count)
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

  /// Writes a record that says nothing but what its machine has seen.
  ///
  /// - Parameters:
  ///   - history: What is known; gets the record.
  ///   - frontier: What it has seen of others.
  /// - Throws: As ``write(_:to:knowing:with:)``.
  mutating func writeSignOfLife(to history: inout Space, knowing frontier: Frontier) throws {
    try writeOne([], &history, frontier, nil)
  }

  private mutating func writeOne(
    _ operations: [Operation], _ history: inout Space, _ frontier: Frontier?,
    _ epoch: EpochKey?
  ) throws {
    let last = history.last(stream)
    var operations = operations
    if let frontier, operations.contains(where: { !$0.isOfSpace }) {
      let unseen = history.unseen(by: stream, behind: frontier)
      if !unseen.isEmpty { operations.insert(.unseen(unseen), at: 0) }
    }
    let seen = history.sightings(frontier ?? history.known, by: stream)
    guard let epoch = epoch ?? history.roster().current else { throw Replica.noKey }
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

extension Space {
  /// Streams that a stream knows farther than a vault has taken them, with how far that is; only
  /// those of which what lies behind changes something.
  fileprivate func unseen(
    by stream: StreamID, behind frontier: Frontier
  ) -> [(stream: StreamID, sequence: UInt64)] {
    (last(stream)?.past ?? [:]).compactMap { other, known in
      let taken = frontier[other, default: 0]
      guard other != stream, known > taken, let records = streams[other],
        records[..<min(Int(clamping: known), records.count)].dropFirst(Int(clamping: taken))
          .contains(where: { $0.content.operations.contains { !$0.isOfSpace } })
      else { return nil }
      return (other, taken)
    }
    .sorted { $0.stream < $1.stream }
  }
}
