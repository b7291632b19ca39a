import Foundation
import Testing
import VaultSealing

/// Published vectors: each names its source.
struct KnownAnswerTests {
  /// draft-irtf-cfrg-xchacha-03, A.3.1.
  @Test func xchacha20Poly1305AnswersAsTheDraftSays() throws {
    let key = try SecretBytes(copying: Array(UInt8(0x80)...0x9F))
    let nonce = Array(UInt8(0x40)...0x57)
    let context = bytes("50515253c0c1c2c3c4c5c6c7")
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      + "sunscreen would be it."
    let expected =
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
      + "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
      + "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
      + "21f9664c97637da9768812f615c68b13b52e" + "c0875924c1c7987947deafd8780acf49"
    let plaintext = Array(text.utf8)
    let sealed = try plaintext.withRawSpan {
      try AuthenticatedEncryption.seal($0, key: key, nonce: nonce, context: context)
    }
    #expect(hex(sealed) == expected)
    let opened = try AuthenticatedEncryption.open(nonce + sealed, key: key, context: context)
    #expect(opened.withBytes { $0.text(0..<$0.byteCount) } == text)
  }

  /// libsodium, test/default/pwhash_argon2id.c, cases 4 and 6.
  @Test(arguments: [
    (
      "4a857e2ee8aa9b6056f2424e84d24a72473378906ee04a46cb05311502d5250b82ad86b83c8f20a23dbb74f6da"
        + "60b0b6ecffd67134d45946ac8ebfb3064294bc097d43ced68642bfb8bbbdd0f50b30118f5e",
      "39d82eef32010b8b79cc5ba88ed539fb", 190, 3, 1_432_947,
      "08d8cd330c57e1b4643241d05bb468ba4ee4e932cd0858816be9ef15360b27bb"
    ),
    (
      "b540beb016a5366524d4605156493f9874514a5aa58818cd0c6dfffaa9e90205f17b",
      "44071f6d181561670bda728d43fb79b4", 231, 1, 1_631_659,
      "7fb72409b0987f8190c3729710e98c3f80c5a8727d425fdcde7f3644d467fe97"
    ),
  ])
  func argon2idAnswersAsLibsodiumSays(
    passphrase: String, salt: String, count: Int, passes: UInt32, memory: UInt32, start: String
  ) throws {
    let hash = try PasswordHash.hash(
      try SecretBytes(copying: bytes(passphrase)), salt: bytes(salt),
      cost: .init(memoryKiB: memory / 1024, passes: passes), count: count)
    #expect(hash.withBytes { hex($0.array(0..<32)) } == start)
    #expect(hash.count == count)
  }

  /// libsodium, test/default/kdf.c: the 32-byte subkey with number 32.
  @Test func subkeysAnswerAsLibsodiumSays() throws {
    let master = try SecretBytes(copying: Array(UInt8(0)..<32))
    let subkey = try KeyDerivation.subkey(32, of: master, context: "KDF test")
    #expect(
      subkey.withBytes { hex($0.array(0..<32)) }
        == "154b291f11196737f8b7f491e4ca11764e0227d34f94295408a869f007aa8618")
  }

  /// RFC 7693, appendix A, and the BLAKE2 authors' keyed vector of an empty message.
  @Test func blake2bAnswersAsItsAuthorsSay() throws {
    #expect(
      hex(try Hash.blake2b(Array("abc".utf8), count: 64)).hasPrefix(
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14"))
    #expect(
      hex(try Hash.blake2b(Array("abc".utf8)))
        == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
    let key = try SecretBytes(copying: Array(UInt8(0)..<64))
    #expect(
      hex(try Hash.blake2b([UInt8](), count: 64, key: key))
        == "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
        + "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568")
  }

  private func bytes(_ hex: String) -> [UInt8] {
    var rest = hex[...]
    var result: [UInt8] = []
    while !rest.isEmpty {
      result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return result
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }
}
