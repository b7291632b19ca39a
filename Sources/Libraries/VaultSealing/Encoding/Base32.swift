/// Base32 as people copy it, in and out of locked memory: RFC 4648, section 6.
///
/// Decoding accepts lowercase letters, skips blanks and hyphens, and needs no padding, because
/// services show seeds in groups and people type them from a screen.
package enum Base32 {
  /// A reason why a text is not base32.
  package enum Failure: Error, Equatable {
    /// The text has no digits.
    case empty
    /// The character at this place, counted from 1, does not belong there.
    case invalidCharacter(at: Int, followsPadding: Bool)
    /// No whole number of bytes has this many digits, so some are missing.
    case truncated(digits: Int)
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the bytes that a text stands for.
  ///
  /// - Throws: ``Failure``, which has the place of a wrong character but not the character, or
  ///   `SealingError` with code `.outOfMemory`.
  package static func decoded(_ text: RawSpan) throws -> SecretBytes {
    try SecretBytes(capacity: text.byteCount * 5 / 8 + 1) { output in
      var written = 0
      var bits = 0
      var pending: UInt32 = 0
      var characters = 0
      var isPadded = false
      for position in 0..<text.byteCount {
        let byte = text.byte(at: position)
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\t"): continue
        case UInt8(ascii: "="):
          isPadded = true
          continue
        default: break
        }
        guard !isPadded, let value = value(of: byte) else {
          throw Failure.invalidCharacter(at: position + 1, followsPadding: isPadded)
        }
        characters += 1
        pending = pending << 5 | UInt32(value)
        bits += 5
        if bits >= 8 {
          bits -= 8
          output.write(byte: UInt8(truncatingIfNeeded: pending >> UInt32(bits)), at: written)
          written += 1
          pending &= 1 << UInt32(bits) - 1
        }
      }
      guard characters > 0 else { throw Failure.empty }
      // A group of 1, 3 or 6 digits ends in the middle of a byte.
      guard ![1, 3, 6].contains(characters % 8) else { throw Failure.truncated(digits: characters) }
      return written
    }
  }

  /// Returns the text for `bytes`, without padding.
  package static func encoded(_ bytes: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: (bytes.count * 8 + 4) / 5) { output in
      var written = 0
      var bits = 0
      var pending: UInt32 = 0
      func put(_ value: UInt32) {
        output.write(byte: digits[Int(value & 31)], at: written)
        written += 1
      }
      bytes.withBytes { bytes in
        for position in 0..<bytes.byteCount {
          pending = pending << 8 | UInt32(bytes.byte(at: position))
          bits += 8
          while bits >= 5 {
            bits -= 5
            put(pending >> UInt32(bits))
          }
          pending &= 1 << UInt32(bits) - 1
        }
        if bits > 0 { put(pending << UInt32(5 - bits)) }
      }
      return written
    }
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): byte - UInt8(ascii: "2") + 26
    default: nil
    }
  }
}
