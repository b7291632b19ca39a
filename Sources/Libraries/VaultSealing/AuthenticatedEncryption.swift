import CVaultSodium

/// XChaCha20-Poly1305: seals bytes so that only the same key and context open them again.
///
/// ```swift
/// let key = try SecretBytes.random(count: AuthenticatedEncryption.keyLength)
/// let (text, context) = (Array("a secret".utf8), Array("item 7".utf8))
/// let sealed = try AuthenticatedEncryption.seal(text.span.bytes, key: key, context: context)
/// let opened = try AuthenticatedEncryption.open(sealed, key: key, context: context)
/// ```
///
/// Source: draft-irtf-cfrg-xchacha; libsodium `crypto_aead_xchacha20poly1305_ietf_*`.
public enum AuthenticatedEncryption {
  /// Bytes of a key: 32.
  public static let keyLength = 32
  /// Bytes of the random nonce before the ciphertext: 24.
  public static let nonceLength = 24
  /// Bytes of the tag at the end: 16.
  public static let tagLength = 16
  /// Bytes that sealing adds to the plaintext: 40.
  public static let overhead = nonceLength + tagLength
  /// The maximum size of a plaintext: 64 MiB.
  public static let maximumPlaintext = 64 << 20

  /// Seals `plaintext` so that only `key`, together with the same `context`, opens it again.
  ///
  /// Two calls with equal input give different output: the nonce is random. If `context` differs
  /// by one byte when opening, opening fails; use it to bind a record to its place.
  ///
  /// - Parameters:
  ///   - plaintext: 0 bytes to 64 MiB.
  ///   - key: 32 bytes; not copied.
  ///   - context: Authenticated, not stored, not encrypted.
  /// - Returns: nonce (24 bytes) ‖ ciphertext ‖ tag (16 bytes).
  /// - Throws: ``SealingError`` with code `.tooLarge` or `.invalidParameter`.
  public static func seal(
    _ plaintext: RawSpan, key: SecretBytes, context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    do {
      return try seal(plaintext, key: key, context: context, after: [], before: 0) { _ in }
    } catch let error as SealingError {
      throw error
    } catch {
      throw SealingError(.outOfMemory, "no memory for \(plaintext.byteCount) sealed bytes")
    }
  }

