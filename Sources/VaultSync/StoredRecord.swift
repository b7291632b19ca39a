import VaultSealing

/// A record as a store keeps it: its own bytes, or, for one above 1 MiB, the names of its parts.
///
/// Stores refuse what is large, each from another size on: etcd a request above 1.5 MiB. So the
/// parts of a large record lie where those of snapshots do, and in its own place lies a list of them,
/// of which nothing is believed: whoever puts the parts together checks the record as any other.
///
/// Documentation/design/sync-format.md, section 8.
package enum StoredRecord {
  static let magic = Array("VSP1".utf8)
  /// Bytes before the names of the parts.
  private static let prefixLength = 4 + 32
  /// Most parts of a record.
  private static let maximumCount =
    (SyncRecord.maximumLength + SyncObject.maximumLength - 1) / SyncObject.maximumLength

  /// The bytes that lie in a record's place, and the parts that lie beside it.
  static func stored(
    _ record: [UInt8]
  ) throws(SealingError) -> (bytes: [UInt8], parts: [SyncObject]) {
    guard record.count > SyncObject.maximumLength else { return (record, []) }
    var bytes = magic + (try Hash.blake2b(record))
    var parts: [SyncObject] = []
    for start in stride(from: 0, to: record.count, by: SyncObject.maximumLength) {
      let part = Array(record[start..<min(start + SyncObject.maximumLength, record.count)])
      parts.append(SyncObject(name: try Hash.blake2b(part), bytes: part))
      bytes += parts[parts.count - 1].name
    }
    return (bytes, parts)
  }

  /// The length of ``stored(_:)``'s bytes.
  static func length(of record: [UInt8]) -> Int {
    let parts = (record.count + SyncObject.maximumLength - 1) / SyncObject.maximumLength
    return parts > 1 ? prefixLength + 32 * parts : record.count
  }

  /// The names of a record's parts, none if the list is not whole; `nil` for a record that lies in
  /// one.
  static func parts(of bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.starts(with: magic) else { return nil }
    let names = bytes.dropFirst(prefixLength)
    guard names.count.isMultiple(of: 32), names.count / 32 <= maximumCount else { return [] }
    return stride(from: names.startIndex, to: names.endIndex, by: 32).map {
      Array(names[$0..<$0 + 32])
    }
  }

  /// The hash of the record of which a store has these bytes, as the heads name it.
  ///
  /// - Parameter bytes: What lies in its place.
  /// - Returns: 32 bytes; `nil` while the bytes are not whole.
  package static func hash(of bytes: [UInt8]) -> [UInt8]? {
    guard !SyncRecord.isHalf(bytes) else { return nil }
    guard bytes.starts(with: magic) else { return try? Hash.blake2b(bytes) }
    return bytes.count >= prefixLength ? Array(bytes[4..<prefixLength]) : nil
  }
}

/// A store whose large records lie in parts: no other engine need know of that.
struct PartedEngine: SyncEngine {
  let engine: any SyncEngine

  /// A store of records.
  ///
  /// - Parameter engine: What keeps them; one that keeps them in parts already is taken as it is.
  init(_ engine: any SyncEngine) { self.engine = (engine as? PartedEngine)?.engine ?? engine }

  var isEventual: Bool { engine.isEventual }

  func spaces() throws -> [SpaceID] { try engine.spaces() }

  func heads(in space: SpaceID) throws -> [StreamHead] { try engine.heads(in: space) }

  /// Records, put together; one whose parts are not all there, or are others, is not there yet.
  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    var records = try engine.records(of: stream, in: space, after: sequence, limit: limit)
    for position in records.indices {
      guard let parts = StoredRecord.parts(of: records[position]) else { continue }
      guard let whole = try whole(parts, in: space) else { return Array(records[..<position]) }
      records[position] = whole
    }
    return records
  }

  private func whole(_ parts: [[UInt8]], in space: SpaceID) throws -> [UInt8]? {
    guard !parts.isEmpty else { return nil }
    var whole: [UInt8] = []
    for name in parts {
      guard let part = try engine.object(name, in: space), try Hash.blake2b(part) == name else {
        return nil
      }
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
    try engine.append(inPlace, head: head, in: space)
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
