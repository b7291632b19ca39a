import Glibc
import VaultSealing

/// Common passwords and words by rank, in any case and with digits and signs in place of letters.
struct CommonTexts: Sendable {
  struct Match {
    var bits: Double
    let isPassword: Bool
  }

  private struct Entry {
    let rank: Int
    let isPassword: Bool
  }

  static let shared = CommonTexts()

  /// By the FNV-1a hash of the text, so that a lookup needs no copy of the passphrase.
  private let entries: [UInt64: Entry]
  private let lengths = 3...20

  private init() {
    var entries: [UInt64: Entry] = [:]
    entries.reserveCapacity(9_100)
    for (text, isPassword) in [(CommonPasswords.text, true), (CommonWords.text, false)] {
      var rank = 0
      for word in text.description.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x0a }) {
        rank += 1
        let hash = word.reduce(Self.seed) { Self.step($0, $1) }
        if let known = entries[hash], known.rank <= rank { continue }
        entries[hash] = Entry(rank: rank, isPassword: isPassword)
      }
    }
    self.entries = entries
  }

  /// Looks a range up in the lists; capitals and substituted letters add a little.
  func match(_ bytes: RawSpan, _ range: Range<Int>) -> Match? {
    guard lengths.contains(range.count) else { return nil }
    var plain = Self.seed
    var exchanged = Self.seed
    var capitals = 0
    var exchanges = 0
    for at in range {
      var byte = bytes.byte(at: at)
      if (0x41...0x5a).contains(byte) {
        byte += 0x20
        capitals += 1
      }
      plain = Self.step(plain, byte)
      if let letter = Self.letter(for: byte) {
        byte = letter
        exchanges += 1
      }
      exchanged = Self.step(exchanged, byte)
    }
    let first = (0x41...0x5a).contains(bytes.byte(at: range.lowerBound))
    let isUsual = capitals == range.count || capitals == 1 && first
    let forCase =
      capitals == 0 ? 0 : isUsual ? 1 : Double(min(capitals, range.count - capitals)) * 2
    func found(_ hash: UInt64, _ more: Double) -> Match? {
      entries[hash].map {
        Match(bits: log2(Double($0.rank) + 1) + forCase + more, isPassword: $0.isPassword)
      }
    }
    return found(plain, 0) ?? (exchanges > 0 ? found(exchanged, 1 + Double(exchanges) / 2) : nil)
  }

  private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

  private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  private static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case 0x34, 0x40: 0x61  // 4 @ a
    case 0x38: 0x62  // 8 b
    case 0x28: 0x63  // ( c
    case 0x33: 0x65  // 3 e
    case 0x36, 0x39: 0x67  // 6 9 g
    case 0x31, 0x21: 0x69  // 1 ! i
    case 0x30: 0x6f  // 0 o
    case 0x24, 0x35: 0x73  // $ 5 s
    case 0x37, 0x2b: 0x74  // 7 + t
    case 0x32: 0x7a  // 2 z
    default: nil
    }
  }
}
