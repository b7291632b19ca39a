/// Keys of rows, as runs of neighbors.
///
/// The standard library's `RangeSet` does the same; it is not specialized for a type of number, and
/// each question to it costs as much as ten here.
struct KeyRanges: Sendable {
  /// The runs, rising; none is empty or touches the next.
  private(set) var ranges: [Range<Int64>] = []

  /// No keys.
  init() {}

  /// Keys, which mostly rise.
  init(keys: some Sequence<Int64>) {
    for key in keys {
      if let last = ranges.last, last.upperBound == key {
        ranges[ranges.count - 1] = last.lowerBound..<key + 1
      } else {
        insert(key..<key + 1)
      }
    }
  }

  /// One run.
  init(_ range: Range<Int64>) { insert(range) }

  /// Whether there are none.
  var isEmpty: Bool { ranges.isEmpty }

  /// The keys, rising.
  var keys: some Sequence<Int64> { ranges.lazy.flatMap { $0 } }

  /// The number of keys.
  var keyCount: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Whether a key is one of them.
  func contains(_ key: Int64) -> Bool {
    let place = place(of: key)
    return place < ranges.count && ranges[place].lowerBound <= key
  }

  /// Whether one of them lies between two keys, which count.
  func meets(_ first: Int64, _ last: Int64) -> Bool {
    let place = place(of: first)
    return place < ranges.count && ranges[place].lowerBound <= last
  }

  /// Adds all of a run.
  mutating func insert(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    guard let last = ranges.last, range.lowerBound <= last.upperBound else {
      return ranges.append(range)
    }
    // With those that it overlaps or touches.
    let first = range.lowerBound == .min ? 0 : place(of: range.lowerBound - 1)
    var (end, joined) = (first, range)
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      let (lower, upper) = (ranges[end].lowerBound, ranges[end].upperBound)
      joined = min(joined.lowerBound, lower)..<max(joined.upperBound, upper)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
  }

  /// Adds all of some others.
  mutating func formUnion(_ others: KeyRanges) {
    for range in others.ranges { insert(range) }
  }

  /// Takes a key out.
  mutating func remove(_ key: Int64) {
    let place = place(of: key)
    guard place < ranges.count, ranges[place].lowerBound <= key else { return }
    let range = ranges[place]
    let rest = [range.lowerBound..<key, key + 1..<range.upperBound].filter { !$0.isEmpty }
    ranges.replaceSubrange(place...place, with: rest)
  }

  /// The place of the first run that ends behind a key.
  private func place(of key: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > key { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
