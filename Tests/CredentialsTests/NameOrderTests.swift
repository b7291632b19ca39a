import Testing
import VaultCredentials
import VaultSealing

struct NameOrderTests {
  /// The positions of names as the standard library's comparison puts them into order.
  private func expected(_ names: [String]) -> [Int] {
    names.indices.sorted { one, other in
      names[one].utf8.elementsEqual(names[other].utf8)
        ? one < other : names[one].utf8.lexicographicallyPrecedes(names[other].utf8)
    }
  }

  private func positions(_ names: [String]) -> [Int] {
    var bytes: [UInt8] = []
    let ranges = names.map { name in
      bytes += name.utf8
      return bytes.count - name.utf8.count..<bytes.count
    }
    return bytes.withRawSpan { NameOrder(Array(ranges.indices), in: $0) { ranges[$0] }.positions }
  }

  @Test(
    "names are in the order of their bytes",
    arguments: [
      [], ["one"], ["b", "a"], ["", "a", ""], ["a", "a\0", "a", "a\0\0"],
      ["prefix", "prefix/longer-than-eight-bytes", "prefix/longer-than-eight", "pre"],
      ["é", "z", "日本", "e\u{301}", "\u{10FFFF}", "\u{7F}"],
      ["site/00000001x", "site/00000001", "site/00000000", "site/00000001w"],
    ] as [[String]])
  func byBytes(names: [String]) {
    #expect(positions(names) == expected(names))
  }

  @Test("random names with and without a common beginning are in the order of their bytes")
  func randomNames() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      let start = ["", "web/", "a/long/common/folder/"][round % 3]
      let alphabet = Array(["ab", "0123456789", "aé/日\0"][round / 3 % 3])
      let names = (0..<Int.random(in: 1...60, using: &random)).map { _ in
        start
          + String(
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
              alphabet.randomElement(using: &random) ?? "a"
            })
      }
      #expect(positions(names) == expected(names), "\(names)")
    }
  }
}
