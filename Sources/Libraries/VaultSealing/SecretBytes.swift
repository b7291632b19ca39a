import CVaultSodium

/// Bytes that must not leave this process by accident: passwords, keys, tokens.
///
/// They are in locked memory that is excluded from core files, are wiped when the last reference is
/// released, and print, dump and reflect as `<redacted>`. There is no `==`: compare with
/// ``isEqual(to:)``, whose time does not depend on where two values differ.
///
/// ```swift
/// let token = try SecretBytes(copying: Array("s3cr3t".utf8))
/// token.withBytes { bytes in print(bytes.byteCount) }   // 6
/// print(token)                                           // <redacted>
/// ```
@safe public final class SecretBytes: @unchecked Sendable {
  // @unchecked Sendable above: the block is written only before init returns, and freed only in
  // deinit.
  private let block: LockedMemory.Block

  /// The number of bytes, 0 or more.
  public let count: Int

  /// Copies `bytes` into locked memory.
  ///
  /// The source is not wiped.
  ///
  /// - Parameter bytes: The bytes to copy.
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

  /// Copies an array into locked memory.
  ///
  /// The array is not wiped. Read a secret directly into locked memory where you can.
  ///
  /// - Parameter bytes: The bytes to copy.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public convenience init(copying bytes: [UInt8]) throws(SealingError) {
    try self.init(copying: unsafe bytes.span.bytes)
  }

  /// Allocates `capacity` bytes and lets `body` fill them; `body` returns the number of bytes used.
  ///
  /// The memory is zeros before `body` runs. If `body` throws, it is wiped and freed.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of bytes that `body` may write.
  ///   - body: Gets the memory and returns the number of bytes used.
  /// - Throws: ``SealingError`` with code `.outOfMemory`, or what `body` throws.
  public init(
    capacity: Int, initializing body: (inout MutableRawSpan) throws -> Int
  ) throws {
    let block = unsafe try LockedMemory.allocate(capacity)
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

  /// Calls `body` with the bytes, which are valid only during the call.
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

  /// Returns whether both have the same bytes, in a time that depends only on the length.
  ///
  /// - Parameter other: The other value.
  /// - Returns: `true` if length and bytes are equal.
  public func isEqual(to other: SecretBytes) -> Bool {
    withBytes { mine in other.withBytes { ConstantTime.isEqual(mine, $0) } }
  }

  /// Returns random bytes from the kernel's generator.
  ///
  /// - Parameter count: The number of bytes, 0 or more.
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

  /// Returns a copy of the bytes in `range`, in its own locked memory.
  ///
  /// - Parameter range: The range to copy; must be within `0..<count`.
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

/// Comparison whose time does not reveal where two values differ.
public enum ConstantTime {
  /// Returns whether both spans have the same bytes; the time depends only on their lengths.
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
