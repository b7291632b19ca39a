import Testing
import VaultSealing

/// Encodings in and out of locked memory, against the test vectors of RFC 4648, section 10.
struct EncodingTests {
  @Test func hexadecimalDigitsAreReadInEitherCase() {
    #expect(Hexadecimal.text([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    #expect(Hexadecimal.uppercaseText([0x00, 0x0F, 0xA0, 0xFF]) == "000FA0FF")
    #expect(Hexadecimal.bytes("000fA0Ff") == [0x00, 0x0F, 0xA0, 0xFF])
    #expect(Hexadecimal.bytes("") == [])
  }

  @Test(arguments: ["0", "0g", "+f", " 0", "é"])
  func otherCharactersAreNotHexadecimal(text: String) throws {
    #expect(Hexadecimal.bytes(text) == nil)
    #expect(try Hexadecimal.decoded(SecretBytes(text: text)) == nil)
  }

  @Test func aSecretSurvivesHexadecimal() throws {
    let secret = try SecretBytes(copying: Array(0...255))
    let text = try Hexadecimal.encoded(secret)
    #expect(text.text == Hexadecimal.text(Array(0...255)))
    #expect(try #require(try Hexadecimal.decoded(text)).isEqual(to: secret))
  }

  private static let base64 = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]

  @Test(arguments: base64)
  func base64IsThatOfTheStandard(plain: String, encoded: String) throws {
    #expect(try Base64.encoded(SecretBytes(text: plain)).text == encoded)
    #expect(try Base64.decoded(encoded)?.text == plain)
  }

  @Test func everyByteSurvivesBase64() throws {
    for length in 0...66 {
      let secret = try SecretBytes(copying: (0..<length).map { UInt8(($0 * 37 + length) & 255) })
      let text = try #require(try Base64.encoded(secret).text)
      #expect(try #require(try Base64.decoded(text)).isEqual(to: secret))
    }
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9v\n", "Zm-_"])
  func otherTextIsNotBase64(text: String) throws {
    #expect(try Base64.decoded(text) == nil)
  }

  private static let base32 = [
    ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ]

  @Test(arguments: base32)
  func base32IsThatOfTheStandardWithoutPadding(plain: String, encoded: String) throws {
    #expect(try Base32.encoded(SecretBytes(text: plain)).text == encoded)
    for text in [encoded, encoded.lowercased(), " \(encoded)-", encoded + "==="] {
      #expect(try SecretBytes(text: text).withBytes { try Base32.decoded($0) }.text == plain)
    }
  }

  @Test(arguments: [
    ("", Base32.Failure.empty), ("- =", .empty),
    ("MY1", .invalidCharacter(at: 3, followsPadding: false)),
    ("MY=A", .invalidCharacter(at: 4, followsPadding: true)), ("MZX", .truncated(digits: 3)),
  ])
  func theFailureNamesThePlace(text: String, failure: Base32.Failure) throws {
    let secret = try SecretBytes(text: text)
    #expect(throws: failure) { try secret.withBytes { try Base32.decoded($0) } }
  }

  @Test func percentEncodingKeepsWhatIsUnreserved() throws {
    #expect(PercentEncoding.encoded("a-Z_0.~/é\n") == "a-Z_0.~%2F%C3%A9%0A")
    #expect(PercentEncoding.encoded("a/b c") { $0 == UInt8(ascii: "/") } == "%61/%62%20%63")
    #expect(try PercentEncoding.encoded(SecretBytes(text: "a b")).text == "a%20b")
    #expect(PercentEncoding.decoded("a%20b+%C3%a9") == Array("a b+é".utf8))
  }

  @Test(arguments: ["%", "a%2", "%+1", "%g0", "% 1"])
  func aPercentSignNeedsTwoDigits(text: String) throws {
    #expect(PercentEncoding.decoded(text[...]) == nil)
    let secret = try SecretBytes(text: text)
    #expect(try secret.withBytes { try PercentEncoding.decoded(query: $0) } == nil)
  }

  @Test func aPlusInAQueryIsABlank() throws {
    let query = try SecretBytes(text: "a+b%2Bc")
    #expect(try query.withBytes { try PercentEncoding.decoded(query: $0) }?.text == "a b+c")
  }

  @Test func partsAreJoinedInTheirOrder() throws {
    let parts = try ["a", "", "bc"].map { try SecretBytes(text: $0) }
    #expect(try SecretBytes.joined(parts).text == "abc")
    #expect(try SecretBytes.joined([]).count == 0)
  }
}
