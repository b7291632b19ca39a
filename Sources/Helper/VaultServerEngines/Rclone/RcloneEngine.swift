import Synchronization
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A store in a folder of an rclone remote: the files are those of ``FolderEngine``.
///
/// So a folder that rclone carries, and a machine that asks rclone, meet in one place. Nothing that
/// a remote says is believed: a file is read to be compared, whatever time and size it has, and what
/// was written is read again before the call succeeds. Documentation/guides/rclone.md.
final class RcloneEngine: SyncEngine {
  let isEventual = true
  let largest = 4 << 20

  private let remote: RcloneAddress
  private let seconds: Int
  /// What was listed last, a hint of where records lie.
  private let known = Mutex<[SpaceID: RcloneListing]>([:])

  /// How often something is written, and looked at, before the remote is given up.
  private static let attempts = 5
  private static let recordsAtOnce = 1000
  private static let bytesAtOnce = 8 << 20
  private static let namesAtOnce = 256

  init(_ remote: RcloneAddress, seconds: Int) {
    self.remote = remote
    self.seconds = seconds
  }

  private func calling<Result>(_ body: (RcloneCall) throws -> Result) throws -> Result {
    try RcloneCall.using(remote, seconds: seconds, body)
  }

  // MARK: - Looking

  func spaces() throws -> [SpaceID] {
    let names = try calling { try $0.folders() }
    return names.split(separator: 10).compactMap { line in
      let name = String(decoding: line.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
      return SpaceID(text: name)
    }.sorted()
  }

  /// The newest records: those that the heads name, or that lie behind them.
  func heads(in space: SpaceID) throws -> [StreamHead] {
    try calling { call in
      let listing = try list(space, call)
      try call.fetch(listing.heads.map { headPlace($0, space) })
      let heads = try listing.heads.compactMap { stream -> StreamHead? in
        let bytes = try call.bytes(headPlace(stream, space), limit: Self.maximumHead)
        return bytes.flatMap { StreamHead($0) }.flatMap { $0.stream == stream ? $0 : nil }
      }
      return try newest(behind: heads, listing, space, call)
    }
  }

  /// Most bytes of a file that should be a head.
  private static let maximumHead = 4096

  /// Heads as their records show them: an old one may have been put over a newer one.
  private func newest(
    behind heads: [StreamHead], _ listing: RcloneListing, _ space: SpaceID,
    _ call: RcloneCall
  ) throws -> [StreamHead] {
    var lasts: [StreamID: UInt64] = [:]
    for head in heads {
      lasts[head.stream] = listing.streams[head.stream]?.last(behind: head.sequence)
    }
    var newest: [StreamID: StreamHead] = [:]
    // One that is half there is on its way.
    for _ in 0..<Self.attempts where !lasts.isEmpty {
      let places = lasts.compactMap { stream, number in
        listing.streams[stream].flatMap { recordPlace(number, $0, stream, space) }
      }
      try call.fetch(places)
      for (stream, number) in lasts {
        let record = try FolderEngine(path: call.folder)
          .records(of: stream, in: space, after: number - 1, limit: 1).first
        if let hash = record.flatMap({ StoredRecord.hash(of: $0) }) {
          newest[stream] = StreamHead(stream: stream, sequence: number, hash: hash)
          lasts[stream] = nil
        } else {
          let head = heads.first { $0.stream == stream }?.sequence ?? number
          lasts[stream] = number - 1 > head ? number - 1 : nil
        }
      }
    }
    return heads.map { newest[$0.stream] ?? $0 }
  }

  private func list(
    _ space: SpaceID, _ call: RcloneCall
  ) throws -> RcloneListing {
    let listing = RcloneListing(try call.files(of: space))
    known.withLock { $0[space] = listing }
    return listing
  }

  /// Where the records of a stream lie, as it was seen last.
  private func places(
    of stream: StreamID, in space: SpaceID, _ call: RcloneCall
  ) throws -> RcloneListing.Places {
    let listing = try known.withLock { $0[space] } ?? list(space, call)
    return listing.streams[stream] ?? RcloneListing.Places()
  }

  // MARK: - Reading

  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    try calling { call in
      let seen = known.withLock { $0[space]?.streams[stream] }
      if let seen {
        let records = try records(
          of: stream, in: space, after: sequence, limit: limit, seen, call)
        if !records.isEmpty { return records }
      }
      // Others may have come, or been put together.
      let places = try list(space, call).streams[stream] ?? .init()
      return try records(of: stream, in: space, after: sequence, limit: limit, places, call)
    }
  }

