import CVaultLinux
import CVaultSodium
import Glibc
import Synchronization

/// Memory for secrets: locked, excluded from core files, wiped before it is freed.
///
/// Small blocks come from one arena, because `sodium_malloc` needs four mappings for each block and
/// fails at `vm.max_map_count`. The arena is in `memfd_secret(2)` pages if the kernel has them (not
/// even root can read those through `/proc/PID/mem`), else in a `sodium_malloc` region with guard
/// pages. A child of fork(2) without execve(2) does not get these pages: both processes would write
/// to the same ones.
package enum LockedMemory {
  /// A block; its owner frees it exactly once.
  @unsafe struct Block {
    let address: UnsafeMutableRawPointer
    let capacity: Int
    let isFromArena: Bool
  }

  /// The kernel's protection of the arena, for `vault check`.
  package struct Protection: Sendable, Equatable {
    /// The pages are `memfd_secret(2)` pages.
    package var isSecretMemory: Bool
    /// The pages cannot be swapped out.
    package var isLocked: Bool
    /// Neither can the pages of blocks that are too long for the arena: of the longest secret, and
    /// of all blocks so far.
    package var areLongBlocksLocked: Bool
  }

  /// Blocks above this size get a `sodium_malloc` region of their own.
  private static let largestArenaBlock = 8 * 1024
  private static let arenaSize = 64 * 1024
  /// The length of the longest secret, with its seal.
  private static let longestUsualBlock = 1 << 20 + 4096
  private static let hasUnlockedBlocks = Atomic(false)

  // @unchecked: only accessed while the mutex below is held.
  @safe private struct Arena: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    /// Free ranges in order of their offset, never adjacent.
    var free: [Range<Int>]
    let protection: (isSecretMemory: Bool, isLocked: Bool)

    init(
      base: UnsafeMutableRawPointer, size: Int, protection: (isSecretMemory: Bool, isLocked: Bool)
    ) {
      unsafe self.base = base
      self.free = [0..<size]
      self.protection = protection
    }
  }

  private static let arenas = Mutex<[Arena]>([])

  /// Determines how secrets are protected by allocating a short block and a long one.
  package static func protection() throws(SealingError) -> Protection {
    for count in [16, longestUsualBlock] { unsafe free(try allocate(count)) }
    let arenas = arenas.withLock { $0.map(\.protection) }
    return Protection(
      isSecretMemory: arenas.allSatisfy(\.isSecretMemory), isLocked: arenas.allSatisfy(\.isLocked),
      areLongBlocksLocked: !hasUnlockedBlocks.load(ordering: .relaxed))
  }

  static func allocate(_ count: Int) throws(SealingError) -> Block {
    try Sodium.initialize()
    let capacity = max(16, (count + 15) & ~15)
    guard capacity <= largestArenaBlock else {
      guard let address = unsafe sodium_malloc(capacity) else {
        throw SealingError(.outOfMemory, "no memory for a secret of \(count) bytes")
      }
      if unsafe !isLocked(address, capacity) { hasUnlockedBlocks.store(true, ordering: .relaxed) }
      return unsafe Block(address: address, capacity: capacity, isFromArena: false)
    }
    let address: UnsafeMutableRawPointer? = unsafe arenas.withLock { arenas in
      for index in arenas.indices {
        if let address = unsafe take(capacity, from: &arenas[index]) { return unsafe address }
      }
      guard var arena = newArena() else { return nil }
      let address = unsafe take(capacity, from: &arena)
      arenas.append(arena)
      return unsafe address
    }
    guard let address = unsafe address else {
      throw SealingError(.outOfMemory, "no locked memory for a secret of \(count) bytes")
    }
    return unsafe Block(address: address, capacity: capacity, isFromArena: true)
  }

  static func free(_ block: Block) {
    guard unsafe block.isFromArena else {
      unsafe sodium_free(block.address)
      return
    }
    unsafe sodium_memzero(block.address, block.capacity)
    arenas.withLock { arenas in
      for index in arenas.indices {
        let offset = unsafe block.address - arenas[index].base
        guard offset >= 0, offset < arenaSize else { continue }
        unsafe giveBack(offset..<offset + block.capacity, to: &arenas[index])
        return
      }
    }
  }

  private static func take(_ capacity: Int, from arena: inout Arena) -> UnsafeMutableRawPointer? {
    for index in arena.free.indices where arena.free[index].count >= capacity {
      let range = arena.free[index]
      if range.count == capacity {
        arena.free.remove(at: index)
      } else {
        arena.free[index] = range.lowerBound + capacity..<range.upperBound
      }
      return unsafe arena.base + range.lowerBound
    }
    return nil
  }

  // Joins the range with its free neighbors, so that a longer block fits there again.
  private static func giveBack(_ range: Range<Int>, to arena: inout Arena) {
    var range = range
    let index = arena.free.firstIndex { $0.lowerBound > range.lowerBound } ?? arena.free.endIndex
    if index < arena.free.endIndex, arena.free[index].lowerBound == range.upperBound {
      range = range.lowerBound..<arena.free[index].upperBound
      arena.free.remove(at: index)
    }
    if index > 0, arena.free[index - 1].upperBound == range.lowerBound {
      arena.free[index - 1] = arena.free[index - 1].lowerBound..<range.upperBound
    } else {
      arena.free.insert(range, at: index)
    }
  }

  private static func newArena() -> Arena? {
    if let base = unsafe secretPages(arenaSize) {
      return unsafe Arena(
        base: base, size: arenaSize, protection: (isSecretMemory: true, isLocked: true))
    }
    guard let base = unsafe sodium_malloc(arenaSize) else { return nil }
    return unsafe Arena(
      base: base, size: arenaSize,
      protection: (isSecretMemory: false, isLocked: isLocked(base, arenaSize)))
  }

  /// Whether memory of `sodium_malloc` is locked.
  ///
  /// `sodium_malloc` ignores a failed mlock(2) (libsodium issue 1237); locking again fails as the
  /// first time did.
  private static func isLocked(_ address: UnsafeMutableRawPointer, _ size: Int) -> Bool {
    unsafe mlock(address, size) == 0
  }

  /// Pages that only this process can read, between two inaccessible pages.
  private static func secretPages(_ size: Int) -> UnsafeMutableRawPointer? {
    let descriptor = cvault_memfd_secret()
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard ftruncate(descriptor, size) == 0,
      let whole = unsafe mmap(
        nil, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      unsafe whole != MAP_FAILED
    else { return nil }
    // MAP_FIXED replaces the middle of the reservation; the first and last page stay as guards.
    guard
      let inner = unsafe mmap(
        whole + page, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0),
      unsafe inner != MAP_FAILED
    else {
      unsafe munmap(whole, size + 2 * page)
      return nil
    }
    // The pages are shared: a forked child would use the same bytes for other secrets.
    unsafe madvise(whole, size + 2 * page, MADV_DONTFORK)
    return unsafe inner
  }
}
