import VaultSealing
import VaultStorage
public import VaultSync

/// Packs of a folder: `<space>/p/<stream>/<first>-<last>`, each ``RecordPack/bytes(of:)``.
///
/// A record that lies alone counts before one in a pack: so its machine mends it.
extension FolderEngine {
  /// Where the records of a stream lie, as the folder shows it.
  struct Places {
    /// The numbers of those that lie alone.
    let single: Set<UInt64>
    /// The packs, the one that begins first first; of those that begin together the longer one.
    let packs: [ClosedRange<UInt64>]
  }

  func places(of stream: StreamID, in space: SpaceID) throws -> Places {
    Places(
      single: try Set(names(folder(space, "s", stream.text)).compactMap(FolderNames.number)),
      packs: try packs(of: stream, in: space))
  }

  /// The packs of a stream.
  func packs(of stream: StreamID, in space: SpaceID) throws -> [ClosedRange<UInt64>] {
    try names(folder(space, "p", stream.text)).compactMap(FolderNames.range)
      .sorted { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
  }

  /// Records from a number on, alone or in packs, as far as none is missing.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - space: The space.
  ///   - first: The number of the first one.
  ///   - limit: How many at most.
  /// - Returns: The records.
  /// - Throws: ``SyncError`` with code `.unavailable`.
  func packedRecords(
    of stream: StreamID, in space: SpaceID, from first: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let places = try places(of: stream, in: space)
    var (records, size): ([[UInt8]], Int) = ([], 0)
    var open: (range: ClosedRange<UInt64>, records: [[UInt8]])?
    while records.count < limit, size < SyncRecord.unverifiedLength {
      let number = first + UInt64(records.count)
      if places.single.contains(number), let alone = try single(number, of: stream, in: space) {
        records.append(alone)
        size += alone.count
        continue
      }
      if open?.range.contains(number) != true {
        open = try pack(of: number, among: places.packs, of: stream, in: space)
      }
      guard let open else { break }
      let record = open.records[Int(number - open.range.lowerBound)]
      records.append(record)
      size += record.count
    }
    return records
  }

  /// The first whole pack that has a record.
  private func pack(
    of number: UInt64, among packs: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID
  ) throws -> (range: ClosedRange<UInt64>, records: [[UInt8]])? {
    for range in packs where range.contains(number) {
      if let records = try pack(range, of: stream, in: space) { return (range, records) }
    }
    return nil
  }

  /// The records of a pack; `nil` where it is not whole, or has gone.
  private func pack(
    _ range: ClosedRange<UInt64>, of stream: StreamID, in space: SpaceID
  ) throws -> [[UInt8]]? {
    let bytes = try read(
      folder(space, "p", stream.text), FolderNames.name(range), limit: Self.maximumLength)
    guard let bytes else { return nil }
    return RecordPack.records(in: bytes, count: range.count)
  }

  /// How many of the first records of some are in packs, with the same bytes.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - stream: The stream.
  ///   - space: The space.
  ///   - first: The number of the first one.
  /// - Returns: The number.
  /// - Throws: ``SyncError`` with code `.taken` if a pack has another record under a number.
  func packedAlready(
    _ records: [[UInt8]], of stream: StreamID, in space: SpaceID, from first: UInt64
  ) throws -> Int {
    guard let last = try packs(of: stream, in: space).map(\.upperBound).max(), first <= last else {
      return 0
    }
    let count = Int(min(UInt64(records.count), last - first + 1))
    let there = try packedRecords(of: stream, in: space, from: first, limit: count)
    guard zip(there, records).allSatisfy({ $0 == $1 }) else { throw Self.taken }
    return there.count
  }

  /// Makes the packs that are missing, then removes what they have in them.
  public func pack(
    _ ranges: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID,
    records: (ClosedRange<UInt64>) throws -> [[UInt8]]
  ) throws {
    try checkRoot()
    let places = try places(of: stream, in: space)
    for range in ranges {
      let single = places.single.filter { range.contains($0) }
      let inner = places.packs.filter {
        $0 != range && range.lowerBound <= $0.lowerBound && $0.upperBound <= range.upperBound
      }
      if places.packs.contains(range), single.isEmpty, inner.isEmpty { continue }
      let bytes = RecordPack.bytes(of: try records(range))
      let path = folder(space, "p", stream.text)
      // It is whole, and the folder knows of it, before anything goes.
      if try read(path, FolderNames.name(range), limit: Self.maximumLength) != bytes {
        try replace(bytes, as: FolderNames.name(range), in: path)
      }
      try remove(single.map { FolderNames.name($0) }, in: folder(space, "s", stream.text))
      try remove(inner.map { FolderNames.name($0) }, in: path)
    }
  }

  /// Removes the records that lie alone, and the packs that have no others.
  public func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    try checkRoot()
    let places = try places(of: stream, in: space)
    let (alone, packed) = (folder(space, "s", stream.text), folder(space, "p", stream.text))
    let files =
      places.single.map { (last: $0, name: FolderNames.name($0), path: alone) }
      + places.packs.map { (last: $0.upperBound, name: FolderNames.name($0), path: packed) }
    // From the first one on: what is left has no gap, wherever this is ended.
    for file in files.filter({ $0.last <= sequence }).sorted(by: { $0.last < $1.last }) {
      try remove([file.name], in: file.path)
    }
  }

  /// The first record, alone or in a pack.
  public func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    let places = try places(of: stream, in: space)
    return (places.packs.map(\.lowerBound) + places.single).min()
  }

  /// Removes the objects' files.
  public func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    try checkRoot()
    try remove(names.map { Hexadecimal.text($0) }, in: folder(space, "o"))
  }

  private func remove(_ names: [String], in path: String) throws {
    guard !names.isEmpty else { return }
    try Self.available {
      guard let directory = try Directory.ifThere(anyOwner: path) else { return }
      for name in names.sorted() { try directory.remove(name) }
    }
  }
}
