import VaultSealing

/// Looks for a secret that begins at one place of a text, in all encodings at once.
///
/// It follows all readings of the text in parallel, each as a range of the table and the number of
/// bits that have been matched: eight by a character of text, six by one of base64, four by a
/// hexadecimal digit. Readings that meet are one.
struct SecretMatcher {
  /// What was found.
  struct Finding {
    /// The end of the longest occurrence.
    var end: Int?
    /// Parts of it that are no part of the secret, such as colors, in order.
    var gaps: [Range<Int>] = []
    /// Where the text ended while more of a secret could follow: up to here it may be shown if it
    /// has to be, because so little tells nothing.
    var shownEnd: Int?
  }

  private enum Form: UInt8 {
    case text, base64, hex, padding
  }

  private struct Reading {
    var place: Int
    var entries: Range<Int>
    var bits: Int
    var form: Form
    /// How it was reached; -1 for the beginning.
    var last = -1
    /// Whether it was reached by a gap, which is kept.
    var isGap = false
    /// The length of the gap so far.
    var gap = 0
  }

  /// At most so many bytes of a secret may be shown, and at most a quarter of it.
  private static let mostShown = 4
  private static let longestGap = 8192

  private let table: SecretTable
  private var readings: [Reading] = []
  private var waiting: [Int] = []
  private var ends: (place: Int, reading: Int)?
  private var isCut = false
  private var shownEnd = Int.max

  init(_ table: SecretTable) {
    self.table = table
    readings.reserveCapacity(64)
  }

  /// Looks for secrets that begin at `start`.
  mutating func find(at start: Int, in text: RawSpan) -> Finding {
    readings.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
    ends = nil
    isCut = false
    shownEnd = Int.max
    let all = 0..<table.count
    table.bytes.withBytes { secrets in
      begin(at: start, all, text, secrets)
      while let next = takeFirst() { follow(next, text, secrets) }
    }
    var finding = Finding()
    if let ends {
      finding.end = ends.place
      var reading = ends.reading
      while reading >= 0 {
        let one = readings[reading]
        if one.isGap, one.last >= 0 {
          finding.gaps.append(readings[one.last].place..<one.place)
        }
        reading = one.last
      }
      finding.gaps.reverse()
    }
    if isCut { finding.shownEnd = min(shownEnd, text.byteCount) }
    return finding
  }

  private mutating func begin(
    at start: Int, _ all: Range<Int>, _ text: RawSpan, _ secrets: RawSpan
  ) {
    let root = Reading(place: start, entries: all, bits: 0, form: .text)
    readings.append(root)
    followText(root, 0, text, secrets)
    if let digit = HexToken.value(of: text.byte(at: start)) {
      consume(digit: UInt32(digit), 4, 1, root, 0, .hex, secrets)
    }
    switch Base64Token.reading(at: start, in: text) {
    case .bytes(let value, _, let length):
      // The secret begins with this character, or within it.
      for width in [6, 4, 2] {
        consume(
          digit: value & (1 << UInt32(width) - 1), width, length, root, 0, .base64, secrets)
      }
    case .cut: isCut = true
    case nil: break
    }
  }

  /// The reading that has come least far: no other one can lead to where it is.
  private mutating func takeFirst() -> Int? {
    guard var best = waiting.indices.first else { return nil }
    for index in waiting.indices.dropFirst()
    where readings[waiting[index]].place < readings[waiting[best]].place {
      best = index
    }
    return waiting.remove(at: best)
  }

  private mutating func follow(_ index: Int, _ text: RawSpan, _ secrets: RawSpan) {
    let reading = readings[index]
    guard reading.place < text.byteCount else {
      isCut = true
      return
    }
    switch reading.form {
    case .padding:
      guard text.byte(at: reading.place) == Base64Token.padding else { return }
      var longer = reading
      longer.place += 1
      longer.bits -= 1
      longer.last = index
      let added = keep(longer, waits: longer.bits > 0)
      noteEnd(longer.place, added)
      return
    case .text: followText(reading, index, text, secrets)
    case .base64:
      switch Base64Token.reading(at: reading.place, in: text) {
      case .bytes(let value, _, let length):
        consume(digit: value, 6, length, reading, index, .base64, secrets)
      case .cut: isCut = true
      case nil: break
      }
    case .hex:
      let byte = text.byte(at: reading.place)
      if let digit = HexToken.value(of: byte) {
        consume(digit: UInt32(digit), 4, 1, reading, index, .hex, secrets)
      } else if reading.bits % 8 == 0, reading.gap == 0, HexToken.separators.contains(byte) {
        var longer = reading
        longer.place += 1
        longer.last = index
        longer.isGap = false
        longer.gap = 1
        keep(longer, waits: true)
      }
    }
    switch Gap.at(reading.place, in: text) {
    case .bytes(let count) where reading.gap + count <= Self.longestGap:
      var longer = reading
      longer.place += count
      longer.last = index
      longer.isGap = true
      longer.gap += count
      keep(longer, waits: true)
    case .cut: isCut = true
    default: break
    }
  }

