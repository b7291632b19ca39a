import Foundation
import ParserEssentials
import Testing

/// The encoder that the released command has in the place of Foundation's writes what that one
/// writes, for all that the argument parser may hand to it.
struct ParserEssentialsTests {
  private struct Part: Encodable {
    enum Kind: String, Encodable { case option, flag }

    var name = "a/b \"c\" \\ \u{8}\t\n\u{c}\r\u{1}\u{1f}é😀\u{2028}"
    var kind = Kind.flag
    var missing: String?
    var present: String? = "there"
    var isShown = true
    var numbers = [0, -1, Int.max]
    var real = 1.5
    var whole = Float(3)
    var nothing: [Int] = []
    var empty: [String: Int] = [:]
    var lists = [["x"], []]
    var parts: [Part] = []
  }

  private struct ByHand: Encodable {
    enum Key: String, CodingKey { case list, object, null, twice }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeNil(forKey: .null)
      try container.encode("first", forKey: .twice)
      try container.encode("second", forKey: .twice)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encodeNil()
      try list.encode(UInt8(7))
      var inner = list.nestedContainer(keyedBy: Key.self)
      try inner.encode(false, forKey: .object)
      try list.encode(list.count)
      var single = list.superEncoder().singleValueContainer()
      try single.encode("single")
      var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
      try object.encode([String]?.none, forKey: .list)
    }
  }

  private func expectSame(_ value: some Encodable) throws {
    let ours = ParserEssentials.JSONEncoder()
    let theirs = Foundation.JSONEncoder()
    ours.outputFormatting = .sortedKeys
    theirs.outputFormatting = .sortedKeys
    for isPretty in [false, true] {
      if isPretty {
        ours.outputFormatting.insert(.prettyPrinted)
        theirs.outputFormatting.insert(.prettyPrinted)
      }
      let text = String(decoding: try theirs.encode(value), as: UTF8.self)
      let written = try String(data: ours.encode(value), encoding: .utf8)
      #expect(written == text)
    }
  }

  @Test func valuesAreWrittenAsByFoundation() throws {
    try expectSame(Part(parts: [Part(), Part(numbers: [])]))
    try expectSame(ByHand())
    try expectSame([1e20, 1e-7, -0.0, .leastNonzeroMagnitude])
    try expectSame(["B": 1, "a": 2, "a10": 3, "a2": 4, "é": 5, "_": 6])
  }

  @Test func aNumberThatJSONDoesNotHaveIsRefused() {
    #expect(throws: EncodingError.self) { try ParserEssentials.JSONEncoder().encode([Double.nan]) }
  }
}
