/// Random secrets, and texts in which they occur in all encodings, whole and in part.
struct RandomText {
  /// The escape sequences that are in texts.
  static let sequences = ["\u{1B}[31m", "\u{1B}[0;1;4m", "\u{1B}]0;t\u{7}", "\u{1B}(B", "\u{1B}[K"]
    .map { Array($0.utf8) }

  private var random: SplitMix
  private(set) var secrets: [[UInt8]] = []

  /// A generator whose whole state is a number: xorshift's successor by Vigna.
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    let alphabets = [
      "ab", "abc%25", "kK+/ \\'\"", "abcdefghijklmnop0123456789ABCDEF", "é😀ü\n'\\&<>",
      "aZ09-_=.:", "x\n\ty\r\n",
    ].map { Array($0.utf8) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if !secrets.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
        // One that another one begins with.
        secrets.append(secrets[0] + random(alphabets[3], 1...6))
      } else if Int.random(in: 0..<8, using: &random) == 0 {
        secrets.append(
          Array("-----BEGIN X-----\n".utf8) + random(alphabets[3], 14...24) + [10]
            + random(alphabets[3], 3...20) + Array("\n-----END X-----\n".utf8))
      } else if Int.random(in: 0..<6, using: &random) == 0 {
        secrets.append(
          (0..<Int.random(in: 6...12, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          })
      } else {
        secrets.append(random(alphabets.randomElement(using: &random) ?? [], 5...14))
      }
    }
  }

  private mutating func random(_ alphabet: [UInt8], _ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: counts, using: &random)).map { _ in
      alphabet.randomElement(using: &random) ?? 0
    }
  }

  /// The next text.
  mutating func text() -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let secret = secrets.randomElement(using: &random) ?? []
      switch Int.random(in: 0..<9, using: &random) {
      case 0: text += random(Array("ab %25\\'\"\r\n+/=&:-".utf8), 0...8)
      case 1: text += secret
      case 2: text += secret.prefix(Int.random(in: 0...secret.count, using: &random))
      case 3: text += secret.suffix(Int.random(in: 0...secret.count, using: &random))
      case 4: text += withGaps(base64(random([0, 97, 255], 0...4) + secret + random([98], 0...3)))
      case 5: text += withGaps(hex(secret))
      default: text += withGaps(secret.map { encoded($0) })
      }
      if Bool.random(using: &random) { text += random(Array(" ,.\n".utf8), 1...2) }
    }
    return text
  }

  /// The text in pieces of random lengths.
  mutating func pieces(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = text[...]
    let most = [1, 3, 20, 100].randomElement(using: &random) ?? 1
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...most, using: &random))
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  private mutating func withGaps(_ parts: [[UInt8]]) -> [UInt8] {
    let often = [0, 0, 3, 12].randomElement(using: &random) ?? 0
    var text: [UInt8] = []
    for part in parts {
      text += part
      if often > 0, Int.random(in: 0..<often, using: &random) == 0 {
        let gaps: [[UInt8]] = [[10], [13, 10], [13], [32, 13]] + Self.sequences
        text += gaps.randomElement(using: &random) ?? []
      }
    }
    return text
  }

  private mutating func encoded(_ byte: UInt8) -> [UInt8] {
    let value = Int(byte)
    func digits(_ radix: Int, _ width: Int) -> String {
      let text = String(value, radix: radix)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    var forms = ["%" + digits(16, 2).uppercased(), "%" + digits(16, 2), "\\x" + digits(16, 2)]
    forms.append("\\" + digits(8, 3))
    if byte < 128 {
      forms += ["\\u" + digits(16, 4), "&#\(value);", "\\u{" + digits(16, 1) + "}"]
    }
    switch byte {
    case 10: forms += ["\\n", "\r\n"]
    case 32: forms += ["+", "\\ "]
    case 39: forms += ["'\\''", "'\"'\"'", "''"]
    case 34: forms += ["\\\"", "\"\""]
    case 92: forms += ["\\\\"]
    default: break
    }
    guard Int.random(in: 0..<3, using: &random) == 0 else { return [byte] }
    return Array((forms.randomElement(using: &random) ?? "").utf8)
  }

  private mutating func hex(_ bytes: [UInt8]) -> [[UInt8]] {
    let mark = ["", "", ":", " ", "-"].randomElement(using: &random) ?? ""
    let isUpper = Bool.random(using: &random)
    return bytes.enumerated().flatMap { index, byte -> [[UInt8]] in
      let text = String(byte, radix: 16)
      let both = Array(((byte < 16 ? "0" : "") + (isUpper ? text.uppercased() : text)).utf8)
      let first = index > 0 ? Array(mark.utf8) + [both[0]] : [both[0]]
      return [first, [both[1]]]
    }
  }

  private mutating func base64(_ bytes: [UInt8]) -> [[UInt8]] {
    var alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    ).map { [$0] }
    if Bool.random(using: &random) {
      alphabet[62] = Array("-".utf8)
      alphabet[63] = Array("_".utf8)
    } else if Bool.random(using: &random) {
      alphabet[62] = Array("%2B".utf8)
      alphabet[63] = Array("\\/".utf8)
    }
    var characters: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var value = group.reduce(0) { $0 << 8 | Int($1) }
      value <<= 8 * (3 - group.count)
      for place in 0...group.count { characters.append(alphabet[value >> (18 - 6 * place) & 63]) }
    }
    if Bool.random(using: &random) {
      while characters.count % 4 != 0 { characters.append([61]) }
    }
    return characters
  }
}
