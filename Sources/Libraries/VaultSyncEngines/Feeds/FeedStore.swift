import Synchronization
import VaultSealing
import VaultStorage
package import VaultSync

/// Where the files of a mirror are read from.
package protocol FeedFiles: Sendable {
  /// The feed.
  ///
  /// - Parameter tag: What was said of the one that is known; `nil` for none.
  /// - Returns: Its bytes, and what is said of them; `nil` if they are those of the tag.
  /// - Throws: `SyncError` with code `.unavailable`.
  func feed(unless tag: [UInt8]?) throws -> (bytes: [UInt8], tag: [UInt8])?

  /// A file by its name of 64 hex digits; `nil` if there is none.
  ///
  /// - Throws: `SyncError` with code `.unavailable`.
  func file(_ name: String) throws -> [UInt8]?
}

/// A mirror of a space as a store: it is read, and nothing is written to it.
///
/// Nothing of it is believed: what it names has to have the bytes of its name, and records and feed are
/// judged by whoever asks for them.
package final class FeedStore: FeedEngine {
  private let files: any FeedFiles
  private let current = Mutex<Shown?>(nil)
  /// How many bytes of files may still be taken; `nil` for any number.
  private let room = Mutex<Int?>(nil)
  /// The pack that was read last.
  private let last = Mutex<(name: [UInt8], records: [[UInt8]])?>(nil)

  /// A feed, and what it names of each stream.
  private struct Shown {
    let feed: SyncFeed
    let packs: [StreamID: [SyncFeed.Pack]]

    init(_ feed: SyncFeed) {
      self.feed = feed
      packs = feed.streams.reduce(into: [:]) { $0[$1.head.stream] = $1.packs }
    }
  }

  package let isEventual = false

  package init(_ files: any FeedFiles) { self.files = files }

  package func feed(unless tag: [UInt8]?) throws -> (feed: SyncFeed, tag: [UInt8])? {
    guard let (bytes, tag) = try files.feed(unless: tag.flatMap { $0.isEmpty ? nil : $0 }) else {
      return nil
    }
    guard let feed = try? SyncFeed(bytes: bytes) else {
      throw SyncError(
        .tampered, "what lies at that address is no feed",
        hint: "check the address; if it is right, somebody has altered the mirror")
    }
    current.withLock { $0 = Shown(feed) }
    return (feed, tag)
  }

  package func file(_ name: [UInt8]) throws -> [UInt8]? {
    guard let bytes = try files.file(Hexadecimal.text(name)) else { return nil }
    try room.withLock { room in
      guard let left = room else { return }
      guard bytes.count <= left else { throw Self.tooMuch }
      room = left - bytes.count
    }
    guard bytes.count <= SyncFeed.maximumFileLength, try Hash.blake2b(bytes) == name else {
      throw Self.altered
    }
    return bytes
  }

  private static let altered = SyncError(
    .tampered, "a file of the mirror is not the one that its feed names",
    hint: "try again later; else somebody has altered the mirror, or it was copied in part")

  package func limit(to bytes: Int?) { room.withLock { $0 = bytes } }

  private static let tooMuch = SyncError(
    .tampered, "the mirror has more than is taken before its feed is seen to be signed",
    hint:
      "check the address; a space of more than 256 MiB is read by an invitation as a reader; else "
      + "somebody has altered the mirror")

  private func known() throws -> Shown {
    if let shown = current.withLock({ $0 }) { return shown }
    guard let found = try feed(unless: nil) else {
      throw SyncError(.unavailable, "the mirror answers with nothing", hint: "try again later")
    }
    return Shown(found.feed)
  }

  package func spaces() throws -> [SpaceID] { [try known().feed.space] }

  package func heads(in space: SpaceID) throws -> [StreamHead] {
    let feed = try known().feed
    return feed.space == space ? feed.heads : []
  }

  package func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let shown = try known()
    guard shown.feed.space == space, let packs = shown.packs[stream] else { return [] }
    var (records, size): ([[UInt8]], Int) = ([], 0)
    for pack in packs[Self.place(behind: sequence, in: packs)...] {
      guard records.count < limit, size < SyncRecord.unverifiedLength,
        let all = try self.records(in: pack)
      else { break }
      let behind = all.dropFirst(Int(clamping: max(sequence + 1, pack.first) - pack.first))
      records += behind.prefix(limit - records.count)
      size += behind.reduce(0) { $0 + $1.count }
    }
    return records
  }

  /// The place of the first pack with a record behind a number: they lie in order.
  private static func place(behind sequence: UInt64, in packs: [SyncFeed.Pack]) -> Int {
    var (low, high) = (0, packs.count)
    while low < high {
      let middle = (low + high) / 2
      if packs[middle].first + UInt64(packs[middle].count) - 1 > sequence {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  private func records(in pack: SyncFeed.Pack) throws -> [[UInt8]]? {
    if let last = last.withLock({ $0 }), last.name == pack.name { return last.records }
    guard let bytes = try file(pack.name) else { return nil }
    guard let records = RecordPack.records(in: bytes, count: Int(pack.count)) else {
      throw Self.altered
    }
    last.withLock { $0 = (pack.name, records) }
    return records
  }

  // MARK: - What a mirror has not

  private static let isRead = SyncError(
    .notAllowed, "a mirror is read, and nothing is written to it")

  package func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    throw Self.isRead
  }

  package func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? { nil }

  package func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    throw Self.isRead
  }

  package func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? { nil }

  package func put(_ objects: [SyncObject], in space: SpaceID) throws { throw Self.isRead }
}

