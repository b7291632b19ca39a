import VaultSealing

/// What the first bytes of an occurrence can be, in any encoding.
///
/// It lets most of a text pass with one look at a table for each byte: the first three bytes tell.
/// Where they may be a beginning, ``PlainPrefixes`` looks at six. It may be wrong in one direction
/// only: what it takes for a beginning is then looked at closely.
@safe final class PrefixFilter: Sendable {
  /// Few secrets do with a table that stays in the processor's cache.
  private static let fewHashBits: UInt32 = 20
  private static let fewEntries = 8
  private static let pairBytes = 65_536 / 8

  /// A bit for each pair of bytes; then a bit for each hash of three bytes.
  private let bits: LockedArea
  private let hashBits: UInt32
  /// Whether the table of pairs is worth a look: with many secrets most pairs are in it.
  private let usesPairs: Bool
  private let plain: PlainPrefixes

  /// - Throws: `SealingError` with code `.outOfMemory`.
  init(_ table: SecretTable) throws {
    usesPairs = table.count <= Self.fewEntries
    hashBits = usesPairs ? Self.fewHashBits : 24
    plain = try PlainPrefixes(table)
    bits = try LockedArea(capacity: Self.pairBytes + (1 << Int(hashBits)) / 8)
    table.bytes.withBytes { bytes in
      for entry in 0..<table.count {
        addTexts(Prefix(), 0, entry, table, bytes)
        for (offset, width) in [(0, 6), (4, 4), (2, 2)] {
          addBase64(Prefix(), 0, width, offset, entry, table, bytes)
        }
        addHex(Prefix(), 0, entry, table, bytes)
      }
    }
  }

  /// Up to three bytes, the first one lowest; no array, which would leave copies behind.
  private struct Prefix {
    var value: UInt32 = 0
    var count = 0

    func adding(_ bytes: UInt8...) -> Prefix {
      var longer = self
      for byte in bytes where longer.count < 3 {
        longer.value |= UInt32(byte) << (8 * UInt32(longer.count))
        longer.count += 1
      }
      return longer
    }
  }

  private func hash(_ three: UInt32) -> Int {
    hashBits == 24 ? Int(three) : Int((three &* 0x9E37_79B1) >> (32 - hashBits))
  }

  private func add(_ prefix: Prefix) {
    let pair = Int(prefix.value & 0xFFFF)
    let hash = self.hash(prefix.value)
    bits.withMutableBytes { bits in
      for (byte, bit) in [(pair >> 3, pair & 7), (Self.pairBytes + hash >> 3, hash & 7)] {
        let old = bits.bytes.byte(at: byte)
        bits.write(byte: old | 1 << UInt8(bit), at: byte)
      }
    }
  }

  /// Three bytes as they are looked up: what follows an escape is not told apart.
  private static func three(_ pair: Int, _ third: UInt8) -> UInt32 {
    UInt32(truncatingIfNeeded: pair) | (pair >> 8 == 0x1B ? 0 : UInt32(third) << 16)
  }

  // MARK: - Beginnings

  /// What an encoded character or a gap begins with.
  private static let firstBytes = Array("%\\&+'\"\r\n \u{1B}".utf8)

  /// What may be between two characters of a secret.
  private func addGaps(_ prefix: Prefix, _ body: (Prefix) -> Void) {
    guard prefix.count > 0 else { return }
    body(prefix.adding(0x0D))
    body(prefix.adding(0x0A))
    body(prefix.adding(0x20, 0x0D))
    // Whatever follows the escape: see `three(_:_:)`.
    body(prefix.adding(0x1B, 0))
  }

