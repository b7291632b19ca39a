import CVaultSodium

/// Bytes that must not leave this process by accident: passwords, keys, tokens.
///
/// They live in locked memory that no core file holds, are wiped when the last reference goes, and
/// print, dump and reflect as `<redacted>`. There is no `==`: compare with ``isEqual(to:)``, whose time
/// does not depend on where two values differ.
///
/// ```swift
/// let token = try SecretBytes(copying: Array("s3cr3t".utf8))
/// token.withBytes { bytes in print(bytes.byteCount) }   // 6
/// print(token)                                           // <redacted>
/// ```
@safe public final class SecretBytes: @unchecked Sendable {
  // @unchecked Sendable above: the block is written only before init returns, and freed only in deinit.
  private let block: LockedMemory.Block

  /// How many bytes there are, 0 or more.
  public let count: Int

  /// Copies `bytes` into locked memory.
  ///
  /// The source is not wiped.
  ///
  /// - Parameter bytes: What to keep.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public init(copying bytes: RawSpan) throws(SealingError) {
    unsafe block = try LockedMemory.allocate(bytes.byteCount)
    count = bytes.byteCount
    unsafe bytes.withUnsafeBytes { source in
      if let base = source.baseAddress {
        unsafe block.address.copyMemory(from: base, byteCount: source.count)
      }
    }
  }

  /// Copies an array into locked memory; the array is not wiped, so it should hold no secret that
  /// could have been read into locked memory at once.
  ///
  /// - Parameter bytes: What to keep.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public convenience init(copying bytes: [UInt8]) throws(SealingError) {
    try self.init(copying: unsafe bytes.span.bytes)
  }

  /// Makes room for `capacity` bytes and lets `body` fill it; `body` returns how many it wrote.
  ///
  /// The memory is zero before `body` runs. If `body` throws, it is wiped and given back.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes that `body` may write.
  ///   - body: Gets the memory and returns the number of bytes that count.
  /// - Throws: ``SealingError`` with code `.outOfMemory`, or what `body` throws.
  public convenience init(
    capacity: Int, initializing body: (inout MutableRawSpan) throws -> Int
  ) throws {
    try self.init(capacity: capacity, isZeroed: true, initializing: body)
  }

  /// The same; without `isZeroed`, for a body that writes every byte or throws, memory is not zeroed first.
  init(
    capacity: Int, isZeroed: Bool, initializing body: (inout MutableRawSpan) throws -> Int
  ) throws {
    let block = unsafe try LockedMemory.allocate(capacity)
    if isZeroed { unsafe sodium_memzero(block.address, block.capacity) }
    do {
      var span = unsafe MutableRawSpan(_unsafeStart: block.address, byteCount: capacity)
      let written = try body(&span)
      precondition(written >= 0 && written <= capacity)
      count = written
    } catch {
      unsafe LockedMemory.free(block)
      throw error
    }
    unsafe self.block = unsafe block
  }

  deinit {
    unsafe LockedMemory.free(block)
  }

  /// Calls `body` with the bytes, which must not be kept beyond the call.
  ///
  /// - Parameter body: Reads the bytes.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(unsafe RawSpan(_unsafeStart: block.address, byteCount: count))
  }

  /// Says whether both hold the same bytes, in a time that depends on the length alone.
  ///
  /// - Parameter other: What to compare with.
  /// - Returns: `true` if length and bytes are equal.
  public func isEqual(to other: SecretBytes) -> Bool {
    withBytes { mine in other.withBytes { ConstantTime.isEqual(mine, $0) } }
  }

  /// Fresh random bytes from the kernel's generator.
  ///
  /// - Parameter count: How many, 0 or more.
  /// - Returns: The bytes.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public static func random(count: Int) throws(SealingError) -> SecretBytes {
    let bytes = unsafe try filled(count: count) { output in
      unsafe randombytes_buf(output, count)
      return 0
    }
    guard let bytes else { throw SealingError(.outOfMemory, "no memory for random bytes") }
    return bytes
  }

  /// A copy of the bytes from `range`, in locked memory of its own.
  ///
  /// - Parameter range: Which bytes; must lie within `0..<count`.
  /// - Returns: The copy.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public func slice(_ range: Range<Int>) throws(SealingError) -> SecretBytes {
    try withBytes { bytes throws(SealingError) in try SecretBytes(copying: bytes.extracting(range))
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `<redacted>`.
  public var description: String { "<redacted>" }
  /// `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Comparison whose time does not show where two values differ.
public enum ConstantTime {
  /// Says whether both spans hold the same bytes; the time depends on their lengths alone.
  ///
  /// - Parameters:
  ///   - a: One value.
  ///   - b: The other.
  /// - Returns: `true` if lengths and bytes are equal.
  ///
  /// libsodium `sodium_memcmp`.
  public static func isEqual(_ a: RawSpan, _ b: RawSpan) -> Bool {
    guard a.byteCount == b.byteCount else { return false }
    return unsafe a.withUnsafeBytes { left in
      unsafe b.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe sodium_memcmp(left, right, a.byteCount) == 0
      }
    }
  }
}
