import Foundation
import TestSupport
import Testing

struct DockerHelperTests {
  private let helper = "docker-credential-vault"
  private let index = "https://index.docker.io/v1/"

  private func store(_ links: HelperLinks, _ server: String, _ user: String, _ secret: String)
    throws
  {
    let object = try JSONSerialization.data(withJSONObject: [
      "ServerURL": server, "Username": user, "Secret": secret,
    ])
    let result = try links.call(helper, ["store"], input: String(decoding: object, as: UTF8.self))
    try #require(result.status == 0, "\(result.text)\(result.errors)")
    #expect(result.text.isEmpty)
  }

  @Test func credentialsAreStoredReturnedListedAndErased() throws {
    let links = try HelperLinks()
    #expect(try links.call(helper, ["list"]).text == "{}\n")
    try store(links, index, "david", "p\"w\\ \u{E9}\n/")
    try store(links, "ghcr.io", "<token>", "identity")
    let answer = try links.call(helper, ["get"], input: " \(index)\n")
    #expect(answer.status == 0)
    let fields = try JSONSerialization.jsonObject(with: answer.output) as? [String: String]
    #expect(
      fields == ["ServerURL": index, "Username": "david", "Secret": "p\"w\\ \u{E9}\n/"])
    #expect(answer.text.hasSuffix("}\n") && answer.text.split(separator: "\n").count == 1)
    #expect(
      try links.call(helper, ["list"]).text
        == "{\"ghcr.io\":\"<token>\",\"\(index)\":\"david\"}\n")
    #expect(try links.call(helper, ["get"], input: "GHCR.io").text.contains("identity"))
    #expect(try links.call(helper, ["erase"], input: index).status == 0)
    #expect(try links.call(helper, ["list"]).text == "{\"ghcr.io\":\"<token>\"}\n")
    #expect(try links.vault("list").text == "docker/ghcr.io\n")
  }

  @Test func theErrorsAreThoseThatDockerComparesWith() throws {
    let links = try HelperLinks()
    func said(_ action: String, _ input: String) throws -> String {
      let result = try links.call(helper, [action], input: input)
      #expect(result.status == 1)
      #expect(result.errors.isEmpty)
      return result.text
    }
    #expect(try said("get", "none.example") == "credentials not found in native keychain\n")
    #expect(try said("get", " \n") == "no credentials server URL\n")
    #expect(try said("erase", "") == "no credentials server URL\n")
    #expect(try said("store", #"{"Username":"a","Secret":"s"}"#) == "no credentials server URL\n")
    #expect(
      try said("store", #"{"ServerURL":"x","Username":"","Secret":"s"}"#)
        == "no credentials username\n")
    #expect(try said("frob", "").contains("unknown action: frob\n"))
    #expect(try said("store", "secret text").split(separator: "\n").count == 1)
    #expect(try !said("store", "secret text").contains("secret text"))
    #expect(try said("store", #"{"ServerURL":"x\ny","Username":"a","Secret":"s"}"#) != "")
    #expect(
      try said("get", "ghcr.io\nevil.example") != "credentials not found in native keychain\n")
    let version = try links.call(helper, ["version"])
    #expect(version.text == "docker-credential-vault (vault) v0.1.0\n")
  }

  @Test func toEraseNothingIsNoError() throws {
    let links = try HelperLinks()
    for _ in 0..<2 {
      let result = try links.call(helper, ["erase"], input: "none.example")
      #expect(result.status == 0 && result.text.isEmpty && result.errors.isEmpty)
      try store(links, index, "david", "pw")
    }
  }

  @Test func aLockedVaultIsNotNotFound() throws {
    let links = try HelperLinks()
    try store(links, index, "david", "pw")
    for action in ["get", "list", "erase"] {
      let result = try links.call(helper, [action], input: index, adding: try links.locked())
      #expect(result.status == 1)
      #expect(result.text.hasPrefix("vault: "))
      #expect(!result.text.contains("not found"))
      #expect(result.text.split(separator: "\n").count == 1)
    }
    #expect(try links.call(helper, ["get"], input: index).text.contains("pw"))
  }

  @Test func aSecondLoginReplacesTheFirst() throws {
    let links = try HelperLinks()
    try store(links, index, "david", "one")
    try store(links, index, "david", "one")
    try store(links, index, "other", "two")
    #expect(try links.call(helper, ["get"], input: index).text.contains("\"other\""))
    #expect(try links.vault("list").text == "docker/index.docker.io/v1\n")
    #expect(try links.vault("history", "docker/index.docker.io/v1").text.contains("2"))
  }

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("docker") && HelperLinks.isInstalled("python3"),
      "the docker client or python3 is not installed"))
  func dockerLogsInAndOut() throws {
    let links = try HelperLinks()
    let result = try PythonScript("docker_login").run([links.folder, links.home])
    #expect(result.status == 0, "\(result.errors)")
  }
}