  private func addTexts(
    _ prefix: Prefix, _ index: Int, _ entry: Int, _ table: SecretTable, _ bytes: RawSpan
  ) {
    guard prefix.count < 3, let byte = table.byte(index, of: entry, in: bytes) else {
      return add(prefix)
    }
    if prefix.count == 2 {
      for first in [byte] + Self.firstBytes { add(prefix.adding(first)) }
      return
    }
    func next(_ longer: Prefix) { addTexts(longer, index + 1, entry, table, bytes) }
    addGaps(prefix) { addTexts($0, index, entry, table, bytes) }
    next(prefix.adding(byte))
    let (high, low) = (Self.digits(byte >> 4), Self.digits(byte & 15))
    for high in high {
      for low in low {
        next(prefix.adding(0x25, high, low))  // %6b
        next(prefix.adding(0x5C, 0x78, high, low))  // \x6b
      }
    }
    if byte < 16 { for low in low { next(prefix.adding(0x5C, 0x78, low)) } }
    if byte == 0x20 { next(prefix.adding(0x2B)) }
    if byte == 0x0A { next(prefix.adding(0x0D, 0x0A)) }
    let octal = [byte >> 6, byte >> 3 & 7, byte & 7].map { $0 + 0x30 }
    next(prefix.adding(0x5C, octal[0], octal[1], octal[2]))
    if byte < 64 { next(prefix.adding(0x5C, octal[1], octal[2])) }
    if byte < 8 { next(prefix.adding(0x5C, octal[2])) }
    if let letter = TextToken.letter(for: byte) { next(prefix.adding(0x5C, letter)) }
    if byte == 0x1B { next(prefix.adding(0x5C, 0x45)) }
    if !TextToken.isAlphanumeric(byte) { next(prefix.adding(0x5C, byte)) }
    if byte == 0x22 { next(prefix.adding(0x22, 0x22)) }
    if byte == 0x27 {
      next(prefix.adding(0x27, 0x27))
      next(prefix.adding(0x27, 0x5C, 0x27, 0x27))
      next(prefix.adding(0x27, 0x22, 0x27))
    }
    // A character of several bytes is one \u; its digits are not looked at here.
    for digit in Array("0123456789abcdefABCDEF{".utf8) {
      for letter: UInt8 in [0x75, 0x55] { addAny(prefix.adding(0x5C, letter, digit)) }
    }
    for name in TextToken.entities where name.value == byte {
      addAny(prefix.adding(0x26, name.text[0], name.text[1]))
    }
    for digit in Array("0123456789xX".utf8) { addAny(prefix.adding(0x26, 0x23, digit)) }
  }

  /// Adds a beginning with whatever follows.
  private func addAny(_ prefix: Prefix) {
    if prefix.count == 3 { return add(prefix) }
    for byte in UInt8.min...UInt8.max { addAny(prefix.adding(byte)) }
  }

  private func addBase64(
    _ prefix: Prefix, _ bit: Int, _ width: Int, _ offset: Int, _ entry: Int, _ table: SecretTable,
    _ bytes: RawSpan
  ) {
    guard prefix.count < 3 else { return add(prefix) }
    if bit > 0 {
      addGaps(prefix) { addBase64($0, bit, width, offset, entry, table, bytes) }
    }
    // The bits of a whole character; the first one may begin with bits of what stands before.
    let value = table.bits(bit, width, of: entry, in: bytes)
    for before in 0..<(1 << (6 - width)) {
      let character = before << width | value
      let next = bit + width
      for plain in Base64Token.characters(character) {
        addBase64(prefix.adding(plain), next, 6, offset, entry, table, bytes)
      }
      guard character >= 62 else { continue }
      for low in Self.digits(character == 62 ? 0xB : 0xF) {
        addBase64(prefix.adding(0x25, 0x32, low), next, 6, offset, entry, table, bytes)
      }
      addBase64(prefix.adding(0x5C, 0x2F), next, 6, offset, entry, table, bytes)
    }
  }

