import VaultSealing

/// A store whose large records lie in parts: no other engine need know of that.
struct PartedEngine: SyncEngine {
  let engine: any SyncEngine

  /// A store of records.
  ///
  /// - Parameter engine: What keeps them; one that keeps them in parts already is taken as it is.
  init(_ engine: any SyncEngine) { self.engine = (engine as? PartedEngine)?.engine ?? engine }

  var isEventual: Bool { engine.isEventual }

  var largest: Int { engine.largest }

  func changes(in space: SpaceID) throws -> (any StoreSignal)? { try engine.changes(in: space) }

  func spaces() throws -> [SpaceID] { try engine.spaces() }

  func heads(in space: SpaceID) throws -> [StreamHead] { try engine.heads(in: space) }

  /// Records, put together; one whose parts are not all there, or are others, is not there yet.
  ///
  /// A list is short and what it names is long: there are fewer when these are many bytes.
  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    var records = try engine.records(of: stream, in: space, after: sequence, limit: limit)
    var size = 0
    for position in records.indices {
      guard size < SyncRecord.unverifiedLength else { return Array(records[..<position]) }
      guard let parts = StoredRecord.parts(of: records[position]) else { continue }
      guard let whole = try whole(parts, in: space) else { return Array(records[..<position]) }
      records[position] = whole
      size += whole.count
    }
    return records
  }

  private func whole(_ parts: [[UInt8]], in space: SpaceID) throws -> [UInt8]? {
    guard !parts.isEmpty else { return nil }
    var whole: [UInt8] = []
    for name in parts {
      guard let part = try engine.object(name, in: space),
        part.count <= SyncObject.maximumLength, try Hash.blake2b(part) == name
      else { return nil }
      whole += part
    }
    return whole
  }

  /// Puts the parts first, so that nobody meets a list of what is not there.
  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    let first = head.sequence - UInt64(records.count)
    let inPlace = try records.enumerated().map { offset, record in
      let stored = try stored(record, in: space)
      guard stored.count < record.count else { return stored }
      // One that a version before this one began to bring there lies there as it is.
      let there = try engine.records(
        of: head.stream, in: space, after: first + UInt64(offset), limit: 1)
      return there == [record] ? record : stored
    }
    for batch in batches(of: inPlace) {
      let last = first + UInt64(batch.upperBound)
      let isLast = last == head.sequence
      // Each call moves the head to what it has brought there.
      guard let hash = isLast ? head.hash : StoredRecord.hash(of: inPlace[batch.upperBound - 1])
      else { throw SyncError(.tampered, "a record of this machine is not whole") }
      try engine.append(
        Array(inPlace[batch]), head: StreamHead(stream: head.stream, sequence: last, hash: hash),
        in: space)
    }
    // The head alone, where it was altered.
    if inPlace.isEmpty { try engine.append([], head: head, in: space) }
  }

  /// Records that go there in one call.
  private func batches(of records: [[UInt8]]) -> [Range<Int>] {
    var (batches, start, size): ([Range<Int>], Int, Int) = ([], 0, 0)
    for (position, record) in records.enumerated() {
      if size + record.count > engine.largest, position > start {
        batches.append(start..<position)
        (start, size) = (position, 0)
      }
      size += record.count
    }
    if start < records.count { batches.append(start..<records.count) }
    return batches
  }

  private func stored(_ record: [UInt8], in space: SpaceID) throws -> [UInt8] {
    let (bytes, parts) = try StoredRecord.stored(record)
    if !parts.isEmpty { try engine.put(parts, in: space) }
    return bytes
  }

  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try engine.restore(try stored(record, in: space), of: stream, at: sequence, in: space)
  }

  func pack(
    _ ranges: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID,
    records: (ClosedRange<UInt64>) throws -> [[UInt8]]
  ) throws {
    try engine.pack(ranges, of: stream, in: space) { range in
      try records(range).map { try stored($0, in: space) }
    }
  }

  /// Removes the parts with their records: these first, so that no list of missing parts stays.
  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    guard let oldest = try engine.oldest(of: stream, in: space), oldest <= sequence else { return }
    let parts = try engine.records(
      of: stream, in: space, after: oldest - 1, limit: Int(clamping: sequence - oldest + 1)
    ).compactMap(StoredRecord.parts).joined()
    try engine.retire(upTo: sequence, of: stream, in: space)
    if !parts.isEmpty { try engine.removeObjects(Array(parts), in: space) }
  }

  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    try engine.oldest(of: stream, in: space)
  }

  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    try engine.removeObjects(names, in: space)
  }

  func removeLeftovers(of stream: StreamID, in space: SpaceID, everywhere: Bool) throws {
    try engine.removeLeftovers(of: stream, in: space, everywhere: everywhere)
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try engine.invitation(id, in: space)
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try engine.putInvitation(bytes, id: id, in: space)
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try engine.object(name, in: space)
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    try engine.put(objects, in: space)
  }
}
