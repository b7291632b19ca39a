/// The order in which people expect names: numbers in them count as numbers, `disk 2` before
/// `disk 10`.
///
/// Everything else is in the order of its UTF-8 bytes; of two equal numbers the one with more zeros
/// before it comes first.
package enum NaturalOrder {
  /// Whether a name comes before another one.
  ///
  /// - Parameters:
  ///   - left: The name.
  ///   - right: The other one.
  /// - Returns: Whether it does; `false` for equal names.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8.span, right.utf8.span)
    let count = min(left.count, right.count)
    var place = 0
    while place < count, left[place] == right[place] { place += 1 }
    // The number that the first difference is in, or behind.
    var start = place
    while start > 0, isDigit(left[start - 1]) { start -= 1 }
    let (leftEnd, rightEnd) = (end(of: left, from: start), end(of: right, from: start))
    if leftEnd > start, rightEnd > start, max(leftEnd, rightEnd) > place {
      let (first, second) = (
        firstFigure(of: left, start..<leftEnd), firstFigure(of: right, start..<rightEnd)
      )
      if leftEnd - first != rightEnd - second { return leftEnd - first < rightEnd - second }
      for offset in 0..<(leftEnd - first) where left[first + offset] != right[second + offset] {
        return left[first + offset] < right[second + offset]
      }
    }
    guard place < count else { return left.count < right.count }
    return left[place] < right[place]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func end(of name: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < name.count, isDigit(name[end]) { end += 1 }
    return end
  }

  /// The place of the first figure of a number that is not a zero before it.
  private static func firstFigure(of name: Span<UInt8>, _ number: Range<Int>) -> Int {
    var place = number.lowerBound
    while place < number.upperBound, name[place] == 0x30 { place += 1 }
    return place
  }
}