  private mutating func followText(
    _ reading: Reading, _ index: Int, _ text: RawSpan, _ secrets: RawSpan
  ) {
    consume(
      bytes: UInt32(text.byte(at: reading.place)), 1, 1, reading, index, secrets)
    // The closure cannot change this value while it is read.
    var tokens: [Token] = []
    TextToken.readings(at: reading.place, in: text) { tokens.append($0) }
    for token in tokens {
      switch token {
      case .cut: isCut = true
      case .bytes(let value, let count, let length):
        if count > 0 { consume(bytes: value, count, length, reading, index, secrets) }
      }
    }
  }

  private mutating func consume(
    bytes: UInt32, _ count: Int, _ length: Int, _ reading: Reading, _ index: Int,
    _ secrets: RawSpan
  ) {
    var entries = reading.entries
    var bits = reading.bits
    for offset in 0..<count {
      let value = Int(bytes >> (8 * UInt32(offset)) & 0xFF)
      entries = table.narrowed(entries, at: bits, 8, to: value, in: secrets)
      guard !entries.isEmpty else { return }
      bits += 8
    }
    advance(
      Reading(
        place: reading.place + length, entries: entries, bits: bits, form: .text, last: index),
      from: reading)
  }

  private mutating func consume(
    digit: UInt32, _ width: Int, _ length: Int, _ reading: Reading, _ index: Int, _ form: Form,
    _ secrets: RawSpan
  ) {
    let value = Int(digit)
    var next = Reading(
      place: reading.place + length, entries: reading.entries, bits: reading.bits, form: form,
      last: index)
    if form == .base64, width == 6, reading.bits + 6 > table.shortest * 8 {
      // The last character of a secret may hold bits of what follows, or zeros and padding.
      for left in [2, 4]
      where table.hasEnd(reading.entries, at: reading.bits, 6, value, left: left, in: secrets) {
        next.form = .padding
        next.bits = left == 2 ? 2 : 1
        let added = keep(next, waits: true)
        noteEnd(next.place, added)
      }
      next.form = form
    }
    next.entries = table.narrowed(
      reading.entries, at: reading.bits, width, to: value, in: secrets)
    guard !next.entries.isEmpty else { return }
    next.bits = reading.bits + width
    advance(next, from: reading)
  }

  private mutating func advance(_ next: Reading, from reading: Reading) {
    var next = next
    if next.bits >= 12 {
      let most = min(Self.mostShown * 8, table.shortest(in: next.entries) * 2)
      if next.bits > most { shownEnd = min(shownEnd, reading.place) }
    }
    let first = next.entries.lowerBound
    if table.bitCount(of: first) == next.bits {
      let isLast = next.entries.count == 1
      if !isLast { next.entries = first + 1..<next.entries.upperBound }
      noteEnd(next.place, keep(next, waits: !isLast))
    } else {
      keep(next, waits: true)
    }
  }

  private mutating func noteEnd(_ place: Int, _ reading: Int) {
    if let ends, ends.place >= place { return }
    ends = (place, reading)
  }

  /// Keeps a reading, unless another one has come to the same.
  @discardableResult
  private mutating func keep(_ reading: Reading, waits: Bool) -> Int {
    if waits {
      for index in waiting {
        let other = readings[index]
        if other.place == reading.place, other.bits == reading.bits, other.form == reading.form,
          other.entries == reading.entries, other.gap == 0 || reading.gap > 0
        {
          return index
        }
      }
    }
    readings.append(reading)
    if waits { waiting.append(readings.count - 1) }
    return readings.count - 1
  }
}
