import CVaultSodium

/// Opens many sealed texts one after another in one piece of locked memory, each with a key of its own
/// that is derived from a common one.
///
/// For thousands of texts, memory for each and for its key would take several times as long as
/// opening them.
@safe package final class SealedReader {
  private static let keyLength = AuthenticatedEncryption.keyLength

  private let parent: SecretBytes
  /// A key, and what was opened with it.
  private let block: LockedMemory.Block
  private let capacity: Int

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - parent: The key that the others are derived from, 16 to 64 bytes.
  ///   - capacity: The length of the longest sealed text.
  /// - Throws: ``SealingError`` with code `.outOfMemory` or `.invalidParameter`.
  package init(deriving parent: SecretBytes, capacity: Int) throws(SealingError) {
    try Sodium.initialize()
    guard (16...64).contains(parent.count) else {
      throw SealingError(.invalidParameter, "a BLAKE2b key has 16 to 64 bytes")
    }
    self.parent = parent
    self.capacity = max(0, capacity - AuthenticatedEncryption.overhead)
    unsafe block = try LockedMemory.allocate(Self.keyLength + self.capacity)
  }

  deinit {
    unsafe LockedMemory.free(block)
  }

  /// Opens a sealed text.
  ///
  /// - Parameters:
  ///   - sealed: nonce ‖ ciphertext ‖ tag.
  ///   - message: What its key is derived from, as for ``KeyDerivation/key(from:message:)``.
  ///   - context: The same bytes as when sealing.
  ///   - body: Gets the plaintext, which is there during the call.
  /// - Returns: What `body` returns; `nil` if the text does not open.
  package func open<Result>(
    _ sealed: RawSpan, message: RawSpan, context: [UInt8], _ body: (RawSpan) throws -> Result
  ) rethrows -> Result? {
    let length = sealed.byteCount - AuthenticatedEncryption.overhead
    guard length >= 0, length <= capacity else { return nil }
    let key = unsafe block.address.assumingMemoryBound(to: UInt8.self)
    let output = unsafe key + Self.keyLength
    let messageLength = UInt64(message.byteCount)
    let status = unsafe message.withPointer { message -> Int32 in
      unsafe parent.withPointer { parent -> Int32 in
        unsafe crypto_generichash(
          key, Self.keyLength, message, messageLength, parent, self.parent.count)
      }
    }
    guard status == 0 else { return nil }
    let opened = unsafe sealed.withPointer { sealed in
      unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
        output, nil, nil, sealed + AuthenticatedEncryption.nonceLength,
        UInt64(length + AuthenticatedEncryption.tagLength), context, UInt64(context.count), sealed,
        key)
    }
    guard opened == 0 else { return nil }
    return try body(unsafe RawSpan(_unsafeStart: output, byteCount: length))
  }
}
