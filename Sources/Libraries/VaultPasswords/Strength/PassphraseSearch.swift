import Glibc
import VaultSealing

/// Searches for the cut of a passphrase into pieces that costs the fewest guesses.
///
/// Dynamic programming over all ranges: a range is one piece, or two ranges that are known already,
/// or a repetition. Cubic in the length, which is why the length has a limit.
struct PassphraseSearch {
  struct Estimate {
    var bits: Double
    var pattern: PassphraseStrength.Pattern
    /// The number of bytes that the pattern covers.
    var covered: Int
  }

  /// Bytes that are looked at; what follows would only add to the estimate.
  private static let limit = 64

  private let count: Int
  /// The best estimate of each range, by `start * (count + 1) + end`.
  private var known: [Estimate?]

  init(_ bytes: RawSpan) {
    count = min(bytes.byteCount, Self.limit)
    known = Array(repeating: nil, count: (count + 1) * (count + 1))
  }

  mutating func best(_ bytes: RawSpan) -> Estimate {
    guard count > 0 else { return Estimate(bits: 0, pattern: .characters, covered: 0) }
    for length in 1...count {
      for start in 0...(count - length) { find(bytes, start, start + length) }
    }
    return known[count] ?? Estimate(bits: 0, pattern: .characters, covered: 0)
  }

  private mutating func find(_ bytes: RawSpan, _ start: Int, _ end: Int) {
    var best = token(bytes, start, end)
    if end - start > 1 {
      for middle in (start + 1)..<end {
        guard let left = known[start * (count + 1) + middle],
          let right = known[middle * (count + 1) + end]
        else { continue }
        // Which pattern comes first is one more choice; single characters have no such order.
        let isPlain = left.pattern == .characters && right.pattern == .characters
        let bits = left.bits + right.bits + (isPlain ? 0 : 1)
        if best.map({ bits < $0.bits }) ?? true {
          let larger = left.covered >= right.covered ? left : right
          let covered = isPlain ? left.covered + right.covered : larger.covered
          best = Estimate(bits: bits, pattern: larger.pattern, covered: covered)
        }
      }
    }
    if let repeated = repetition(bytes, start, end), best.map({ repeated.bits < $0.bits }) ?? true {
      best = repeated
    }
    known[start * (count + 1) + end] = best
  }

  /// The cheapest pattern that covers the whole range.
  private func token(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Estimate? {
    var best: Estimate?
    func offer(_ bits: Double?, _ pattern: PassphraseStrength.Pattern) {
      guard let bits, best.map({ bits < $0.bits }) ?? true else { return }
      best = Estimate(bits: bits, pattern: pattern, covered: end - start)
    }
    if end - start == 1 { offer(Self.bits(of: bytes.byte(at: start)), .characters) }
    if end - start >= 3 {
      if let word = CommonTexts.shared.match(bytes, start..<end) {
        offer(word.bits, word.isPassword ? .commonPassword : .commonWord)
      }
      offer(sequence(bytes, start, end), .sequence)
      offer(KeyboardWalk.bits(bytes, start..<end), .keyboardWalk)
      offer(date(bytes, start, end), .date)
    }
    return best
  }

  /// The bits of a character without a pattern.
  ///
  /// Low on purpose: it is about what text has in a language that these lists do not cover.
  private static func bits(of byte: UInt8) -> Double {
    switch byte {
    case 0x30...0x39, 0x61...0x7a: 3.3
    case 0x41...0x5a: 4
    case 0x20: 2
    case 0x21...0x7e: 4.5
    default: 3
    }
  }

  /// The bits of `abcd` or `9876`: a first character, a length, a direction.
  private func sequence(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Double? {
    let step = Int(bytes.byte(at: start + 1)) - Int(bytes.byte(at: start))
    guard step == 1 || step == -1 else { return nil }
    for at in (start + 1)..<end
    where Int(bytes.byte(at: at)) - Int(bytes.byte(at: at - 1)) != step { return nil }
    return 4.7 + log2(Double(end - start)) + (step < 0 ? 1 : 0)
  }

  /// The estimate for a piece that is repeated: the piece, and how often it comes.
  private func repetition(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Estimate? {
    let length = end - start
    guard length >= 2 else { return nil }
    for period in 1...max(1, length / 2) where length % period == 0 && period < length {
      var isRepeated = true
      for at in (start + period)..<end where bytes.byte(at: at) != bytes.byte(at: at - period) {
        isRepeated = false
      }
      if isRepeated, let piece = known[start * (count + 1) + start + period] {
        return Estimate(
          bits: piece.bits + log2(Double(length / period)), pattern: .repetition, covered: length)
      }
    }
    return nil
  }

  /// The bits of a year, or of a day with its year, in any order, with or without separators.
  private func date(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Double? {
    var digits: [Int] = []
    var separators = 0
    for at in start..<end {
      switch bytes.byte(at: at) {
      case let byte where (0x30...0x39).contains(byte): digits.append(Int(byte) - 0x30)
      case 0x2d, 0x2e,
        0x2f where at > start && at < end - 1:
        separators += 1
      default: return nil
      }
    }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    func isYear(_ year: Int) -> Bool { (1900...2049).contains(year) }
    func isDay(_ one: Int, _ two: Int) -> Bool {
      (1...31).contains(max(one, two)) && (1...12).contains(min(one, two))
    }
    switch (digits.count, separators) {
    case (4, 0) where isYear(number(0..<4)): return 7.3
    case (6, 0), (6, 2):
      let isDate =
        isDay(number(0..<2), number(2..<4)) || isDay(number(2..<4), number(4..<6))
      return isDate ? 15 + (separators > 0 ? 1.6 : 0) : nil
    case (8, 0), (8, 2):
      let isDate =
        isYear(number(4..<8)) && isDay(number(0..<2), number(2..<4))
        || isYear(number(0..<4)) && isDay(number(4..<6), number(6..<8))
      return isDate ? 15.7 + (separators > 0 ? 1.6 : 0) : nil
    default: return nil
    }
  }
}
