/// Locked memory that is written more than once, such as a stream in which a secret may be.
///
/// It is excluded from core files and wiped when it goes, as ``SecretBytes`` is. It belongs to one
/// thread at a time.
@safe package final class LockedArea: @unchecked Sendable {
  // @unchecked Sendable above: the owner hands it from one thread to another, never shares it.
  private let block: LockedMemory.Block

  /// The number of bytes.
  package let capacity: Int

  /// Allocates zeros.
  ///
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package init(capacity: Int) throws(SealingError) {
    unsafe block = try LockedMemory.allocate(capacity)
    self.capacity = capacity
  }

  deinit { unsafe LockedMemory.free(block) }

  /// Calls `body` with the bytes, which are valid only during the call.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe RawSpan(_unsafeStart: block.address, byteCount: capacity))
  }

  /// Calls `body` with the bytes to change, which are valid only during the call.
  package func withMutableBytes<Result, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var span = unsafe MutableRawSpan(_unsafeStart: block.address, byteCount: capacity)
    return try body(&span)
  }

  /// Moves the bytes in `range` to the beginning.
  package func moveToBeginning(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity)
    unsafe block.address.copyMemory(from: block.address + range.lowerBound, byteCount: range.count)
  }
}
