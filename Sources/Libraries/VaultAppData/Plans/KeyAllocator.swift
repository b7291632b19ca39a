import Synchronization
import VaultStorage

/// Hands out the keys of an entity's new rows.
///
/// Keys are reserved in the store in blocks, so that an object has its key from its insertion on,
/// in any process, and no other object ever gets it.
final class KeyAllocator: Sendable {
  private struct Block {
    var next: Int64 = 0
    var end: Int64 = 0
    var size: Int64 = 32
  }

  private let block = Mutex(Block())
  private let reserve: @Sendable (Int64) throws -> Int64

  /// - Parameter reserve: Takes that many keys from the store, and answers the first.
  init(reserve: @escaping @Sendable (Int64) throws -> Int64) { self.reserve = reserve }

  func next() -> Int64 {
    block.withLock { block in
      if block.next == block.end {
        do {
          block.next = try reserve(block.size)
          block.end = block.next + block.size
          // Each reservation waits for the disk; an import should do so a few times, not hundreds.
          block.size = min(block.size * 4, 65_536)
        } catch {
          // A store that is read-only, full or locked: saving will say so. Until then, a key far
          // above those that are counted.
          return Int64.random(in: 1 << 61..<1 << 62)
        }
      }
      defer { block.next += 1 }
      return block.next
    }
  }

  /// A key that is reserved already; `nil` if there is none.
  func nextReserved() -> Int64? {
    block.withLock { block in
      guard block.next < block.end else { return nil }
      defer { block.next += 1 }
      return block.next
    }
  }
}

extension SQLiteConnection {
  /// Takes keys of a table: those of `AUTOINCREMENT` (sqlite.org/autoinc.html).
  func reserveKeys(_ count: Int64, table: String) throws -> Int64 {
    let take = { [self] in
      let used = try int64("SELECT seq FROM sqlite_sequence WHERE name=?", [.text(table)])
      if let used {
        try execute(
          "UPDATE sqlite_sequence SET seq=? WHERE name=?", [.integer(used + count), .text(table)])
      } else {
        try execute(
          "INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", [.text(table), .integer(count)])
      }
      return (used ?? 0) + 1
    }
    // A migration's code inserts inside of the migration's transaction.
    return try isInTransaction ? savepoint(take) : transaction(.immediate, take)
  }
}