  /// Seals `plaintext` within a longer array, so that it need not be copied there.
  ///
  /// - Parameters:
  ///   - plaintext: 0 bytes to 64 MiB.
  ///   - key: 32 bytes; not copied.
  ///   - context: Authenticated, not stored, not encrypted.
  ///   - prefix: What stands before the sealed bytes.
  ///   - count: How many bytes stand behind them.
  ///   - body: Writes those; gets the whole array.
  /// - Returns: The prefix, nonce ‖ ciphertext ‖ tag, and what `body` wrote.
  /// - Throws: ``SealingError`` with code `.tooLarge` or `.invalidParameter`; what `body` throws.
  package static func seal(
    _ plaintext: RawSpan, key: SecretBytes, context: [UInt8], after prefix: [UInt8],
    before count: Int, _ body: (inout MutableRawSpan) throws -> Void
  ) throws -> [UInt8] {
    try check(plaintext, key)
    let (length, start) = (plaintext.byteCount, prefix.count)
    return try [UInt8](count: start + length + overhead + count) { output in
      prefix.withRawSpan { output.write($0, at: 0) }
      unsafe output.withUnsafeMutableBytes { buffer in
        guard let base = unsafe buffer.bindMemory(to: UInt8.self).baseAddress else { return }
        unsafe LockedMemory.useLargePages(base, buffer.count)
        let nonce = unsafe base + start
        unsafe randombytes_buf(nonce, nonceLength)
        unsafe plaintext.withPointer { plaintext in
          unsafe key.withPointer { key in
            _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
              nonce + nonceLength, nil, plaintext, UInt64(length), context, UInt64(context.count),
              nil, nonce, key)
          }
        }
      }
      try body(&output)
    }
  }

  private static func check(_ plaintext: RawSpan, _ key: SecretBytes) throws(SealingError) {
    try Sodium.initialize()
    guard key.count == keyLength else {
      throw SealingError(.invalidParameter, "the key must have 32 bytes and the nonce 24")
    }
    guard plaintext.byteCount <= maximumPlaintext else {
      throw SealingError(.tooLarge, "more than 64 MiB cannot be sealed at once")
    }
  }

  /// Opens the result of ``seal(_:key:context:)``.
  ///
  /// - Parameters:
  ///   - sealed: nonce ‖ ciphertext ‖ tag.
  ///   - key: 32 bytes.
  ///   - context: The same bytes as when sealing.
  /// - Returns: The plaintext, in locked memory.
  /// - Throws: ``SealingError`` with code `.authenticationFailed` if anything differs,
  ///   `.tooLarge`, `.invalidParameter` or `.outOfMemory`.
  public static func open(
    _ sealed: RawSpan, key: SecretBytes, context: [UInt8]
  ) throws(SealingError) -> SecretBytes {
    guard sealed.byteCount >= overhead else {
      throw SealingError(.authenticationFailed, "the sealed bytes are too short")
    }
    return try open(
      sealed.extracting(nonceLength..<sealed.byteCount), key: key,
      nonce: sealed.extracting(0..<nonceLength), context: context)
  }

  /// Opens the result of ``seal(_:key:context:)`` in an array.
  ///
  /// - Parameters:
  ///   - sealed: nonce ‖ ciphertext ‖ tag.
  ///   - key: 32 bytes.
  ///   - context: The same bytes as when sealing.
  /// - Returns: The plaintext, in locked memory.
  /// - Throws: ``SealingError``, like the other form.
  public static func open(
    _ sealed: [UInt8], key: SecretBytes, context: [UInt8]
  ) throws(SealingError) -> SecretBytes {
    try open(unsafe sealed.span.bytes, key: key, context: context)
  }

  /// Seals with a nonce that the caller must use only once for this key.
  package static func seal(
    _ plaintext: RawSpan, key: SecretBytes, nonce: [UInt8], context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try check(plaintext, key)
    guard nonce.count == nonceLength else {
      throw SealingError(.invalidParameter, "the key must have 32 bytes and the nonce 24")
    }
    let length = plaintext.byteCount
    return unsafe [UInt8].filled(count: length + tagLength) { output in
      unsafe plaintext.withPointer { plaintext in
        unsafe key.withPointer { key in
          _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            output, nil, plaintext, UInt64(length), context, UInt64(context.count), nil, nonce, key)
        }
      }
    }
  }

  package static func open(
    _ sealed: RawSpan, key: SecretBytes, nonce: RawSpan, context: [UInt8]
  ) throws(SealingError) -> SecretBytes {
    try Sodium.initialize()
    guard key.count == keyLength, nonce.byteCount == nonceLength else {
      throw SealingError(.invalidParameter, "the key must have 32 bytes and the nonce 24")
    }
    guard sealed.byteCount >= tagLength else {
      throw SealingError(.authenticationFailed, "the sealed bytes are too short")
    }
    guard sealed.byteCount <= maximumPlaintext + tagLength else {
      throw SealingError(.tooLarge, "more than 64 MiB cannot be opened at once")
    }
    let length = sealed.byteCount - tagLength
    let opened = unsafe try SecretBytes.filled(count: length) { output in
      unsafe sealed.withPointer { sealed in
        unsafe nonce.withPointer { nonce in
          unsafe key.withPointer { key in
            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
              output, nil, nil, sealed, UInt64(length + tagLength), context, UInt64(context.count),
              nonce, key)
          }
        }
      }
    }
    guard let opened else {
      throw SealingError(.authenticationFailed, "the bytes do not open with this key")
    }
    return opened
  }

  /// Opens sealed bytes in the memory that `body` reads them to.
  ///
  /// - Parameters:
  ///   - count: Bytes of ciphertext and tag.
  ///   - key: 32 bytes.
  ///   - nonce: 24 bytes.
  ///   - context: The same bytes as when sealing.
  ///   - body: Writes ciphertext ‖ tag, `count` bytes.
  /// - Returns: The plaintext, in locked memory.
  /// - Throws: ``SealingError`` with code `.authenticationFailed` if anything differs, `.tooLarge`,
  ///   `.invalidParameter` or `.outOfMemory`; what `body` throws.
  package static func open(
    count: Int, key: SecretBytes, nonce: [UInt8], context: [UInt8],
    _ body: (inout MutableRawSpan) throws -> Void
  ) throws -> SecretBytes {
    try Sodium.initialize()
    guard key.count == keyLength, nonce.count == nonceLength else {
      throw SealingError(.invalidParameter, "the key must have 32 bytes and the nonce 24")
    }
    guard count >= tagLength else {
      throw SealingError(.authenticationFailed, "the sealed bytes are too short")
    }
    guard count <= maximumPlaintext + tagLength else {
      throw SealingError(.tooLarge, "more than 64 MiB cannot be opened at once")
    }
    return try SecretBytes(capacity: count) { output in
      try body(&output)
      // libsodium opens in place: "m and c can be the same pointer".
      let status = unsafe output.withUnsafeMutableBytes { buffer -> Int32 in
        guard let sealed = unsafe buffer.bindMemory(to: UInt8.self).baseAddress else { return -1 }
        return unsafe key.withPointer { key in
          unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            sealed, nil, nil, sealed, UInt64(count), context, UInt64(context.count), nonce, key)
        }
      }
      guard status == 0 else {
        throw SealingError(.authenticationFailed, "the bytes do not open with this key")
      }
      return count - tagLength
    }
  }
}
