import Foundation
import TestSupport
import Testing

/// A rollback and a fork are told whatever the line says, and to programs in the document.
struct WarningTests {
  private struct Document: Decodable {
    struct Warning: Decodable {
      let code: String
      let message: String
      let hint: String?
    }
    struct Failure: Decodable { let code: String }
    let secret: String?
    let error: Failure?
    let warnings: [Warning]?
  }

  /// A vault whose file is older than one seen before.
  private func rolledBack() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    let path = "\(vault.home.path)/.local/share/vault/secrets.vault"
    try vault.set("a", "old")
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try vault.set("a", "new")
    try vault.set("b", "x")
    try old.write(to: URL(fileURLWithPath: path))
    return vault
  }

  /// Another vault in this one's place, which the same key opens, is told as loudly.
  @Test func anotherVaultInItsPlaceIsToldAlsoQuietly() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "ours")
    #expect(try vault.get("a").errors.isEmpty)
    let home = ["--home", "\(vault.home.path)/other"]
    for (line, input) in [
      (["init", "--key-file", vault.keyFile, "--no-recovery"], ""), (["set", "a", "--stdin"], "x"),
    ] {
      let made = try vault.command.run(home + line, input: Data(input.utf8))
      try #require(made.status == 0, "\(made.errors)")
    }
    try Data(contentsOf: URL(fileURLWithPath: "\(vault.home.path)/other/secrets.vault"))
      .write(to: URL(fileURLWithPath: vault.path))
    let run = try vault("get", "a", "-q")
    #expect(run.text == "x" && run.errors.hasPrefix("vault: warning: "), "\(run.errors)")
    let document = try JSONDecoder().decode(
      Document.self, from: vault("get", "a", "--json").output)
    #expect(document.warnings?.map(\.code) == ["other-vault"])
  }

  @Test(arguments: [
    ["get", "a"], ["run", "a", "--", "printenv", "A"], ["read", "secret://a"], ["list"],
    ["show", "a"], ["credential", "keyring", "get", "vault", "a"],
  ])
  func anOlderFileIsToldAlsoQuietly(_ line: [String]) throws {
    let vault = try rolledBack()
    for options in [[], ["-q"]] {
      let run = try vault.command.run(options + line)
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("vault: warning: the vault file is older") } == 1)
      #expect(lines.count { $0.hasPrefix("vault: hint: ") } == 1, "\(run.errors)")
    }
  }

  @Test func theDocumentCarriesIt() throws {
    let vault = try rolledBack()
    for line in [["get", "a"], ["list"], ["show", "a"], ["status"], ["read", "secret://a"]] {
      let run = try vault.command.run(line + ["--json", "-q"])
      let document = try JSONDecoder().decode(Document.self, from: run.output)
      // The status has warnings of its own.
      let told = document.warnings?.filter { line != ["status"] || $0.code != "single-slot" }
      #expect(told?.map(\.code) == ["rolled-back"], "\(line)")
      #expect(told?.first?.hint?.contains("--accept-rollback") == true)
      #expect(run.errors.contains("vault: warning: "), "a person reads it, too")
    }
    let accepted = try vault("get", "a", "--json", "--accept-rollback")
    #expect(accepted.errors.contains("warning"))
    let after = try vault("get", "a", "--json")
    #expect(try JSONDecoder().decode(Document.self, from: after.output).warnings == nil)
    #expect(after.errors.isEmpty)
  }

  @Test func theDocumentOfAnErrorCarriesItAlone() throws {
    let vault = try rolledBack()
    let run = try vault("get", "b", "--json", "-q")
    #expect(run.status == 1)
    let document = try JSONDecoder().decode(Document.self, from: Data(run.errors.utf8))
    #expect(document.error?.code == "item-not-found")
    #expect(document.warnings?.map(\.code) == ["rolled-back"])
    #expect(run.output.isEmpty)
  }

  /// What is refused says so once, by unlock; every other command is silent about it.
  @Test(.enabled(if: PythonScript.hasPython, "python3 is not installed"))
  func aRefusedKeyServiceIsToldByUnlockAlone() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    func withoutKeys(_ line: String...) throws -> VaultProcess.Result {
      try VaultProcess(
        home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/env"
      ).run(["python3", PythonScript.location("without_keys.py"), VaultProcess.path] + line)
    }
    let get = try withoutKeys("get", "a")
    #expect(get.text == "s3cr3t" && get.errors.isEmpty, "\(get.errors)")
    let unlock = try withoutKeys("unlock")
    #expect(unlock.status == 0)
    #expect(unlock.errors.contains("the vault does not stay open"), "\(unlock.errors)")
    #expect(try withoutKeys("status").text.contains("not possible"))
    #expect(try withoutKeys("lock").status == 0)
  }
}
