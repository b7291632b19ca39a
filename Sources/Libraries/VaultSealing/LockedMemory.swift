import CVaultLinux
import CVaultSodium
import Glibc
import Synchronization

/// Memory for secrets: locked, excluded from core files, zeros when it is handed out, wiped before
/// it is freed.
///
/// Small blocks come from one arena, because a region of pages for each would need three mappings
/// and fail at `vm.max_map_count`. The arena is in `memfd_secret(2)` pages if the kernel has them
/// (not even root can read those through `/proc/PID/mem`), else in a region between inaccessible
/// pages, as long blocks are. A child of fork(2) without execve(2) does not get the pages of
/// `memfd_secret(2)`: both processes would write to the same ones.
package enum LockedMemory {
  /// A block; its owner frees it exactly once.
  @unsafe struct Block {
    let address: UnsafeMutableRawPointer
    let capacity: Int
    /// The block's own region; `nil` if it is from the arena.
    fileprivate let region: Region?
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

  /// Blocks above this size get a region of their own.
  private static let largestArenaBlock = 8 * 1024
  private static let arenaSize = 64 * 1024
  /// The length of the longest secret, with its seal.
  private static let longestUsualBlock = 1 << 20 + 4096
  /// A freed region up to this length is kept for the next long block, wiped and still locked.
  private static let largestSpare = 2 << 20
  private static let hasUnlockedBlocks = Atomic(false)

  // @unchecked: only accessed while the mutex below is held.
  @safe private final class Arena: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let protection: (isSecretMemory: Bool, isLocked: Bool)
    /// The arena before this one.
    let next: Arena?
    /// Free ranges in order of their offset, never adjacent.
    ///
    /// Arrays of integers: the type of an array of ranges is made at run time, and every command
    /// would pay for it.
    var starts = [0]
    var ends = [arenaSize]

    init(
      base: UnsafeMutableRawPointer, protection: (isSecretMemory: Bool, isLocked: Bool),
      next: Arena?
    ) {
      unsafe self.base = base
      self.protection = protection
      self.next = next
    }

    func take(_ capacity: Int) -> UnsafeMutableRawPointer? {
      for index in starts.indices where ends[index] - starts[index] >= capacity {
        let start = starts[index]
        starts[index] += capacity
        if starts[index] == ends[index] {
          starts.remove(at: index)
          ends.remove(at: index)
        }
        return unsafe base + start
      }
      return nil
    }

    /// Joins the range with its free neighbors, so that a longer block fits there again.
    func giveBack(_ start: Int, _ capacity: Int) {
      let end = start + capacity
      let index = starts.firstIndex { $0 > start } ?? starts.endIndex
      let joinsNext = index < starts.endIndex && starts[index] == end
      let joinsLast = index > 0 && ends[index - 1] == start
      switch (joinsLast, joinsNext) {
      case (true, true):
        ends[index - 1] = ends[index]
        starts.remove(at: index)
        ends.remove(at: index)
      case (true, false): ends[index - 1] = end
      case (false, true): starts[index] = start
      case (false, false):
        starts.insert(start, at: index)
        ends.insert(end, at: index)
      }
    }
  }

  // @unchecked: only accessed while the mutex below is held.
  @safe fileprivate struct Region: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let size: Int
    let isLocked: Bool

    init(address: UnsafeMutableRawPointer, size: Int, isLocked: Bool) {
      unsafe self.address = unsafe address
      self.size = size
      self.isLocked = isLocked
    }
  }

  private struct State: Sendable {
    var arena: Arena?
    var spare: Region?
  }

  private static let state = Mutex(State())

  /// Determines how secrets are protected by allocating a short block and a long one.
  package static func protection() throws(SealingError) -> Protection {
    for count in [16, longestUsualBlock] { unsafe free(try allocate(count)) }
    var isSecretMemory = true
    var isLocked = true
    state.withLock { state in
      var arena = state.arena
      while let one = arena {
        isSecretMemory = isSecretMemory && one.protection.isSecretMemory
        isLocked = isLocked && one.protection.isLocked
        arena = one.next
      }
    }
    return Protection(
      isSecretMemory: isSecretMemory, isLocked: isLocked,
      areLongBlocksLocked: !hasUnlockedBlocks.load(ordering: .relaxed))
  }

  static func allocate(_ count: Int) throws(SealingError) -> Block {
    try Sodium.initialize()
    let capacity = max(16, (count + 15) & ~15)
    guard capacity <= largestArenaBlock else {
      guard let region = spare(capacity) ?? newRegion(capacity) else {
        throw SealingError(.outOfMemory, "no memory for a secret of \(count) bytes")
      }
      if !region.isLocked { hasUnlockedBlocks.store(true, ordering: .relaxed) }
      return unsafe Block(address: region.address, capacity: capacity, region: region)
    }
    let address: UnsafeMutableRawPointer? = unsafe state.withLock { state in
      var arena = state.arena
      while let one = arena {
        if let address = unsafe one.take(capacity) { return unsafe address }
        arena = one.next
      }
      state.arena = newArena(after: state.arena)
      return unsafe state.arena?.take(capacity)
    }
    guard let address = unsafe address else {
      throw SealingError(.outOfMemory, "no locked memory for a secret of \(count) bytes")
    }
    return unsafe Block(address: address, capacity: capacity, region: nil)
  }

  /// Wipes a block and frees it.
  static func free(_ block: Block) {
    unsafe sodium_memzero(block.address, block.capacity)
    if let region = unsafe block.region { return giveBack(region) }
    state.withLock { state in
      var arena = state.arena
      while let one = arena {
        let offset = unsafe block.address - one.base
        if offset >= 0, offset < arenaSize { return unsafe one.giveBack(offset, block.capacity) }
        arena = one.next
      }
    }
  }

  private static func newArena(after last: Arena?) -> Arena? {
    if let base = unsafe secretPages(arenaSize) {
      return unsafe Arena(
        base: base, protection: (isSecretMemory: true, isLocked: true), next: last)
    }
    guard let region = newRegion(arenaSize) else { return nil }
    return unsafe Arena(
      base: region.address, protection: (isSecretMemory: false, isLocked: region.isLocked),
      next: last)
  }

  // MARK: - Long blocks

  /// The region that is kept, if it is as long as needed and not much longer.
  private static func spare(_ capacity: Int) -> Region? {
    state.withLock { state in
      guard let spare = state.spare, spare.size >= capacity, spare.size <= 4 * capacity else {
        return nil
      }
      state.spare = nil
      return spare
    }
  }

  private static func giveBack(_ region: Region) {
    let unneeded: Region? = state.withLock { state in
      guard region.size <= largestSpare, region.size >= state.spare?.size ?? 0 else {
        return region
      }
      defer { state.spare = region }
      return state.spare
    }
    guard let unneeded else { return }
    let page = pageSize
    unsafe munmap(unneeded.address - page, unneeded.size + 2 * page)
  }

  /// Asks for pages of 2 MiB in memory that is written at once, where it is long enough for it:
  /// fetching 64 MiB in pages of 4 KiB takes two thirds of the time of sealing them.
  static func useLargePages(_ address: UnsafeMutableRawPointer, _ count: Int) {
    guard count >= 4 << 20 else { return }
    let page = pageSize
    let unaligned = Int(bitPattern: address) % page
    let skipped = unaligned == 0 ? 0 : page - unaligned
    // Only advice: a kernel without such pages refuses it.
    unsafe madvise(address + skipped, (count - skipped) / page * page, MADV_HUGEPAGE)
  }

  private static var pageSize: Int { Int(sysconf(Int32(_SC_PAGESIZE))) }

  /// Pages of zeros, locked and not in core files, between two inaccessible pages.
  private static func newRegion(_ capacity: Int) -> Region? {
    let page = pageSize
    let size = (capacity + page - 1) / page * page
    guard
      let whole = unsafe mmap(
        nil, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      unsafe whole != MAP_FAILED
    else { return nil }
    let inner = unsafe whole + page
    guard unsafe mprotect(inner, size, PROT_READ | PROT_WRITE) == 0 else {
      unsafe munmap(whole, size + 2 * page)
      return nil
    }
    unsafe useLargePages(inner, size)
    // libsodium's own call: mlock(2), and no dump of the pages.
    let isLocked = unsafe sodium_mlock(inner, size) == 0
    return unsafe Region(address: inner, size: size, isLocked: isLocked)
  }

  /// Pages that only this process can read, between two inaccessible pages.
  private static func secretPages(_ size: Int) -> UnsafeMutableRawPointer? {
    let descriptor = cvault_memfd_secret()
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let page = pageSize
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
