package import VaultSealing

/// How a reference wants a secret written: `?encoding=`.
package enum SecretEncoding: String, CaseIterable, Sendable {
  case base64, hex, url, json

  /// The encoded bytes, in locked memory.
  ///
  /// - Throws: ``CommandError`` where JSON is asked for and the secret is no text.
  package func encode(_ secret: SecretBytes) throws -> SecretBytes {
    if self == .json, secret.count > 0, !SecretText.isText(secret) {
      throw CommandError(
        .notText, "the secret is no text, which JSON needs",
        hint: "use encoding=base64")
    }
    return switch self {
    case .base64: try Base64.encoded(secret)
    case .hex: try Hexadecimal.encoded(secret)
    case .url: try PercentEncoding.encoded(secret)
    case .json: try Self.quoted(secret)
    }
  }

  /// The encoded bytes as text: for documents that are text anyway.
  func text(of secret: SecretBytes) throws -> String {
    try encode(secret).withBytes { $0.text(0..<$0.byteCount) } ?? ""
  }

  /// Returns a JSON string in locked memory: RFC 8259, section 7.
  private static func quoted(_ secret: SecretBytes) throws -> SecretBytes {
    // Six bytes for one is the most: \u0000.
    try SecretBytes(capacity: secret.count * 6 + 2) { output in
      var position = 0
      func put(_ bytes: UInt8...) {
        for byte in bytes {
          output.write(byte: byte, at: position)
          position += 1
        }
      }
      put(0x22)
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          let byte = bytes.byte(at: index)
          switch byte {
          case 0x22, 0x5C: put(0x5C, byte)
          case 0x00..<0x20, 0x7F:
            put(
              0x5C, UInt8(ascii: "u"), 0x30, 0x30, Hexadecimal.digit(byte >> 4),
              Hexadecimal.digit(byte & 15))
          default: put(byte)
          }
        }
      }
      put(0x22)
      return position
    }
  }
}
