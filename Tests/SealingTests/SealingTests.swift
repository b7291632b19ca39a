import Testing
import VaultSealing

struct SealingTests {
  @Test func whatIsSealedOpensWithTheSameKeyAndContextOnly() throws {
    let key = try SecretBytes.random(count: 32)
    let other = try SecretBytes.random(count: 32)
    let plaintext = Array("a secret".utf8)
    let sealed = try plaintext.withRawSpan {
      try AuthenticatedEncryption.seal($0, key: key, context: [1])
    }
    let again = try plaintext.withRawSpan {
      try AuthenticatedEncryption.seal($0, key: key, context: [1])
    }
    #expect(sealed != again)
    #expect(sealed.count == plaintext.count + AuthenticatedEncryption.overhead)
    #expect(
      try AuthenticatedEncryption.open(sealed, key: key, context: [1])
        .withBytes { $0.matches(plaintext, at: 0..<$0.byteCount) })
    for (key, context) in [(other, [UInt8(1)]), (key, [2]), (key, [])] {
      #expect(throws: SealingError.self) {
        try AuthenticatedEncryption.open(sealed, key: key, context: context)
      }
    }
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: SealingError.self) {
        try AuthenticatedEncryption.open(changed, key: key, context: [1])
      }
    }
    for length in 0..<sealed.count {
      #expect(throws: SealingError.self) {
        try AuthenticatedEncryption.open(Array(sealed[..<length]), key: key, context: [1])
      }
    }
  }

  @Test func secretsDoNotPrintThemselves() throws {
    let secret = try SecretBytes(copying: Array("canary".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
      #expect(text.contains("redacted"))
      #expect(!text.contains("canary"))
    }
  }

  @Test func theArenaServesManySecretsAndTakesThemBack() throws {
    for round in 0..<3 {
      var kept: [SecretBytes] = []
      for size in 0..<3000 {
        let secret = try SecretBytes.random(count: size % 97)
        kept.append(try secret.slice(0..<secret.count))
        #expect(kept[kept.count - 1].isEqual(to: secret))
        if size % 3 == round { kept.removeFirst() }
      }
    }
    let large = try SecretBytes.random(count: 1 << 20)
    #expect(large.count == 1 << 20)
  }

  @Test func aFreshSecretIsZeroBeforeItIsFilled() throws {
    _ = try SecretBytes.random(count: 4096)
    let secret = try SecretBytes(capacity: 4096) { span in
      (0..<4096).allSatisfy { span.bytes.byte(at: $0) == 0 } ? 1 : 0
    }
    #expect(secret.count == 1)
  }

  @Test func aFailedFillGivesNothing() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try SecretBytes(capacity: 64) { _ in throw Stop() } }
  }

  @Test func costsOutsideThePolicyAreRefusedBeforeMemoryIsTaken() throws {
    let secret = try SecretBytes(copying: [1])
    let salt = [UInt8](repeating: 0, count: 16)
    for cost in [
      PasswordHash.Cost(memoryKiB: (64 << 10) - 1, passes: 3),
      .init(memoryKiB: 64 << 10, passes: 2),
      .init(memoryKiB: (1 << 20) + 1, passes: 3), .init(memoryKiB: 64 << 10, passes: 17),
      .init(memoryKiB: .max, passes: .max),
    ] {
      #expect(throws: SealingError.self) {
        try PasswordHash.derive(from: secret, salt: salt, cost: cost)
      }
    }
  }

  @Test(arguments: [(10.0, 8000), (57, 8000), (400, 8000), (57, 512), (20, 512), (2000, 512)])
  func calibrationStaysWithinThePolicy(floor: Double, available: Int) {
    let cost = PasswordHash.cost(floorMilliseconds: floor, availableMiB: available)
    #expect(cost.isAboveFloor)
    #expect(cost.isBelowCap)
    if available < 1024 { #expect(cost.memoryKiB == 64 << 10) }
  }

  @Test func paddingHidesTheLengthAndGivesItBack() throws {
    #expect(Padding.itemLength(0) == 64)
    #expect(Padding.itemLength(63) == 64)
    #expect(Padding.itemLength(64) == 128)
    #expect(Padding.indexLength(4095) == 4096)
    #expect(Padding.indexLength(4096) == 8192)
    var last = 0
    for length in stride(from: 0, through: 1 << 20, by: 997) {
      let padded = Padding.itemLength(length)
      #expect(padded > length && padded >= last)
      if length > 1024 { #expect(Double(padded) <= Double(length + 1) * 1.12) }
      last = padded
    }
    for length in [0, 1, 63, 64, 1000] {
      let plain = try SecretBytes.random(count: length)
      let padded = try plain.withBytes {
        try Padding.padded($0, to: Padding.itemLength(length))
      }
      #expect(padded.withBytes { Padding.unpaddedLength($0) } == length)
    }
    let bare = try SecretBytes(copying: [0, 0, 0])
    #expect(bare.withBytes { Padding.unpaddedLength($0) } == nil)
    let wrong = try SecretBytes(copying: [0x80, 0, 1])
    #expect(wrong.withBytes { Padding.unpaddedLength($0) } == nil)
  }

  @Test func textsAreNormalisedAsUnicodeSays() throws {
    #expect(UnicodeNormalization.nfc("cafe\u{301}").unicodeScalars.map(\.value).last == 0xE9)
    #expect(Array(UnicodeNormalization.nfc("\u{1100}\u{1161}").unicodeScalars).count == 1)
    let bytes = try SecretBytes(copying: [0xFF, 0xFE])
    #expect(try UnicodeNormalization.nfc(bytes).isEqual(to: bytes))
  }

  @Test func randomNumbersReachEveryValue() {
    var seen = Set<UInt32>()
    for _ in 0..<2000 { seen.insert(RandomBytes.uniform(below: 10)) }
    #expect(seen == Set(0..<10))
    #expect(RandomBytes.bytes(count: 32) != RandomBytes.bytes(count: 32))
  }
}
