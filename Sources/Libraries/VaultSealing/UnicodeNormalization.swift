@_spi(_Unicode) import Swift

/// Unicode's normalization form C, with the standard library's own tables.
///
/// Foundation's would add 44 MB of ICU to the command; only this file may use the underscored
/// interface.
package enum UnicodeNormalization {
  /// `text` in NFC.
  package static func nfc(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return String(String.UnicodeScalarView(text._nfc))
  }

  /// `text` in the form in which texts are compared that differ in their case alone.
  ///
  /// By way of capital letters: "ß" has two of them, "SS", and "ς" that of "σ"; small ones before,
  /// for "ẞ". Unicode Standard, 3.13, "Default Case Algorithms".
  package static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return nfc(text.lowercased().uppercased().lowercased())
  }

  /// A passphrase's bytes in NFC; ASCII passes through without becoming a `String`.
  package static func nfc(_ passphrase: SecretBytes) throws(SealingError) -> SecretBytes {
    let isASCII = passphrase.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { bytes.byte(at: $0) < 0x80 }
    }
    if isASCII { return passphrase }
    let text = passphrase.withBytes { bytes -> String? in
      unsafe bytes.withUnsafeBytes {
        unsafe String(validating: $0.bindMemory(to: UInt8.self), as: UTF8.self)
      }
    }
    // Bytes that are not UTF-8 have no normal form and are used unchanged.
    guard let text else { return passphrase }
    return try SecretBytes(copying: Array(nfc(text).utf8))
  }
}
