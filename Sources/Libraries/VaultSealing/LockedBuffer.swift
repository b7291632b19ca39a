import CVaultSodium

/// Locked memory that grows, for bytes that come or go piece by piece, such as a message with a
/// secret in it.
///
/// What it held is wiped when it grows, when bytes are taken off its front, and when it goes. It
/// belongs to one thread at a time.
@safe package final class LockedBuffer {
  private var block: LockedMemory.Block
  private var start = 0
  private var end = 0

  /// Makes an empty buffer.
  ///
  /// - Parameter capacity: Bytes that it takes before it first grows.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package init(capacity: Int = 512) throws(SealingError) {
    unsafe block = try LockedMemory.allocate(max(capacity, 16))
  }

  deinit { unsafe LockedMemory.free(block) }

  /// The number of bytes in it.
  package var count: Int { end - start }

  /// Calls `body` with the bytes, which are valid only during the call.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(unsafe RawSpan(_unsafeStart: block.address + start, byteCount: count))
  }

  /// Adds bytes at the end.
  package func append(_ bytes: RawSpan) throws(SealingError) {
    try fill(atMost: bytes.byteCount) { (span: inout MutableRawSpan) throws(SealingError) in
      span.write(bytes, at: 0)
      return bytes.byteCount
    }
  }

  /// Adds bytes that are not secret.
  package func append(_ bytes: some Collection<UInt8>) throws(SealingError) {
    let count = bytes.count
    try fill(atMost: count) { (span: inout MutableRawSpan) throws(SealingError) in
      for (offset, byte) in bytes.enumerated() { span.write(byte: byte, at: offset) }
      return count
    }
  }

  /// Lets `body` write at the end.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes that `body` may write.
  ///   - body: Writes, and returns how many bytes it wrote.
  /// - Returns: That number.
  /// - Throws: ``SealingError`` with code `.outOfMemory`; what `body` throws.
  @discardableResult
  package func fill(
    atMost capacity: Int, _ body: (inout MutableRawSpan) throws(SealingError) -> Int
  ) throws(SealingError) -> Int {
    try reserve(capacity)
    var span = unsafe MutableRawSpan(_unsafeStart: block.address + end, byteCount: capacity)
    let written = try body(&span)
    precondition(written >= 0 && written <= capacity)
    end += written
    return written
  }

  /// Replaces bytes that are there.
  package func overwrite(_ bytes: [UInt8], at offset: Int) {
    precondition(offset >= 0 && bytes.count <= count - offset)
    var span = unsafe MutableRawSpan(_unsafeStart: block.address + start, byteCount: count)
    bytes.withRawSpan { span.write($0, at: offset) }
  }

  /// Takes bytes off the front, and wipes them.
  package func removeFirst(_ number: Int) {
    precondition(number >= 0 && number <= count)
    unsafe sodium_memzero(block.address + start, number)
    start += number
    if start == end { (start, end) = (0, 0) }
  }

  /// Returns a copy of all bytes.
  package func secret() throws(SealingError) -> SecretBytes {
    try withBytes { bytes throws(SealingError) in try SecretBytes(copying: bytes) }
  }

  private func reserve(_ more: Int) throws(SealingError) {
    guard unsafe end + more > block.capacity else { return }
    let count = count
    // As long as it moves anyway, it moves to the front.
    let capacity = unsafe count + more <= block.capacity / 2 ? block.capacity : 2 * (count + more)
    let larger = unsafe try LockedMemory.allocate(capacity)
    unsafe larger.address.copyMemory(from: block.address + start, byteCount: count)
    unsafe LockedMemory.free(block)
    unsafe block = unsafe larger
    (start, end) = (0, count)
  }
}
