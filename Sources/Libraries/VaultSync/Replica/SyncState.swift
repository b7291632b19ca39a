import VaultCredentials
package import VaultSealing
import VaultStorage

/// What this machine remembers of its space: `secrets.vault.sync`, beside the vault file.
///
/// Documentation/design/sync-format.md, section 7. Sealed with a key of the vault; the machine's
/// own seed is in the vault's index.
package struct SyncState: Sendable {
  /// A state that the vault was brought to.
  package struct Applied: Sendable {
    package var frontier: Frontier
    /// The mark that the vault file got with it; empty for none.
    package var mark: String
    /// The vault file from which own changes were told last, as ``VaultFileMark`` has it; `nil` if
    /// it is the one that got the mark.
    package var file: [UInt8]?

    package init(frontier: Frontier, mark: String) {
      self.frontier = frontier
      self.mark = mark
    }
  }

  /// A state that the vault is being brought to, and the own records that go with it.
  package struct Pending: Sendable {
    package var applied: Applied
    package var records: [[UInt8]]
  }

  /// What the store and the vault showed when there was nothing to do for either.
  package struct Rest: Equatable, Sendable {
    package var heads: [StreamHead]
    /// The vault file: its generation and its tag.
    package var vault: [UInt8]
    /// When there is something to do in any case, milliseconds since 1970.
    package var until: Int64
  }

  /// The newest snapshot that this machine knows.
  package struct Snapshot: Equatable, Sendable {
    package var stream: StreamID
    package var sequence: UInt64
    /// The bytes of the log when it was seen.
    package var logLength: UInt64
  }

  /// The preferences that are brought together with the space, too.
  package struct Preferences: Equatable, Sendable {
    /// The domains; true for one that was added, and not brought together since.
    package var domains: [String: Bool] = [:]
    /// What of the space they were brought together with last.
    package var frontier: Frontier = [:]
    /// What of the space they were being brought to, if a run did not come to its end; else empty.
    package var attempt: Frontier = [:]
    /// 16 bytes that say what they were then; zeros for nothing.
    package var mark = [UInt8](repeating: 0, count: 16)
  }

  /// The newest feed that this machine has believed, if it follows one.
  package struct Feed: Equatable, Sendable {
    /// When it was written, by the machine that publishes it, milliseconds since 1970.
    package var time: Int64
    /// How often that is done, in seconds.
    package var interval: UInt32
    /// The stream of that machine, and its signing key.
    package var author: StreamID
    package var key: [UInt8]
    /// What the mirror says of it, at most 256 bytes; empty for nothing.
    package var tag: [UInt8]
  }

  package var space: SpaceID
  package var stream: StreamID
  /// The home in which the stream is written, as ``HomeIdentity`` has it.
  package var machine: [UInt8]
  package var label: String
  /// Where the store is, in the words of whoever opens engines.
  package var store: String
  /// What opens an invitation's keys; `nil` for the machine that made the space.
  package var invitationSeed: SecretBytes?
  package var epochs: [EpochKey]
  package var applied: Applied
  package var pending: Pending?
  /// The number of own records that the store has taken.
  package var sent: UInt64
  /// When the store answered last, milliseconds since 1970; 0 for never.
  package var lastContact: Int64
  /// `nil` if something is still to be done.
  package var rest: Rest?
  /// 16 bytes that say what the recovery codes open, as this machine put it into the store; zeros
  /// for nothing.
  package var recovery = [UInt8](repeating: 0, count: 16)
  /// 16 bytes of each of these files, by the codes' ids; none where that is not known.
  package var recoveryFiles: [[UInt8]: [UInt8]] = [:]
  package var preferences = Preferences()
  /// `nil` if there is none.
  package var snapshot: Snapshot?
  /// When this machine last looked whether the store has all of its records, milliseconds since
  /// 1970.
  package var mended: Int64 = 0
  /// The seeds of the streams in which this machine went on after its home had been put back or
  /// copied, the one that it writes now last; empty while it writes the one that it began with.
  package var seeds: [SecretBytes] = []

  /// `nil` on a machine of the space.
  package var feed: Feed?

  static let magic = Array("VSS1".utf8)
  static let maximumLength = 64 << 20

  package init(
    space: SpaceID, stream: StreamID, machine: [UInt8], label: String, store: String,
    invitationSeed: SecretBytes?, epochs: [EpochKey]
  ) {
    self.space = space
    self.stream = stream
    self.machine = machine
    self.label = label
    self.store = store
    self.invitationSeed = invitationSeed
    self.epochs = epochs
    applied = Applied(frontier: [:], mark: "")
    sent = 0
    lastContact = 0
  }

  /// The file's bytes.
  package func sealed(_ key: SecretBytes) throws -> [UInt8] {
    var builder = SecretBuilder()
    builder.put(space.bytes)
    builder.put(stream.bytes)
    builder.put(machine)
    try builder.text(label)
    try builder.text(store)
    builder.put(UInt8(invitationSeed == nil ? 0 : 1))
    if let invitationSeed { builder.put(invitationSeed) }
    builder.put(UInt16(epochs.count))
    for epoch in epochs {
      builder.put(epoch.number)
      builder.put(epoch.key)
    }
    try applied.encode(into: &builder)
    builder.put(UInt8(pending == nil ? 0 : 1))
    if let pending {
      try pending.applied.encode(into: &builder)
      builder.put(UInt16(pending.records.count))
      for record in pending.records {
        builder.put(UInt32(record.count))
        builder.put(record)
      }
    }
    builder.put(sent)
    builder.put(lastContact)
    builder.put(UInt8(rest == nil ? 0 : 1))
    if let rest {
      builder.put(UInt16(rest.heads.count))
      for head in rest.heads { builder.put(head.bytes) }
      builder.put(rest.vault)
      builder.put(rest.until)
    }
    builder.put(recovery)
    try preferences.encode(into: &builder)
    builder.put(UInt8(snapshot == nil ? 0 : 1))
    if let snapshot {
      builder.put(snapshot.stream.bytes)
      builder.put(snapshot.sequence)
      builder.put(snapshot.logLength)
    }
    builder.put(mended)
    builder.put(UInt16(seeds.count))
    for seed in seeds { builder.put(seed) }
    builder.put(UInt16(recoveryFiles.count))
    for (id, digest) in recoveryFiles.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      builder.put(id)
      builder.put(digest)
    }
    // As machines of the space have written it always.
    if let feed {
      builder.put(UInt8(1))
      builder.put(feed.time)
      builder.put(feed.interval)
      builder.put(feed.author.bytes)
      builder.put(feed.key)
      builder.put(UInt16(feed.tag.count))
      builder.put(feed.tag)
    }
    let plaintext = try builder.joined()
    return try Self.magic
      + plaintext.withBytes {
        try AuthenticatedEncryption.seal($0, key: key, context: Self.magic)
      }
  }

  /// Reads the file.
  ///
  /// - Throws: ``SyncError`` with code `.tampered`, `.newerVersion`.
  package init(sealed bytes: [UInt8], key: SecretBytes) throws {
    do {
      guard bytes.starts(with: Self.magic) else { throw MalformedRecord() }
      let plaintext = try AuthenticatedEncryption.open(
        Array(bytes.dropFirst(Self.magic.count)), key: key, context: Self.magic)
      var reader = SecretReader(plaintext)
      guard let space = SpaceID(try reader.array(16)), let stream = StreamID(try reader.array(16))
      else { throw MalformedRecord() }
      let machine = try reader.array(16)
      let (label, store) = (try reader.text(), try reader.text())
      let seed = try reader.number(UInt8.self) == 1 ? try reader.secret(32) : nil
      var epochs: [EpochKey] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        epochs.append(try EpochKey(number: try reader.number(), key: try reader.secret(32)))
      }
      self.init(
        space: space, stream: stream, machine: machine, label: label, store: store,
        invitationSeed: seed, epochs: epochs)
      applied = try Applied(from: &reader)
      if try reader.number(UInt8.self) == 1 {
        let applied = try Applied(from: &reader)
        var records: [[UInt8]] = []
        for _ in 0..<(try reader.number(UInt16.self)) {
          records.append(try reader.array(Int(reader.number(UInt32.self))))
        }
        pending = Pending(applied: applied, records: records)
      }
      sent = try reader.number()
      lastContact = try reader.number()
      guard !reader.isAtEnd else { return }
      if try reader.number(UInt8.self) == 1 {
        var heads: [StreamHead] = []
        for _ in 0..<(try reader.number(UInt16.self)) {
          guard let head = StreamHead(try reader.array(StreamHead.length)) else {
            throw MalformedRecord()
          }
          heads.append(head)
        }
        rest = Rest(
          heads: heads, vault: try reader.array(VaultFileMark.length), until: try reader.number())
      }
      guard !reader.isAtEnd else { return }
      recovery = try reader.array(16)
      guard !reader.isAtEnd else { return }
      preferences = try Preferences(from: &reader)
      guard !reader.isAtEnd else { return }
      if try reader.number(UInt8.self) == 1 {
        guard let stream = StreamID(try reader.array(16)) else { throw MalformedRecord() }
        snapshot = Snapshot(
          stream: stream, sequence: try reader.number(), logLength: try reader.number())
      }
      guard !reader.isAtEnd else { return }
      mended = try reader.number()
      guard !reader.isAtEnd else { return }
      for _ in 0..<(try reader.number(UInt16.self)) { seeds.append(try reader.secret(32)) }
      guard !reader.isAtEnd else { return }
      for _ in 0..<(try reader.number(UInt16.self)) {
        let id = try reader.array(16)
        recoveryFiles[id] = try reader.array(16)
      }
      guard !reader.isAtEnd, try reader.number(UInt8.self) == 1 else { return }
      let (time, interval): (Int64, UInt32) = (try reader.number(), try reader.number())
      guard let author = StreamID(try reader.array(16)) else { throw MalformedRecord() }
      feed = Feed(
        time: time, interval: interval, author: author, key: try reader.array(32),
        tag: try reader.array(Int(reader.number(UInt16.self))))
    } catch {
      throw SyncError(
        .tampered, "what this machine remembers of its space is damaged",
        hint: "leave the space and join it again; the vault is not affected")
    }
  }
}