  private func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int,
    _ places: RcloneListing.Places, _ call: RcloneCall
  ) throws -> [[UInt8]] {
    let end = sequence + UInt64(min(limit, Self.recordsAtOnce))
    var (files, next, size): ([String], UInt64, Int) = ([], sequence + 1, 0)
    while next <= end, size < Self.bytesAtOnce,
      let place = recordPlace(next, places, stream, space)
    {
      files.append(place)
      if let length = places.single[next] {
        size += length
        next += 1
      } else if let pack = places.pack(of: next) {
        size += places.packs[pack] ?? 0
        next = pack.upperBound + 1
      }
    }
    guard !files.isEmpty else { return [] }
    try call.fetch(files)
    let records = try FolderEngine(path: call.folder).records(
      of: stream, in: space, after: sequence, limit: Int(min(next, end + 1) - sequence - 1))
    var length = 0
    return Array(
      records.prefix { record in
        length += record.count
        return length <= Self.bytesAtOnce + SyncRecord.maximumLength
      })
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try file("\(space.text)/i/\(Hexadecimal.text(id))", limit: 1 << 20)
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try file("\(space.text)/o/\(Hexadecimal.text(name))", limit: SyncObject.maximumLength)
  }

  private func file(_ place: String, limit: Int) throws -> [UInt8]? {
    try calling { call in
      try call.fetch([place])
      return try call.bytes(place, limit: limit)
    }
  }

  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    try calling { try places(of: stream, in: space, $0) }.oldest
  }

  // MARK: - Writing

  /// Writes the records that are not there, then the head, and reads all of it.
  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    try calling { call in
      let first = head.sequence + 1 - UInt64(records.count)
      let places = try records.isEmpty ? .init() : places(of: head.stream, in: space, call)
      let wanted = records.enumerated().map { offset, bytes in
        let number = first + UInt64(offset)
        return Wanted(
          number: number, place: singlePlace(number, head.stream, space), bytes: bytes,
          pack: places.pack(of: number))
      }
      try append(wanted, head, places, space, call)
      known.withLock { known in
        for record in wanted {
          known[space]?.streams[head.stream, default: .init()].single[record.number] =
            record.bytes.count
        }
      }
    }
  }

  /// A record that is to be there.
  private struct Wanted {
    let number: UInt64
    let place: String
    let bytes: [UInt8]
    /// The pack that has it, too.
    let pack: ClosedRange<UInt64>?
  }

  private func append(
    _ wanted: [Wanted], _ head: StreamHead, _ places: RcloneListing.Places, _ space: SpaceID,
    _ call: RcloneCall
  ) throws {
    // If another machine wrote in this stream, a record of its is at the first number, or in the
    // list: it shows before anything is written.
    var looks = Set(
      wanted.filter { places.single[$0.number] != nil }.map(\.place)
        + [wanted.first, wanted.last].compactMap { $0?.place })
    let packs = Set(wanted.compactMap(\.pack)).map { packPlace($0, head.stream, space) }
    let headFile = headPlace(head.stream, space)
    var failure = Self.lost
    for attempt in 0..<Self.attempts {
      if attempt > 0, !call.pause(attempt) { break }
      let seen = looks.sorted() + packs + [headFile]
      call.forget(seen)
      try call.fetch(seen)
      let (new, half) = try missing(wanted, of: head.stream, in: space, call)
      let there = try call.bytes(headFile, limit: Self.maximumHead)
      // An older one may be seen for a while; the records behind it show the newest.
      let isSomeHead = attempt > 0 && there.flatMap { StreamHead($0) }?.stream == head.stream
      if new.isEmpty, half.isEmpty, there == head.bytes || isSomeHead { return }
      for (files, replacing) in [
        (new.map { ($0.place, $0.bytes) }, RcloneCall.Replacing.nothing),
        (half.map { ($0.place, $0.bytes) }, .all), ([(headFile, head.bytes)], .all),
      ] {
        if let error = try call.put(files, replacing: replacing) { failure = error }
      }
      looks.formUnion((new + half).map(\.place))
    }
    throw failure
  }

  /// The records that are not there, and those of which a beginning is there.
  ///
  /// - Throws: `SyncError` with code `.taken` where there is another one.
  private func missing(
    _ wanted: [Wanted], of stream: StreamID, in space: SpaceID, _ call: RcloneCall
  ) throws -> (new: [Wanted], half: [Wanted]) {
    let folder = FolderEngine(path: call.folder)
    var (new, half): ([Wanted], [Wanted]) = ([], [])
    for record in wanted {
      let there =
        try record.pack == nil
        ? call.bytes(record.place, limit: 2 * SyncRecord.maximumLength)
        : folder.records(of: stream, in: space, after: record.number - 1, limit: 1).first
      guard let there else {
        new.append(record)
        continue
      }
      guard there != record.bytes else { continue }
      // A transfer that was cut leaves a beginning; no other record is one.
      guard there.count < record.bytes.count, record.bytes.starts(with: there) else {
        throw SyncError(
          .taken, "another record has that number",
          hint: "this machine's state was put back or copied")
      }
      half.append(record)
    }
    return (new, half)
  }

  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try calling { try put(record, at: singlePlace(sequence, stream, space), $0) }
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try calling { try put(bytes, at: "\(space.text)/i/\(Hexadecimal.text(id))", $0) }
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    for object in objects {
      let place = "\(space.text)/o/\(Hexadecimal.text(object.name))"
      try calling { call in
        try call.fetch([place])
        guard try call.bytes(place, limit: SyncRecord.maximumLength) != object.bytes else { return }
        try put(object.bytes, at: place, call)
      }
    }
  }

  /// Writes a file until it is read as it was written.
  private func put(_ bytes: [UInt8], at place: String, _ call: RcloneCall) throws {
    var failure = Self.lost
    for attempt in 0..<Self.attempts {
      if attempt > 0, !call.pause(attempt) { break }
      if let error = try call.put([(place, bytes)], replacing: .all) { failure = error }
      call.forget([place])
      try call.fetch([place])
      if try call.bytes(place, limit: 2 * SyncRecord.maximumLength) == bytes { return }
    }
    throw failure
  }

  private static let lost = SyncError(
    .unavailable, "the remote has taken something and does not show it",
    hint: "try again; if it stays so, it loses what is written: another store is safer")

  // MARK: - Removing

  /// Removes the records that lie alone, and the packs that have no others.
  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    try calling { call in
      let places = try list(space, call).streams[stream] ?? .init()
      let files =
        places.single.keys.map { (last: $0, place: singlePlace($0, stream, space)) }
        + places.packs.keys.map { (last: $0.upperBound, place: packPlace($0, stream, space)) }
      let old = files.filter { $0.last <= sequence }.sorted { $0.last < $1.last }.map(\.place)
      // From the first one on, so that little is missing between where this is ended.
      for start in stride(from: 0, to: old.count, by: Self.namesAtOnce) {
        try call.remove(Array(old[start..<min(start + Self.namesAtOnce, old.count)]))
      }
    }
    known.withLock { $0[space] = nil }
  }

  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    try calling { call in
      try call.remove(names.map { "\(space.text)/o/\(Hexadecimal.text($0))" })
    }
  }

  // MARK: - Places

  private func headPlace(_ stream: StreamID, _ space: SpaceID) -> String {
    "\(space.text)/h/\(stream.text)"
  }

  private func singlePlace(_ number: UInt64, _ stream: StreamID, _ space: SpaceID) -> String {
    "\(space.text)/s/\(stream.text)/\(FolderNames.name(number))"
  }

  private func packPlace(
    _ range: ClosedRange<UInt64>, _ stream: StreamID, _ space: SpaceID
  ) -> String {
    "\(space.text)/p/\(stream.text)/\(FolderNames.name(range))"
  }

  /// Where a record lies: alone, before one in a pack.
  private func recordPlace(
    _ number: UInt64, _ places: RcloneListing.Places, _ stream: StreamID, _ space: SpaceID
  ) -> String? {
    if places.single[number] != nil { return singlePlace(number, stream, space) }
    return places.pack(of: number).map { packPlace($0, stream, space) }
  }
}