/// The files of a mirror in a folder.
package struct FolderFeedFiles: FeedFiles {
  private let folder: String
  private let name: String

  /// - Parameter path: The whole path of the feed.
  package init(path: String) {
    folder = UserFile.folder(of: path)
    name = path.split(separator: "/").last.map { String($0) } ?? ""
  }

  private var engine: FolderEngine { FolderEngine(path: folder) }

  package func feed(unless tag: [UInt8]?) throws -> (bytes: [UInt8], tag: [UInt8])? {
    guard let bytes = try engine.read(folder, name, limit: SyncFeed.maximumLength) else {
      throw SyncError(
        .unavailable, "there is no feed at \(Quoting.visible("\(folder)/\(name)"))",
        hint: "check the address; the machine that publishes it writes it with 'sync mirror'")
    }
    let digest = try Hash.blake2b(bytes, count: 16)
    return digest == tag ? nil : (bytes, digest)
  }

  package func file(_ name: String) throws -> [UInt8]? {
    try engine.read("\(folder)/o", name, limit: SyncFeed.maximumFileLength)
  }
}

/// The files of a mirror on a web server, which a program of this software fetches.
package struct WebFeedFiles: FeedFiles {
  /// The word by which the helper starts it.
  package static let engine = "feed"

  private let address: FeedAddress
  private let program: ProgramEngine

  package init(_ address: FeedAddress, patience: Int) {
    self.address = address
    program = ProgramEngine(
      EngineProgram(owner: .own(name: Self.engine), address: address.text), password: nil,
      patience: patience)
  }

  package func feed(unless tag: [UInt8]?) throws -> (bytes: [UInt8], tag: [UInt8])? {
    let answer = try program.call(
      ["get", address.text, String(SyncFeed.maximumLength)], [tag ?? []])
    guard let answer = try checked(answer) else {
      throw SyncError(
        .unavailable, "there is no feed at \(Quoting.visible(address.text)): the server has none",
        hint: "check the address; the machine that publishes it writes it with 'sync mirror'")
    }
    return answer.isSame ? nil : (answer.bytes, answer.tag)
  }

  package func file(_ name: String) throws -> [UInt8]? {
    let answer = try program.call(
      ["get", address.beside("o/\(name)"), String(SyncFeed.maximumFileLength)], [[]])
    return try checked(answer)?.bytes
  }

  private func checked(
    _ answer: [[UInt8]]
  ) throws -> (isSame: Bool, bytes: [UInt8], tag: [UInt8])? {
    if answer.count == 1, answer[0] == Array("none".utf8) { return nil }
    if answer.count == 1, answer[0] == Array("same".utf8) { return (true, [], []) }
    guard answer.count == 3, answer[0] == Array("file".utf8) else {
      throw SyncError(.unavailable, "the program that fetches feeds is of another version")
    }
    return (false, answer[1], answer[2])
  }
}
