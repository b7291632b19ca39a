/// Decompresses DEFLATE without the headers of zlib and gzip: RFC 1951.
///
/// Core Data compresses the model that it keeps in a store so. Every length and distance is
/// checked, and so is the size of the result, since the file may come from anyone.
package struct Inflate {
  /// Why bytes cannot be decompressed.
  package enum Failure: Error {
    case truncated, invalid, tooLarge
  }

  private let input: [UInt8]
  private let limit: Int
  private var place = 0
  /// Bits that were read and not used; the next one is the lowest.
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  private init(_ input: [UInt8], limit: Int) {
    self.input = input
    self.limit = limit
  }

  /// The decompressed bytes.
  ///
  /// - Parameters:
  ///   - bytes: The compressed bytes; what follows the last block is ignored.
  ///   - limit: The most bytes that the result may have.
  /// - Returns: At most `limit` bytes.
  /// - Throws: ``Failure``.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var inflate = Inflate(bytes, limit: limit)
    var isLast = false
    while !isLast {
      isLast = try inflate.take(1) == 1
      switch try inflate.take(2) {
      case 0: try inflate.stored()
      case 1: try inflate.compressed(.fixedLiterals, .fixedDistances)
      case 2:
        let (literals, distances) = try inflate.codes()
        try inflate.compressed(literals, distances)
      default: throw .invalid
      }
    }
    return inflate.output
  }

  private mutating func take(_ count: Int) throws(Failure) -> Int {
    while bitCount < count {
      guard place < input.count else { throw .truncated }
      bits |= UInt32(input[place]) << UInt32(bitCount)
      place += 1
      bitCount += 8
    }
    defer {
      bits >>= UInt32(count)
      bitCount -= count
    }
    return Int(bits & (1 << UInt32(count) - 1))
  }

  /// Section 3.2.4: bytes as they are, from the next byte on.
  private mutating func stored() throws(Failure) {
    bits = 0
    bitCount = 0
    guard input.count - place >= 4 else { throw .truncated }
    let length = Int(input[place]) | Int(input[place + 1]) << 8
    guard length == ~(Int(input[place + 2]) | Int(input[place + 3]) << 8) & 0xffff else {
      throw .invalid
    }
    place += 4
    guard input.count - place >= length else { throw .truncated }
    guard limit - output.count >= length else { throw .tooLarge }
    output += input[place..<(place + length)]
    place += length
  }

  /// Section 3.2.5.
  private mutating func compressed(_ literals: Code, _ distances: Code) throws(Failure) {
    while true {
      let symbol = try next(literals)
      if symbol == 256 { return }
      if symbol < 256 {
        guard output.count < limit else { throw .tooLarge }
        output.append(UInt8(symbol))
        continue
      }
      guard symbol - 257 < Self.lengths.count else { throw .invalid }
      let (base, extra) = Self.lengths[symbol - 257]
      let length = base + (try take(extra))
      let place = try next(distances)
      guard place < Self.distances.count else { throw .invalid }
      let (far, more) = Self.distances[place]
      let distance = far + (try take(more))
      guard distance <= output.count else { throw .invalid }
      guard limit - output.count >= length else { throw .tooLarge }
      // One by one: the copy may run into what it has just written.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// Section 3.2.7: the codes of a block that brings its own.
  private mutating func codes() throws(Failure) -> (Code, Code) {
    let literals = try take(5) + 257
    let distances = try take(5) + 1
    let count = try take(4) + 4
    guard literals <= 286, distances <= 30 else { throw .invalid }
    var sizes = [Int](repeating: 0, count: 19)
    for place in Self.order.prefix(count) { sizes[place] = try take(3) }
    let code = try Code(sizes)
    var lengths: [Int] = []
    while lengths.count < literals + distances {
      let symbol = try next(code)
      if symbol < 16 {
        lengths.append(symbol)
        continue
      }
      var repeated = 0
      let times: Int
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw .invalid }
        repeated = last
        times = 3 + (try take(2))
      case 17: times = 3 + (try take(3))
      default: times = 11 + (try take(7))
      }
      guard lengths.count + times <= literals + distances else { throw .invalid }
      lengths += [Int](repeating: repeated, count: times)
    }
    // Without an end the block would never be over.
    guard lengths[256] > 0 else { throw .invalid }
    return (try Code(Array(lengths.prefix(literals))), try Code(Array(lengths.dropFirst(literals))))
  }

  private mutating func next(_ code: Code) throws(Failure) -> Int {
    var value = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      value |= try take(1)
      let count = code.counts[length]
      if value - count < first { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw .invalid
  }

  /// A canonical Huffman code: how many codes have each length, and their symbols in order.
  private struct Code {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    /// - Parameter lengths: The number of bits of each symbol's code; 0 for symbols without one.
    /// - Throws: ``Failure/invalid`` if there are more codes than bits can tell apart.
    init(_ lengths: [Int]) throws(Failure) {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      var free = 1
      for length in 1...15 {
        free = free << 1 - counts[length]
        guard free >= 0 else { throw .invalid }
      }
      symbols = lengths.indices.filter { lengths[$0] > 0 }
        .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    private init(valid lengths: [Int]) {
      for length in lengths { counts[length] += 1 }
      symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// Section 3.2.6.
    static let fixedLiterals = Code(
      valid: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = Code(valid: [Int](repeating: 5, count: 30))
  }

  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengths: [(base: Int, extra: Int)] = {
    var found: [(Int, Int)] = []
    var base = 3
    for symbol in 0..<28 {
      let extra = symbol < 8 ? 0 : symbol / 4 - 1
      found.append((base, extra))
      base += 1 << extra
    }
    return found + [(258, 0)]
  }()
  private static let distances: [(base: Int, extra: Int)] = {
    var found: [(Int, Int)] = []
    var base = 1
    for symbol in 0..<30 {
      let extra = symbol < 4 ? 0 : symbol / 2 - 1
      found.append((base, extra))
      base += 1 << extra
    }
    return found
  }()
}
