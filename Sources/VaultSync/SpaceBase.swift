import VaultCredentials
package import VaultSealing

/// What the first records of a space come to: `secrets.vault.sync.base`, beside the vault file.
///
/// It spares opening all records of all time. It is made from the log and can be made again: one
/// that is missing, damaged, or of no use since a machine was removed, is passed over.
///
/// Documentation/sync-format.md, section 7.
package struct SpaceBase: Sendable {
  /// Some of the records count no longer.
  package struct Outdated: Error {}

  /// How many bytes of the log it covers.
  package let logLength: UInt64
  /// The records that it covers, each after those that it knows; with what is of the roster alone.
  package let records: [OpenedRecord]
  /// The items that they come to.
  package let items: [[UInt8]: FoldedItem]
  /// The preferences that they come to.
  package let preferences: [String: FoldedPreferences.Domain]
  /// How far each stream counts in the items.
  let limits: Frontier

  /// Covers all records of a history.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - logLength: The bytes of the log that has them.
  /// - Throws: ``Outdated`` if the history's own base is of no use.
  package init(_ history: SpaceHistory, logLength: UInt64) throws(Outdated) {
    self.logLength = logLength
    let frontier = history.frontier
    let roster = Roster(history, upTo: frontier)
    items = try FoldedSpace(history, roster, upTo: frontier).folded
    preferences = try FoldedPreferences(history, roster, upTo: frontier).domains
    limits = Self.limits(frontier, roster)
    records = history.all.map(\.withoutItems).sorted(by: OpenedRecord.comesFirst)
  }

  private static func limits(_ frontier: Frontier, _ roster: Roster) -> Frontier {
    var limits: Frontier = [:]
    for (stream, sequence) in frontier { limits[stream] = min(sequence, roster.limit(stream)) }
    return limits
  }

  /// How far each stream goes in it.
  var frontier: Frontier {
    var frontier: Frontier = [:]
    for record in records {
      frontier[record.stream] = max(frontier[record.stream] ?? 0, record.sequence)
    }
    return frontier
  }

  /// Whether its items are still those that the records come to.
  func holds(_ roster: Roster, upTo known: Frontier) -> Bool {
    let own = frontier
    return own.allSatisfy { known[$0.key, default: 0] >= $0.value }
      && Self.limits(own, roster) == limits
  }
}

extension OpenedRecord {
  /// The record without what it says of items.
  fileprivate var withoutItems: OpenedRecord {
    var content = content
    content.seen = []
    content.operations.removeAll { !$0.isOfRoster }
    return OpenedRecord(
      stream: stream, sequence: sequence, hash: hash, content: content, epoch: epoch, past: past)
  }

  /// An order in which nothing comes before what it knows.
  fileprivate static func comesFirst(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
    (left.depth, left.stream) < (right.depth, right.stream)
  }
}

// MARK: - The file

extension SpaceBase {
  static let magic = Array("VSB2".utf8)
  /// Bytes after which items go into the next chunk.
  private static let chunkLength = 256 << 10

