/// Properties of a secret's bytes as text, found without making a `String` of them.
package enum SecretText {
  /// Whether the bytes are UTF-8 without control characters, except for tab, newline and carriage
  /// return.
  package static func isPrintable(_ secret: SecretBytes) -> Bool {
    var isPrintable = true
    let isText = scalars(of: secret) { scalar in
      switch scalar {
      case 0x09, 0x0A, 0x0D: break
      case 0x00..<0x20, 0x7F...0x9F: isPrintable = false
      default: break
      }
    }
    return isText && isPrintable
  }

  /// Whether the bytes are UTF-8.
  package static func isText(_ secret: SecretBytes) -> Bool { scalars(of: secret) { _ in } }

  /// Whether the bytes are one line of text that ends with its only newline.
  package static func isSingleLine(_ secret: SecretBytes) -> Bool {
    guard secret.count > 1, isPrintable(secret) else { return false }
    return secret.withBytes { bytes in
      (0..<bytes.byteCount).first { bytes.byte(at: $0) == 0x0A } == bytes.byteCount - 1
    }
  }

  /// Returns descriptions of whatever is probably in the secret by accident, such as a carriage
  /// return.
  package static func oddities(of secret: SecretBytes) -> [String] {
    guard secret.count > 0 else { return ["it is empty"] }
    guard isPrintable(secret) else { return [] }
    var found: [String] = []
    var hasReturn = false
    var hasQuotes = false
    var first: UInt32?
    var last: UInt32 = 0
    _ = scalars(of: secret) { scalar in
      if first == nil { first = scalar }
      last = scalar
      if scalar == 0x0D { hasReturn = true }
      if [0x2018, 0x2019, 0x201C, 0x201D].contains(scalar) { hasQuotes = true }
    }
    if hasReturn { found.append("it holds a carriage return") }
    if first == 0xFEFF { found.append("it begins with a byte order mark") }
    if hasQuotes { found.append("it holds typographic quotes") }
    let blanks: [UInt32] = [0x20, 0x09, 0xA0]
    if first.map(blanks.contains) == true { found.append("it begins with a space") }
    if secret.count > 1, blanks.contains(last) { found.append("it ends with a space") }
    return found
  }

  /// Calls `body` with each scalar, and returns whether the bytes are well-formed UTF-8.
  ///
  /// The Unicode Standard 16, table 3-7.
  private static func scalars(of secret: SecretBytes, _ body: (UInt32) -> Void) -> Bool {
    secret.withBytes { bytes in
      var position = 0
      while position < bytes.byteCount {
        let lead = bytes.byte(at: position)
        let length: Int
        var scalar: UInt32
        switch lead {
        case 0x00...0x7F: (length, scalar) = (1, UInt32(lead))
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(lead & 0x1F))
        case 0xE0...0xEF: (length, scalar) = (3, UInt32(lead & 0x0F))
        case 0xF0...0xF4: (length, scalar) = (4, UInt32(lead & 0x07))
        default: return false
        }
        guard position + length <= bytes.byteCount else { return false }
        for offset in 1..<max(1, length) {
          let next = bytes.byte(at: position + offset)
          guard next & 0xC0 == 0x80 else { return false }
          scalar = scalar << 6 | UInt32(next & 0x3F)
        }
        let smallest: UInt32 = [0, 0, 0x80, 0x800, 0x10000][length]
        guard scalar >= smallest, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else {
          return false
        }
        body(scalar)
        position += length
      }
      return true
    }
  }
}
