import VaultSealing

/// Reads old-style property lists, as CoreFoundation's parser does.
///
/// `{k = v; k2;}`, `( a, b, )`, `<hex>`, quoted and bare strings, comments, and at top level the
/// entries of a dictionary without braces, as `.strings` files have them. Every scalar is a string
/// or data.
struct OldStyleParser {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The maximum number of containers inside each other; CoreFoundation has the same limit.
  static let depthLimit = PreferenceValue.depthLimit

  /// Reads a whole text.
  static func parse(_ text: [UInt8]) throws(PreferenceError) -> PreferenceValue {
    var parser = OldStyleParser(text)
    parser.skipBlanks()
    guard parser.position < text.count else {
      // An empty text is an empty dictionary, as an empty .strings file is.
      return .dictionary([:])
    }
    let start = parser.position
    let first = try parser.value()
    parser.skipBlanks()
    if parser.position == text.count { return first }
    guard case .string = first else { throw parser.failure("unexpected text after the value") }
    // Not one value: the entries of a dictionary without its braces.
    parser.position = start
    return .dictionary(try parser.entries(until: nil))
  }

  private func failure(_ what: String, at position: Int? = nil) -> PreferenceError {
    let line = bytes.prefix(position ?? self.position).count { $0 == 0x0a } + 1
    return PreferenceError(.syntax, "\(what) at line \(line)")
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current {
      switch byte {
      case 0x09...0x0d, 0x20: position += 1
      case 0x2f where position + 1 < bytes.count && bytes[position + 1] == 0x2f:
        while let byte = current, byte != 0x0a, byte != 0x0d { position += 1 }
      case 0x2f where position + 1 < bytes.count && bytes[position + 1] == 0x2a:
        position += 2
        while position < bytes.count,
          !(bytes[position] == 0x2a && position + 1 < bytes.count && bytes[position + 1] == 0x2f)
        {
          position += 1
        }
        position = min(position + 2, bytes.count)
      case 0xe2
      where position + 2 < bytes.count && bytes[position + 1] == 0x80
        && (bytes[position + 2] == 0xa8 || bytes[position + 2] == 0xa9):
        position += 3  // U+2028 and U+2029
      default: return
      }
    }
  }

  private mutating func value() throws(PreferenceError) -> PreferenceValue {
    skipBlanks()
    guard let byte = current else { throw failure("unexpected end") }
    switch byte {
    case 0x7b:
      try enter()
      defer { depth -= 1 }
      return .dictionary(try entries(until: 0x7d))
    case 0x28:
      try enter()
      defer { depth -= 1 }
      return .array(try elements())
    case 0x3c: return .data(try data())
    default: return .string(try string())
    }
  }

  private mutating func enter() throws(PreferenceError) {
    position += 1
    depth += 1
    guard depth <= Self.depthLimit else { throw failure("too many containers inside each other") }
  }

  private mutating func entries(
    until end: UInt8?
  ) throws(PreferenceError) -> [String: PreferenceValue] {
    var entries: [String: PreferenceValue] = [:]
    while true {
      skipBlanks()
      if current == end {
        if end != nil { position += 1 }
        return entries
      }
      guard current != nil else { throw failure("a dictionary does not end") }
      let key = try string()
      skipBlanks()
      var value = PreferenceValue.string(key)
      var end = position
      if current == 0x3d {
        position += 1
        value = try self.value()
        end = position
        skipBlanks()
      }
      guard current == 0x3b else { throw failure("missing ; in a dictionary", at: end) }
      position += 1
      if let problem = entries.add(value, key) { throw failure(problem, at: end) }
    }
  }

  private mutating func elements() throws(PreferenceError) -> [PreferenceValue] {
    var elements: [PreferenceValue] = []
    while true {
      skipBlanks()
      if current == 0x29 {
        position += 1
        return elements
      }
      elements.append(try value())
      let end = position
      skipBlanks()
      if current == 0x2c {
        position += 1
      } else if current != 0x29 {
        throw failure("missing , or ) in an array", at: end)
      }
    }
  }

  private mutating func data() throws(PreferenceError) -> [UInt8] {
    position += 1
    var bytes: [UInt8] = []
    var high: UInt8?
    while let byte = current {
      position += 1
      switch byte {
      case 0x3e:
        guard high == nil else { throw failure("data with half a byte") }
        return bytes
      case 0x20, 0x09...0x0d: continue
      default:
        guard let digit = Hexadecimal.value(of: byte) else {
          throw failure("data with another character")
        }
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      }
    }
    throw failure("data does not end")
  }

  private mutating func string() throws(PreferenceError) -> String {
    guard let byte = current else { throw failure("unexpected end") }
    if byte == 0x22 || byte == 0x27 {
      position += 1
      return try quotedString(byte)
    }
    let start = position
    while let byte = current, Self.isBare(byte) { position += 1 }
    guard position > start else { throw failure("unexpected character") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x2f, 0x3a, 0x2e, 0x2d: true
    default: false
    }
  }

