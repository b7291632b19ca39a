package import VaultSealing

/// The secrets to find, sorted by their bytes, in one block of locked memory.
///
/// Sorted, all secrets that begin with the same bits are neighbors: how far a text has been matched
/// is a range of this table and a number of bits. So the table is all that is kept of a secret. Its
/// encodings are decoded as they pass, and never made.
package final class SecretTable: Sendable {
  /// Shorter secrets are not looked for: they occur by accident.
  package static let shortestSecret = 6
  /// A line of a secret is looked for by itself if it has at least so many bytes.
  package static let shortestLine = 16

  let bytes: LockedArea
  private let starts: [Int]
  private let lengths: [Int]
  /// The length of the shortest entry.
  let shortest: Int

  /// The number of entries: secrets and their lines.
  var count: Int { starts.count }

  /// Whether there is nothing to look for.
  package var isEmpty: Bool { starts.isEmpty }

  /// Copies secrets into a table.
  ///
  /// The newlines at the end of a secret are left out, and secrets for which ``isFound(_:)`` is
  /// false. The lines of a secret are entries of their own, except the first and last line of a
  /// PEM text, which are public.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package init(_ secrets: [SecretBytes]) throws {
    var pieces: [SecretBytes] = []
    for secret in secrets where Self.isFound(secret) { try Self.add(secret, to: &pieces) }
    let total = pieces.reduce(0) { $0 + $1.count }
    let bytes = try LockedArea(capacity: total)
    var ranges: [Range<Int>] = []
    var end = 0
    for piece in pieces {
      piece.withBytes { source in bytes.withMutableBytes { $0.write(source, at: end) } }
      ranges.append(end..<end + piece.count)
      end += piece.count
    }
    bytes.withBytes { bytes in
      ranges.sort { bytes.precedes($0, $1) }
      var last: Range<Int>?
      ranges.removeAll { range in
        defer { last = range }
        guard let last else { return false }
        return !bytes.precedes(last, range)
      }
    }
    self.bytes = bytes
    starts = ranges.map(\.lowerBound)
    lengths = ranges.map(\.count)
    shortest = lengths.min() ?? 0
  }

  /// Whether a secret is long enough to be looked for.
  package static func isFound(_ secret: SecretBytes) -> Bool {
    secret.withBytes { trimmedEnd($0) >= shortestSecret }
  }

  private static func trimmedEnd(_ bytes: RawSpan) -> Int {
    var end = bytes.byteCount
    while end > 0, [0x0A, 0x0D].contains(bytes.byte(at: end - 1)) { end -= 1 }
    return end
  }

  /// Adds a secret, the same with LF for CRLF, and its lines.
  private static func add(_ secret: SecretBytes, to pieces: inout [SecretBytes]) throws {
    let end = secret.withBytes { trimmedEnd($0) }
    pieces.append(try secret.slice(0..<end))
    var breaks: [Int] = []
    var hasReturns = false
    secret.withBytes { bytes in
      for index in 0..<end {
        if bytes.byte(at: index) == 0x0A { breaks.append(index) }
        if bytes.byte(at: index) == 0x0D { hasReturns = true }
      }
    }
    guard !breaks.isEmpty else { return }
    var start = 0
    for end in breaks + [end] {
      let line = secret.withBytes { bytes -> Range<Int>? in
        var range = start..<end
        while let byte = range.last.map({ bytes.byte(at: $0) }), byte <= 0x20 {
          range.removeLast()
        }
        while let byte = range.first.map({ bytes.byte(at: $0) }), byte <= 0x20 {
          range.removeFirst()
        }
        let isMark = range.count >= 5 && range.prefix(5).allSatisfy { bytes.byte(at: $0) == 0x2D }
        return range.count < shortestLine || isMark ? nil : range
      }
      if let line { pieces.append(try secret.slice(line)) }
      start = end + 1
    }
    guard hasReturns else { return }
    pieces.append(
      try SecretBytes(capacity: end) { output in
        secret.withBytes { bytes in
          var written = 0
          for index in 0..<end {
            let byte = bytes.byte(at: index)
            if byte == 0x0D, index + 1 < end, bytes.byte(at: index + 1) == 0x0A { continue }
            output.write(byte: byte, at: written)
            written += 1
          }
          return written
        }
      })
  }

  // MARK: - Searching

  /// The length of an entry in bits.
  func bitCount(of entry: Int) -> Int { lengths[entry] * 8 }

  /// The byte of an entry; `nil` behind its end.
  func byte(_ index: Int, of entry: Int, in bytes: RawSpan) -> UInt8? {
    index < lengths[entry] ? bytes.byte(at: starts[entry] + index) : nil
  }

  /// The shortest of neighbors, in bytes.
  func shortest(in range: Range<Int>) -> Int {
    // Of many, a lower bound is good enough.
    guard range.count <= 64 else { return shortest }
    var least = Int.max
    for entry in range { least = min(least, lengths[entry]) }
    return least
  }

  /// The place of an entry among those that begin with the same `bit` bits: twice the next
  /// `width` bits, plus one if the entry has all of them.
  private func order(_ entry: Int, at bit: Int, _ width: Int, in bytes: RawSpan) -> Int {
    let left = lengths[entry] * 8 - bit
    guard left > 0 else { return -1 }
    let index = starts[entry] + bit >> 3
    let high = Int(bytes.byte(at: index)) << 8
    let low = (bit >> 3) + 1 < lengths[entry] ? Int(bytes.byte(at: index + 1)) : 0
    let value = (high | low) >> (16 - (bit & 7) - width) & ((1 << width) - 1)
    return 2 * value + (left >= width ? 1 : 0)
  }

  /// The first entry of a range whose order is at least `order`.
  private func first(
    in range: Range<Int>, from order: Int, at bit: Int, _ width: Int, _ bytes: RawSpan
  ) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.order(middle, at: bit, width, in: bytes) < order {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Those of a range, which have the first `bit` bits in common, whose next bits are `value`.
  func narrowed(
    _ range: Range<Int>, at bit: Int, _ width: Int, to value: Int, in bytes: RawSpan
  ) -> Range<Int> {
    let order = 2 * value + 1
    if range.count == 1 {
      let only = range.lowerBound
      return self.order(only, at: bit, width, in: bytes) == order ? range : only..<only
    }
    let low = first(in: range, from: order, at: bit, width, bytes)
    guard low < range.upperBound else { return low..<low }
    return low..<first(in: low..<range.upperBound, from: order + 1, at: bit, width, bytes)
  }

  /// Whether an entry of a range ends with the first `left` of the next bits, which are `value`.
  func hasEnd(
    _ range: Range<Int>, at bit: Int, _ width: Int, _ value: Int, left: Int, in bytes: RawSpan
  ) -> Bool {
    let order = 2 * ((value >> (width - left)) << (width - left))
    var entry = first(in: range, from: order, at: bit, width, bytes)
    while entry < range.upperBound, self.order(entry, at: bit, width, in: bytes) == order {
      if lengths[entry] * 8 - bit == left { return true }
      entry += 1
    }
    return false
  }
}
