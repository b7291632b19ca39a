import VaultSealing

/// The order of names by their bytes, as they lie in an opened index.
///
/// Names have much in common with each other: `aws/`, `site/`. So each is known by the eight bytes
/// that come after what all of them begin with, and by these the names are put into order by a radix
/// sort, least significant byte first, which looks at each name once for each byte in which they
/// differ at all. Only names whose eight bytes are the same are compared as a whole.
package struct NameOrder {
  private struct Key {
    /// The first of the eight bytes is the most significant; zeros where there are fewer.
    let head: UInt64
    let start: UInt32
    let end: UInt32
    let position: Int32
  }

  private var keys: [Key] = []

  /// Positions in the order of their names.
  package var positions: [Int] { keys.map { Int($0.position) } }

  /// Puts names into order.
  ///
  /// - Parameters:
  ///   - names: Where each name is, with its position.
  ///   - bytes: The index's plaintext.
  package init(_ names: [(range: Range<Int>, position: Int)], in bytes: RawSpan) {
    let shared = Self.sharedCount(names, in: bytes)
    keys.reserveCapacity(names.count)
    for (range, position) in names {
      keys.append(
        Key(
          head: Self.head(of: range.dropFirst(shared), in: bytes), start: UInt32(range.lowerBound),
          end: UInt32(range.upperBound), position: Int32(position)))
    }
    sortByHead()
    sortEqualHeads(in: bytes)
  }

  /// How many bytes all names begin with.
  private static func sharedCount(
    _ names: [(range: Range<Int>, position: Int)], in bytes: RawSpan
  ) -> Int {
    guard let first = names.first?.range else { return 0 }
    var shared = first.count
    for (name, _) in names.dropFirst() {
      shared = min(shared, name.count)
      for place in 0..<shared
      where bytes.byte(at: first.lowerBound + place) != bytes.byte(at: name.lowerBound + place) {
        shared = place
        break
      }
    }
    return shared
  }

  private static func head(of name: Range<Int>, in bytes: RawSpan) -> UInt64 {
    let start = name.lowerBound
    guard start + 8 <= bytes.byteCount, !name.isEmpty else {
      return name.prefix(8).enumerated().reduce(0) { head, byte in
        head | UInt64(bytes.byte(at: byte.element)) << UInt64(8 * (7 - byte.offset))
      }
    }
    let head = bytes.littleEndian(UInt64.self, at: start).byteSwapped
    return head & ~0 << UInt64(8 * (8 - min(name.count, 8)))
  }

  private mutating func sortByHead() {
    guard let first = keys.first else { return }
    let differing = keys.reduce(0) { $0 | ($1.head ^ first.head) }
    var sorted = keys
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xff != 0 {
      var next = [Int](repeating: 0, count: 257)
      for key in keys { next[Int(key.head >> shift & 0xff) + 1] += 1 }
      for byte in 1..<256 { next[byte] += next[byte - 1] }
      for key in keys {
        let byte = Int(key.head >> shift & 0xff)
        sorted[next[byte]] = key
        next[byte] += 1
      }
      swap(&keys, &sorted)
    }
  }

  private mutating func sortEqualHeads(in bytes: RawSpan) {
    var start = 0
    while start < keys.count {
      let head = keys[start].head
      var end = start + 1
      while end < keys.count, keys[end].head == head { end += 1 }
      if end - start > 1 {
        keys[start..<end].sort { one, other in
          bytes.precedes(Int(one.start)..<Int(one.end), Int(other.start)..<Int(other.end))
        }
      }
      start = end
    }
  }
}
