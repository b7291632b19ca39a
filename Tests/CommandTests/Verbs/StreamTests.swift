import Foundation
import TestSupport
import Testing

/// `-` is stdin or stdout; a file that is not there has one status; an empty stream is no secret.
struct StreamTests {
  @Test func aDashIsStdoutAndMakesNoFile() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    #expect(try vault("get", "a", "--out", "-").text == "s3cr3t")
    #expect(try vault("get", "a", "-o", "-", "--json").text.contains("\"secret\": \"s3cr3t\""))
    #expect(try vault("export", "json", "-y", "--out", "-").text.contains("\"s3cr3t\""))
    #expect(try vault("export", "dotenv", "--yes", "-o", "-").text.contains("A='s3cr3t'"))
    #expect(try vault("data", "backup", "com.example.none", "-").status != 0)
    #expect(try vault("backup", "-", "--json").status == 64)
    #expect(!vault.home.names().contains("-"))
  }

  @Test func aDashIsStdin() throws {
    let vault = try ThrowawayVault()
    #expect(try vault("set", "a", "--file", "-", input: "line\n").status == 0)
    #expect(try vault("get", "a").text == "line\n")
    let both = ["--passphrase", "stdin", "set", "b", "--file", "-"]
    #expect(try vault.command.run(both, input: Data("x".utf8)).status == 64)
    let run = ["run", "--env-file", "-", "--", "/usr/bin/env"]
    #expect(try vault.command.run(run, input: Data("X=secret://a".utf8)).text.contains("X=line"))
  }

  @Test func aBackupGoesThroughAPipe() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    try vault.set("a", "2")
    let backup = try vault("backup", "-")
    #expect(backup.status == 0 && backup.errors.contains("1 item and 1 earlier version"))
    let checked = try vault.command.run(["check", "-", "--json"], input: backup.output)
    #expect(checked.status == 0 && checked.text.contains("\"items\": 1"), "\(checked.errors)")
    let restored = try vault.command.run(
      ["--vault", "second", "init", "--from", "-"], input: backup.output)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try vault("--vault", "second", "get", "a", "--revision", "1").text == "1")
    let damaged = try vault.command.run(["check", "-"], input: backup.output.dropLast())
    #expect(damaged.status == 65)
    let taken = ["--passphrase", "stdin", "check", "-"]
    #expect(try vault.command.run(taken, input: backup.output).status == 64)
  }

  @Test func whatIsNotThereIsNamedWithOneStatus() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    let lines = [
      ["set", "a", "--file", "P"], ["inject", "--in", "P"],
      ["run", "--env-file", "P", "--", "true"],
      ["import", "json", "P"], ["check", "P"], ["init", "--vault", "v", "--from", "P"],
      ["get", "a", "--key-file", "P"], ["get", "a", "--passphrase", "file:P"],
    ]
    let path = "\(vault.home.path)/missing"
    #expect(try vault("check", path, "--json").errors.contains("file-not-found"))
    for line in lines {
      let result = try vault.command.run(line.map { $0.replacing("P", with: path) })
      #expect(result.status == 66, "\(line): \(result.errors)")
      #expect(result.errors.contains("\(path) does not exist"), "\(line): \(result.errors)")
    }
  }

  @Test func anEmptyStreamReplacesNothing() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "good")
    // `echo "$(false)"` writes the end of a line.
    for input in ["", "\n", "\r\n", "\r"] {
      for words in [["--stdin"], ["--file", "-"]] {
        let result = try vault.command.run(["set", "a"] + words, input: Data(input.utf8))
        #expect(result.status == 65, "\(words) \(Array(input.utf8)): \(result.errors)")
      }
    }
    #expect(
      try vault.command.run(["set", "line", "--stdin", "--exact"], input: Data("\n".utf8)).status
        == 0)
    #expect(try vault("get", "line").output == Data("\n".utf8))
    #expect(try vault("set", "a", "--file", "/dev/null").status == 65)
    try vault.set("a", "good")
    #expect(try vault("set", "a", "--stdin").errors.contains("--allow-empty"))
    #expect(try vault("get", "a").text == "good")
    #expect(try vault("set", "a", "--stdin", "--allow-empty").status == 0)
    #expect(try vault("get", "a").text == "")
  }
}
