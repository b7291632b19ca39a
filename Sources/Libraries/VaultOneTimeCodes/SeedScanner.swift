import VaultSealing

/// Searches in a seed's text, over bytes in locked memory.
enum SeedScanner {
  /// Returns the range without blanks and line breaks at both ends.
  static func trimmed(_ bytes: RawSpan) -> Range<Int> {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    var start = 0
    var end = bytes.byteCount
    while start < end, blanks.contains(bytes.byte(at: start)) { start += 1 }
    while end > start, blanks.contains(bytes.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  /// Returns the first place of a byte.
  static func first(_ byte: UInt8, in bytes: RawSpan, _ range: Range<Int>) -> Int? {
    range.first { bytes.byte(at: $0) == byte }
  }

  /// Returns the range behind `prefix`, which may be in any case; `nil` if it is not there.
  static func range(
    in bytes: RawSpan, _ range: Range<Int>, after prefix: String
  ) -> Range<Int>? {
    let prefix = Array(prefix.utf8)
    guard range.count >= prefix.count else { return nil }
    for (offset, expected) in prefix.enumerated() {
      let byte = bytes.byte(at: range.lowerBound + offset)
      let isCapital = (0x41...0x5A).contains(byte)
      guard (isCapital ? byte | 0x20 : byte) == expected else { return nil }
    }
    return range.lowerBound + prefix.count..<range.upperBound
  }

  /// Whether the text begins with `SCHEME://`.
  static func hasScheme(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    guard let colon = first(UInt8(ascii: ":"), in: bytes, range) else { return false }
    return colon + 2 < range.upperBound && bytes.byte(at: colon + 1) == UInt8(ascii: "/")
      && bytes.byte(at: colon + 2) == UInt8(ascii: "/")
  }
}
