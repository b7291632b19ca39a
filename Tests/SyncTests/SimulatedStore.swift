import Foundation
import Synchronization
import TestSupport
import VaultSync
import VaultSyncEngines

/// Where the records of simulated machines lie: in memory, or in a folder.
protocol SimulatedStore: AnyObject, Sendable {
  /// What reads and writes it.
  var engine: any SyncEngine { get }

  /// Begins with what there is.
  func begin(with contents: MemoryEngine.Contents) throws

  /// Brings what another store has, as a file syncer does.
  ///
  /// - Parameters:
  ///   - other: What a file syncer has found there.
  ///   - isHalfWay: Whether some of its records are still on their way.
  ///   - dice: Says which ones.
  /// - Throws: What reading and writing files throws.
  func take(
    from other: any SimulatedStore, isHalfWay: Bool, _ dice: inout SimulatedSpace.Dice
  ) throws
}

extension MemoryEngine: SimulatedStore {
  var engine: any SyncEngine { self }

  func begin(with contents: Contents) { all = contents }

  func take(
    from other: any SimulatedStore, isHalfWay: Bool, _ dice: inout SimulatedSpace.Dice
  ) {
    guard var carried = (other as? MemoryEngine)?.all else { return }
    // Half way: a head, and not its record yet.
    for (space, streams) in isHalfWay ? carried.records : [:] {
      for (stream, records) in streams.sorted(by: { $0.key < $1.key })
      where dice.isOne(in: 3) && records.count > 1 {
        carried.records[space]?[stream]?.removeLast()
      }
    }
    all = all.joined(carried)
  }
}

/// The real engine of folders, which packs records, and removes them; beside it a file syncer, which
/// carries what was made, changed and removed, the later of two changes of one file.
final class SimulatedFolder: SimulatedStore {
  /// What the file syncer knows of a file.
  private struct Seen {
    /// By what all its folders agree on which is later.
    let change: Int
    /// `nil` for one that was removed.
    let bytes: [UInt8]?
  }

  private static let changes = Mutex(0)

  private let home: TemporaryHome
  let engine: any SyncEngine
  private let seen = Mutex<[String: Seen]>([:])

  init() throws {
    home = try TemporaryHome(inMemory: true)
    engine = FolderEngine(path: home.path)
  }

  func begin(with contents: MemoryEngine.Contents) throws {
    for (space, streams) in contents.records {
      for (stream, records) in streams {
        guard let head = contents.heads[space]?[stream] else { continue }
        try engine.append(records, head: head, in: space)
      }
      for (id, bytes) in contents.invitations[space] ?? [:] {
        try engine.putInvitation(bytes, id: id, in: space)
      }
      let objects = (contents.objects[space] ?? [:]).map {
        SyncObject(name: $0.key, bytes: $0.value)
      }
      try engine.put(objects, in: space)
    }
    // All folders that begin so agree.
    let files = try look()
    seen.withLock { $0 = files.mapValues { Seen(change: 0, bytes: $0.bytes) } }
  }

  func take(
    from other: any SimulatedStore, isHalfWay: Bool, _ dice: inout SimulatedSpace.Dice
  ) throws {
    guard let other = other as? SimulatedFolder else { return }
    let there = try other.look()
    var here = try look()
    for (path, seen) in there.sorted(by: { $0.key < $1.key })
    where seen.change > here[path]?.change ?? -1 {
      // Also what was removed may be late, and what takes its place.
      if isHalfWay, !path.contains("/h/"), dice.isOne(in: 3) { continue }
      if here[path]?.bytes != seen.bytes { try put(seen.bytes, at: path) }
      here[path] = seen
    }
    self.seen.withLock { $0 = here }
  }

  /// What lies in the folder, with what the file syncer finds changed.
  private func look() throws -> [String: Seen] {
    var files: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
      let url = URL(fileURLWithPath: "\(home.path)/\(path)")
      // What a killed process has left is nobody's; a folder cannot be read.
      guard !url.lastPathComponent.hasPrefix("."), let bytes = try? Data(contentsOf: url) else {
        continue
      }
      files[path] = Array(bytes)
    }
    return seen.withLock { seen in
      for path in Set(files.keys).union(seen.keys).sorted() where files[path] != seen[path]?.bytes {
        let change = Self.changes.withLock {
          $0 += 1
          return $0
        }
        seen[path] = Seen(change: change, bytes: files[path])
      }
      return seen
    }
  }

  private func put(_ bytes: [UInt8]?, at path: String) throws {
    let url = URL(fileURLWithPath: "\(home.path)/\(path)")
    guard let bytes else { return try FileManager.default.removeItem(at: url) }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try Data(bytes).write(to: url, options: .atomic)
  }
}

/// A machine's way to a store, which may be cut.
final class MachineStore: SyncEngine {
  let store: any SimulatedStore
  private let away = Mutex(false)

  init(_ store: any SimulatedStore) { self.store = store }

  var isEventual: Bool { store.engine.isEventual }

  var isAway: Bool {
    get { away.withLock { $0 } }
    set { away.withLock { $0 = newValue } }
  }

  private func reached() throws -> any SyncEngine {
    guard !isAway else { throw SyncError(.unavailable, "the store is away") }
    return store.engine
  }

  func spaces() throws -> [SpaceID] { try reached().spaces() }

  func heads(in space: SpaceID) throws -> [StreamHead] { try reached().heads(in: space) }

  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    try reached().records(of: stream, in: space, after: sequence, limit: limit)
  }

  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    try reached().append(records, head: head, in: space)
  }

  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try reached().restore(record, of: stream, at: sequence, in: space)
  }

  func pack(
    _ ranges: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID,
    records: (ClosedRange<UInt64>) throws -> [[UInt8]]
  ) throws {
    try reached().pack(ranges, of: stream, in: space, records: records)
  }

  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    try reached().retire(upTo: sequence, of: stream, in: space)
  }

  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    try reached().oldest(of: stream, in: space)
  }

  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    try reached().removeObjects(names, in: space)
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try reached().invitation(id, in: space)
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try reached().putInvitation(bytes, id: id, in: space)
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try reached().object(name, in: space)
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    try reached().put(objects, in: space)
  }
}
