import Foundation
import TestSupport
import Testing

struct GenerateTests {
  private let home: TemporaryHome
  private let vault: VaultProcess

  init() throws {
    home = try TemporaryHome()
    vault = VaultProcess(
      home: home.path, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/no-bus"])
  }

  private func generate(_ arguments: String...) throws -> VaultProcess.Result {
    try vault.run(["generate"] + arguments)
  }

  @Test func aPasswordGoesToStdoutAndItsBitsToStderr() throws {
    let made = try generate()
    #expect(made.status == 0)
    #expect(made.output.count == 20)
    #expect(made.errors.hasPrefix("vault: 130.9 bits: 20 characters of 94, at least one of each"))
    #expect(!made.errors.contains("weak"))
    #expect(try generate().output != made.output)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
  }

  @Test(arguments: [
    (["--length", "12", "--lower"], "^[a-z]{12}$"),
    (["--lower", "--digits"], "^[a-z0-9]{20}$"),
    (["--no-symbols", "--no-upper"], "^[a-z0-9]{20}$"),
    (["--length", "64", "--exclude-look-alikes", "--no-symbols"], "^[^0OoQ1Il|2Z5S8B6G]{64}$"),
    (["--length", "64", "--exclude", "abc", "--lower"], "^[d-z]{64}$"),
    (["--words", "4"], "^[a-z-]{15,39}$"),
    (["--words", "2", "--separator", "_", "--capitalize"], "^[A-Z][a-z-]+_[A-Z][a-z-]+$"),
    (["--words", "2", "--separator", "", "--capitalise"], "^[A-Z][a-z-]+[A-Z][a-z-]+$"),
    (["--pattern", "ll-dd"], "^[a-z]{2}-[0-9]{2}$"),
  ])
  func optionsSayWhatItIsLike(options: [String], expression: String) throws {
    let made = try vault.run(["generate"] + options)
    #expect(made.status == 0, "\(made.errors)")
    #expect(
      made.text.range(of: expression, options: .regularExpression) != nil, "\(made.text)")
  }

  @Test func aWeakOneIsMadeAndSaidToBeWeak() throws {
    let made = try generate("--length", "4", "--digits")
    #expect(made.status == 0)
    #expect(made.text.wholeMatch(of: /[0-9]{4}/) != nil)
    #expect(made.errors.contains("13.2 bits"))
    #expect(made.errors.contains("weak"))
  }

  @Test func manyAreLinesAndJSONHasThemAll() throws {
    let many = try generate("--count", "5", "--words", "6")
    #expect(many.text.split(separator: "\n").count == 5)
    #expect(many.text.hasSuffix("\n"))
    #expect(Set(many.text.split(separator: "\n")).count == 5)
    let json = try generate("--json", "--count", "2", "--length", "8", "--lower")
    #expect(json.errors == "")
    let object = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(object["schema"] as? Int == 1)
    #expect((object["secrets"] as? [String])?.count == 2)
    #expect(object["bits"] as? Double == 37.6)
    #expect(object["isWeak"] as? Bool == true)
  }

  @Test(arguments: [
    ["--length", "8", "--words", "4"], ["--words", "4", "--pattern", "l"], ["--separator", "x"],
    ["--capitalize"], ["--words", "4", "--exclude", "a"], ["--count", "0"], ["--count", "1001"],
    ["--length", "0"], ["--length", "x"], ["--digits", "--exclude", "0123456789"],
    ["--no-lower", "--no-upper", "--no-digits", "--no-symbols"], ["--pattern", "q"], ["word"],
  ])
  func whatMakesNoSenseIsRefused(options: [String]) throws {
    let result = try vault.run(["generate"] + options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("vault: error: "))
  }

  @Test(arguments: [
    (["--length", "5000"], "--length is not a number from 1 to 4096"),
    (["--length", "3"], "--length 3 has no room for one of each of 4 kinds"),
    (["--no-lower", "--no-upper", "--no-digits", "--no-symbols"], "no kind of character is left"),
    (["--digits", "--exclude", "0123456789"], "--exclude leaves nothing of the digits"),
    (["--words", "0"], "--words is not a number from 1 to 100"),
    (
      ["--words", "2", "--separator", String(repeating: "x", count: 65)],
      "--separator has at most 64 bytes"
    ),
    (["--pattern", "[a"], "--pattern cannot be read: a '[' has no ']'"),
  ])
  func anImpossibleRecipeIsReportedInTermsOfTheOptions(options: [String], message: String) throws {
    let refused = try vault.run(["generate", "--json"] + options)
    #expect(refused.status == 64)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(refused.errors.utf8)) as? [String: Any])
    let error = try #require(object["error"] as? [String: Any])
    #expect(error["code"] as? String == "usage")
    #expect(error["message"] as? String == message)
  }

  @Test func setKeepsWhatItMakes() throws {
    let vault = try ThrowawayVault()
    let kept = try vault("set", "db", "--generate", "--length", "40", "--no-symbols")
    #expect(kept.status == 0)
    #expect(kept.text == "")
    #expect(kept.errors.contains("238.1 bits"))
    #expect(kept.errors.contains("stored: 40 bytes, fingerprint "))
    let secret = try vault("get", "db").text
    #expect(secret.wholeMatch(of: /[A-Za-z0-9]{40}/) != nil)
    #expect(!kept.errors.contains(secret))
    let shown = try vault("set", "db", "--generate", "--words", "5", "--show", "--field", "pin")
    #expect(try vault("get", "db", "--field", "pin").output == shown.output)
    #expect(try vault("get", "db").text == secret)
    let json = try vault("set", "db", "--generate", "--json", "--show")
    let object = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(object["secret"] as? String == (try vault("get", "db").text))
    #expect(object["bits"] as? Double == 130.9)
    #expect(object["length"] as? Int == 20)
    for line in [
      ["--generate", "--stdin"], ["--length", "8"], ["--show"], ["--generate", "--otp"],
      ["--generate", "--length", "2"], ["--words", "3", "--stdin"],
    ] {
      #expect(try vault.command.run(["set", "other"] + line).status == 64, "\(line)")
    }
    #expect(try vault("list").text == "db\n")
  }
}
