import CVaultLinux
import CVaultSodium
import Glibc
import Synchronization

/// Memory for secrets: locked, left out of core files, wiped before it is given back.
///
/// Small blocks come from one arena, since `sodium_malloc` costs four mappings a block and ends at
/// `vm.max_map_count`. The arena lies in `memfd_secret(2)` pages where the kernel has them (not even
/// root reads those through `/proc/PID/mem`), else in a `sodium_malloc` region with guard pages.
package enum LockedMemory {
  /// A block; whoever holds it gives it back exactly once.
  @unsafe struct Block {
    let address: UnsafeMutableRawPointer
    let capacity: Int
    let isFromArena: Bool
  }

  /// How well the kernel protects the arena; `vault check` tells it.
  package struct Protection: Sendable, Equatable {
    /// The pages are `memfd_secret(2)` pages.
    package var isSecretMemory: Bool
    /// The pages cannot be swapped out.
    package var isLocked: Bool
  }

  /// Blocks above this size get a `sodium_malloc` region of their own.
  private static let largestArenaBlock = 8 * 1024
  private static let arenaSize = 64 * 1024

  // @unchecked: only touched while the mutex below is held.
  @safe private struct Arena: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    /// Free ranges in order of their offset, never adjacent.
    var free: [Range<Int>]
    var protection: Protection

    init(base: UnsafeMutableRawPointer, size: Int, protection: Protection) {
      unsafe self.base = base
      self.free = [0..<size]
      self.protection = protection
    }
  }

  private static let arenas = Mutex<[Arena]>([])

  /// How the arena is protected; makes the first arena if there is none yet.
  package static func protection() throws(SealingError) -> Protection {
    let block = unsafe try allocate(16)
    unsafe free(block)
    return arenas.withLock { $0.first?.protection }
      ?? Protection(isSecretMemory: false, isLocked: false)
  }

  static func allocate(_ count: Int) throws(SealingError) -> Block {
    try Sodium.initialize()
    let capacity = max(16, (count + 15) & ~15)
    guard capacity <= largestArenaBlock else {
      guard let address = unsafe sodium_malloc(capacity) else {
        throw SealingError(.outOfMemory, "no memory for a secret of \(count) bytes")
      }
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
        base: base, size: arenaSize, protection: Protection(isSecretMemory: true, isLocked: true))
    }
    guard let base = unsafe sodium_malloc(arenaSize) else { return nil }
    // sodium_malloc ignores a failed mlock (libsodium issue 1237): ask again and remember.
    let isLocked = unsafe sodium_mlock(base, arenaSize) == 0
    return unsafe Arena(
      base: base, size: arenaSize, protection: Protection(isSecretMemory: false, isLocked: isLocked)
    )
  }

  /// Pages that only this process can read, between two pages that nobody can touch.
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
    guard
      let inner = unsafe mmap(
        whole + page, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0),
      unsafe inner != MAP_FAILED
    else {
      unsafe munmap(whole, size + 2 * page)
      return nil
    }
    return unsafe inner
  }
}
