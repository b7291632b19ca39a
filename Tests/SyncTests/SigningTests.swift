import Testing
import VaultSealing

/// Signatures and sealed boxes, against published vectors.
struct SigningTests {
  /// RFC 8032, section 7.1, test 3.
  @Test func signsAsTheStandardSays() throws {
    let seed = try #require(
      Hexadecimal.bytes("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"))
    let key = try SigningKey(seed: SecretBytes(copying: seed))
    #expect(
      Hexadecimal.text(key.publicKey)
        == "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
    let signature = key.signature(of: [0xAF, 0x82])
    #expect(
      Hexadecimal.text(signature)
        == "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")
    #expect(SigningKey.isValid(signature, of: [0xAF, 0x82], by: key.publicKey))
  }

  @Test func everyChangedBitOfASignatureIsNoticed() throws {
    let key = try SigningKey(seed: SecretBytes.random(count: 32))
    let message = Array("a record".utf8)
    let signature = key.signature(of: message)
    for bit in 0..<signature.count * 8 {
      var other = signature
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(!SigningKey.isValid(other, of: message, by: key.publicKey))
    }
    #expect(!SigningKey.isValid(signature, of: message + [0], by: key.publicKey))
    #expect(!SigningKey.isValid(Array(signature.dropLast()), of: message, by: key.publicKey))
    #expect(!SigningKey.isValid(signature, of: message, by: Array(key.publicKey.dropLast())))
  }

  @Test func onlyTheOwnerOpensWhatIsSealedToAKey() throws {
    let (mine, other) = (
      try SealingKeyPair(seed: SecretBytes.random(count: 32)),
      try SealingKeyPair(seed: SecretBytes.random(count: 32))
    )
    let secret = try SecretBytes(copying: Array("the key of an epoch".utf8))
    var sealed = try SealingKeyPair.seal(secret, to: mine.publicKey)
    #expect(sealed.count == secret.count + SealingKeyPair.overhead)
    #expect(try mine.open(sealed).isEqual(to: secret))
    #expect(throws: SealingError.self) { try other.open(sealed) }
    sealed[40] ^= 1
    #expect(throws: SealingError.self) { try mine.open(sealed) }
    #expect(throws: SealingError.self) { try mine.open([1, 2, 3]) }
  }
}
