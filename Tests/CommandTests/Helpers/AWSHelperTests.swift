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

  /// The interpreter that has botocore may be another one than Debian's.
  private static func path(_ links: HelperLinks) -> String {
    "\(links.folder):" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
  }

  private static let hasBotocore =
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import botocore.session"]).status)
    == 0
}
