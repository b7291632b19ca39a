import Foundation
import TestSupport
import Testing

/// `vault audit`: what it finds, and that it shows no secret.
struct AuditTests {
  /// A vault with one of everything.
  private func mixed() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for (name, secret) in [
      ("a/one", "canary-Xv7#qLw2pR"), ("b/two", "canary-Xv7#qLw2pR"), ("c", "canary-Xv7#qLw2pR"),
      ("good", "canary-9Zk!tYb4mN"), ("weak", "monkey1"), ("empty", ""),
      ("long", "line\nmonkey\n"), ("u", "canary-5Hj?dFs8wC"), ("soon", "canary-3Rg+xVn6zB"),
    ] { try vault.set(name, secret) }
    #expect(try vault("set", "token", "--stdin", "--kind", "token", input: "1234").status == 0)
    #expect(try vault("set", "u", "--expires", "2020-01-01").status == 0)
    #expect(try vault("set", "soon", "--expires", "10d").status == 0)
    return vault
  }

  private func findings(
    _ vault: ThrowawayVault, _ words: String...
  ) throws -> [(code: String, items: [String])] {
    let result = try vault.command.run(["audit", "--json"] + words)
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    let found = try #require(document?["findings"] as? [[String: Any]])
    return found.map { ($0["code"] as? String ?? "", $0["items"] as? [String] ?? []) }
  }

  @Test func everyTopicIsFound() throws {
    let vault = try mixed()
    let found = try findings(vault)
    #expect(
      found.map(\.code) == [
        "equal", "weak", "expired", "expiring", "single-slot", "no-recovery", "no-backup",
      ])
    #expect(
      found.map(\.items) == [["a/one", "b/two", "c"], ["weak"], ["u"], ["soon"], [], [], []])
    let text = try vault("audit").text
    for part in ["3 items have the same secret", "many people use it", "on 2020-01-01", "hint: "] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(try vault("audit").errors == "vault: 7 findings in 10 items\n")
  }

  @Test func onlyWhatWasAskedForIsLookedFor() throws {
    let vault = try mixed()
    #expect(try findings(vault, "--only", "weak,equal").map(\.code) == ["equal", "weak"])
    #expect(
      try findings(vault, "--only", "weak", "--only", "expired").map(\.code) == ["weak", "expired"])
    #expect(try findings(vault, "--only", "old").isEmpty)
    #expect(try findings(vault, "--only", "old", "--older-than", "0s").count == 10)
    #expect(try findings(vault, "--only", "expiring", "--expiring", "5d").isEmpty)
    for line in [
      ["--only", "nothing"], ["--only", ","], ["--older-than", "x"], ["--expiring", ""],
    ] {
      #expect(try vault.command.run(["audit"] + line).status == 64, "\(line)")
    }
  }

  @Test func theStatusIsOneWhereItIsAskedForAndSomethingIsFound() throws {
    let vault = try mixed()
    #expect(try vault("audit").status == 0)
    #expect(try vault("audit", "--exit-code").status == 1)
    #expect(try vault("audit", "--exit-code", "--json", "--only", "weak").status == 1)
    #expect(try vault("audit", "--exit-code", "--only", "old").status == 0)
    #expect(try vault("audit", "--only", "old").errors == "vault: nothing found in 10 items\n")
  }

  @Test func aWayBackEndsTheFindingsOfTheVault() throws {
    let vault = try ThrowawayVault()
    #expect(try findings(vault).map(\.code) == ["single-slot", "no-recovery", "no-backup"])
    let added = try vault("key", "add", "--new-key-file", "\(vault.home.path)/key2")
    #expect(added.status == 0, "\(added.errors)")
    #expect(try findings(vault).map(\.code) == ["no-recovery", "no-backup"])
    let saved = try vault("backup", "\(vault.home.path)/saved.vault")
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try findings(vault).map(\.code) == ["no-recovery"])
  }

  @Test func noSecretIsShown() throws {
    let vault = try mixed()
    for line in [["audit"], ["audit", "--json"], ["audit", "--older-than", "0s"]] {
      let result = try vault.command.run(line)
      for secret in ["canary", "monkey", "1234"] {
        #expect(!result.text.contains(secret) && !result.errors.contains(secret))
      }
    }
  }
}
