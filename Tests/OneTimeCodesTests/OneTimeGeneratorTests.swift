import Testing
import VaultOneTimeCodes
import VaultSealing

struct OneTimeGeneratorTests {
  private static let ascii = "1234567890"

  private func bytes(_ text: String) throws -> SecretBytes {
    try SecretBytes(copying: Array(text.utf8))
  }

  private func text(_ bytes: SecretBytes) -> String {
    bytes.withBytes { $0.text(0..<$0.byteCount) } ?? "?"
  }

  private func generator(_ address: String) throws -> OneTimeGenerator {
    try OneTimeGenerator(bytes(address))
  }

  /// RFC 4226, appendix D.
  @Test(
    arguments: [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
      "520489",
    ].enumerated().map { ($0.offset, $0.element) })
  func everyVectorOfRFC4226(count: Int, code: String) throws {
    let hotp = try generator("otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=0")
    #expect(text(try hotp.code(count: UInt64(count))) == code)
  }

  private static let times: [Int64] = [
    59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000,
  ]

  /// RFC 6238, appendix B; the seeds of 32 and 64 bytes as erratum 2866 has them.
  @Test(arguments: [
    (
      "SHA1", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      ["94287082", "07081804", "14050471", "89005924", "69279037", "65353130"]
    ),
    (
      "SHA256", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
      ["46119246", "68084774", "67062674", "91819424", "90698825", "77737706"]
    ),
    (
      "SHA512",
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
      ["90693936", "25091201", "99943326", "93441116", "38618901", "47863826"]
    ),
  ])
  func everyVectorOfRFC6238(algorithm: String, seed: String, codes: [String]) throws {
    let totp = try generator("otpauth://totp/a?secret=\(seed)&digits=8&algorithm=\(algorithm)")
    for (time, code) in zip(Self.times, codes) {
      let made = try totp.code(at: time)
      #expect(text(made.text) == code, "\(time)")
      #expect(made.secondsLeft == 30 - time % 30)
    }
  }

  /// From KeePassXC's tests.
  @Test(arguments: [(1_511_200_518, "FR8RV"), (1_511_200_714, "9P3VP")] as [(Int64, String)])
  func steamsCodesAreFiveLetters(time: Int64, code: String) throws {
    for address in [
      "steam://63BEDWCQZKTQWPESARIERL5DTTQFCJTK",
      "otpauth://totp/Steam:me?secret=63BEDWCQZKTQWPESARIERL5DTTQFCJTK&encoder=steam",
    ] {
      let steam = try generator(address)
      #expect(steam.form == .steam)
      #expect(text(try steam.code(at: time).text) == code)
    }
  }

  @Test(arguments: [
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq",
    " GEZDGNBV-GY3TQOJQ-GEZDGNBV-GY3TQOJQ\n", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ======",
    "key=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "key=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&step=30&size=6",
    "otpauth://totp/x?secret=gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
    "OTPAUTH://TOTP/x?SECRET=GEZD%20GNBV+GY3TQOJQGEZDGNBVGY3TQOJQ%3D%3D&digits=6&period=30#x",
    "otpauth://totp?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&image=https%3A%2F%2Fx",
    "\totpauth://totp/A%20B:me?algorithm=HMAC-SHA-1&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ \r\n",
  ])
  func oneSeedInManyForms(form: String) throws {
    #expect(text(try generator(form).code(at: 59).text) == "287082")
  }

