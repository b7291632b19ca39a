package import VaultSealing

/// How a reference wants a secret written: `?encoding=`.
package enum SecretEncoding: String, CaseIterable, Sendable {
  case base64, hex, url, json

  private static let hexDigits = Array("0123456789abcdef".utf8)
  private static let upperHexDigits = Array("0123456789ABCDEF".utf8)
  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The encoded bytes, in locked memory.
  ///
  /// - Throws: ``CommandError`` where JSON is asked for and the secret is no text.
  package func encode(_ secret: SecretBytes) throws -> SecretBytes {
    if self == .json, secret.count > 0, !SecretText.isText(secret) {
      throw CommandError(
        "not-text", "the secret is no text, which JSON needs",
        hint: "use encoding=base64", status: .usage)
    }
    // Six bytes for one is the most: \u0000.
    return try SecretBytes(capacity: secret.count * 6 + 4) { output in
      var position = 0
      func put(_ byte: UInt8) {
        output.write(byte: byte, at: position)
        position += 1
      }
      secret.withBytes { bytes in
        switch self {
        case .base64: Self.base64(bytes, put)
        case .hex:
          for index in 0..<bytes.byteCount {
            put(Self.hexDigits[Int(bytes.byte(at: index) >> 4)])
            put(Self.hexDigits[Int(bytes.byte(at: index) & 15)])
          }
        case .url: for index in 0..<bytes.byteCount { Self.percent(bytes.byte(at: index), put) }
        case .json:
          put(0x22)
          for index in 0..<bytes.byteCount { Self.json(bytes.byte(at: index), put) }
          put(0x22)
        }
      }
      return position
    }
  }

  /// The encoded bytes as text: for documents that are text anyway.
  func text(of secret: SecretBytes) throws -> String {
    try encode(secret).withBytes { $0.text(0..<$0.byteCount) } ?? ""
  }

  // RFC 4648, section 4.
  private static func base64(_ bytes: RawSpan, _ put: (UInt8) -> Void) {
    for start in stride(from: 0, to: bytes.byteCount, by: 3) {
      let count = min(3, bytes.byteCount - start)
      var group = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? Int(bytes.byte(at: start + offset)) : 0)
      }
      for digit in 0..<4 {
        put(digit <= count ? base64Digits[group >> (18 - 6 * digit) & 63] : 0x3D)
      }
    }
  }

  // RFC 3986, section 2.3.
  private static func percent(_ byte: UInt8, _ put: (UInt8) -> Void) {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: put(byte)
    default:
      put(0x25)
      put(upperHexDigits[Int(byte >> 4)])
      put(upperHexDigits[Int(byte & 15)])
    }
  }

  private static func json(_ byte: UInt8, _ put: (UInt8) -> Void) {
    switch byte {
    case 0x22, 0x5C:
      put(0x5C)
      put(byte)
    case 0x00..<0x20, 0x7F:
      for character in Array("\\u00".utf8) { put(character) }
      put(hexDigits[Int(byte >> 4)])
      put(hexDigits[Int(byte & 15)])
    default: put(byte)
    }
  }
}
