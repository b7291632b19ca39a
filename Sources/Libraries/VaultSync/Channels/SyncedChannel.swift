import VaultSealing

/// What a machine has of a channel: the records, and the thing itself that they are about.
///
/// ``ChannelExchange`` fetches, verifies and sends; this keeps, and brings the thing and the records
/// together.
package protocol SyncedChannel {
  /// How far each stream's records are kept here.
  func frontier() throws -> Frontier

  /// A record that is kept here; `nil` if it is not.
  func entry(_ stream: StreamID, _ sequence: UInt64) throws -> ChannelEntry?

  /// Keeps records, each after those that it has seen.
  func keep(_ records: [ChannelEntry]) throws

  /// The bytes of a stream's records behind a number, in order, at most so many.
  func records(of stream: StreamID, after sequence: UInt64, limit: Int) throws -> [[UInt8]]

  /// How long some records of a stream are.
  func lengths(of stream: StreamID, _ numbers: ClosedRange<UInt64>) throws -> [Int]

  /// When this machine compared its records in the store with these; 0 if never.
  func lastMended() throws -> Int64

  /// Notes when it did so.
  func setLastMended(_ time: Int64) throws

  /// The stream's newest record that was written here, perhaps by a run that was ended before it was
  /// kept.
  func lastWritten(_ stream: StreamID) throws -> UInt64

  /// Brings the thing and the records together: all or nothing.
  ///
  /// - Parameter turn: What counts, and what writes further records, which are kept with the thing.
  /// - Throws: What reading and writing throw.
  func meet(_ turn: inout ChannelTurn) throws

  /// The store has all records of this machine up to a number.
  func sent(upTo sequence: UInt64, of stream: StreamID) throws
}

/// A record of a channel that was verified.
package struct ChannelEntry: Sendable {
  package let stream: StreamID
  package let sequence: UInt64
  /// 32 bytes.
  package let hash: [UInt8]
  /// The newest record of every stream that its writer knew, itself among them.
  package let past: Frontier
  /// As it lies in a store; empty where only the rest was asked for.
  package let bytes: [UInt8]

  package init(
    stream: StreamID, sequence: UInt64, hash: [UInt8], past: Frontier, bytes: [UInt8] = []
  ) {
    self.stream = stream
    self.sequence = sequence
    self.hash = hash
    self.past = past
    self.bytes = bytes
  }
}

/// Opens the records of a channel.
package struct ChannelReader: Sendable {
  let epochs: [EpochKey]

  /// What a record says.
  ///
  /// - Throws: ``SyncError`` with code `.removed` where its key is not known; ``MalformedRecord``.
  package func content(of bytes: [UInt8]) throws -> ChannelContent {
    guard let content = try ChannelRecord(bytes: bytes).open(epochs) else { throw Replica.noKey }
    return content
  }
}

/// One meeting of a channel's records with the thing that they are about.
package struct ChannelTurn {
  /// This machine's stream.
  package let own: StreamID
  /// Whether what it writes counts.
  package let mayWrite: Bool
  /// Milliseconds since 1970.
  package let time: Int64
  private let channel: ChannelID
  private let reader: ChannelReader
  private let current: EpochKey?
  private let signer: KeyPairs
  private let limits: [StreamID: UInt64]
  /// The streams in which this machine wrote before.
  private let former: Set<StreamID>
  private let labels: [StreamID: String]
  /// This machine's newest record.
  private var last: ChannelEntry?
  /// What the records that are written here name by their hashes.
  private let hashOf: (StreamID, UInt64) throws -> [UInt8]?

  init(
    _ loaded: LoadedReplica, _ channel: ChannelID, limits: [StreamID: UInt64],
    former: Set<StreamID>, labels: [StreamID: String], mayWrite: Bool, time: Int64,
    last: ChannelEntry?,
    hashOf: @escaping (StreamID, UInt64) throws -> [UInt8]?
  ) {
    own = loaded.state.stream
    self.channel = channel
    self.limits = limits
    self.former = former
    self.labels = labels
    self.mayWrite = mayWrite
    self.time = time
    self.last = last
    self.hashOf = hashOf
    reader = ChannelReader(epochs: loaded.history.epochs)
    current = loaded.history.roster().current
    signer = loaded.keys.current
  }

  /// The number of the last record of a stream that counts.
  package func limit(_ stream: StreamID) -> UInt64 {
    former.contains(stream) ? .max : limits[stream] ?? 0
  }

  /// What a machine is called.
  package func label(_ stream: StreamID) -> String { labels[stream] ?? "other" }

  /// The number that this machine's newest record has.
  package var lastNumber: UInt64 { last?.sequence ?? 0 }

  /// What a record says.
  package func content(of bytes: [UInt8]) throws -> ChannelContent {
    try reader.content(of: bytes)
  }

  /// Writes a record of this machine.
  ///
  /// - Parameters:
  ///   - operations: What it says.
  ///   - known: How far this machine has applied the streams.
  ///   - continues: Whether the next one belongs to it.
  /// - Returns: The record, to be kept.
  /// - Throws: ``SyncError`` with code `.removed` without a key; ``MalformedRecord`` for too much.
  package mutating func write(
    _ operations: [ChannelOperation], knowing known: Frontier, continues: Bool = false
  ) throws -> ChannelEntry {
    guard let current else { throw Replica.noKey }
    let before = last?.past ?? [:]
    var past = before
    var seen: [Sighting] = []
    for (stream, sequence) in known.sorted(by: { $0.key < $1.key })
    where stream != own && sequence > before[stream, default: 0] {
      guard let hash = try hashOf(stream, sequence) else { continue }
      seen.append(Sighting(stream: stream, sequence: sequence, hash: hash))
      past[stream] = sequence
    }
    let sequence = lastNumber + 1
    past[own] = sequence
    let record = try ChannelRecord(
      ChannelContent(time: time, continues: continues, seen: seen, operations: operations),
      channel: channel, stream: own, sequence: sequence,
      previous: last?.hash ?? [UInt8](repeating: 0, count: 32), epoch: current,
      signer: signer.signing)
    let entry = ChannelEntry(
      stream: own, sequence: sequence, hash: record.hash, past: past, bytes: record.bytes)
    last = entry
    return entry
  }

  /// Whether somebody has to say that this machine knows records which only count if somebody does.
  package func vouches(knowing known: Frontier) -> Bool {
    let past = last?.past ?? [:]
    return mayWrite
      && known.contains { stream, sequence in
        stream != own && limits[stream] != .max && sequence > past[stream, default: 0]
      }
  }
}
