import CVaultMbedCrypto
package import VaultSealing

/// HMAC, RFC 2104, the only part of Mbed TLS that is used.
///
/// libsodium has no SHA-1, and swift-crypto would add 2 MB to the command:
/// Documentation/design/decisions/0004-hmac-of-mbed-tls.md.
package enum MessageAuthentication {
  /// Returns the authentication code of `message` under `key`.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  ///
  /// Mbed TLS `mbedtls_md_hmac`, which wipes what it derives from the key.
  package static func code(
    _ algorithm: OneTimeGenerator.Algorithm, of message: [UInt8], key: SecretBytes
  ) throws(SealingError) -> [UInt8] {
    let type =
      switch algorithm {
      case .sha1: MBEDTLS_MD_SHA1
      case .sha256: MBEDTLS_MD_SHA256
      case .sha512: MBEDTLS_MD_SHA512
      }
    let info = unsafe mbedtls_md_info_from_type(type)
    var code = [UInt8](repeating: 0, count: Int(unsafe mbedtls_md_get_size(info)))
    let status = key.withBytes { key in
      unsafe key.withUnsafeBytes { key in
        unsafe mbedtls_md_hmac(
          info, key.bindMemory(to: UInt8.self).baseAddress, key.count, message, message.count, &code
        )
      }
    }
    guard status == 0 else { throw SealingError(.outOfMemory, "no memory for a one-time code") }
    return code
  }
}
