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

  /// Returns the text for bytes that are not secret.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = (0..<3).reduce(0) { number, offset in
        number << 8 | (offset < group.count ? Int(group[start + offset]) : 0)
      }
      for digit in 0..<4 {
        text.append(digit <= group.count ? digits[number >> (18 - 6 * digit) & 63] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes that `text` stands for.
  ///
  /// - Parameter text: Groups of four digits without blanks; the last one may be padded.
  /// - Returns: The bytes, or `nil` if the text is not base64.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package static func decoded(_ text: String) throws -> SecretBytes? {
    let bytes = Array(text.utf8)
    return try decoded(count: bytes.count) { bytes[$0] }
  }

  /// Returns the bytes that lines stand for, as files in PEM have them.
  ///
  /// - Parameter lines: Groups of four digits, with blanks and line ends anywhere.
  /// - Returns: The bytes, or `nil` if the lines are not base64.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package static func decoded(lines: RawSpan) throws -> SecretBytes? {
    let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
    let digits = try SecretBytes(capacity: lines.byteCount) { output in
      var count = 0
      for offset in 0..<lines.byteCount where !blanks.contains(lines.byte(at: offset)) {
        output.write(byte: lines.byte(at: offset), at: count)
        count += 1
      }
      return count
    }
    return try digits.withBytes { bytes in
      try decoded(count: bytes.byteCount) { bytes.byte(at: $0) }
    }
  }

  private static func decoded(count: Int, _ digit: (Int) -> UInt8) throws -> SecretBytes? {
    guard count.isMultiple(of: 4) else { return nil }
    let padded = (0..<count).reversed().prefix { digit($0) == padding }.count
    guard padded <= 2 else { return nil }
    var isValid = true
    let secret = try SecretBytes(capacity: count / 4 * 3) { output in
      var group: UInt32 = 0
      var bits = 0
      var written = 0
      for offset in 0..<count - padded {
        guard let value = value(of: digit(offset)) else {
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
