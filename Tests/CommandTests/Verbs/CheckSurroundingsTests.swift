import Foundation
import TestSupport
import Testing

/// What `vault check` says of the command itself and of its memory.
struct CheckSurroundingsTests {
  @Test func everyLinkedLibraryIsNamedWithItsVersion() throws {
    let vault = try ThrowawayVault()
    let run = try vault("check", "--json")
    let object = try JSONSerialization.jsonObject(with: run.output) as? [String: Any]
    let libraries = try #require(object?["libraries"] as? [String: String], "\(run.text)")
    #expect(Set(libraries.keys) == ["libsodium", "SQLite", "expat", "Mbed TLS", "zlib", "toml++"])
    for (name, version) in libraries {
      #expect(
        try version.wholeMatch(of: Regex(#"\d+\.\d+\.\d+(\.\d+)?"#)) != nil, "\(name) \(version)")
    }
    let text = try vault("check").text
    for (name, version) in libraries { #expect(text.contains("\(name) \(version)")) }
  }

  /// In a user namespace root is nobody special to the kernel: the limit holds.
  @Test(.enabled(if: PythonScript.mountsItsOwn, "no user namespaces are allowed"))
  func longSecretsThatMayBeSwappedOutAreToldOf() throws {
    let vault = try ThrowawayVault()
    func check(_ limit: String) throws -> String {
      let run = try VaultProcess(
        home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/env"
      ).run([
        "unshare", "--user", "--map-root-user", "prlimit", "--memlock=\(limit):", VaultProcess.path,
        "check", "--no-session",
      ])
      #expect(run.status == 0, "\(run.errors)")
      return run.text
    }
    #expect(
      try check("131072").contains("memory that holds long secrets, from 8 KiB on, may be swapped"))
    #expect(try check("0").contains("memory that holds secrets may be swapped out here"))
  }
}
