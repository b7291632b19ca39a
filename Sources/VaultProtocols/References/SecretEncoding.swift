public import VaultSealing

/// The encoding of a secret that a reference asks for: `?encoding=`.
public enum SecretEncoding: String, CaseIterable, Sendable {
  /// Base64: RFC 4648, section 4.
  case base64
  /// Lowercase hexadecimal digits.
  case hex
  /// Percent-encoding: RFC 3986, section 2.1.
  case url
  /// A JSON string with its quotes: RFC 8259, section 7.
  case json

  /// Encodes a secret.
  ///
  /// - Parameter secret: The secret.
  /// - Returns: The encoded bytes, in locked memory.
  /// - Throws: ``ProtocolError`` with code `.notText` if JSON is asked for and the secret is not
  ///   text.
  public func encode(_ secret: SecretBytes) throws -> SecretBytes {
    if self == .json, secret.count > 0, !SecretText.isText(secret) {
      throw ProtocolError(
        .notText, "the secret is not text, which JSON requires", remedy: .useBase64)
    }
    return switch self {
    case .base64: try Base64.encoded(secret)
    case .hex: try Hexadecimal.encoded(secret)
    case .url: try PercentEncoding.encoded(secret)
    case .json: try Self.quoted(secret)
    }
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
