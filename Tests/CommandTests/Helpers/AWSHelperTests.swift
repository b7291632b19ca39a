import Foundation
import TestSupport
import Testing

struct AWSHelperTests {
  private func fields(_ result: VaultProcess.Result) throws -> NSDictionary {
    try #require(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? NSDictionary)
  }

  @Test func theKeysOfAProfileAreGiven() throws {
    let links = try HelperLinks()
    _ = try links.vault(
      "set", "aws/work", "--stdin", "--attribute", "access-key-id=AKIAEXAMPLE", input: "s/3+cr3t")
    let answer = try fields(try links.vault("credential", "aws", "work"))
    #expect(
      answer == ["Version": 1, "AccessKeyId": "AKIAEXAMPLE", "SecretAccessKey": "s/3+cr3t"])
  }

  @Test func whatCredentialProcessSaysCanBeStored() throws {
    let links = try HelperLinks()
    let given = """
      {"Version": 1, "AccessKeyId": "ASIA", "SecretAccessKey": "k", "SessionToken": "t",
       "Expiration": "2100-01-01T00:00:00+00:00", "AccountId": "123456789012"}
      """
    #expect(try links.vault("credential", "aws", "a b", "store", input: given).status == 0)
    #expect(try links.vault("list").text == "aws/a%20b\n")
    let answer = try fields(try links.vault("credential", "aws", "a b", "get"))
    #expect(
      answer == [
        "Version": 1, "AccessKeyId": "ASIA", "SecretAccessKey": "k", "SessionToken": "t",
        "Expiration": "2100-01-01T00:00:00Z", "AccountId": "123456789012",
      ])
    #expect(try links.vault("credential", "aws", "a b", "store", input: "{}").status == 64)
    #expect(try links.vault("credential", "aws", "a b", "erase").status == 0)
    #expect(try links.vault("credential", "aws", "a b").status == 1)
  }

  @Test func missingExpiredAndLockedCredentialsHaveDifferentErrors() throws {
    let links = try HelperLinks()
    #expect(try links.vault("credential", "aws", "none").status == 1)
    #expect(try links.vault("credential", "aws").status == 64)
    try links.vault.set("aws/bare", "k")
    #expect(try links.vault("credential", "aws", "bare").status == 78)
    _ = try links.vault(
      "set", "aws/old", "--stdin", "--attribute", "access-key-id=A", "--expires", "2020-01-01",
      input: "canary-k")
    let ended = try links.vault("credential", "aws", "old")
    #expect(ended.status == 1)
    #expect(ended.text.isEmpty && !ended.errors.contains("canary-k"))
    let locked = try links.call(
      "vault", ["credential", "aws", "old"], adding: try links.locked())
    #expect(locked.status == 77)
  }

  @Test(.enabled(if: hasBotocore, "botocore is not installed (pip install awscli)"))
  func botocoreTakesThemFromTheProfile() throws {
    let links = try HelperLinks()
    _ = try links.vault(
      "set", "aws/work", "--stdin", "--attribute", "access-key-id=AKIAEXAMPLE", input: "s3cr3t")
    try FileManager.default.createDirectory(
      atPath: "\(links.home)/.aws", withIntermediateDirectories: false)
    try Data("[profile work]\ncredential_process = vault credential aws work\n".utf8)
      .write(to: URL(fileURLWithPath: "\(links.home)/.aws/config"))
    let script = """
      import botocore.session
      found = botocore.session.Session(profile='work').get_credentials()
      print(found.access_key, found.secret_key, found.method)
      """
    let result = try links.run("python3", ["-c", script], adding: ["PATH": Self.path(links)])
    #expect(result.text == "AKIAEXAMPLE s3cr3t custom-process\n", "\(result.errors)")
  }

  /// A name with blanks stands in quotes in `~/.aws/config`: botocore splits it as a shell does.
  @Test func aProfileWithABlankStandsInQuotes() throws {
    let made = try ThrowawayVault()
    let folder = "\(made.home.path)/.aws"
    func write(_ name: String, _ text: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    func config() throws -> String {
      try String(contentsOfFile: "\(folder)/config", encoding: .utf8)
    }
    try write("credentials", "[my work]\naws_access_key_id=AKIA3\naws_secret_access_key=s3\n")
    try write("config", "[profile 'my work']\nregion = eu-west-1\n")
    let moved = try made("connect", "aws", "my work", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    let connected = try config()
    #expect(connected.contains("[profile 'my work']\n"), "\(connected)")
    #expect(connected.components(separatedBy: "[profile").count == 2, "\(connected)")
    #expect(connected.contains("credential aws \"my work\""), "\(connected)")
    #expect(try made("disconnect", "aws", "my work").status == 0)
    #expect(try config() == "[profile 'my work']\nregion = eu-west-1\n")
    // Its keys may stand below such a heading, beside those of others.
    try write(
      "config",
      """
      [profile "x y"]
      aws_access_key_id=AKIA4
      aws_secret_access_key=s4
      [profile it]
      aws_access_key_id=AKIA5
      aws_secret_access_key=s5

      """)
    try FileManager.default.removeItem(atPath: "\(folder)/credentials")
    let all = try made("import", "home", "--yes")
    #expect(all.status == 0, "\(all.errors)")
    #expect(try !config().contains("s4") && !config().contains("s5"))
    #expect(try config().contains("[profile \"x y\"]"))
    #expect(try made("credential", "aws", "x y").text.contains("\"s4\""))
  }

  /// The interpreter that has botocore may be another one than Debian's.
  private static func path(_ links: HelperLinks) -> String {
    "\(links.folder):" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
  }

  private static let hasBotocore =
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import botocore.session"]).status)
    == 0
}
