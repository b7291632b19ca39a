import VaultCredentials
import VaultSealing
import VaultStorage

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

  /// Most entries of one stream: who forks more often is told all the same.
  static let mostOfStream: UInt64 = 256

  /// Keeps an entry, unless there is one of its stream and number.
  ///
  /// - Returns: Whether it is new.
  mutating func add(_ entry: Entry) -> Bool {
    let others = entries.filter { $0.stream == entry.stream }
    guard !others.contains(where: { $0.number == entry.number }),
      UInt64(others.count) < Self.mostOfStream,
      bytes.count + entry.bytes.count <= Self.maximumLength
    else { return false }
    entries.append(entry)
    return true
  }

  /// Keeps that another record counts of a stream than so far.
  ///
  /// - Parameters:
  ///   - known: The record that counts.
  ///   - other: The one that was here, or what contradicted it.
  ///   - stream: Whose records they are.
  ///   - number: Their number.
  /// - Returns: False where there are too many.
  mutating func settle(
    _ known: Signed, _ other: Signed, of stream: StreamID, at number: UInt64
  ) -> Bool {
    let entry = Entry(stream: stream, number: number, known: known, other: other)
    let before = entries
    entries.removeAll { $0.stream == stream && $0.number == number }
    guard add(entry) else {
      entries = before
      return false
    }
    return true
  }

  /// Which records count.
  package var settled: [SettledFork] {
    entries.compactMap { entry in
      guard let record = try? SyncRecord(bytes: entry.known.record),
        record.stream == entry.stream, record.sequence == entry.number,
        record.isSigned(by: entry.known.keys.signing)
      else { return nil }
      return SettledFork(record: record)
    }
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
  package func forks() throws -> SyncForks {
    try read(forksName, limit: SyncForks.maximumLength).map { SyncForks(bytes: $0) } ?? SyncForks()
  }

  func replace(_ forks: SyncForks) throws {
    try Self.reached { try AtomicFile.replace(forksName, in: Directory(folder), with: forks.bytes) }
  }

  func removeForks() throws { try Self.reached { try Directory(folder).remove(forksName) } }
}
