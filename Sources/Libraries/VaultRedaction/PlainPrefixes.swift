import VaultSealing

/// What the first six characters of an occurrence can be where none of them is encoded by itself:
/// of the text, of base64 and of hexadecimal digits.
///
/// Line ends are left out on both sides, since they may be gaps, and `+` is a space, since forms
/// write one so. Wherever a text may hold something else, such as `%6b` or an escape sequence, the
/// answer is that a secret may begin there.
@safe final class PlainPrefixes: Sendable {
  private static let length = 6
  private static let hashBits: UInt64 = 20
  /// A text with more line ends between its first characters is looked at closely.
  private static let longest = 24

  private enum Kind {
    static let plain: UInt8 = 0
    static let lineEnd: UInt8 = 1
    /// What it is depends on what follows.
    static let depends: UInt8 = 2
    static let encoded: UInt8 = 3
  }

  private static let kinds: [UInt8] = {
    var kinds = [UInt8](repeating: Kind.plain, count: 256)
    for byte in [0x0A, 0x0D] { kinds[byte] = Kind.lineEnd }
    for byte in Array("%&+'\" ".utf8) { kinds[Int(byte)] = Kind.depends }
    for byte in [0x1B, 0x5C] { kinds[byte] = Kind.encoded }
    return kinds
  }()

  /// A bit for each hash of six bytes; empty where a secret has fewer characters than that.
  private let bits: LockedArea?
  private let kinds = PlainPrefixes.kinds

  /// - Throws: `SealingError` with code `.outOfMemory`.
  init(_ table: SecretTable) throws {
    var builder = Builder(bits: try LockedArea(capacity: (1 << Int(Self.hashBits)) / 8))
    table.bytes.withBytes { bytes in
      for entry in 0..<table.count {
        builder.addText(entry, table, bytes)
        for (offset, width) in [(0, 6), (4, 4), (2, 2)] {
          builder.addBase64(Prefix(), 0, width, offset, entry, table, bytes)
        }
        builder.addHex(Prefix(), 0, entry, table, bytes)
      }
    }
    bits = builder.isShort ? nil : builder.bits
  }

  /// Up to six bytes, the first one lowest; no array, which would leave copies behind.
  private struct Prefix {
    var value: UInt64 = 0
    var count = 0

    var isWhole: Bool { count == PlainPrefixes.length }

    func adding(_ byte: UInt8) -> Prefix {
      Prefix(value: value | UInt64(byte) << (8 * UInt64(count)), count: count + 1)
    }

    /// The place of its bit.
    var hash: Int {
      Int(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> (64 - PlainPrefixes.hashBits))
    }
  }

  /// A byte as it is looked up; `nil` for a line end, which is left out.
  private static func folded(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x0A, 0x0D: nil
    case 0x2B: 0x20
    default: byte
    }
  }

  // MARK: - Beginnings

  private struct Builder {
    let bits: LockedArea
    var isShort = false

    private func add(_ prefix: Prefix) {
      let hash = prefix.hash
      bits.withMutableBytes { bits in
        let old = bits.bytes.byte(at: hash >> 3)
        bits.write(byte: old | 1 << UInt8(hash & 7), at: hash >> 3)
      }
    }

    mutating func addText(_ entry: Int, _ table: SecretTable, _ bytes: RawSpan) {
      var (prefix, index) = (Prefix(), 0)
      while !prefix.isWhole {
        guard let byte = table.byte(index, of: entry, in: bytes) else {
          isShort = true
          return
        }
        if let byte = PlainPrefixes.folded(byte) { prefix = prefix.adding(byte) }
        index += 1
      }
      add(prefix)
    }

    /// A secret has at least six bytes, and so enough characters.
    func addBase64(
      _ prefix: Prefix, _ bit: Int, _ width: Int, _ offset: Int, _ entry: Int,
      _ table: SecretTable, _ bytes: RawSpan
    ) {
      guard !prefix.isWhole else { return add(prefix) }
      let value = table.bits(bit, width, of: entry, in: bytes)
      // The first character may begin with bits of what stands before.
      for before in 0..<(1 << (6 - width)) {
        for character in Base64Token.characters(before << width | value) {
          guard let character = PlainPrefixes.folded(character) else { continue }
          addBase64(prefix.adding(character), bit + width, 6, offset, entry, table, bytes)
        }
      }
    }

    func addHex(
      _ prefix: Prefix, _ bit: Int, _ entry: Int, _ table: SecretTable, _ bytes: RawSpan
    ) {
      guard !prefix.isWhole else { return add(prefix) }
      let digit = UInt8(table.bits(bit, 4, of: entry, in: bytes))
      for character in PrefixFilter.digits(digit) {
        let longer = prefix.adding(character)
        addHex(longer, bit + 4, entry, table, bytes)
        guard bit % 8 == 4, !longer.isWhole else { continue }
        for mark in HexToken.separators {
          addHex(longer.adding(mark), bit + 4, entry, table, bytes)
        }
      }
    }
  }

  // MARK: - Looking

  /// Whether an occurrence may begin at a place.
  func mayBegin(at start: Int, in text: RawSpan) -> Bool {
    guard let bits else { return true }
    var (prefix, place) = (Prefix(), start)
    // The next byte is looked at, too.
    let end = min(text.byteCount - 1, start + Self.longest)
    while !prefix.isWhole {
      guard place < end else { return true }
      var byte = text.byte(at: place)
      switch kinds[Int(byte)] {
      case Kind.plain: prefix = prefix.adding(byte)
      case Kind.lineEnd: break
      case Kind.depends:
        guard !Self.isEncoded(byte, text.byte(at: place + 1)) else { return true }
        if byte == 0x2B { byte = 0x20 }
        prefix = prefix.adding(byte)
      default: return true
      }
      place += 1
    }
    let hash = prefix.hash
    return bits.withBytes { $0.byte(at: hash >> 3) >> UInt8(hash & 7) & 1 != 0 }
  }

  /// Whether a byte may be something else than itself, by the one behind it: see ``TextToken`` and
  /// ``Gap``.
  private static func isEncoded(_ byte: UInt8, _ next: UInt8) -> Bool {
    switch byte {
    case 0x20: next == 0x0D
    case 0x22: next == 0x22
    case 0x25: HexToken.value(of: next) != nil
    case 0x26: next == 0x23 || TextToken.entities.contains { $0.text[0] == next }
    case 0x27: next == 0x27 || next == 0x5C || next == 0x22
    default: false
    }
  }
}
