import VaultSealing

/// The order of names by their bytes, as they lie in an opened index.
///
/// Names have much in common with each other: `aws/`, `site/`. So they are put into order by eight
/// bytes at a time, least significant byte first, which looks at each name once for each of these
/// bytes in which any two differ; names whose eight bytes are the same, by the next eight. (A radix
/// sort as in Knuth, The Art of Computer Programming, volume 3, 5.2.5.)
package struct NameOrder {
  private struct Key {
    /// Bytes of the name, the first of them the most significant; zeros where there are fewer.
    var head: UInt64 = 0
    let start: UInt32
    let end: UInt32
    let position: Int32
  }

  /// Fewer names than this are put into order by comparing their heads.
  private static let few = 24

  private var keys: [Key]
  private var spare: [Key]

  /// Positions in the order of their names; those of equal names in the order in which they came.
  package var positions: [Int] { keys.map { Int($0.position) } }

  /// Puts names into order.
  ///
  /// - Parameters:
  ///   - positions: The positions of the names.
  ///   - bytes: The index's plaintext.
  ///   - range: Returns where in `bytes` the name at a position is.
  package init(_ positions: [Int], in bytes: RawSpan, range: (Int) -> Range<Int>) {
    keys = positions.map { position in
      let range = range(position)
      return Key(
        start: UInt32(range.lowerBound), end: UInt32(range.upperBound), position: Int32(position))
    }
    spare = keys
    sort(0..<keys.count, by: 0, in: bytes)
  }

  /// Puts the keys in `range`, whose names begin with the same `offset` bytes, into order.
  private mutating func sort(_ range: Range<Int>, by offset: Int, in bytes: RawSpan) {
    guard range.count > 1 else { return }
    let differing = readHeads(range, at: offset, in: bytes)
    if differing != 0 {
      if range.count < Self.few {
        insert(range)
      } else {
        Self.distribute(&keys, by: &spare, range, differing)
      }
    }
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      while end < range.upperBound, keys[end].head == keys[start].head { end += 1 }
      if end - start > 1 { sortRest(start..<end, from: offset + 8, in: bytes) }
      start = end
    }
  }

  /// Puts names into order that begin with the same bytes up to `offset`, or end before.
  private mutating func sortRest(_ range: Range<Int>, from offset: Int, in bytes: RawSpan) {
    if range.contains(where: { Int(keys[$0].end - keys[$0].start) > offset }) {
      return sort(range, by: offset, in: bytes)
    }
    // What a shorter one lacks, the longer one has as zeros.
    for place in range { keys[place].head = UInt64(keys[place].end - keys[place].start) }
    insert(range)
  }

  /// Reads the eight bytes at `offset` of each name, and says which of them differ.
  private mutating func readHeads(
    _ range: Range<Int>, at offset: Int, in bytes: RawSpan
  ) -> UInt64 {
    var keys = keys.mutableSpan
    var differing: UInt64 = 0
    for place in range {
      let start = Int(keys[place].start) + offset
      let count = Int(keys[place].end) - start
      var head: UInt64 = 0
      if count > 0, start + 8 <= bytes.byteCount {
        // Behind a name, other parts of its record follow.
        head = bytes.littleEndian(UInt64.self, at: start).byteSwapped
        if count < 8 { head &= ~0 << UInt64(8 * (8 - count)) }
      } else if count > 0 {
        for next in start..<start + min(count, 8) {
          head = head << 8 | UInt64(bytes.byte(at: next))
        }
        head <<= UInt64(8 * (8 - min(count, 8)))
      }
      keys[place].head = head
      differing |= head ^ keys[range.lowerBound].head
    }
    return differing
  }

  private mutating func insert(_ range: Range<Int>) {
    var keys = keys.mutableSpan
    for place in range.dropFirst() {
      let key = keys[place]
      var free = place
      while free > range.lowerBound, keys[free - 1].head > key.head {
        keys[free] = keys[free - 1]
        free -= 1
      }
      keys[free] = key
    }
  }

  private static func distribute(
    _ keys: inout [Key], by spare: inout [Key], _ range: Range<Int>, _ differing: UInt64
  ) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xff != 0 {
      var counts = [Int](repeating: 0, count: 256)
      var next = counts.mutableSpan
      var from = keys.mutableSpan
      var to = spare.mutableSpan
      for place in range { next[Int(from[place].head >> shift & 0xff)] += 1 }
      var sum = range.lowerBound
      for byte in 0..<256 { (next[byte], sum) = (sum, sum + next[byte]) }
      for place in range {
        let byte = Int(from[place].head >> shift & 0xff)
        to[next[byte]] = from[place]
        next[byte] += 1
      }
      for place in range { from[place] = to[place] }
    }
  }
}
