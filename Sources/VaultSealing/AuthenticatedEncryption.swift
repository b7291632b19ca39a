import CVaultSodium

/// XChaCha20-Poly1305: seals bytes so that only the same key and context open them again.
///
/// ```swift
/// let key = try SecretBytes.random(count: AuthenticatedEncryption.keyLength)
/// let sealed = try AuthenticatedEncryption.seal(plaintext, key: key, context: Array("item 7".utf8))
/// let opened = try AuthenticatedEncryption.open(sealed, key: key, context: Array("item 7".utf8))
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
    let nonce = RandomBytes.bytes(count: nonceLength)
    return nonce + (try seal(plaintext, key: key, nonce: nonce, context: context))
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
    try Sodium.initialize()
    guard key.count == keyLength, nonce.count == nonceLength else {
      throw SealingError(.invalidParameter, "the key must have 32 bytes and the nonce 24")
    }
    guard plaintext.byteCount <= maximumPlaintext else {
      throw SealingError(.tooLarge, "more than 64 MiB cannot be sealed at once")
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
}
