import CVaultMbedCrypto
import VaultCredentials
package import VaultSealing

/// What the encrypted session computes, all of it by Mbed TLS.
///
/// `dh-ietf1024-sha256-aes128-cbc-pkcs7` of the Secret Service: Diffie-Hellman in the group of RFC
/// 2409, section 6.2; HKDF with SHA-256, RFC 5869, without salt and info; AES-128-CBC with the
/// padding of PKCS 7.
@safe package enum SessionCryptography {
  /// Bytes of the prime, of public keys and of the shared secret.
  package static let groupLength = 128
  package static let keyLength = 16
  /// Bytes of an initialization vector, and of a block.
  package static let blockLength = 16

  /// A number of Mbed TLS, which is wiped when it goes.
  @safe private final class Number {
    var value = unsafe mbedtls_mpi()

    init() { unsafe mbedtls_mpi_init(&value) }

    convenience init(_ bytes: SecretBytes) throws {
      self.init()
      try bytes.withBytes { bytes in
        try unsafe bytes.withUnsafeBytes { bytes in
          let base = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
          try SessionCryptography.check(unsafe mbedtls_mpi_read_binary(&value, base, bytes.count))
        }
      }
    }

    convenience init(_ bytes: [UInt8]) throws { try self.init(SecretBytes(copying: bytes)) }

    /// The number, padded on the left.
    func bytes(_ length: Int) throws -> SecretBytes {
      try SecretBytes(capacity: length) { output in
        try unsafe output.withUnsafeMutableBytes { output in
          let base = unsafe output.bindMemory(to: UInt8.self).baseAddress
          try SessionCryptography.check(unsafe mbedtls_mpi_write_binary(&value, base, length))
        }
        return length
      }
    }

    deinit { unsafe mbedtls_mpi_free(&value) }
  }

  /// A private key and its public key.
  package struct KeyPair {
    package let privateKey: SecretBytes
    package let publicKey: SecretBytes
  }

  /// Makes a key pair.
  package static func keyPair() throws -> KeyPair {
    let privateKey = try SecretBytes.random(count: groupLength)
    return KeyPair(
      privateKey: privateKey, publicKey: try power(Number([2]), Number(privateKey)))
  }

  /// Derives the key of a session.
  ///
  /// - Parameters:
  ///   - own: The private key.
  ///   - peer: The other side's public key.
  /// - Returns: 16 bytes; `nil` if the public key is none.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func sessionKey(_ own: SecretBytes, peer: SecretBytes) throws -> SecretBytes? {
    guard (1...groupLength).contains(peer.count) else { return nil }
    let base = try Number(peer)
    let modulus = try Number(DiffieHellmanGroup.prime)
    let last = Number()
    // 0, 1 and -1 would make a secret that everyone knows.
    try check(unsafe mbedtls_mpi_sub_int(&last.value, &modulus.value, 1))
    guard unsafe mbedtls_mpi_cmp_int(&base.value, 1) > 0,
      unsafe mbedtls_mpi_cmp_mpi(&base.value, &last.value) < 0
    else { return nil }
    return try derivedKey(from: power(base, Number(own)), count: keyLength)
  }

  /// Derives a key by HKDF with SHA-256: RFC 5869; Mbed TLS `mbedtls_hkdf`.
  ///
  /// - Parameters:
  ///   - secret: The secret to derive it from.
  ///   - salt: The salt; none for sessions.
  ///   - info: What it is for; nothing for sessions.
  ///   - count: Its bytes.
  /// - Returns: The key.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func derivedKey(
    from secret: SecretBytes, salt: [UInt8] = [], info: [UInt8] = [], count: Int
  ) throws -> SecretBytes {
    try SecretBytes(capacity: count) { output in
      try unsafe output.withUnsafeMutableBytes { output in
        let output = unsafe output.bindMemory(to: UInt8.self).baseAddress
        try secret.withBytes { secret in
          try unsafe secret.withUnsafeBytes { secret in
            let start = unsafe secret.bindMemory(to: UInt8.self).baseAddress
            let hash = unsafe mbedtls_md_info_from_type(MBEDTLS_MD_SHA256)
            try check(
              unsafe mbedtls_hkdf(
                hash, salt, salt.count, start, secret.count, info, info.count, output, count))
          }
        }
      }
      return count
    }
  }

  private static func power(_ base: Number, _ exponent: Number) throws -> SecretBytes {
    let result = Number()
    let modulus = try Number(DiffieHellmanGroup.prime)
    try check(
      unsafe mbedtls_mpi_exp_mod(
        &result.value, &base.value, &exponent.value, &modulus.value, nil))
    return try result.bytes(groupLength)
  }

  /// Encrypts or decrypts; `nil` if the padding of what is decrypted is wrong.
  package static func crypt(
    _ input: SecretBytes, key: SecretBytes, vector: SecretBytes, encrypts: Bool
  ) throws -> SecretBytes? {
    guard key.count == keyLength, vector.count == blockLength else { return nil }
    var context = unsafe mbedtls_cipher_context_t()
    unsafe mbedtls_cipher_init(&context)
    defer { unsafe mbedtls_cipher_free(&context) }
    let cipher = unsafe mbedtls_cipher_info_from_type(MBEDTLS_CIPHER_AES_128_CBC)
    try check(unsafe mbedtls_cipher_setup(&context, cipher))
    try check(unsafe mbedtls_cipher_set_padding_mode(&context, MBEDTLS_PADDING_PKCS7))
    let operation = encrypts ? MBEDTLS_ENCRYPT : MBEDTLS_DECRYPT
    try key.withBytes { key in
      try unsafe key.withUnsafeBytes { key in
        let key = unsafe key.bindMemory(to: UInt8.self).baseAddress
        try check(
          unsafe mbedtls_cipher_setkey(&context, key, Int32(keyLength * 8), operation))
      }
    }
    var isRefused = false
    let output = try SecretBytes(capacity: input.count + 2 * blockLength) { output in
      var length = 0
      let status = vector.withBytes { vector in
        input.withBytes { input in
          unsafe output.withUnsafeMutableBytes { output in
            unsafe vector.withUnsafeBytes { vector in
              unsafe input.withUnsafeBytes { input in
                unsafe mbedtls_cipher_crypt(
                  &context, vector.bindMemory(to: UInt8.self).baseAddress, blockLength,
                  input.bindMemory(to: UInt8.self).baseAddress, input.count,
                  output.bindMemory(to: UInt8.self).baseAddress, &length)
              }
            }
          }
        }
      }
      if !encrypts, status != 0 { isRefused = true } else { try check(status) }
      return isRefused ? 0 : length
    }
    return isRefused ? nil : output
  }

  private static func check(_ status: Int32) throws {
    guard status == 0 else { throw SealingError(.outOfMemory, "the session's encryption failed") }
  }
}
