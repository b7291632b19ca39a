/// Bytes as hexadecimal digits, and back: RFC 4648, section 8.
package enum Hexadecimal {
  /// Returns two lowercase digits for each byte.
  package static func text(_ bytes: [UInt8]) -> String {
    text(bytes, ten: UInt8(ascii: "a"))
  }

  /// Returns two uppercase digits for each byte.
  package static func uppercaseText(_ bytes: [UInt8]) -> String {
    text(bytes, ten: UInt8(ascii: "A"))
  }

  private static func text(_ bytes: [UInt8], ten: UInt8) -> String {
    let digits = [UInt8](count: bytes.count * 2) { output in
      for (index, byte) in bytes.enumerated() {
        output.write(byte: digit(byte >> 4, ten: ten), at: 2 * index)
        output.write(byte: digit(byte & 15, ten: ten), at: 2 * index + 1)
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns 32 lowercase digits for 16 bytes, which long lists have of each of their items.
  ///
  /// - Parameters:
  ///   - high: The first eight bytes, the first of them the most significant.
  ///   - low: The others.
  /// - Returns: The digits.
  package static func text(_ high: UInt64, _ low: UInt64) -> String {
    var text = InlineArray<32, UInt8>(repeating: 0)
    for (place, number) in [high >> 32, high, low >> 32, low].enumerated() {
      var digits = digits(UInt32(truncatingIfNeeded: number))
      for index in (8 * place..<8 * place + 8).reversed() {
        text[index] = UInt8(truncatingIfNeeded: digits)
        digits >>= 8
      }
    }
    do {
      return try String(copying: UTF8Span(validating: text.span))
    } catch {
      preconditionFailure("digits are text")
    }
  }

  /// Eight digits at once, the last in the lowest byte.
  private static func digits(_ number: UInt32) -> UInt64 {
    var digits = UInt64(number)
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - 0x3A)
  }

  /// Returns the bytes that `text` stands for, or `nil` if it has another character or an odd
  /// length.
  package static func bytes(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for byte in text.utf8 {
      guard let value = value(of: byte) else { return nil }
      if let first = high {
        result.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? result : nil
  }

  /// Returns the digits of a secret, in locked memory.
  package static func encoded(_ secret: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: secret.count * 2) { output in
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          output.write(byte: digit(bytes.byte(at: index) >> 4), at: index * 2)
          output.write(byte: digit(bytes.byte(at: index) & 15), at: index * 2 + 1)
        }
      }
      return secret.count * 2
    }
  }

  /// Returns the secret that digits stand for, in locked memory; `nil` if they are not pairs of
  /// digits.
  package static func decoded(_ text: SecretBytes) throws -> SecretBytes? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var isValid = true
    let secret = try SecretBytes(capacity: text.count / 2) { output in
      text.withBytes { text in
        for index in 0..<text.byteCount / 2 {
          guard let high = value(of: text.byte(at: index * 2)),
            let low = value(of: text.byte(at: index * 2 + 1))
          else {
            isValid = false
            return
          }
          output.write(byte: high << 4 | low, at: index)
        }
      }
      return text.count / 2
    }
    return isValid ? secret : nil
  }

  /// Returns the lowercase digit for a value from 0 to 15.
  package static func digit(_ value: UInt8) -> UInt8 {
    digit(value, ten: UInt8(ascii: "a"))
  }

  /// Returns the uppercase digit for a value from 0 to 15.
  package static func uppercaseDigit(_ value: UInt8) -> UInt8 {
    digit(value, ten: UInt8(ascii: "A"))
  }

  /// A digit by calculation alone: what is read, and where the program goes on, tells nothing of a
  /// secret.
  private static func digit(_ value: UInt8, ten: UInt8) -> UInt8 {
    let isLetter = (9 &- value) >> 7
    return UInt8(ascii: "0") + value + isLetter * (ten - UInt8(ascii: "0") - 10)
  }

  /// Returns the value of a digit in either case, or `nil` for any other byte.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
