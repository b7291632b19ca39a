/// Base64 with padding, in and out of locked memory: RFC 4648, section 4.
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// Returns the text for `secret`.
  package static func encoded(_ secret: SecretBytes) throws -> SecretBytes {
    let length = (secret.count + 2) / 3 * 4
    return try SecretBytes(capacity: length) { output in
      secret.withBytes { bytes in
        var position = 0
        for start in stride(from: 0, to: bytes.byteCount, by: 3) {
          let count = min(3, bytes.byteCount - start)
          var group = 0
          for offset in 0..<3 {
            group = group << 8 | (offset < count ? Int(bytes.byte(at: start + offset)) : 0)
          }
          for digit in 0..<4 {
            let byte = digit <= count ? digits[group >> (18 - 6 * digit) & 63] : padding
            output.write(byte: byte, at: position)
            position += 1
          }
        }
      }
      return length
    }
  }

  /// Returns the bytes that `text` stands for.
  ///
  /// - Parameter text: Groups of four digits without blanks; the last one may be padded.
  /// - Returns: The bytes, or `nil` if the text is not base64.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package static func decoded(_ text: String) throws -> SecretBytes? {
    let count = text.utf8.count
    guard count.isMultiple(of: 4) else { return nil }
    let padded = text.utf8.reversed().prefix { $0 == padding }.count
    guard padded <= 2 else { return nil }
    var isValid = true
    let secret = try SecretBytes(capacity: count / 4 * 3) { output in
      var group: UInt32 = 0
      var bits = 0
      var written = 0
      for byte in text.utf8.prefix(count - padded) {
        guard let value = value(of: byte) else {
          isValid = false
          return 0
        }
        group = group << 6 | UInt32(value)
        bits += 6
        if bits >= 8 {
          bits -= 8
          output.write(byte: UInt8(truncatingIfNeeded: group >> UInt32(bits)), at: written)
          written += 1
        }
      }
      return written
    }
    return isValid ? secret : nil
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
