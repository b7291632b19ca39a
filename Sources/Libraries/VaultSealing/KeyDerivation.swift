import CVaultSodium

/// Derives keys and keyed hashes with BLAKE2b.
///
/// Source: RFC 7693; libsodium `crypto_kdf_derive_from_key`, `crypto_generichash`.
public enum KeyDerivation {
  /// Derives the subkey with number `id` from a master key.
  ///
  /// Equal input gives equal output. Subkeys with different numbers or contexts reveal nothing
  /// about each other.
  ///
  /// - Parameters:
  ///   - id: The subkey's number.
  ///   - master: 32 bytes.
  ///   - context: The purpose of this family of subkeys; exactly 8 ASCII characters.
  /// - Returns: 32 bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  public static func subkey(
    _ id: UInt64, of master: SecretBytes, context: StaticString
  ) throws(SealingError) -> SecretBytes {
    try Sodium.initialize()
    guard master.count == Int(crypto_kdf_keybytes()), context.utf8CodeUnitCount == 8 else {
      throw SealingError(.invalidParameter, "a master key has 32 bytes and a context 8")
    }
    let subkey = unsafe try SecretBytes.filled(count: 32) { output in
      unsafe master.withPointer { master in
        unsafe crypto_kdf_derive_from_key(
          output, 32, id,
          UnsafeRawPointer(context.utf8Start).assumingMemoryBound(to: CChar.self), master)
      }
    }
    return try orThrow(subkey)
  }

  /// Derives a key from key material and a label: BLAKE2b-256 of `message` under `key`.
  ///
  /// - Parameters:
  ///   - key: 16 to 64 bytes.
  ///   - message: The label that the derived key depends on.
  /// - Returns: 32 bytes, in locked memory.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  public static func key(
    from key: SecretBytes, message: [UInt8]
  ) throws(SealingError) -> SecretBytes {
    try Sodium.initialize()
    guard (16...64).contains(key.count) else {
      throw SealingError(.invalidParameter, "a BLAKE2b key has 16 to 64 bytes")
    }
    let derived = unsafe try SecretBytes.filled(count: 32) { output in
      unsafe key.withPointer { pointer in
        unsafe crypto_generichash(
          output, 32, message, UInt64(message.count), pointer, key.count)
      }
    }
    return try orThrow(derived)
  }

  private static func orThrow(_ key: SecretBytes?) throws(SealingError) -> SecretBytes {
    guard let key else { throw SealingError(.invalidParameter, "the key could not be derived") }
    return key
  }
}

/// BLAKE2b hashes, with and without a key, of bytes that are not secret.
public enum Hash {
  /// The BLAKE2b hash of `message`.
  ///
  /// - Parameters:
  ///   - message: The bytes to hash.
  ///   - count: Bytes of the hash, 16 to 64.
  ///   - key: 16 to 64 bytes, or `nil`. With a key, only its owners can compute or check the hash.
  /// - Returns: `count` bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter`.
  public static func blake2b(
    _ message: RawSpan, count: Int = 32, key: SecretBytes? = nil
  ) throws(SealingError) -> [UInt8] {
    try Sodium.initialize()
    guard (16...64).contains(count), key.map({ (16...64).contains($0.count) }) ?? true else {
      throw SealingError(.invalidParameter, "BLAKE2b takes keys and gives hashes of 16 to 64 bytes")
    }
    return unsafe [UInt8].filled(count: count) { output in
      unsafe message.withPointer { bytes in
        if let key {
          unsafe key.withPointer { pointer in
            _ = unsafe crypto_generichash(
              output, count, bytes, UInt64(message.byteCount), pointer, key.count)
          }
        } else {
          _ = unsafe crypto_generichash(output, count, bytes, UInt64(message.byteCount), nil, 0)
        }
      }
    }
  }

  /// The BLAKE2b hash of an array's bytes; see ``blake2b(_:count:key:)``.
  ///
  /// - Parameters:
  ///   - message: The bytes to hash.
  ///   - count: Bytes of the hash, 16 to 64.
  ///   - key: 16 to 64 bytes, or `nil`.
  /// - Returns: `count` bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter`.
  public static func blake2b(
    _ message: [UInt8], count: Int = 32, key: SecretBytes? = nil
  ) throws(SealingError) -> [UInt8] {
    try message.withRawSpan { bytes throws(SealingError) in
      try blake2b(bytes, count: count, key: key)
    }
  }
}
