import CVaultMbedCrypto

/// The linked Mbed TLS library.
package enum MbedTLSLibrary {
  /// The version, such as `2.28.3`.
  package static var version: String {
    let number = mbedtls_version_get_number()
    return "\(number >> 24).\(number >> 16 & 0xFF).\(number >> 8 & 0xFF)"
  }
}
