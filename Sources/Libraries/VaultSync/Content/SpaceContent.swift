import VaultCredentials
import VaultSealing

/// What a ``SpaceBase`` comes to as bytes: equal states have equal bytes, on whatever machine and
/// in whatever order its records came.
///
/// Documentation/design/sync-format.md, section 7.
extension SpaceBase {
  /// Appends the content.
  ///
  /// - Parameter builder: Gets the bytes.
  /// - Throws: ``MalformedRecord`` for more than there can be; `SealingError`.
  func encode(into builder: inout SecretBuilder) throws {
    let streams = limits.keys.sorted()
    let epochs = Set(records.map(\.epoch)).sorted { $0.lexicographicallyPrecedes($1) }
    try builder.count16(streams.count)
    for stream in streams {
      builder.put(stream.bytes)
      builder.put(limits[stream, default: 0])
    }
    try builder.count16(epochs.count)
    for epoch in epochs { builder.put(epoch) }
    var writer = Writer(
      streams: Dictionary(uniqueKeysWithValues: streams.enumerated().map { ($1, UInt16($0)) }),
      epochs: Dictionary(uniqueKeysWithValues: epochs.enumerated().map { ($1, UInt16($0)) }))
    builder.put(UInt32(records.count))
    for record in records { try writer.put(record, into: &builder) }
    try writer.put(preferences, into: &builder)
    let items = try items.all()
    builder.put(UInt32(items.count))
    for (_, item) in items.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      try writer.put(item, into: &builder)
    }
  }

  /// Reads the content.
  ///
  /// - Parameters:
  ///   - content: Its bytes.
  ///   - form: How they are written down.
  ///   - logLength: The bytes of the log that it covers.
  ///   - isWhole: Whether it has all that its records say.
  /// - Throws: ``MalformedRecord``, `SealingError`.
  init(
    from content: inout SecretReader, _ form: SnapshotOperation.Form, logLength: UInt64,
    isWhole: Bool
  ) throws {
    var limits: Frontier = [:]
    var streams: [StreamID] = []
    for _ in 0..<(try content.number(UInt16.self)) {
      guard let stream = StreamID(try content.array(16)) else { throw MalformedRecord() }
      streams.append(stream)
      limits[stream] = try content.number()
    }
    var epochs: [[UInt8]] = []
    for _ in 0..<(try content.number(UInt16.self)) { epochs.append(try content.array(16)) }
    var reader = Reader(streams: streams, epochs: epochs)
    var records: [OpenedRecord] = []
    for _ in 0..<(try content.number(UInt32.self)) {
      records.append(try reader.record(&content, form))
    }
    let preferences = try reader.preferences(&content)
    self.init(
      logLength: logLength, isWhole: isWhole, records: records,
      items: try BaseItems(from: &content, reader),
      preferences: preferences, limits: limits)
  }

  /// Writes records and items, with streams and keys by their places in a table.
  private struct Writer {
    let streams: [StreamID: UInt16]
    let epochs: [[UInt8]: UInt16]
    /// The records that were written, which come before all that know them.
    private var written: [StreamID: [OpenedRecord]] = [:]

    init(streams: [StreamID: UInt16], epochs: [[UInt8]: UInt16]) {
      self.streams = streams
      self.epochs = epochs
    }

    /// Names that are equal as texts are one, whatever bytes they have: here they have one form.
    private static func sorted<Value>(_ named: [String: Value]) -> [(String, Value)] {
      named.map { (UnicodeNormalization.nfc($0.key), $0.value) }
        .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    private func put(
      _ stream: StreamID, _ sequence: UInt64, into builder: inout SecretBuilder
    ) throws {
      guard let place = streams[stream] else { throw MalformedRecord() }
      builder.put(place)
      builder.put(sequence)
    }

    /// What a record knows of others and the one before it did not, without what another one of
    /// these knows.
    private func newest(of record: OpenedRecord) throws -> [OpenedRecord] {
      let before = written[record.stream]?.last?.past ?? [:]
      // What its writer has listed has all of them; a file of an earlier version lists nothing.
      let listed = record.content.seen
      let known: [StreamID: UInt64] =
        listed.isEmpty
        ? record.past
        : Dictionary(listed.map { ($0.stream, record.past[$0.stream, default: 0]) }) { $1 }
      let new = try known.compactMap { stream, sequence -> OpenedRecord? in
        guard stream != record.stream, before[stream] != sequence else { return nil }
        guard let records = written[stream], sequence >= 1, sequence <= records.count else {
          throw MalformedRecord()
        }
        return records[Int(sequence) - 1]
      }
      guard new.count > 1 else { return new }
      return new.filter { one in !new.contains { $0.stream != one.stream && $0.knows(one) } }
    }

    mutating func put(_ record: OpenedRecord, into builder: inout SecretBuilder) throws {
      try put(record.stream, record.sequence, into: &builder)
      builder.put(record.hash)
      builder.put(record.content.time)
      builder.put(epochs[record.epoch, default: 0])
      let newest = try newest(of: record).sorted { $0.stream < $1.stream }
      try builder.count16(newest.count)
      for other in newest { try put(other.stream, other.sequence, into: &builder) }
      builder.put(UInt32(record.content.operations.count))
      for operation in record.content.operations { try operation.encode(into: &builder) }
      written[record.stream, default: []].append(record)
    }

    /// Who changed something, and when.
    private struct Stamp: Equatable {
      let stream: StreamID
      let sequence: UInt64
      let modified: Int64
    }

    /// Most properties of an item were changed at once: then only the first one says when.
    private func put(
      _ record: OpenedRecord, _ modified: Int64, after last: inout Stamp?,
      into builder: inout SecretBuilder
    ) throws {
      let stamp = Stamp(stream: record.stream, sequence: record.sequence, modified: modified)
      builder.put(UInt8(stamp == last ? 0 : 1))
      guard stamp != last else { return }
      try put(record.stream, record.sequence, into: &builder)
      builder.put(modified)
      last = stamp
    }

    func put(_ item: FoldedItem, into builder: inout SecretBuilder) throws {
      func before(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
        (left.stream, left.sequence) < (right.stream, right.sequence)
      }
      builder.put(item.id)
      builder.put(item.created)
      builder.put(item.version)
      var last: Stamp?
      try builder.count16(item.tips.count)
      for tip in item.tips.sorted(by: { before($0.record, $1.record) }) {
        try put(tip.record, tip.modified, after: &last, into: &builder)
      }
      try builder.count16(item.purges.count)
      for purge in item.purges.sorted(by: { before($0.record, $1.record) }) {
        try put(purge.record.stream, purge.record.sequence, into: &builder)
        builder.put(purge.removed)
      }
      builder.put(UInt32(item.heads.count))
      let heads = item.heads.map {
        (PropertyKey($0.key.kind, UnicodeNormalization.nfc($0.key.name)), $0.value)
      }
      for (key, heads) in heads.sorted(by: { $0.0 < $1.0 }) {
        builder.put(key.kind.rawValue)
        try builder.text(key.name)
        try builder.count16(heads.count)
        for head in heads.sorted(by: { before($0.record, $1.record) }) {
          try put(head.record, head.modified, after: &last, into: &builder)
          try head.value.encode(into: &builder)
        }
      }
      try builder.count16(item.history.count)
      for version in item.history {
        var version = version
        let fields = Self.sorted(version.fields)
        version.fields = Dictionary(fields) { $1 }
        try version.encode(into: &builder)
      }
    }

    func put(
      _ preferences: [String: FoldedPreferences.Domain], into builder: inout SecretBuilder
    ) throws {
      builder.put(UInt32(preferences.count))
      for (name, domain) in Self.sorted(preferences) {
        try builder.text(name)
        builder.put(UInt8(domain.isProtected ? 1 : 0))
        builder.put(UInt32(domain.heads.count))
        for (key, heads) in Self.sorted(domain.heads) {
          try builder.text(key)
          try builder.count16(heads.count)
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
  struct Reader: Sendable {
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

    mutating func record(
      _ reader: inout SecretReader, _ form: SnapshotOperation.Form
    ) throws -> OpenedRecord {
      let (stream, sequence) = try place(&reader)
      guard sequence == UInt64(found[stream]?.count ?? 0) + 1 else { throw MalformedRecord() }
      let hash = try reader.array(32)
      let time: Int64 = try reader.number()
      let epoch = Int(try reader.number(UInt16.self))
      guard epochs.indices.contains(epoch) else { throw MalformedRecord() }
      var past = found[stream]?.last?.past ?? [:]
      var seen: [Sighting] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        switch form {
        case .everythingKnown:
          let (other, sequence) = try place(&reader)
          past[other] = sequence
        case .newestSeen:
          let other = try known(&reader)
          past.formMaximum(with: other.past)
          seen.append(
            Sighting(stream: other.stream, sequence: other.sequence, hash: other.hash))
        }
      }
      past[stream] = sequence
      var operations: [Operation] = []
      for _ in 0..<(try reader.number(UInt32.self)) {
        let operation = try Operation(from: &reader)
        // What is of a newer version cannot be written again.
        if case .unknown = operation { continue }
        operations.append(operation)
      }
      let record = OpenedRecord(
        stream: stream, sequence: sequence, hash: hash,
        content: RecordContent(time: time, seen: seen, operations: operations),
        epoch: epochs[epoch], past: past)
      found[stream, default: []].append(record)
      return record
    }

    private func stamped(
      _ reader: inout SecretReader, after last: inout (record: OpenedRecord, modified: Int64)?
    ) throws -> (record: OpenedRecord, modified: Int64) {
      if try reader.number(UInt8.self) == 1 {
        last = (try known(&reader), try reader.number())
      }
      guard let last else { throw MalformedRecord() }
      return last
    }

    func item(_ reader: inout SecretReader) throws -> FoldedItem {
      var item = FoldedItem(id: try reader.array(16))
      item.created = try reader.number()
      item.version = try reader.number()
      var last: (record: OpenedRecord, modified: Int64)?
      for _ in 0..<(try reader.number(UInt16.self)) {
        item.tips.append(try stamped(&reader, after: &last))
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
          let (record, modified) = try stamped(&reader, after: &last)
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
