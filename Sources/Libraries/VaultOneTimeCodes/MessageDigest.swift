import CVaultMbedCrypto
package import VaultSealing

/// SHA-1 of a secret, for lists of leaked passwords, which name them by it.
///
/// libsodium has none.
package enum MessageDigest {
  /// Bytes of a digest: 20.
  package static let sha1Length = 20

  /// Returns the SHA-1 digest of a secret, in locked memory: whoever has it guesses the secret
  /// offline.
  ///
  /// - Parameter secret: The bytes.
  /// - Returns: 20 bytes.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func sha1(of secret: SecretBytes) throws -> SecretBytes {
    let info = unsafe mbedtls_md_info_from_type(MBEDTLS_MD_SHA1)
    return try SecretBytes(capacity: sha1Length) { output in
      let status = secret.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe output.withUnsafeMutableBytes { output in
            unsafe mbedtls_md(
              info, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
              output.bindMemory(to: UInt8.self).baseAddress)
          }
        }
      }
      guard status == 0 else { throw SealingError(.outOfMemory, "no memory for a digest") }
      return sha1Length
    }
  }
}