  private func addHex(
    _ prefix: Prefix, _ bit: Int, _ entry: Int, _ table: SecretTable, _ bytes: RawSpan
  ) {
    guard prefix.count < 3 else { return add(prefix) }
    if bit > 0 {
      addGaps(prefix) { addHex($0, bit, entry, table, bytes) }
      if bit % 8 == 0 {
        for mark in HexToken.separators { addHex(prefix.adding(mark), bit, entry, table, bytes) }
      }
    }
    for digit in Self.digits(UInt8(table.bits(bit, 4, of: entry, in: bytes))) {
      addHex(prefix.adding(digit), bit + 4, entry, table, bytes)
    }
  }

  static func digits(_ value: UInt8) -> [UInt8] {
    value < 10 ? [0x30 + value] : [0x61 + value - 10, 0x41 + value - 10]
  }

  // MARK: - Looking

  /// The first place from `start` on where an occurrence may begin; `text.byteCount - 2` if there
  /// is none before.
  func next(in text: RawSpan, from start: Int) -> Int {
    let last = text.byteCount - 2
    var index = start
    while index < last {
      index = usesPairs ? nextByPairs(in: text, from: index) : nextByThree(in: text, from: index)
      guard index < last, !plain.mayBegin(at: index, in: text) else { return index }
      index += 1
    }
    return index
  }

  private func nextByPairs(in text: RawSpan, from start: Int) -> Int {
    let last = text.byteCount - 2
    return bits.withBytes { bits in
      unsafe bits.withUnsafeBytes { bits in
        unsafe text.withUnsafeBytes { text in
          var index = start
          var pair = unsafe Int(text[index])
          while index < last {
            pair |= unsafe Int(text[index + 1]) << 8
            if unsafe bits[pair >> 3] >> UInt8(truncatingIfNeeded: pair & 7) & 1 != 0 {
              let hash = unsafe self.hash(Self.three(pair, text[index + 2]))
              let isSet =
                unsafe bits[Self.pairBytes + hash >> 3] >> UInt8(truncatingIfNeeded: hash & 7) & 1
              if isSet != 0 { return index }
            }
            pair >>= 8
            index += 1
          }
          return last
        }
      }
    }
  }

  /// Looks at the table of three bytes alone: the places do not depend on one another, so that the
  /// processor looks at several at once.
  private func nextByThree(in text: RawSpan, from start: Int) -> Int {
    let last = text.byteCount - 2
    return bits.withBytes { bits in
      unsafe bits.withUnsafeBytes { bits in
        unsafe text.withUnsafeBytes { text in
          let table = unsafe bits.baseAddress.unsafelyUnwrapped + Self.pairBytes
          let bytes = unsafe text.baseAddress.unsafelyUnwrapped
          /// One if an occurrence may begin at a place.
          @inline(__always) func isSet(_ place: Int) -> UInt8 {
            let low = unsafe Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            // What follows an escape is not told apart: see `three(_:_:)`.
            let third =
              low >> 8 == 0x1B
              ? 0 : unsafe Int(bytes.load(fromByteOffset: place + 2, as: UInt8.self))
            let three = low | third << 16
            return unsafe table.load(fromByteOffset: three >> 3, as: UInt8.self)
              >> UInt8(truncatingIfNeeded: three & 7) & 1
          }
          var index = start
          while index + 4 <= last {
            let found =
              isSet(index) | isSet(index + 1) << 1 | isSet(index + 2) << 2 | isSet(index + 3) << 3
            if found != 0 { return index + found.trailingZeroBitCount }
            index += 4
          }
          while index < last {
            if isSet(index) != 0 { return index }
            index += 1
          }
          return last
        }
      }
    }
  }
}

extension SecretTable {
  /// Bits of an entry, zeros behind its end.
  func bits(_ bit: Int, _ width: Int, of entry: Int, in bytes: RawSpan) -> Int {
    let high = Int(byte(bit >> 3, of: entry, in: bytes) ?? 0) << 8
    let low = Int(byte((bit >> 3) + 1, of: entry, in: bytes) ?? 0)
    return (high | low) >> (16 - (bit & 7) - width) & ((1 << width) - 1)
  }
}
