import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCompletion

struct CompletionTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../completions").standardized.path

  @Test(arguments: [("bash", "vault.bash"), ("zsh", "_vault"), ("fish", "vault.fish")])
  func theCommittedScriptsAreCurrent(shell: String, file: String) throws {
    let committed = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
    #expect(committed == CompletionScript.text(for: shell, command: "vault"), "make completions")
  }

  @Test func anotherNameWorksThroughout() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try #require(CompletionScript.text(for: shell, command: "l-vault"))
      let rest = script.replacing("l-vault", with: "").replacing("l_vault", with: "")
      #expect(!rest.contains("vault "), "\(rest)")
    }
  }

  @Test(.enabled(if: isRunnable("bash"), "bash or pexpect is not installed"))
  func bashCompletes() throws { try tryOut("bash") }

  @Test(.enabled(if: isRunnable("bash"), "bash or pexpect is not installed"))
  func bashCompletesWithoutBashCompletion() throws { try tryOut("bash-alone") }

  @Test(.enabled(if: isRunnable("zsh"), "zsh or pexpect is not installed"))
  func zshCompletes() throws { try tryOut("zsh") }

  @Test(.enabled(if: isRunnable("fish"), "fish or pexpect is not installed"))
  func fishCompletes() throws { try tryOut("fish") }

  private static func isRunnable(_ shell: String) -> Bool {
    PythonScript.hasPexpect
      && ["/bin", "/usr/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
      }
  }

  private func tryOut(_ shell: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("completion")
      .run([shell, VaultProcess.path, home.path, Self.folder])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func everyVerbAndItsOptionsAreOffered() throws {
    #expect(try offered(["vault", ""]).contains("set"))
    #expect(try offered(["vault", "key", ""]) == keyVerbs)
    #expect(try offered(["vault", "list", "--"]).contains("--tree"))
    #expect(try !offered(["vault", "list", "--tree", "--"]).contains("--tree"))
    #expect(try offered(["vault", "set", "x", "--tag", "a", "--"]).contains("--tag"))
    #expect(try offered(["vault", "set", "x", "--kind=to"]) == ["--kind=token"])
    #expect(
      try offered(["vault", "--home", "\(TemporaryHome().path)/none", "status", "--j"]) == [
        "--json"
      ])
  }

  @Test func aKeyFileOpensTheVaultForNamesAndAPassphraseDoesNot() throws {
    let vault = try ThrowawayVault()
    for name in ["work/github", "home/Git-Hub", "mail"] { try vault.set(name, "x") }
    func offered(_ words: [String], _ environment: [String: String]) throws -> [String] {
      var command = vault.command
      command.environment = environment
      let line = ["__complete", "\(words.count)", "vault"] + words
      return try command.run(line).text.split(separator: "\n").dropFirst().map(String.init)
    }
    let key = ["VAULT_KEY_FILE": vault.keyFile]
    #expect(try offered(["get", "ma"], key) == ["mail\t"])
    #expect(try offered(["get", "github"], key) == ["work/github\t"])
    #expect(try offered(["get", "HUB"], key) == ["home/Git-Hub\t"])
    #expect(try offered(["get", "ithub"], key) == ["work/github\t"])
    #expect(try offered(["run", "--env", "X=github"], key) == ["X=work/github\t"])
    #expect(try offered(["get", "--key-file", vault.keyFile, "ma"], [:]) == ["mail\t"])
    #expect(try offered(["get", "ma"], [:]) == [])
    let none = ["VAULT_KEY_FILE": "\(vault.home.path)/none"]
    #expect(try offered(["--no-session", "get", "ma"], none) == [])
    // What takes a second is not tried at each key press.
    let added = try vault.command.run(
      ["key", "add", "--new-passphrase", "env:P", "--allow-weak"], adding: ["P": "correct"])
    #expect(added.status == 0, "\(added.errors)")
    #expect(try vault("lock").status == 0)
    #expect(try offered(["get", "ma"], ["VAULT_PASSPHRASE": "correct"]) == [])
  }

  @Test func attributesAreOfferedByTheirNamesAndThenTheirValues() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "x")
    for text in ["service=api", "team=red"] {
      #expect(try vault("set", "a", "--attribute", text).status == 0)
    }
    func offered(_ words: String...) throws -> [String] {
      let line = ["__complete", "\(words.count)", "vault"] + words
      return try vault.command.run(line).text.split(separator: "\n").dropFirst()
        .map { String($0.prefix { $0 != "\t" }) }
    }
    for verb in ["get", "list", "set"] {
      #expect(try offered(verb, "--attribute", "se") == ["server=", "service="], "\(verb)")
      #expect(try offered(verb, "--attribute", "team=") == ["team=red"], "\(verb)")
    }
    #expect(try offered("set", "a", "--attribute", "va") == ["variable="])
  }

  @Test func nothingIsOfferedTwice() throws {
    for words in [["vault", ""], ["vault", "key", ""], ["vault", "set", "x", "--"]] {
      let offered = try offered(words)
      #expect(offered.count == Set(offered).count, "\(words)")
    }
  }

  @Test func pathsAndCommandsAreLeftToTheShell() throws {
    #expect(try action(["vault", "set", "x", "--file", ""]) == "files")
    #expect(try action(["vault", "get", "--home", ""]) == "directories")
    #expect(try action(["vault", "run", "x", "--", "ls", ""]) == "command 4")
  }

  @Test func nothingIsSaidWithoutASessionAndNothingIsMade() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let result = try vault.run(["__complete", "2", "vault", "get", ""])
    #expect(result.status == 0)
    #expect(result.text == "none\n")
    #expect(result.errors.isEmpty)
    #expect(home.names().isEmpty)
  }

  private let keyVerbs = [
    "list", "add", "remove", "change-passphrase", "rotate", "upgrade",
  ]

  @Test func domainsAreOfferedToBeSynchronized() throws {
    let home = try TemporaryHome()
    let written = try VaultProcess(home: home.path)
      .run(["--home", home.path, "defaults", "write", "com.example.tool", "theme", "dark"])
    #expect(written.status == 0, "\(written.errors)")
    func names(_ verb: String) -> [String] {
      LiveNames().names(
        for: "domain", typed: "", words: ["--home", home.path, "sync", verb], positionals: [])
    }
    #expect(names("add") == ["com.example.tool"])
    // None is added, and there is no session that would open a vault.
    #expect(names("drop") == [])
  }

  private func lines(_ words: [String]) throws -> [String] {
    let home = try TemporaryHome()
    let result = try VaultProcess(home: home.path)
      .run(["__complete", String(words.count - 1)] + words)
    return result.text.split(separator: "\n").map(String.init)
  }

  private func action(_ words: [String]) throws -> String? { try lines(words).first }

  private func offered(_ words: [String]) throws -> [String] {
    try lines(words).dropFirst().map { String($0.prefix { $0 != "\t" }) }
  }
}
