import VaultSealing

/// What stands at a place of a text, read as one encoded character.
enum Token: Equatable {
  /// These bytes, the first one lowest, in so many bytes of the text.
  case bytes(UInt32, count: Int, length: Int)
  /// The text ends within it.
  case cut
}

/// The ways in which programs write a byte of a text: percent-encoded, with a backslash, between
/// quotes, as an entity.
enum TextToken {
  // JSON: RFC 8259, 7; $'…': bash(1), QUOTING; entities: XML 1.0, 4.6.
  private static let letters: [(letter: UInt8, value: UInt8)] = [
    (0x6E, 0x0A), (0x74, 0x09), (0x72, 0x0D), (0x62, 0x08), (0x66, 0x0C), (0x61, 0x07),
    (0x76, 0x0B), (0x65, 0x1B),
  ]

  static let entities: [(text: [UInt8], value: UInt8)] = [
    (Array("amp;".utf8), 0x26), (Array("lt;".utf8), 0x3C), (Array("gt;".utf8), 0x3E),
    (Array("quot;".utf8), 0x22), (Array("apos;".utf8), 0x27),
  ]

  /// The letter behind a backslash that stands for a byte.
  static func letter(for byte: UInt8) -> UInt8? {
    letters.first { $0.value == byte }?.letter
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Calls `body` with each reading of what stands at `place`, besides the byte itself.
  static func readings(at place: Int, in text: RawSpan, _ body: (Token) -> Void) {
    switch text.byte(at: place) {
    case 0x25:
      guard let high = digit(16, at: place + 1, in: text, body),
        let low = digit(16, at: place + 2, in: text, body)
      else { return }
      body(.bytes(high << 4 | low, count: 1, length: 3))
    case 0x2B: body(.bytes(0x20, count: 1, length: 1))
    case 0x0D: fixed([0x0D, 0x0A], 0x0A, at: place, in: text, body)
    case 0x22: fixed([0x22, 0x22], 0x22, at: place, in: text, body)
    case 0x27:
      for form in ["''", "'\\''", "'\"'\"'"] {
        fixed(Array(form.utf8), 0x27, at: place, in: text, body)
      }
    case 0x26: entity(at: place, in: text, body)
    case 0x5C: backslash(at: place, in: text, body)
    default: break
    }
  }

  private static func fixed(
    _ form: [UInt8], _ value: UInt32, at place: Int, in text: RawSpan, _ body: (Token) -> Void
  ) {
    for (offset, byte) in form.enumerated() {
      guard place + offset < text.byteCount else { return body(.cut) }
      guard text.byte(at: place + offset) == byte else { return }
    }
    body(.bytes(value, count: 1, length: form.count))
  }

  /// A digit; `nil` if there is none, which is told if the text ends here.
  private static func digit(
    _ base: UInt32, at place: Int, in text: RawSpan, _ body: (Token) -> Void
  ) -> UInt32? {
    guard place < text.byteCount else {
      body(.cut)
      return nil
    }
    return HexToken.value(of: text.byte(at: place)).map(UInt32.init).flatMap {
      $0 < base ? $0 : nil
    }
  }

  private static func entity(at place: Int, in text: RawSpan, _ body: (Token) -> Void) {
    for entity in entities {
      fixed([0x26] + entity.text, UInt32(entity.value), at: place, in: text, body)
    }
    guard place + 1 < text.byteCount, text.byte(at: place + 1) == 0x23 else { return }
    guard place + 2 < text.byteCount else { return body(.cut) }
    let isHex = text.byte(at: place + 2) | 0x20 == 0x78
    var next = place + (isHex ? 3 : 2)
    let base: UInt32 = isHex ? 16 : 10
    var value: UInt32 = 0
    let first = next
    while next - first < 8, let digit = digit(base, at: next, in: text, body) {
      value = value * base + digit
      next += 1
    }
    guard next > first, next < text.byteCount, text.byte(at: next) == 0x3B else { return }
    body(scalar(value, length: next + 1 - place))
  }

  private static func backslash(at place: Int, in text: RawSpan, _ body: (Token) -> Void) {
    guard place + 1 < text.byteCount else { return body(.cut) }
    let letter = text.byte(at: place + 1)
    if let known = letters.first(where: { $0.letter == letter }) {
      body(.bytes(UInt32(known.value), count: 1, length: 2))
    }
    switch letter {
    case 0x78:  // \x6b; of one digit, too
      guard let high = digit(16, at: place + 2, in: text, body) else { return }
      body(.bytes(high, count: 1, length: 3))
      guard let low = digit(16, at: place + 3, in: text, body) else { return }
      body(.bytes(high << 4 | low, count: 1, length: 4))
    case 0x30...0x37:
      var value: UInt32 = 0
      for length in 2...4 {
        guard let digit = digit(8, at: place + length - 1, in: text, body) else { return }
        value = value << 3 | digit
        if value < 256 { body(.bytes(value, count: 1, length: length)) }
      }
    case 0x75: unicode(at: place, in: text, body)
    case 0x55:
      guard let value = number(8, at: place + 2, in: text, body) else { return }
      body(scalar(value, length: 10))
    case 0x45: body(.bytes(0x1B, count: 1, length: 2))
    default:
      if !isAlphanumeric(letter) { body(.bytes(UInt32(letter), count: 1, length: 2)) }
    }
  }

  /// `\u006b`, `\ud83d\ude00` and `\u{6b}`.
  private static func unicode(at place: Int, in text: RawSpan, _ body: (Token) -> Void) {
    if place + 2 < text.byteCount, text.byte(at: place + 2) == 0x7B {
      var next = place + 3
      var value: UInt32 = 0
      while next - place < 9, let digit = digit(16, at: next, in: text, body) {
        value = value << 4 | digit
        next += 1
      }
      guard next > place + 3, next < text.byteCount, text.byte(at: next) == 0x7D else { return }
      return body(scalar(value, length: next + 1 - place))
    }
    guard let value = number(4, at: place + 2, in: text, body) else { return }
    guard 0xD800...0xDBFF ~= value else { return body(scalar(value, length: 6)) }
    for (offset, byte) in [UInt8(0x5C), 0x75].enumerated() {
      guard place + 6 + offset < text.byteCount else { return body(.cut) }
      guard text.byte(at: place + 6 + offset) == byte else { return }
    }
    guard let low = number(4, at: place + 8, in: text, body), 0xDC00...0xDFFF ~= low else {
      return
    }
    body(scalar(0x10000 + (value - 0xD800) << 10 + (low - 0xDC00), length: 12))
  }

  private static func number(
    _ count: Int, at place: Int, in text: RawSpan, _ body: (Token) -> Void
  ) -> UInt32? {
    var value: UInt32 = 0
    for offset in 0..<count {
      guard let digit = digit(16, at: place + offset, in: text, body) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  /// A character as UTF-8; no bytes for what is not one.
  private static func scalar(_ value: UInt32, length: Int) -> Token {
    guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else {
      return .bytes(0, count: 0, length: length)
    }
    var bytes: UInt32 = 0
    var count = 0
    for byte in encoded {
      bytes |= UInt32(byte) << (8 * UInt32(count))
      count += 1
    }
    return .bytes(bytes, count: count, length: length)
  }
}

/// Characters of base64 in both alphabets: RFC 4648, 4 and 5.
enum Base64Token {
  static let padding: UInt8 = 0x3D

  /// The six bits of a character.
  static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61 + 26)
    case 0x30...0x39: UInt32(byte - 0x30 + 52)
    case 0x2B, 0x2D: 62
    case 0x2F, 0x5F: 63
    default: nil
    }
  }

