import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultProtocols

struct GitHelperTests {
  private func store(_ links: HelperLinks, _ lines: String) throws {
    let result = try links.call("git-credential-vault", ["store"], input: lines)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.text.isEmpty)
  }

  private func get(_ links: HelperLinks, _ lines: String) throws -> String {
    let result = try links.call("git-credential-vault", ["get"], input: lines)
    #expect(result.status == 0, "\(result.errors)")
    return result.text
  }

  private let host = "protocol=https\nhost=example.com\n"

  @Test func aStoredCredentialIsReturned() throws {
    let links = try HelperLinks()
    #expect(try get(links, host) == "")
    try store(links, host + "username=david\npassword=p=w ü\n\n")
    #expect(try get(links, host) == "username=david\npassword=p=w ü\n")
    #expect(try get(links, host + "username=david\n") == "username=david\npassword=p=w ü\n")
    #expect(try get(links, host + "username=other\n") == "")
    #expect(try get(links, "protocol=http\nhost=example.com\n") == "")
    #expect(try get(links, "protocol=https\nhost=example.com:443\n") == "")
    #expect(try get(links, "protocol=https\nhost=\n") == "")
    #expect(try get(links, "host=example.com\n") == "")
    #expect(try links.vault("list").text == "git/example.com/david\n")
    #expect(try links.vault("credential", "git", "get", input: host).text.contains("p=w ü"))
  }

  @Test(.enabled(if: HelperLinks.isInstalled("strace"), "strace is not installed"))
  func anAnswerNeedsOneReadOfTheVaultFile() throws {
    let links = try HelperLinks()
    try store(links, host + "username=david\npassword=p\noauth_refresh_token=r\n")
    let trace = "\(links.home)/trace"
    let answer = try links.run(
      "strace",
      ["-f", "-o", trace, "-e", "trace=open,openat,openat2", "git-credential-vault", "get"],
      input: host)
    #expect(answer.text.contains("password=p\n"), "\(answer.errors)")
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(calls.count { $0.contains("secrets.vault\"") } == 1)
  }

  @Test func usersOfOneHostAreKeptApartAndEmptyOnesKept() throws {
    let links = try HelperLinks()
    try store(links, host + "username=a\npassword=1\n")
    try store(links, host + "username=b\npassword=2\n")
    try store(links, host + "username=\npassword=\n")
    #expect(try get(links, host + "username=a\n") == "username=a\npassword=1\n")
    #expect(try get(links, host + "username=b\n") == "username=b\npassword=2\n")
    #expect(try get(links, host + "username=\n") == "username=\npassword=\n")
    try store(links, host + "username=a\npassword=3\n")
    #expect(try get(links, host + "username=a\n") == "username=a\npassword=3\n")
    #expect(try links.vault("list").text.split(separator: "\n").count == 3)
  }

  @Test func thePathCountsWhereGitSendsIt() throws {
    let links = try HelperLinks()
    try store(links, host + "path=one.git\nusername=a\npassword=1\n")
    try store(links, host + "path=two.git\nusername=a\npassword=2\n")
    #expect(try get(links, host + "path=one.git\n") == "username=a\npassword=1\n")
    #expect(try get(links, host + "path=two.git\n") == "username=a\npassword=2\n")
    #expect(try get(links, host + "path=three.git\n") == "")
    try store(links, host + "username=a\npassword=general\n")
    #expect(try get(links, host) == "username=a\npassword=general\n")
  }

  @Test func anUnchangedCredentialIsNoNewVersion() throws {
    let links = try HelperLinks()
    for _ in 0..<3 { try store(links, host + "username=a\npassword=1\n") }
    #expect(try links.vault("history", "git/example.com/a").text.split(separator: "\n").count == 1)
  }

  @Test func expiryAndRefreshTokenAreKept() throws {
    let links = try HelperLinks()
    try store(
      links,
      host + "username=a\npassword=1\npassword_expiry_utc=4102444800\noauth_refresh_token=r\n")
    #expect(
      try get(links, host)
        == "username=a\npassword=1\noauth_refresh_token=r\npassword_expiry_utc=4102444800\n")
    // An ended password is neither stored nor offered.
    try store(links, host + "username=b\npassword=2\npassword_expiry_utc=1000\n")
    #expect(try get(links, host + "username=b\n") == "")
    _ = try links.vault(
      "set", "git/example.com/a", "--stdin", "--expires", "2020-01-01", input: "old")
    #expect(try get(links, host) == "username=a\noauth_refresh_token=r\n")
  }

  @Test func capabilitiesAreSpokenOfOnlyToThoseWhoHaveThem() throws {
    let links = try HelperLinks()
    let said = try links.call("git-credential-vault", ["capability"]).text
    #expect(said == "version 0\ncapability authtype\ncapability state\n")
    try store(links, host + "capability[]=authtype\nauthtype=Bearer\ncredential=tok\n")
    #expect(try get(links, host) == "")
    #expect(
      try get(links, "capability[]=authtype\n" + host)
        == "capability[]=authtype\nauthtype=Bearer\ncredential=tok\n")
    let withState = try get(links, "capability[]=authtype\ncapability[]=state\n" + host)
    #expect(withState.hasPrefix("capability[]=authtype\ncapability[]=state\nauthtype=Bearer\n"))
    #expect(withState.contains("state[]=vault:"))
  }

  @Test func anEphemeralCredentialIsNeverStored() throws {
    let links = try HelperLinks()
    try store(links, host + "authtype=Bearer\ncredential=tok\nephemeral=1\n")
    try store(links, host + "username=a\npassword=tok\nephemeral=1\n")
    #expect(try links.vault("list").text == "")
  }

  @Test func onlyWhatWasRejectedIsErased() throws {
    let links = try HelperLinks()
    func erase(_ lines: String) throws {
      #expect(try links.call("git-credential-vault", ["erase"], input: lines).status == 0)
    }
    try store(links, host + "username=a\npassword=1\n")
    try store(links, host + "username=b\npassword=2\n")
    try erase("")
    try erase("protocol=https\nhost=\n")
    try erase("protocol=https\nhost=other.example\n")
    try erase(host + "username=a\npassword=newer\n")
    #expect(try links.vault("list").text.split(separator: "\n").count == 2)
    try erase(host + "username=a\npassword=1\n")
    #expect(try links.vault("list").text == "git/example.com/b\n")
    try erase(host + "state[]=vault:00\nusername=b\n")
    #expect(try links.vault("list").text == "git/example.com/b\n")
    try erase(host + "state[]=other:1\n")
    #expect(try links.vault("list").text == "")
  }

  @Test(arguments: [
    "protocol=https\nhost=evil.example\rhost=example.com\n",
    "protocol=https\nhost=evil.example\u{0}\n", "protocol=https\nno key\n",
    "=https\nhost=example.com\n",
    "protocol=https\nhost=example.com\nwwwauth[]=" + String(repeating: "x", count: 66_000) + "\n",
  ])
  func aDescriptionThatCouldBeReadTwoWaysIsRefused(lines: String) throws {
    let links = try HelperLinks()
    try store(links, host + "username=a\npassword=1\n")
    let result = try links.call("git-credential-vault", ["get"], input: lines)
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
  }

  @Test func longAndForeignLinesAreNoOtherKeys() throws {
    let links = try HelperLinks()
    try store(links, host + "username=a\npassword=1\n")
    let answer = try get(
      links,
      host + "wwwauth[]=Basic realm=\"\(String(repeating: "username=b ", count: 500))\"\n"
        + "unknown=1\nwwwauth[]=\n")
    #expect(answer == "username=a\npassword=1\n")
  }

  @Test func namesThatWouldMeetAreTwoItems() throws {
    let links = try HelperLinks()
    try store(links, host + "username=a/b\npassword=1\n")
    try store(links, host + "username=a\npath=b\npassword=2\n")
    try store(links, "protocol=http\nhost=example.com\nusername=u\npassword=3\n")
    try store(links, "protocol=https\nhost=http\nusername=example.com/u\npassword=4\n")
    try store(links, host + "username=\u{E9}\npassword=5\n")
    try store(links, host + "username=e\u{301}\npassword=6\n")
    #expect(try links.vault("list").text.split(separator: "\n").count == 6)
    #expect(try get(links, host + "username=a/b\n").hasSuffix("password=1\n"))
    #expect(try get(links, host + "username=a\npath=b\n").hasSuffix("password=2\n"))
    #expect(try get(links, host + "username=\u{E9}\n").hasSuffix("password=5\n"))
    #expect(try get(links, host + "username=e\u{301}\n").hasSuffix("password=6\n"))
    // A user's own item of that name is left alone.
    try links.vault.set("git/taken.example/a", "mine")
    try store(links, "protocol=https\nhost=taken.example\nusername=a\npassword=7\n")
    #expect(try links.vault("get", "git/taken.example/a").text == "mine")
  }

  @Test func aSecretWithALineBreakIsRefusedNotCut() throws {
    let links = try HelperLinks()
    try store(links, host + "username=a\npassword=1\n")
    try links.vault.set("git/example.com/a", "two\nlines=x")
    let result = try links.call("git-credential-vault", ["get"], input: host)
    #expect(result.status != 0)
    #expect(result.text.isEmpty)
    #expect(!result.errors.contains("lines=x"))
  }

  @Test func aLockedVaultIsNotNothingFound() throws {
    let links = try HelperLinks()
    try store(links, host + "username=a\npassword=1\n")
    let result = try links.call(
      "git-credential-vault", ["get"], input: host, adding: try links.locked())
    #expect(result.status == 77)
    #expect(result.text.isEmpty)
    #expect(result.errors.contains("vault: error: "))
  }

  @Test func withoutAVaultThereIsNothingAndNothingIsMade() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let result = try vault.run(["credential", "git", "get"], input: Data(host.utf8))
    #expect(result.status == 0)
    #expect(result.text.isEmpty)
    #expect(home.names().isEmpty)
  }

  @Test func unknownOperationsAreIgnored() throws {
    let links = try HelperLinks()
    let result = try links.call("git-credential-vault", ["rotate"], input: host)
    #expect(result.status == 0)
    #expect(result.text.isEmpty && result.errors.isEmpty)
  }

  @Test func theInstallerMakesALinkForEachHelper() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../scripts/links").standardized.path
    let names = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    let links = CredentialProtocol.links(command: "vault")
    #expect(Set(links.map(\.name)).isSubset(of: Set(names)))
    for link in links {
      #expect(CredentialProtocol(calledAs: "/usr/bin/\(link.name)") == link.face)
    }
    #expect(CredentialProtocol(calledAs: "git-credential-lvault") == .git)
    #expect(CredentialProtocol(calledAs: "lvault") == nil)
  }

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("git") && HelperLinks.isInstalled("python3"),
      "git or python3 is not installed"))
  func gitClonesAndPushesWithIt() throws {
    let links = try HelperLinks()
    let result = try PythonScript("git_http").run([links.folder, links.home])
    #expect(result.status == 0, "\(result.errors)")
  }
}
