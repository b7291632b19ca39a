import VaultCredentials
import VaultSealing
import VaultStorage

/// Two records of one machine that cannot both belong to one history.
///
/// The machine's own signatures say so: nobody else can have made them. Either the machine was
/// copied or put back, or whoever has its key lies. It is kept on the machine that noticed it,
/// until that one leaves the space.
public struct SyncFork: Sendable, Equatable {
  /// A record as it lay in a store, with the public keys of the machine that signed it.
  public struct Proof: Sendable, Equatable {
    /// The machine's stream, 32 hex digits: a hash of the space and the two keys.
    public let machine: String
    /// The Ed25519 key that the record is signed with, 32 bytes.
    public let signingKey: [UInt8]
    /// The machine's X25519 key, 32 bytes.
    public let sealingKey: [UInt8]
    /// The record's number.
    public let number: UInt64
    /// The sealed and signed record.
    public let record: [UInt8]
    /// Its hash, 32 bytes.
    public let hash: [UInt8]
  }

  /// What the machine with two histories is called, as far as this machine knows.
  public let device: String
  /// The machine's stream, 32 hex digits.
  public let machine: String
  /// The number of the record that there is twice.
  public let number: UInt64
  /// First the record that this machine has under the number, then the one that contradicts it:
  /// another one with that number, one that follows another one, or one of a machine that has seen
  /// another one.
  public let proofs: [Proof]
}

/// The forks that a machine has noticed: `secrets.vault.sync.forks`, the first of each stream.
///
/// Documentation/design/sync-format.md, section 7. Nothing in it is secret but to those who do not
/// have the store, and it is believed only as far as its signatures go.
package struct SyncForks: Sendable, Equatable {
  static let magic = Array("VSF1".utf8)
  /// Most bytes of the file; what does not fit is told, and not kept.
  static let maximumLength = 64 << 20

  /// A record, and the keys of its machine.
  struct Signed: Sendable, Equatable {
    let keys: PublicKeys
    let record: [UInt8]
  }

  struct Entry: Sendable, Equatable {
    let stream: StreamID
    let number: UInt64
    let known: Signed
    let other: Signed
  }

  private(set) var entries: [Entry] = []

  init() {}

  /// Keeps an entry, unless there is one of its stream.
  ///
  /// - Returns: Whether it is new.
  mutating func add(_ entry: Entry) -> Bool {
    guard !entries.contains(where: { $0.stream == entry.stream }),
      bytes.count + entry.bytes.count <= Self.maximumLength
    else { return false }
    entries.append(entry)
    return true
  }

  /// The file's bytes.
  var bytes: [UInt8] { Self.magic + entries.flatMap(\.bytes) }

  /// Reads the file; what is damaged, and what follows it, is passed over.
  init(bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic) else { return }
    var rest = bytes.dropFirst(Self.magic.count)
    func take(_ count: Int) -> [UInt8]? {
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func signed() -> Signed? {
      guard let signing = take(32), let sealing = take(32), let length = take(4),
        let record = take(length.reversed().reduce(0) { $0 << 8 | Int($1) })
      else { return nil }
      return Signed(keys: PublicKeys(signing: signing, sealing: sealing), record: record)
    }
    while let id = take(16), let stream = StreamID(id), let number = take(8),
      let known = signed(), let other = signed()
    {
      entries.append(
        Entry(
          stream: stream, number: number.reversed().reduce(0) { $0 << 8 | UInt64($1) },
          known: known, other: other))
    }
  }
}

extension SyncForks.Entry {
  fileprivate var bytes: [UInt8] {
    var bytes = stream.bytes
    bytes.append(littleEndian: number)
    for one in [known, other] {
      bytes += one.keys.signing + one.keys.sealing
      bytes.append(littleEndian: UInt32(one.record.count))
      bytes += one.record
    }
    return bytes
  }

  /// The fork, if both records are of the space and signed by the machines that they name.
  func fork(in space: SpaceID, label: (StreamID) -> String?) -> SyncFork? {
    let proofs = [known, other].compactMap { $0.proof(in: space) }
    guard proofs.count == 2, proofs[0].machine == stream.text, proofs[0].number == number,
      proofs[0].hash != proofs[1].hash
    else { return nil }
    return SyncFork(
      device: label(stream) ?? "a new machine", machine: stream.text, number: number,
      proofs: proofs)
  }
}

extension SyncForks.Signed {
  fileprivate func proof(in space: SpaceID) -> SyncFork.Proof? {
    guard let record = try? SyncRecord(bytes: record), record.space == space,
      (try? StreamID(of: keys, in: space)) == record.stream, record.isSigned(by: keys.signing)
    else { return nil }
    return SyncFork.Proof(
      machine: record.stream.text, signingKey: keys.signing, sealingKey: keys.sealing,
      number: record.sequence, record: record.bytes, hash: record.hash)
  }
}

extension SyncFiles {
  private var forksName: String { name + ".forks" }

  /// The forks that were noticed.
  ///
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func forks() throws -> SyncForks {
    try read(forksName, limit: SyncForks.maximumLength).map { SyncForks(bytes: $0) } ?? SyncForks()
  }

  func replace(_ forks: SyncForks) throws {
    try Self.reached { try AtomicFile.replace(forksName, in: Directory(folder), with: forks.bytes) }
  }

  func removeForks() throws { try Self.reached { try Directory(folder).remove(forksName) } }
}

extension SyncedVault {
  /// Keeps the proofs of a fork: the record that is known here, and the one that contradicts it.
  ///
  /// - Parameters:
  ///   - fork: What was found.
  ///   - loaded: What this machine remembers.
  /// - Returns: Whether there are two records under one number, each signed by the machine.
  /// - Throws: ``SyncError`` with code `.inputOutput`; what reading the store throws.
  func keep(_ fork: SpaceHistory.Fork, _ loaded: Loaded) throws -> Bool {
    var forks = try files.forks()
    guard let known = loaded.history.record(fork.stream, fork.sequence),
      let keys = loaded.history.keys[fork.stream],
      let bytes = try files.records().first(where: {
        SyncRecord.stream(of: $0) == fork.stream
          && (try? SyncRecord(bytes: $0))?.hash == known.hash
      }),
      let other = try? SyncRecord(bytes: fork.other), let others = loaded.history.keys[other.stream]
    else { return false }
    var evidence: SyncForks.Signed?
    // The record itself, where the store shows it, says more than one that follows it.
    if let twin = try engine.records(
      of: fork.stream, in: loaded.state.space, after: fork.sequence - 1, limit: 1
    ).first.flatMap({ try? SyncRecord(bytes: $0) }),
      twin.space == loaded.state.space, twin.stream == fork.stream,
      twin.sequence == fork.sequence, twin.hash != known.hash, twin.isSigned(by: keys.signing)
    {
      evidence = SyncForks.Signed(keys: keys, record: twin.bytes)
    } else if other.stream == fork.stream {
      evidence = SyncForks.Signed(keys: others, record: fork.other)
    }
    // Another machine's word is none.
    guard let evidence else { return false }
    let entry = SyncForks.Entry(
      stream: fork.stream, number: fork.sequence,
      known: SyncForks.Signed(keys: keys, record: bytes), other: evidence)
    if forks.add(entry) { try files.replace(forks) }
    return true
  }
}