  @Test func theParametersOfAnAddressAreUsed() throws {
    let totp = try generator(
      "otpauth://totp/Big%20Co%3Ame?secret=ME&period=60&digits=7&algorithm=sha512")
    #expect(totp.kind == .totp)
    #expect(totp.issuer == "Big Co")
    #expect(totp.period == 60)
    #expect(totp.form == .digits(7))
    #expect(totp.algorithm == .sha512)
    #expect(try generator("otpauth://totp/a:b?secret=ME&issuer=c").issuer == "c")
    #expect(
      try generator("otpauth://hotp/a?secret=ME&counter=18446744073709551615").counter == .max)
  }

  @Test(arguments: [
    ("", "empty"), ("otpauth://totp/a?secret=", "empty"), ("otpauth://totp/a", "'?'"),
    ("otpauth://totp/a?issuer=x", "'secret='"), ("otpauth://motp/a?secret=ME", "neither"),
    ("ME1E", "character 3"), ("MEEE===A", "padding"), ("MEE", "cut short"), ("M", "cut short"),
    ("MEEEMM", "cut short"), ("otpauth://totp/a?secret=ME&digits=5", "digits"),
    ("otpauth://totp/a?secret=ME&digits=9", "digits"),
    ("otpauth://totp/a?secret=ME&period=0", "period"),
    ("otpauth://totp/a?secret=ME&algorithm=MD5", "algorithm"),
    ("otpauth://hotp/a?secret=ME&counter=-1", "counter"),
    ("otpauth://totp/a?secret=ME%2", "hex digits"),
    ("https://example.com/?secret=ME", "otpauth://"),
    ("otpauth-migration://offline?data=x", "several"),
    (String(repeating: "A", count: 8193), "longer"),
  ])
  func anErrorAboutASeedDoesNotRepeatIt(form: String, expected: String) throws {
    let error = try #require(throws: OneTimeCodeError.self) { _ = try generator(form) }
    #expect(error.message.contains(expected), "\(error.message)")
    #expect(form.isEmpty || !error.message.contains(form))
    #expect(!error.hint.isEmpty)
  }

  @Test func aCountMovesOnInTheText() throws {
    for (before, after) in [
      ("otpauth://hotp/a?counter=9&secret=ME", "otpauth://hotp/a?counter=10&secret=ME"),
      ("otpauth://hotp/a?secret=ME&x=%20y", "otpauth://hotp/a?secret=ME&x=%20y&counter=1"),
      ("otpauth://hotp/a?secret=ME#f\n", "otpauth://hotp/a?secret=ME&counter=1#f\n"),
      ("key=ME&type=hotp&counter=3", "key=ME&type=hotp&counter=4"),
    ] {
      let hotp = try generator(before)
      #expect(hotp.kind == .hotp)
      let counted = try hotp.counted(bytes(before))
      #expect(text(counted) == after)
      #expect(try OneTimeGenerator(counted).counter == hotp.counter + 1)
    }
    let last = "otpauth://hotp/a?secret=ME&counter=18446744073709551615"
    #expect(throws: OneTimeCodeError.self) { try generator(last).counted(bytes(last)) }
  }

  @Test(arguments: [
    ("gezd gnbv", "otpauth://totp/work%2Fa%20b?secret=GEZDGNBV"),
    ("steam://GEZDGNBV", "otpauth://totp/work%2Fa%20b?secret=GEZDGNBV&encoder=steam&issuer=Steam"),
    (
      "key=GEZDGNBV&step=60&size=8&otpHashMode=Sha256",
      "otpauth://totp/work%2Fa%20b?secret=GEZDGNBV&algorithm=SHA256&digits=8&period=60"
    ),
    (
      "key=GEZDGNBV&type=Hotp&counter=7",
      "otpauth://hotp/work%2Fa%20b?secret=GEZDGNBV&counter=7"
    ),
    (" otpauth://totp/x?secret=gezdgnbv&odd=1\n", "otpauth://totp/x?secret=gezdgnbv&odd=1"),
  ])
  func aSeedIsStoredAsAnAddress(form: String, address: String) throws {
    let made = try generator(form).address(from: bytes(form), label: "work/a b")
    #expect(text(made) == address)
    let (one, other) = (try generator(form), try OneTimeGenerator(made))
    #expect(text(try one.code(count: 5)) == text(try other.code(count: 5)))
  }

  @Test func secondsLeftCountDownToOne() throws {
    let totp = try generator("GEZDGNBV")
    #expect(try totp.code(at: 0).secondsLeft == 30)
    #expect(try totp.code(at: 29).secondsLeft == 1)
    #expect(try totp.code(at: 30).secondsLeft == 30)
    #expect(throws: OneTimeCodeError.self) { try totp.code(at: -1) }
  }
}