  private mutating func quotedString(_ quote: UInt8) throws(PreferenceError) -> String {
    var units: [UInt16] = []
    var run = position
    func flush(_ units: inout [UInt16]) {
      if run < position { units += String(decoding: bytes[run..<position], as: UTF8.self).utf16 }
    }
    while let byte = current {
      if byte == quote {
        flush(&units)
        position += 1
        return String(decoding: units, as: UTF16.self)
      }
      guard byte == 0x5c else {
        position += 1
        continue
      }
      flush(&units)
      position += 1
      units.append(try escape())
      run = position
    }
    throw failure("a quoted string does not end")
  }

  private mutating func escape() throws(PreferenceError) -> UInt16 {
    guard let byte = current else { throw failure("a quoted string does not end") }
    position += 1
    switch byte {
    case 0x61: return 0x07
    case 0x62: return 0x08
    case 0x66: return 0x0c
    case 0x6e: return 0x0a
    case 0x72: return 0x0d
    case 0x74: return 0x09
    case 0x76: return 0x0b
    case 0x0a: return 0x0a
    case 0x55:
      // One to four digits.
      var value: UInt16 = 0
      var count = 0
      while count < 4, let byte = current, let digit = Hexadecimal.value(of: byte) {
        value = value << 4 | UInt16(digit)
        position += 1
        count += 1
      }
      return value
    case 0x30...0x37:
      var value = UInt16(byte - 0x30)
      var count = 1
      while count < 3, let byte = current, (0x30...0x37).contains(byte) {
        value = value << 3 | UInt16(byte - 0x30)
        position += 1
        count += 1
      }
      return NextStepEncoding.utf16(UInt8(truncatingIfNeeded: value))
    case 0x80...:
      // The first byte of a character: an escaped character is itself.
      position -= 1
      let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      let end = min(position + length, bytes.count)
      let text = String(decoding: bytes[position..<end], as: UTF8.self)
      if length == 4 {
        throw failure("an escape before a character outside the basic plane")
      }
      position = end
      return text.utf16.first ?? 0xfffd
    default: return UInt16(byte)
    }
  }
}

/// The characters of octal escapes: the NeXTSTEP character set.
///
/// The table of unicode.org/Public/MAPPINGS/VENDORS/NEXT/NEXTSTEP.TXT, upper half.
enum NextStepEncoding {
  private static let upper: [UInt16] = [
    0x00a0, 0x00c0, 0x00c1, 0x00c2, 0x00c3, 0x00c4, 0x00c5, 0x00c7,
    0x00c8, 0x00c9, 0x00ca, 0x00cb, 0x00cc, 0x00cd, 0x00ce, 0x00cf,
    0x00d0, 0x00d1, 0x00d2, 0x00d3, 0x00d4, 0x00d5, 0x00d6, 0x00d9,
    0x00da, 0x00db, 0x00dc, 0x00dd, 0x00de, 0x00b5, 0x00d7, 0x00f7,
    0x00a9, 0x00a1, 0x00a2, 0x00a3, 0x2044, 0x00a5, 0x0192, 0x00a7,
    0x00a4, 0x2019, 0x201c, 0x00ab, 0x2039, 0x203a, 0xfb01, 0xfb02,
    0x00ae, 0x2013, 0x2020, 0x2021, 0x00b7, 0x00a6, 0x00b6, 0x2022,
    0x201a, 0x201e, 0x201d, 0x00bb, 0x2026, 0x2030, 0x00ac, 0x00bf,
    0x00b9, 0x02cb, 0x00b4, 0x02c6, 0x02dc, 0x00af, 0x02d8, 0x02d9,
    0x00a8, 0x00b2, 0x02da, 0x00b8, 0x00b3, 0x02dd, 0x02db, 0x02c7,
    0x2014, 0x00b1, 0x00bc, 0x00bd, 0x00be, 0x00e0, 0x00e1, 0x00e2,
    0x00e3, 0x00e4, 0x00e5, 0x00e7, 0x00e8, 0x00e9, 0x00ea, 0x00eb,
    0x00ec, 0x00c6, 0x00ed, 0x00aa, 0x00ee, 0x00ef, 0x00f0, 0x00f1,
    0x0141, 0x00d8, 0x0152, 0x00ba, 0x00f2, 0x00f3, 0x00f4, 0x00f5,
    0x00f6, 0x00e6, 0x00f9, 0x00fa, 0x00fb, 0x0131, 0x00fc, 0x00fd,
    0x0142, 0x00f8, 0x0153, 0x00df, 0x00fe, 0x00ff, 0xfffd, 0xfffd,
  ]

  static func utf16(_ byte: UInt8) -> UInt16 {
    byte < 0x80 ? UInt16(byte) : upper[Int(byte) - 0x80]
  }
}
