import Foundation
import TestSupport
import Testing

struct OTPTests {
  private static let seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  /// RFC 4226, appendix D.
  private static let counted = ["755224", "287082", "359152", "969429", "338314", "254676"]

  private func set(
    _ vault: ThrowawayVault, _ name: String, _ text: String
  ) throws -> VaultProcess.Result {
    try vault("set", name, "--otp", "--stdin", input: text)
  }

  @Test func aSeedIsKeptInItsFieldAndGivesCodes() throws {
    let vault = try ThrowawayVault()
    #expect(try set(vault, "gh", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq\n").status == 0)
    #expect(
      try vault("get", "gh", "--field", "otp").text == "otpauth://totp/gh?secret=\(Self.seed)")
    let made = try vault("otp", "gh")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.text.wholeMatch(of: /[0-9]{6}/) != nil)
    #expect(made.errors.wholeMatch(of: /vault: [0-9]+ s left of 30\n/) != nil, "\(made.errors)")
    #expect(try vault("show", "gh").text.contains("otp"))
    // The password beside it stays what it is.
    try vault.set("mail", "p4ss")
    #expect(try set(vault, "mail", "otpauth://totp/x?secret=\(Self.seed)").status == 0)
    #expect(try vault("get", "mail").text == "p4ss")
    #expect(try vault("otp", "mail").text.count == 6)
    #expect(
      try vault("set", "mail", "--otp", "--field", "other", "--stdin", input: "MEAQ").status == 0)
    #expect(try vault("otp", "mail", "--field", "other").text.count == 6)
  }

  @Test func jsonSaysAllThatIsKnown() throws {
    let vault = try ThrowawayVault()
    _ = try set(
      vault, "a",
      "otpauth://totp/Big:me?secret=\(Self.seed)&digits=8&period=60&algorithm=SHA256")
    let object = try #require(
      try JSONSerialization.jsonObject(with: vault("otp", "a", "--json").output) as? [String: Any])
    #expect((object["code"] as? String)?.count == 8)
    #expect(object["type"] as? String == "totp")
    #expect(object["algorithm"] as? String == "SHA256")
    #expect(object["digits"] as? Int == 8)
    #expect(object["period"] as? Int == 60)
    #expect(object["issuer"] as? String == "Big")
    #expect(object["counter"] is NSNull)
    let left = try #require(object["secondsLeft"] as? Int)
    #expect((1...60).contains(left))
    _ = try set(vault, "s", "steam://\(Self.seed)")
    let steam = try vault("otp", "s", "--json").text
    #expect(steam.contains("\"type\": \"steam\""))
    #expect(steam.contains("\"digits\": 5"))
  }

  @Test func aCountedCodeComesOnceAndItsCountIsKept() throws {
    let vault = try ThrowawayVault()
    try vault.set("token", "first")
    try vault.set("token", "second")
    _ = try set(vault, "token", "otpauth://hotp/t?secret=\(Self.seed)&counter=0&x=y")
    let versions = try vault("history", "token").text
    #expect(try vault("otp", "token").text == Self.counted[0])
    let next = try vault("otp", "token")
    #expect(next.text == Self.counted[1])
    #expect(next.errors.contains("the next one is 2"))
    #expect(
      try vault("read", "secret://token?attribute=otp").text == Self.counted[2])
    #expect(
      try vault("get", "token", "--field", "otp").text
        == "otpauth://hotp/t?secret=\(Self.seed)&counter=3&x=y")
    // Codes make no versions: earlier secrets are not pushed out by them.
    #expect(try vault("history", "token").text == versions)
    #expect(try vault("get", "token", "--version", "1").text == "first")
    #expect(try vault("check").status == 0)
    // What is taken back is the change before, not a code.
    #expect(try vault("undo").status == 0)
    #expect(try vault("otp", "token").status == 1)
  }

  @Test func severalAtOnceNeverGiveTheSameCode() throws {
    let vault = try ThrowawayVault()
    _ = try set(vault, "t", "otpauth://hotp/t?secret=\(Self.seed)&counter=0")
    let running = try (0..<Self.counted.count).map { _ in try vault.command.start(["otp", "t"]) }
    let codes = running.map { $0.finish().text }
    #expect(codes.sorted() == Self.counted.sorted())
  }

  @Test func whatIsNoSeedIsRefusedBeforeAnythingIsStored() throws {
    let vault = try ThrowawayVault()
    for bad in [
      "", "canary 1", "otpauth://totp/x?issuer=canary", "otpauth://totp/x?secret=canary1",
      "https://canary",
    ] {
      let result = try set(vault, "a", bad)
      #expect(result.status == 65, "\(bad)")
      #expect(result.errors.hasPrefix("vault: error: "))
      #expect(result.errors.contains("\nvault: hint: "))
      #expect(!result.errors.contains("canary"))
    }
    #expect(try vault("list").text == "")
    try vault.set("plain", "canary-1")
    let none = try vault("otp", "plain")
    #expect(none.status == 1)
    #expect(none.errors.contains("vault set NAME --otp"))
    #expect(try vault("otp", "missing").status == 1)
    #expect(try vault("otp", "plain", "--field", "x").status == 1)
    _ = try vault("set", "plain", "--field", "otp", "--stdin", input: "canary 1")
    let damaged = try vault("otp", "plain", "--json")
    #expect(damaged.status == 65)
    #expect(damaged.errors.contains("\"invalid-seed\""))
    #expect(!damaged.errors.contains("canary"))
    #expect(try vault("set", "a", "otpauth://totp/x?secret=canary", "--otp").status == 64)
  }

  @Test func aReferenceGivesTheCodeToACommand() throws {
    let vault = try ThrowawayVault()
    _ = try set(vault, "t", "otpauth://hotp/t?secret=\(Self.seed)")
    let child = try vault(
      "run", "--env", "CODE=secret://t?attribute=otp", "--env",
      "NONE=secret://u?attribute=otp&default=x",
      "--", "sh", "-c", "printf %s,%s $CODE $NONE")
    #expect(child.text == "\(Self.counted[0]),x")
    try vault.set("plain", "x")
    #expect(try vault("read", "secret://plain?attribute=otp").status == 1)
  }

  @Test func seedsThatImportsBringAreFound() throws {
    let vault = try ThrowawayVault()
    let csv =
      "Group,Title,Username,Password,URL,Notes,TOTP\nRoot,A,u,p,,,otpauth://totp/x?secret=\(Self.seed)\n"
    let path = "\(vault.home.path)/kp.csv"
    try Data(csv.utf8).write(to: URL(fileURLWithPath: path))
    #expect(try vault("import", "keepassxc", path).status == 0)
    #expect(try vault("otp", "A").text.count == 6)
    let onePassword =
      "Title,Url,Username,Password,OTPAuth\nB,,u,p,otpauth://totp/x?secret=\(Self.seed)&digits=8\n"
    _ = try vault("import", "1password", "-", input: onePassword)
    #expect(try vault("otp", "B").text.count == 8)
    let bitwarden = """
      {"encrypted": false, "items": [{"type": 1, "name": "C", "login": {"password": "p", "totp": "steam://\(Self.seed)"}},
        {"type": 1, "name": "D", "login": {"password": "p", "totp": "\(Self.seed)"}}]}
      """
    _ = try vault("import", "bitwarden", "-", input: bitwarden)
    #expect(try vault("otp", "C").text.count == 5)
    #expect(try vault("otp", "D").text.count == 6)
    // A pass entry of pass-otp's own is nothing but the address.
    try vault.set("E", "otpauth://hotp/x?secret=\(Self.seed)&counter=1\n")
    #expect(try vault("otp", "E").text == Self.counted[1])
    #expect(try vault("get", "E").text == "otpauth://hotp/x?secret=\(Self.seed)&counter=2\n")
  }

  @Test(arguments: [
    ([("TOTP Seed", seed), ("TOTP Settings", "60;8")], "period=60&digits=8"),
    ([("TOTP Seed", seed), ("TOTP Settings", "30;S")], "period=30&encoder=steam"),
    (
      [
        ("TimeOtp-Secret-Base32", seed), ("TimeOtp-Length", "8"), ("TimeOtp-Period", "20"),
        ("TimeOtp-Algorithm", "HMAC-SHA-512"),
      ], "period=20&digits=8&algorithm=HMAC-SHA-512"
    ),
    ([("HmacOtp-Secret-Base32", seed), ("HmacOtp-Counter", "4")], "counter=4"),
  ])
  func olderKeePassFieldsBecomeASeed(
    fields: [(String, String)], expected: String
  ) throws {
    let vault = try ThrowawayVault()
    let strings = fields.map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }
    let xml = """
      <KeePassFile><Root><Group><Name>Root</Name><Entry><String><Key>Title</Key><Value>T</Value></String>
      \(strings.joined())</Entry></Group></Root></KeePassFile>
      """
    #expect(try vault("import", "keepassxc", "-", input: xml).status == 0)
    let kind = fields[0].0.hasPrefix("Hmac") ? "hotp" : "totp"
    // Without a password, the seed is the secret.
    #expect(
      try vault("get", "T").text == "otpauth://\(kind)/?secret=\(Self.seed)&\(expected)")
    let code = try vault("otp", "T")
    #expect(code.status == 0, "\(code.errors)")
    if kind == "hotp" { #expect(code.text == Self.counted[4]) }
  }

  @Test(
    .enabled(
      if: Oathtool.isInstalled, "oathtool is not installed"))
  func theCodeIsTheOneOathtoolGivesNow() throws {
    let vault = try ThrowawayVault()
    _ = try set(vault, "t", "otpauth://totp/t?secret=\(Self.seed)&algorithm=SHA512&digits=7")
    // The period may end between two of these: then one side agrees.
    let before = try theirs()
    let mine = try vault("otp", "t").text
    let after = try theirs()
    #expect([before, after].contains(mine))
  }

  private func theirs() throws -> String {
    try Oathtool.code(["--totp=sha512", "-b", "-d", "7", Self.seed])
  }
}