  /// The file's bytes: sealed chunks, the first with the records, the others with items.
  ///
  /// - Parameter key: The machine's own key.
  /// - Returns: The bytes.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  package func sealed(_ key: SecretBytes) throws -> [UInt8] {
    let streams = limits.keys.sorted()
    let epochs = Set(records.map(\.epoch)).sorted { $0.lexicographicallyPrecedes($1) }
    let writer = Writer(
      streams: Dictionary(uniqueKeysWithValues: streams.enumerated().map { ($1, UInt16($0)) }),
      epochs: Dictionary(uniqueKeysWithValues: epochs.enumerated().map { ($1, UInt16($0)) }))
    var first = SecretBuilder()
    first.put(logLength)
    first.put(UInt16(streams.count))
    for stream in streams {
      first.put(stream.bytes)
      first.put(limits[stream, default: 0])
    }
    first.put(UInt16(epochs.count))
    for epoch in epochs { first.put(epoch) }
    first.put(UInt32(records.count))
    var past: [StreamID: Frontier] = [:]
    for record in records {
      try writer.put(record, after: past[record.stream] ?? [:], into: &first)
      past[record.stream] = record.past
    }
    try writer.put(preferences, into: &first)
    var chunks = [first]
    var current = SecretBuilder()
    for (_, item) in items.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      try writer.put(item, into: &current)
      guard current.count > Self.chunkLength else { continue }
      chunks.append(current)
      current = SecretBuilder()
    }
    if current.count > 0 { chunks.append(current) }
    var bytes = Self.magic
    for (number, chunk) in chunks.enumerated() {
      let sealed = try chunk.joined().withBytes {
        try AuthenticatedEncryption.seal(
          $0, key: key, context: Self.context(number, isLast: number == chunks.count - 1))
      }
      bytes.append(littleEndian: UInt32(sealed.count))
      bytes += sealed
    }
    return bytes
  }

  private static func context(_ number: Int, isLast: Bool) -> [UInt8] {
    var context = magic
    context.append(littleEndian: UInt32(number))
    context.append(isLast ? 1 : 0)
    return context
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - key: The machine's own key.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  package init(sealed bytes: [UInt8], key: SecretBytes) throws {
    guard bytes.starts(with: Self.magic) else { throw MalformedRecord() }
    var offset = Self.magic.count
    var number = 0
    func nextChunk() throws -> SecretReader {
      guard offset + 4 <= bytes.count else { throw MalformedRecord() }
      let length = Int(bytes.withRawSpan { $0.littleEndian(UInt32.self, at: offset) })
      let start = offset + 4
      guard length <= bytes.count - start else { throw MalformedRecord() }
      offset = start + length
      defer { number += 1 }
      return SecretReader(
        try AuthenticatedEncryption.open(
          Array(bytes[start..<offset]), key: key,
          context: Self.context(number, isLast: offset == bytes.count)))
    }
    var first = try nextChunk()
    logLength = try first.number()
    var limits: Frontier = [:]
    var streams: [StreamID] = []
    for _ in 0..<(try first.number(UInt16.self)) {
      guard let stream = StreamID(try first.array(16)) else { throw MalformedRecord() }
      streams.append(stream)
      limits[stream] = try first.number()
    }
    var epochs: [[UInt8]] = []
    for _ in 0..<(try first.number(UInt16.self)) { epochs.append(try first.array(16)) }
    var reader = Reader(streams: streams, epochs: epochs)
    var records: [OpenedRecord] = []
    for _ in 0..<(try first.number(UInt32.self)) {
      records.append(try reader.record(&first))
    }
    preferences = try reader.preferences(&first)
    guard first.isAtEnd else { throw MalformedRecord() }
    var items: [[UInt8]: FoldedItem] = [:]
    while offset < bytes.count {
      var chunk = try nextChunk()
      while !chunk.isAtEnd {
        let item = try reader.item(&chunk)
        items[item.id] = item
      }
    }
    self.limits = limits
    self.records = records
    self.items = items
  }

  /// Writes records and items, with streams and keys by their places in a table.
  private struct Writer {
    let streams: [StreamID: UInt16]
    let epochs: [[UInt8]: UInt16]

    private func put(
      _ stream: StreamID, _ sequence: UInt64, into builder: inout SecretBuilder
    ) throws {
      guard let place = streams[stream] else { throw MalformedRecord() }
      builder.put(place)
      builder.put(sequence)
    }

    func put(
      _ record: OpenedRecord, after before: Frontier, into builder: inout SecretBuilder
    ) throws {
      try put(record.stream, record.sequence, into: &builder)
      builder.put(record.hash)
      builder.put(record.content.time)
      builder.put(epochs[record.epoch, default: 0])
      let new = record.past.filter { before[$0.key] != $0.value }.sorted { $0.key < $1.key }
      builder.put(UInt16(new.count))
      for (stream, sequence) in new { try put(stream, sequence, into: &builder) }
      builder.put(UInt16(record.content.operations.count))
      for operation in record.content.operations { try operation.encode(into: &builder) }
    }

    func put(_ item: FoldedItem, into builder: inout SecretBuilder) throws {
      func before(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
        (left.stream, left.sequence) < (right.stream, right.sequence)
      }
      builder.put(item.id)
      builder.put(item.created)
      builder.put(item.version)
      builder.put(UInt16(item.tips.count))
      for tip in item.tips.sorted(by: { before($0.record, $1.record) }) {
        try put(tip.record.stream, tip.record.sequence, into: &builder)
        builder.put(tip.modified)
      }
      builder.put(UInt16(item.purges.count))
      for purge in item.purges.sorted(by: { before($0.record, $1.record) }) {
        try put(purge.record.stream, purge.record.sequence, into: &builder)
        builder.put(purge.removed)
      }
      builder.put(UInt32(item.heads.count))
      for (key, heads) in item.heads.sorted(by: { $0.key < $1.key }) {
        builder.put(key.kind.rawValue)
        try builder.text(key.name)
        builder.put(UInt16(heads.count))
        for head in heads.sorted(by: { before($0.record, $1.record) }) {
          try put(head.record.stream, head.record.sequence, into: &builder)
          builder.put(head.modified)
          try head.value.encode(into: &builder)
        }
      }
      builder.put(UInt16(item.history.count))
      for version in item.history { try version.encode(into: &builder) }
    }

    func put(
      _ preferences: [String: FoldedPreferences.Domain], into builder: inout SecretBuilder
    ) throws {
      builder.put(UInt32(preferences.count))
      for (name, domain) in preferences.sorted(by: { $0.key < $1.key }) {
        try builder.text(name)
        builder.put(UInt8(domain.isProtected ? 1 : 0))
        builder.put(UInt32(domain.heads.count))
        for (key, heads) in domain.heads.sorted(by: { $0.key < $1.key }) {
          try builder.text(key)
          builder.put(UInt16(heads.count))
          for head in heads.sorted(by: FoldedPreferences.Head.isEarlier) {
            try put(head.record.stream, head.record.sequence, into: &builder)
            builder.put(head.modified)
            builder.put(value: head.value)
          }
        }
      }
    }
  }

  /// Reads what ``Writer`` writes.
  private struct Reader {
    let streams: [StreamID]
    let epochs: [[UInt8]]
    private var found: [StreamID: [OpenedRecord]] = [:]

    init(streams: [StreamID], epochs: [[UInt8]]) {
      self.streams = streams
      self.epochs = epochs
    }

    private func place(
      _ reader: inout SecretReader
    ) throws -> (stream: StreamID, sequence: UInt64) {
      let place = Int(try reader.number(UInt16.self))
      guard streams.indices.contains(place) else { throw MalformedRecord() }
      return (streams[place], try reader.number())
    }

    private func known(_ reader: inout SecretReader) throws -> OpenedRecord {
      let (stream, sequence) = try place(&reader)
      let records = found[stream] ?? []
      guard sequence >= 1, sequence <= UInt64(records.count) else { throw MalformedRecord() }
      return records[Int(sequence) - 1]
    }

    mutating func record(_ reader: inout SecretReader) throws -> OpenedRecord {
      let (stream, sequence) = try place(&reader)
      guard sequence == UInt64(found[stream]?.count ?? 0) + 1 else { throw MalformedRecord() }
      let hash = try reader.array(32)
      let time: Int64 = try reader.number()
      let epoch = Int(try reader.number(UInt16.self))
      guard epochs.indices.contains(epoch) else { throw MalformedRecord() }
      var past = found[stream]?.last?.past ?? [:]
      for _ in 0..<(try reader.number(UInt16.self)) {
        let (other, seen) = try place(&reader)
        past[other] = seen
      }
      var operations: [Operation] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        operations.append(try Operation(from: &reader))
      }
      let record = OpenedRecord(
        stream: stream, sequence: sequence, hash: hash,
        content: RecordContent(time: time, seen: [], operations: operations),
        epoch: epochs[epoch], past: past)
      found[stream, default: []].append(record)
      return record
    }

    func item(_ reader: inout SecretReader) throws -> FoldedItem {
      var item = FoldedItem(id: try reader.array(16))
      item.created = try reader.number()
      item.version = try reader.number()
      for _ in 0..<(try reader.number(UInt16.self)) {
        item.tips.append((try known(&reader), try reader.number()))
      }
      for _ in 0..<(try reader.number(UInt16.self)) {
        item.purges.append((try known(&reader), try reader.number()))
      }
      for _ in 0..<(try reader.number(UInt32.self)) {
        guard let kind = PropertyKey.Kind(rawValue: try reader.number()) else {
          throw MalformedRecord()
        }
        let key = PropertyKey(kind, try reader.text())
        var heads: [FoldedItem.Head] = []
        for _ in 0..<(try reader.number(UInt16.self)) {
          let record = try known(&reader)
          let modified: Int64 = try reader.number()
          let value = try PropertyValue?(from: &reader)
          guard kind.allows(value) else { throw MalformedRecord() }
          heads.append(FoldedItem.Head(record: record, modified: modified, value: value))
        }
        item.heads[key] = heads
      }
      for _ in 0..<(try reader.number(UInt16.self)) {
        item.history.append(try SharedItem.Version(from: &reader))
      }
      return item
    }

    func preferences(
      _ reader: inout SecretReader
    ) throws -> [String: FoldedPreferences.Domain] {
      var preferences: [String: FoldedPreferences.Domain] = [:]
      for _ in 0..<(try reader.number(UInt32.self)) {
        let name = try reader.text()
        var domain = FoldedPreferences.Domain()
        domain.isProtected = try reader.number(UInt8.self) == 1
        for _ in 0..<(try reader.number(UInt32.self)) {
          let key = try reader.text()
          for _ in 0..<(try reader.number(UInt16.self)) {
            domain.heads[key, default: []].append(
              FoldedPreferences.Head(
                record: try known(&reader), modified: try reader.number(),
                value: try reader.value()))
          }
        }
        preferences[name] = domain
      }
      return preferences
    }
  }
}
