import Testing
import VaultSealing

/// Many sealed texts, opened one after another in the same memory.
struct SealedReaderTests {
  private let parent: SecretBytes
  private let context = Array("context".utf8)

  init() throws { parent = try SecretBytes.random(count: 32) }

  private func sealed(_ text: String, _ message: [UInt8]) throws -> [UInt8] {
    let key = try KeyDerivation.key(from: parent, message: message)
    return try Array(text.utf8).withRawSpan {
      try AuthenticatedEncryption.seal($0, key: key, context: context)
    }
  }

  private func opened(
    _ sealed: [UInt8], _ message: [UInt8], by reader: SealedReader, _ context: [UInt8]
  ) -> String? {
    sealed.withRawSpan { sealed in
      message.withRawSpan { message in
        reader.open(sealed, message: message, context: context) { bytes in
          bytes.text(0..<bytes.byteCount)
        } ?? nil
      }
    }
  }

  @Test func eachOpensWithTheKeyThatIsDerivedForIt() throws {
    let texts = ["one", "", String(repeating: "long ", count: 100), "two"]
    let longest = 500 + AuthenticatedEncryption.overhead
    let reader = try SealedReader(deriving: parent, capacity: longest)
    for (number, text) in texts.enumerated() {
      let message = Array(repeating: UInt8(number), count: 16)
      #expect(opened(try sealed(text, message), message, by: reader, context) == text)
    }
  }

  @Test func whatDoesNotOpenIsNothing() throws {
    let reader = try SealedReader(deriving: parent, capacity: 100)
    let message = Array(repeating: UInt8(1), count: 16)
    let good = try sealed("secret", message)
    #expect(opened(good, message, by: reader, context) == "secret")
    #expect(opened(good, Array(repeating: 2, count: 16), by: reader, context) == nil)
    #expect(opened(good, message, by: reader, []) == nil)
    for place in good.indices {
      var changed = good
      changed[place] ^= 1
      #expect(opened(changed, message, by: reader, context) == nil)
      #expect(opened(Array(good[..<place]), message, by: reader, context) == nil)
    }
    // Longer than was said.
    let long = try sealed(String(repeating: "x", count: 100), message)
    #expect(opened(long, message, by: reader, context) == nil)
    // One that failed changes nothing for the next.
    #expect(opened(good, message, by: reader, context) == "secret")
    #expect(throws: SealingError.self) {
      try SealedReader(deriving: SecretBytes(copying: [1]), capacity: 10)
    }
  }
}

/// Bytes that are looked for in any case.
struct FoldedSearchTests {
  private func place(_ part: String, in text: String) -> Int? {
    let bytes = Array(text.utf8)
    return bytes.withRawSpan { $0.place(ofFolded: Array(part.utf8), in: 0..<bytes.count) }
  }

  @Test func lettersOfAsciiAreFoundInAnyCaseAndNothingElse() {
    #expect(place("hub", in: "GitHub") == 3)
    #expect(place("hub", in: "gitHUB") == 3)
    #expect(place("", in: "x") == 0)
    #expect(place("x", in: "") == nil)
    #expect(place("longer", in: "long") == nil)
    #expect(place("aab", in: "aaab") == 1)
    #expect(place("b", in: "aab") == 2)
    // What differs from a letter by the same bit is none: '@' and '`', '[' and '{'.
    #expect(place("`", in: "@") == nil)
    #expect(place("a{", in: "A[") == nil)
    #expect(place("a@b", in: "A@B") == 0)
    #expect(place("a@b", in: "A`B") == nil)
    #expect(place("{", in: "[") == nil)
  }

  @Test func onlyTheRangeIsSearched() {
    let bytes = Array("one two one".utf8)
    bytes.withRawSpan { bytes in
      #expect(bytes.place(ofFolded: Array("one".utf8), in: 1..<11) == 8)
      #expect(bytes.place(ofFolded: Array("one".utf8), in: 1..<10) == nil)
      #expect(bytes.place(ofFolded: Array("one".utf8), in: 5..<5) == nil)
    }
  }
}
