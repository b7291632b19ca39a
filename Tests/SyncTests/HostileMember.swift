import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A member with a program of its own: it seals and signs what it wants.
struct HostileMember {
  let known: KnownSpace
  let engine: MemoryEngine

  init(_ machine: SyncMachine, _ engine: MemoryEngine) throws {
    known = try KnownSpace(machine)
    self.engine = engine
  }

  /// Writes a record behind those of its stream that the store has.
  ///
  /// - Parameters:
  ///   - seen: What it says that it has seen; by default nothing new.
  ///   - operations: What it says.
  /// - Throws: What sealing throws, or the store.
  func write(
    seen: [Sighting] = [], _ operations: (KnownSpace) throws -> [VaultSync.Operation]
  ) throws {
    let records = engine.all.records[known.space]?[known.stream] ?? []
    let last = try SyncRecord(bytes: #require(records.last))
    let record = try SyncRecord(
      RecordContent(time: 1, seen: seen, operations: operations(known)), space: known.space,
      stream: known.stream, sequence: last.sequence + 1, previous: last.hash, epoch: known.key,
      signer: known.keys.signing)
    try put(record)
  }

  /// Makes a stream of nobody, whose first record says what it wants.
  @discardableResult
  func writeNewStream(
    seen: [Sighting] = [], with epoch: EpochKey? = nil,
    _ operations: (KeyPairs, StreamID) throws -> [VaultSync.Operation]
  ) throws -> StreamID {
    let keys = try KeyPairs(seed: SecretBytes.random(count: 32))
    let stream = try StreamID(of: keys.publicKeys, in: known.space)
    let record = try SyncRecord(
      RecordContent(time: 1, seen: seen, operations: operations(keys, stream)),
      space: known.space, stream: stream, sequence: 1,
      previous: [UInt8](repeating: 0, count: 32), epoch: epoch ?? known.key,
      signer: keys.signing)
    try put(record)
    return stream
  }

  /// Goes on in a stream of its own, as from a home that was put back.
  ///
  /// - Parameter label: What it calls itself.
  /// - Throws: What sealing throws, or the store.
  func goOn(as label: String) throws {
    let records = engine.all.records[known.space]?[known.stream] ?? []
    let last = try SyncRecord(bytes: #require(records.last))
    let seen = Sighting(stream: known.stream, sequence: last.sequence, hash: last.hash)
    try writeNewStream(seen: [seen]) { keys, stream in
      let signature = known.keys.signing.signature(
        of: VaultSync.Operation.succeeded(by: stream, in: known.space))
      return [
        .succeed(
          keys: keys.publicKeys, predecessor: known.stream, label: label, signature: signature)
      ]
    }
  }

  func put(_ record: SyncRecord) throws {
    try engine.append(
      [record.bytes],
      head: StreamHead(stream: record.stream, sequence: record.sequence, hash: record.hash),
      in: known.space)
  }
}

extension KnownSpace {
  /// The stream of a machine, by the name that it gave itself.
  func stream(_ label: String) throws -> StreamID {
    let roster = Roster(history.records, upTo: history.frontier)
    return try #require(roster.members.values.first { $0.label == label }?.stream)
  }

  /// What the space knows of a machine's record.
  func sighting(_ label: String, _ sequence: UInt64) throws -> Sighting {
    let record = try #require(history.record(stream(label), sequence))
    return Sighting(stream: record.stream, sequence: sequence, hash: record.hash)
  }
}

extension HostileMember {
  /// Writes a record with one operation of a kind that only a newer version could know.
  func writeUnknownKind(_ kind: UInt8 = 99) throws {
    let last = try SyncRecord(
      bytes: #require((engine.all.records[known.space]?[known.stream] ?? []).last))
    var content = SecretBuilder()
    content.put(Int64(1))
    content.put(UInt16(0))
    content.put(UInt32(1))
    content.put(kind)
    content.put(UInt32(2))
    content.put([1, 2])
    let length = Padding.itemLength(content.count)
    let padded = try content.joined().withBytes { try Padding.padded($0, to: length) }
    var prefix = SyncRecord.magic + known.space.bytes + known.stream.bytes
    let (number, epoch) = (last.sequence + 1, try known.key)
    let numbered = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    prefix += numbered
    prefix += (0..<4).map { UInt8(truncatingIfNeeded: epoch.number >> (8 * $0)) }
    prefix += last.hash
    let key = try KeyDerivation.key(
      from: epoch.key, message: Array("VSR1/record".utf8) + known.stream.bytes + numbered)
    let signed =
      prefix
      + (try padded.withBytes {
        try AuthenticatedEncryption.seal($0, key: key, context: prefix)
      })
    let signature = known.keys.signing.signature(of: Array("VSR1/signature".utf8) + signed)
    try put(SyncRecord(bytes: signed + signature))
  }
}
