import Foundation
import TestSupport
import Testing

/// Streams that are closed when the command begins: `<&-`, `>&-`, `2>&-`.
struct ClosedStreamTests {
  /// Runs lines of a shell, in which `vault` is the command.
  private func shell(_ vault: ThrowawayVault, _ script: String) throws -> VaultProcess.Result {
    try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh"
    ).run([
      "-c", "vault() { \"$program\" \"$@\"; }; program=$0; cd \"$HOME\"; \(script)",
      VaultProcess.path,
    ])
  }

  @Test(arguments: [
    "set x --stdin", "set x --file -", "set x --file /dev/stdin", "import dotenv -",
    "import json /dev/stdin", "inject", "inject --in /dev/stdin", "inject --in /dev/fd/0",
    "redact a", "redact a --in /dev/stdin", "check -", "--vault new init --from -",
    "credential git get", "--passphrase stdin --vault new init",
  ])
  func aClosedStdinIsSaid(line: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let run = try shell(vault, "vault \(line) <&-")
    #expect(run.status == 74, "\(run.status)")
    #expect(run.errors.contains("standard input is closed"), "\(run.errors)")
    #expect(run.errors.contains("hint: give the line an input"), "\(run.errors)")
    #expect(run.text.isEmpty)
    #expect(try vault("list").text == "a\n")
  }

  @Test(arguments: [
    "get a", "list", "list --json", "status", "check", "export dotenv --yes", "generate", "help",
    "completions bash", "run -- true; vault show a",
  ])
  func aClosedStdoutIsSaid(line: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let run = try shell(vault, "exec >&-; vault \(line)")
    #expect(run.status == 74, "\(run.status)")
    #expect(run.errors.contains("standard output is closed"), "\(run.errors)")
    #expect(!run.errors.contains("s3cr3t"))
    #expect(!vault.home.names().contains { $0.hasPrefix("-") })
  }

  /// What is written goes where it belongs, and what a command inherits is closed as before.
  @Test func nothingGoesIntoAnotherFile() throws {
    let vault = try ThrowawayVault()
    #expect(try shell(vault, "vault set x --generate <&- >&- 2>&-").status == 0)
    #expect(try shell(vault, "printf s3cr3t | vault set y --stdin >&- 2>&-").status == 0)
    #expect(try shell(vault, "vault get y --out y.txt <&- >&- 2>&-; cat y.txt").text == "s3cr3t")
    #expect(try shell(vault, "vault backup b <&- >&- 2>&- && vault check b").status == 0)
    #expect(try vault("get", "y").text == "s3cr3t")
    #expect(try vault("check").status == 0)
    let open = "vault run --env Y=y -- sh -c 'ls /proc/self/fd' <&- 2>&-"
    // 0 is the folder that ls reads; 2 stays closed.
    let listed = try shell(vault, open).text.split(separator: "\n")
    #expect(listed.contains("1") && !listed.contains("2"), "\(listed)")
  }
}
