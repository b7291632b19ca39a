/// The EFF's large word list, indexed by number.
struct LongWordList: Sendable {
  static let count = 7_776
  /// The length of the longest word in bytes.
  static let longest = 9
  static let shared = LongWordList()

  private let text: [UInt8]
  private let ranges: [Range<Int>]

  private init() {
    let text = Array(EFFLargeWords.text.description.utf8)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(Self.count)
    var start = 0
    for end in 0...text.count where end == text.count || text[end] == 0x20 || text[end] == 0x0a {
      if end > start { ranges.append(start..<end) }
      start = end + 1
    }
    precondition(ranges.count == Self.count)
    self.text = text
    self.ranges = ranges
  }

  /// The word with this number, 0 to 7,775.
  subscript(number: Int) -> ArraySlice<UInt8> { text[ranges[number]] }
}