  /// The characters for six bits.
  static func characters(_ value: Int) -> [UInt8] {
    switch value {
    case 0..<26: [0x41 + UInt8(value)]
    case 26..<52: [0x61 + UInt8(value - 26)]
    case 52..<62: [0x30 + UInt8(value - 52)]
    case 62: [0x2B, 0x2D]
    default: [0x2F, 0x5F]
    }
  }

  /// The character at `place`, also as `%2B`, `%2F` or `\/`.
  static func reading(at place: Int, in text: RawSpan) -> Token? {
    let byte = text.byte(at: place)
    if let value = value(of: byte) { return .bytes(value, count: 1, length: 1) }
    guard byte == 0x25 || byte == 0x5C else { return nil }
    guard place + 1 < text.byteCount else { return .cut }
    if byte == 0x5C {
      return text.byte(at: place + 1) == 0x2F ? .bytes(63, count: 1, length: 2) : nil
    }
    guard text.byte(at: place + 1) == 0x32 else { return nil }
    guard place + 2 < text.byteCount else { return .cut }
    switch text.byte(at: place + 2) | 0x20 {
    case 0x62: return .bytes(62, count: 1, length: 3)
    case 0x66: return .bytes(63, count: 1, length: 3)
    default: return nil
    }
  }
}

/// Hexadecimal digits, and what tools put between two bytes.
enum HexToken {
  static let separators: [UInt8] = [0x20, 0x3A, 0x2D]

  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

/// What may stand between two characters of a secret.
///
/// A line's end where a terminal or a tool wraps, and escape sequences, which color or move the
/// cursor: ECMA-48, 5.
enum Gap: Equatable {
  /// So many bytes.
  case bytes(Int)
  /// The text ends within it.
  case cut

  /// Longer sequences are no gap: a text must not be held for ever.
  private static let longestSequence = 4096

  /// The gap at `place`; `nil` if there is none.
  static func at(_ place: Int, in text: RawSpan) -> Gap? {
    switch text.byte(at: place) {
    case 0x0A, 0x0D: return .bytes(1)
    case 0x20:
      // How a line editor makes a terminal wrap.
      guard place + 1 < text.byteCount else { return .cut }
      return text.byte(at: place + 1) == 0x0D ? .bytes(2) : nil
    case 0x1B: return sequence(at: place, in: text)
    default: return nil
    }
  }

  private static func sequence(at place: Int, in text: RawSpan) -> Gap? {
    let end = min(text.byteCount, place + longestSequence)
    var next = place + 1
    func rest(_ place: Int) -> Gap? { place == text.byteCount ? .cut : nil }
    guard next < end else { return rest(next) }
    switch text.byte(at: next) {
    case 0x5B:  // CSI: parameters and intermediates, then a final byte
      next += 1
      while next < end, 0x20...0x3F ~= text.byte(at: next) { next += 1 }
      guard next < end else { return rest(next) }
      return 0x40...0x7E ~= text.byte(at: next) ? .bytes(next + 1 - place) : nil
    case 0x5D, 0x50, 0x58, 0x5E, 0x5F:  // OSC, DCS, SOS, PM, APC: to BEL or ESC \
      next += 1
      while next < end {
        let byte = text.byte(at: next)
        if byte == 0x07 { return .bytes(next + 1 - place) }
        if byte == 0x1B {
          guard next + 1 < end else { return rest(next + 1) }
          return text.byte(at: next + 1) == 0x5C ? .bytes(next + 2 - place) : nil
        }
        next += 1
      }
      return rest(next)
    default:  // Two bytes, or intermediates and a final byte
      while next < end, 0x20...0x2F ~= text.byte(at: next) { next += 1 }
      guard next < end else { return rest(next) }
      return 0x30...0x7E ~= text.byte(at: next) ? .bytes(next + 1 - place) : nil
    }
  }
}
