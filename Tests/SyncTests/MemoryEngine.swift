import Synchronization
import VaultSync

/// A store in memory, which can be made to lie.
final class MemoryEngine: SyncEngine {
  /// All that is in the store.
  struct Contents: Sendable {
    var records: [SpaceID: [StreamID: [[UInt8]]]] = [:]
    var heads: [SpaceID: [StreamID: StreamHead]] = [:]
    var invitations: [SpaceID: [[UInt8]: [UInt8]]] = [:]
    var objects: [SpaceID: [[UInt8]: [UInt8]]] = [:]
    /// How many of the first records of each stream have gone.
    var retired: [SpaceID: [StreamID: Int]] = [:]

    /// The records that are there, from a number on.
    func records(_ stream: StreamID, in space: SpaceID, after sequence: UInt64) -> [[UInt8]] {
      guard Int(sequence) >= retired[space]?[stream] ?? 0 else { return [] }
      return Array((records[space]?[stream] ?? []).dropFirst(Int(sequence)))
    }

    /// What a store has that hears of both: of each stream, the longer one.
    func joined(_ other: Contents) -> Contents {
      var both = self
      for (space, streams) in other.records {
        for (stream, records) in streams
        where records.count > both.records[space]?[stream]?.count ?? 0 {
          both.records[space, default: [:]][stream] = records
          both.heads[space, default: [:]][stream] = other.heads[space]?[stream]
        }
        both.invitations[space, default: [:]].merge(other.invitations[space] ?? [:]) { $1 }
      }
      for (space, streams) in other.retired {
        both.retired[space, default: [:]].merge(streams) { max($0, $1) }
      }
      for (space, objects) in other.objects {
        both.objects[space, default: [:]].merge(objects) { $1 }
      }
      return both
    }
  }

  let isEventual: Bool
  private let contents = Mutex(Contents())
  private let away = Mutex(false)
  /// Changes what each reader gets.
  private let lie = Mutex<(@Sendable (inout Contents) -> Void)?>(nil)
  private let counted = Mutex(0)
  private let allowed = Mutex<Int?>(nil)
  private let shownBytes = Mutex(0)

  init(isEventual: Bool = false) { self.isEventual = isEventual }

  /// What is in the store.
  var all: Contents {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  /// Does two things that do not know of each other; then the store has both.
  @discardableResult
  func apart<Result>(_ one: () throws -> Result, and other: () throws -> Void) rethrows -> Result {
    let before = all
    let result = try one()
    let withOne = all
    all = before
    try other()
    all = all.joined(withOne)
    return result
  }

  var isAway: Bool {
    get { away.withLock { $0 } }
    set { away.withLock { $0 = newValue } }
  }

  /// After how many more calls it is away; `nil` for never.
  var failsAfter: Int? {
    get { allowed.withLock { $0 } }
    set { allowed.withLock { $0 = newValue } }
  }

  /// How many calls there were.
  var calls: Int { counted.withLock { $0 } }

  /// How many bytes of records and objects were read.
  var bytesRead: Int { shownBytes.withLock { $0 } }

  private func counting(_ bytes: [[UInt8]]) -> [[UInt8]] {
    shownBytes.withLock { $0 += bytes.reduce(0) { $0 + $1.count } }
    return bytes
  }

  func lies(_ change: (@Sendable (inout Contents) -> Void)?) {
    lie.withLock { $0 = change }
  }

  private func shown() throws -> Contents {
    counted.withLock { $0 += 1 }
    let isCutOff = allowed.withLock { allowed in
      guard let left = allowed else { return false }
      allowed = left - 1
      return left <= 0
    }
    guard !isAway, !isCutOff else { throw SyncError(.unavailable, "the store is away") }
    var contents = all
    lie.withLock { $0?(&contents) }
    return contents
  }

  func spaces() throws -> [SpaceID] {
    let shown = try shown()
    return Set(shown.heads.keys).union(shown.invitations.keys).sorted()
  }

  func heads(in space: SpaceID) throws -> [StreamHead] {
    Array((try shown().heads[space] ?? [:]).values)
  }

  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let records = try shown().records(stream, in: space, after: sequence)
    return counting(Array(records.prefix(limit)))
  }

  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    _ = try shown()
    try contents.withLock { contents in
      var there = contents.records[space]?[head.stream] ?? []
      let first = Int(head.sequence) - records.count
      // Of a machine that has not the first ones any more, beside a store that was emptied.
      if there.isEmpty, first > 0 {
        there = [[UInt8]](repeating: [], count: first)
        contents.retired[space, default: [:]][head.stream] = first
      }
      for (offset, record) in records.enumerated() {
        if first + offset < there.count {
          guard there[first + offset] == record else {
            throw SyncError(.taken, "another record has that number")
          }
        } else {
          there.append(record)
        }
      }
      contents.records[space, default: [:]][head.stream] = there
      contents.heads[space, default: [:]][head.stream] = head
    }
  }

  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    _ = try shown()
    contents.withLock { contents in
      var there = contents.records[space]?[stream] ?? []
      // Never with a gap before it.
      if Int(sequence) <= there.count {
        there[Int(sequence) - 1] = record
      } else if Int(sequence) == there.count + 1 {
        there.append(record)
      }
      contents.records[space, default: [:]][stream] = there
    }
  }

  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    _ = try shown()
    contents.withLock { contents in
      let before = contents.retired[space]?[stream] ?? 0
      contents.retired[space, default: [:]][stream] = max(before, Int(sequence))
    }
  }

  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    let shown = try shown()
    let (count, retired) = (
      shown.records[space]?[stream]?.count ?? 0, shown.retired[space]?[stream] ?? 0
    )
    return count > retired ? UInt64(retired) + 1 : nil
  }

  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    _ = try shown()
    contents.withLock { contents in
      for name in names { contents.objects[space]?[name] = nil }
    }
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try shown().invitations[space]?[id]
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    _ = try shown()
    contents.withLock { $0.invitations[space, default: [:]][id] = bytes }
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try shown().objects[space]?[name].map { counting([$0])[0] }
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    _ = try shown()
    contents.withLock { contents in
      for object in objects { contents.objects[space, default: [:]][object.name] = object.bytes }
    }
  }
}
