import Foundation

/// Almost valid inputs for parsers of untrusted bytes, reproducible by their seed.
///
/// `FUZZ_SEED` selects the seed, `FUZZ_ROUNDS` multiplies the number of inputs. A test prints the
/// seed before it starts, because an input that crashes the process leaves no time to print it.
package struct Mutations: RandomNumberGenerator {
  private var generator: SeededGenerator
  private let corpus: [[UInt8]]
  private let words: [[UInt8]]

  /// The seed of this run.
  package static let seed: UInt64 =
    ProcessInfo.processInfo.environment["FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_261_121

  /// The factor for the number of inputs.
  package static let rounds: Int =
    ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1

  /// - Parameters:
  ///   - name: The parser, for the line that is printed.
  ///   - corpus: Valid inputs; at least one.
  ///   - words: Tokens of the format.
  package init(_ name: String, corpus: [[UInt8]], words: [[UInt8]] = []) {
    generator = SeededGenerator(seed: Self.seed)
    self.corpus = corpus
    self.words =
      words + [
        [], [0], [0xFF], [0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80], [0x0A], [0x0D, 0x0A],
        [0x1B, 0x5B],
        Array("\u{202E}".utf8), Array("%00".utf8), Array("-1".utf8),
        Array("18446744073709551616".utf8),
        Array("1e999".utf8), Array(repeating: 0x41, count: 300),
      ]
    print("fuzzing \(name): FUZZ_SEED=\(Self.seed) FUZZ_ROUNDS=\(Self.rounds)")
  }

  package init(_ name: String, texts: [String], words: [String] = []) {
    self.init(name, corpus: texts.map { Array($0.utf8) }, words: words.map { Array($0.utf8) })
  }

  package mutating func next() -> UInt64 { generator.next() }

  /// The next input: one of the corpus with one to eight changes.
  package mutating func input() -> [UInt8] {
    var bytes = choice(corpus)
    for _ in 0..<Int.random(in: 1...8, using: &self) { change(&bytes) }
    return bytes
  }

  /// The next input as text; invalid bytes are replaced.
  package mutating func text() -> String { String(decoding: input(), as: UTF8.self) }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &self)
    let end = min(bytes.count, place + Int.random(in: 0...24, using: &self))
    switch Int.random(in: 0..<8, using: &self) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
    case 2: bytes.insert(contentsOf: choice(words), at: place)
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 5: bytes.replaceSubrange(place..<end, with: choice(words))
    case 6:
      // The end of another one.
      let other = choice(corpus)
      let from = Int.random(in: 0...other.count, using: &self)
      bytes = Array(bytes[..<place]) + other[from...]
    default:
      // Deep where a piece opens something.
      let piece = Array(bytes[place..<end])
      let times = Int.random(in: 2...60, using: &self)
      bytes.insert(contentsOf: (0..<times).flatMap { _ in piece }, at: place)
    }
    if bytes.count > 64 << 10 { bytes.removeLast(bytes.count - (64 << 10)) }
  }

  private mutating func choice(_ list: [[UInt8]]) -> [UInt8] {
    list[Int.random(in: 0..<list.count, using: &self)]
  }
}
