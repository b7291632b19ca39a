import Foundation
import TestSupport
import Testing

struct KeyringHelperTests {
  @Test(arguments: [
    ("https://pypi.example/simple/", "david"), ("-x", "--mode"), ("a b\t'\"", "-"),
    ("--output", "plain"), ("日本", "ü@%/"), ("a/b", "c"),
  ])
  func aPasswordIsSetAndReturned(service: String, username: String) throws {
    let links = try HelperLinks()
    let secret = " p w=%ü\\"
    #expect(try links.call("keyring", ["get", service, username]).status == 1)
    let stored = try links.call("keyring", ["set", service, username], input: secret + "\n")
    #expect(stored.status == 0, "\(stored.errors)")
    #expect(stored.text.isEmpty)
    #expect(try links.call("keyring", ["get", service, username]).text == secret + "\n")
    #expect(try links.call("keyring", ["get", service, username + "x"]).status == 1)
    #expect(try links.call("keyring", ["del", service, username]).status == 0)
    #expect(try links.call("keyring", ["get", service, username]).status == 1)
    #expect(try links.call("keyring", ["del", service, username]).status == 1)
  }

  @Test func servicesAndUsersThatWouldMeetAreTwoItems() throws {
    let links = try HelperLinks()
    for (number, pair) in [("a/b", "c"), ("a", "b/c"), ("\u{E9}", "x"), ("e\u{301}", "x")]
      .enumerated()
    {
      _ = try links.call("keyring", ["set", pair.0, pair.1], input: "\(number)\n")
    }
    #expect(try links.call("keyring", ["get", "a/b", "c"]).text == "0\n")
    #expect(try links.call("keyring", ["get", "a", "b/c"]).text == "1\n")
    #expect(try links.call("keyring", ["get", "\u{E9}", "x"]).text == "2\n")
    #expect(try links.call("keyring", ["get", "e\u{301}", "x"]).text == "3\n")
  }

  @Test func uvAsksForUserAndPassword() throws {
    let links = try HelperLinks()
    let host = "pypi.example:8080"
    _ = try links.call("keyring", ["set", host, "david"], input: "pw\n")
    let both = "david\npw\n"
    #expect(try links.call("keyring", ["get", host, "--mode", "creds"]).text == both)
    #expect(try links.call("keyring", ["--mode", "creds", "get", host]).text == both)
    #expect(try links.call("keyring", ["get", "--mode", "creds", host]).text == both)
    #expect(try links.call("keyring", ["get", "--mode", "creds", host, "david"]).text == both)
    #expect(try links.call("keyring", ["get", host, "david", "--mode", "creds"]).text == both)
    _ = try links.call("keyring", ["set", host, "other"], input: "2\n")
    let several = try links.call("keyring", ["get", host, "--mode", "creds"])
    #expect(several.status == 1)
    #expect(several.text.isEmpty)
    #expect(try links.call("keyring", ["get", host]).status == 64)
  }

  @Test func theServiceVaultIsTheVaultsOwnItems() throws {
    let links = try HelperLinks()
    try links.vault.set("work/token", "s")
    #expect(try links.call("keyring", ["get", "vault", "work/token"]).text == "s\n")
    _ = try links.call("keyring", ["set", "vault", "new"], input: "n\n")
    #expect(try links.vault("get", "new").text == "n")
  }

  @Test func aLockedVaultIsNotNothingFound() throws {
    let links = try HelperLinks()
    let result = try links.call("keyring", ["get", "s", "u"], adding: try links.locked())
    #expect(result.status == 77)
    #expect(result.text.isEmpty)
    #expect(result.errors.contains("vault: error: "))
  }

  @Test(.enabled(if: hasPip, "pip of 23.1 or newer is not installed, or has no venv"))
  func pipTakesItsPasswordFromIt() throws {
    let links = try HelperLinks()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let result = try links.run(
      "python3", [PythonScript.location("pip_index.py"), links.folder, links.home],
      adding: ["PATH": "\(links.folder):\(path)"])
    #expect(result.status == 0, "\(result.errors)")
  }

  private static let hasPip: Bool = {
    let script = "import pip; assert tuple(map(int, pip.__version__.split('.')[:2])) >= (23, 1)"
    return (try? PythonScript.run("/usr/bin/env", ["python3", "-c", script]).status) == 0
  }()
}
