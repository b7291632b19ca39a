/// Base64 of bytes that are no secret: RFC 4648, section 4.
///
/// VaultSealing's `Base64` is strict, and for secrets in locked memory. Data of property lists is
/// broken into lines, and this reader also accepts missing padding.
package enum Base64Text {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text of bytes, with padding and without line breaks.
  package static func encode(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let rest = bytes.count - start
      let group =
        UInt32(bytes[start]) << 16 | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
        | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
      output.append(digits[Int(group >> 18)])
      output.append(digits[Int(group >> 12 & 63)])
      output.append(rest > 1 ? digits[Int(group >> 6 & 63)] : 0x3d)
      output.append(rest > 2 ? digits[Int(group & 63)] : 0x3d)
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes; blanks are skipped, `nil` for anything else that is not Base64.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text {
      let digit: UInt32
      switch byte {
      case 0x41...0x5a: digit = UInt32(byte - 0x41)
      case 0x61...0x7a: digit = UInt32(byte - 0x61) + 26
      case 0x30...0x39: digit = UInt32(byte - 0x30) + 52
      case 0x2b: digit = 62
      case 0x2f: digit = 63
      case 0x3d:
        padding += 1
        continue
      case 0x20, 0x09, 0x0a, 0x0d: continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      group = group << 6 | digit
      count += 1
      if count % 4 == 0 {
        output += [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)]
        group = 0
      }
    }
    switch count % 4 {
    case 0: break
    case 2: output.append(UInt8(group >> 4 & 255))
    case 3: output += [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)]
    default: return nil
    }
    return padding <= 2 ? output : nil
  }
}
