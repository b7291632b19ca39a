import VaultSealing

/// Base32, as services show seeds: RFC 4648, section 6.
///
/// Small letters stand for capitals, blanks and hyphens are skipped, padding may be missing: seeds are shown in
/// groups and typed from screens.
enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The bytes that a text stands for, in locked memory.
  ///
  /// - Throws: ``OneTimeCodeError`` that names the place of what does not belong there, not what it is.
  static func decoded(_ text: RawSpan) throws -> SecretBytes {
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
          throw OneTimeCodeError(
            "character \(position + 1) of the seed is not base32"
              + (isPadded ? ": it follows the padding" : ""),
            hint: "base32 has the letters A to Z and the digits 2 to 7; copy the seed once more")
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
      guard characters > 0 else {
        throw OneTimeCodeError("the seed is empty", hint: "copy it from the service once more")
      }
      // Groups of these lengths stand for no whole byte.
      guard ![1, 3, 6].contains(characters % 8) else {
        throw OneTimeCodeError(
          "the seed has \(characters) characters, which base32 cannot have: it is cut short",
          hint: "copy the whole of it once more")
      }
      return written
    }
  }

  /// The text for `bytes`, without padding, in locked memory.
  static func encoded(_ bytes: SecretBytes) throws -> SecretBytes {
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