extension SyncState.Applied {
  fileprivate func encode(into builder: inout SecretBuilder) throws {
    builder.put(frontier)
    try builder.text(mark)
    builder.put(UInt8(file == nil ? 0 : 1))
    if let file { builder.put(file) }
  }

  fileprivate init(from reader: inout SecretReader) throws {
    frontier = try reader.frontier()
    mark = try reader.text()
    if try reader.number(UInt8.self) == 1 { file = try reader.array(VaultFileMark.length) }
  }
}

extension SyncState.Preferences {
  fileprivate func encode(into builder: inout SecretBuilder) throws {
    builder.put(UInt16(domains.count))
    for (domain, isNew) in domains.sorted(by: { $0.key < $1.key }) {
      try builder.text(domain)
      builder.put(UInt8(isNew ? 1 : 0))
    }
    builder.put(frontier)
    builder.put(attempt)
    builder.put(mark)
  }

  fileprivate init(from reader: inout SecretReader) throws {
    for _ in 0..<(try reader.number(UInt16.self)) {
      let domain = try reader.text()
      domains[domain] = try reader.number(UInt8.self) == 1
    }
    frontier = try reader.frontier()
    attempt = try reader.frontier()
    mark = try reader.array(16)
  }
}

extension SecretBuilder {
  fileprivate mutating func put(_ frontier: Frontier) {
    put(UInt16(frontier.count))
    for (stream, sequence) in frontier.sorted(by: { $0.key < $1.key }) {
      put(stream.bytes)
      put(sequence)
    }
  }
}

extension SecretReader {
  fileprivate mutating func frontier() throws(MalformedRecord) -> Frontier {
    var frontier: Frontier = [:]
    for _ in 0..<(try number(UInt16.self)) {
      guard let stream = StreamID(try array(16)) else { throw MalformedRecord() }
      frontier[stream] = try number()
    }
    return frontier
  }
}
