import Foundation
import TestSupport
import Testing
import VaultTerminal

struct RunTests {
  @Test func theCommandTakesTheProcessAndItsStatus() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let running = try vault.command.start([
      "run", "api-token", "--", "sh", "-c", "echo $$ $API_TOKEN",
    ])
    #expect(running.finish().text == "\(running.pid) s3cr3t\n")
    #expect(try vault("run", "api-token", "--", "sh", "-c", "exit 7").status == 7)
    #expect(try vault("run", "api-token", "--", "sh", "-c", "kill -KILL $$").status == 137)
    #expect(try vault("run", "api-token", "--", "no-such-command").status == 127)
    #expect(try vault("run", "api-token", "--", "/etc/passwd").status == 126)
  }

  @Test func theChildGetsItsSecretsAndNothingOfOurs() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "new")
    try vault.set("db", "p w")
    let result = try vault.command.run(
      [
        "--passphrase", "env:PW", "key", "list",
      ], adding: ["PW": "x"])
    #expect(result.status == 77)
    let child = try vault.command.run(
      [
        "run", "api-token", "--env", "URL=db://secret://db@host", "--env", "PLAIN=db", "--", "env",
      ], adding: ["API_TOKEN": "old", "OTHER": "kept", "VAULT_NAME": "", "VAULT_ADDR": "hashicorp"])
    let lines = child.text.split(separator: "\n").map(String.init)
    #expect(lines.contains("API_TOKEN=new"))
    #expect(lines.contains("URL=db://p w@host"))
    #expect(lines.contains("PLAIN=p w"))
    #expect(lines.contains("OTHER=kept"))
    #expect(lines.contains("VAULT_ADDR=hashicorp"))
    #expect(lines.filter { $0.hasPrefix("API_TOKEN=") }.count == 1)
    #expect(!lines.contains { $0.hasPrefix("VAULT_KEY_FILE=") || $0.hasPrefix("VAULT_NAME=") })
  }

  @Test func aLineThatNamesNothingSaysThatNothingIsGiven() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let bare = try vault("run", "--", "sh", "-c", "exit 3")
    #expect(bare.status == 3 && bare.text.isEmpty)
    #expect(bare.errors.contains("nothing of the vault is given to the command"), "\(bare.errors)")
    #expect(bare.errors.contains("hint: vault run NAME… -- sh …;"), "\(bare.errors)")
    for options in [["--only"], ["--mask"], ["--", "true"]] {
      let words = ["run"] + options + (options.contains("--") ? [] : ["--", "true"])
      #expect(try vault.command.run(words).errors.contains("nothing of the vault"), "\(words)")
    }
    #expect(try vault("run", "--quiet", "--", "true").errors.isEmpty)
    try Data("A=1\n".utf8).write(to: URL(fileURLWithPath: "\(vault.home.path)/.env"))
    for options in [
      ["api-token"], ["--env", "A=api-token"], ["--env-file", "\(vault.home.path)/.env"],
      ["--as-file", "api-token"], ["--to-stdin", "api-token"],
    ] {
      let run = try vault.command.run(["run"] + options + ["--", "true"])
      #expect(run.status == 0 && !run.errors.contains("nothing of"), "\(options): \(run.errors)")
    }
  }

  @Test func theVariableOfThePassphraseIsNotInherited() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path, environment: ["PW": "correct horse battery"])
    let options = ["--passphrase", "env:PW"]
    #expect(try vault.run(options + ["set", "a", "--stdin"], input: Data("s".utf8)).status == 0)
    let child = try vault.run(options + ["run", "a", "--", "env"])
    #expect(child.text.contains("A=s\n"))
    #expect(!child.text.contains("PW="))
  }

  @Test func everythingMissingIsListedBeforeAnythingStarts() throws {
    let vault = try ThrowawayVault()
    try vault.set("there", "x")
    let mark = "\(vault.home.path)/started"
    let result = try vault(
      "run", "there", "first", "--env", "X=secret://second#field", "--", "touch", mark)
    #expect(result.status == 1)
    #expect(result.errors.contains("first"))
    #expect(result.errors.contains("second#field"))
    #expect(!FileManager.default.fileExists(atPath: mark))
    let fallback = try vault(
      "run", "--env", "X=secret://none?default=other", "--", "sh", "-c", "echo $X")
    #expect(fallback.text == "other\n")
  }

  @Test func whatTheProcessSetForItselfIsPutBack() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "x")
    let script = """
      trap '' QUIT; umask 027; ulimit -S -c 1024 2>/dev/null || ulimit -S -c 0
      ulimit -S -c; umask; ls /proc/self/fd | wc -l
      "$0" run a -- sh -c 'ulimit -S -c; umask; grep SigIgn /proc/self/status; ls /proc/self/fd | wc -l'
      """
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", script, VaultProcess.path]
    shell.environment = vault.command.environment.merging(
      ["HOME": vault.home.path, "PATH": "/usr/bin:/bin"]) { $1 }
    let pipe = Pipe()
    shell.standardOutput = pipe
    shell.standardInput = FileHandle.nullDevice
    try shell.run()
    let text = String(decoding: shell.output(of: pipe), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    try #require(lines.count == 7, "\(text)")
    #expect(lines[0] == lines[3])
    #expect(lines[1] == lines[4])
    let ignored = try #require(UInt64(lines[5].suffix(16), radix: 16))
    #expect(ignored & (1 << 2) != 0, "QUIT is ignored by the child, too")
    #expect(lines[2] == lines[6], "no descriptor of ours is left open")
  }

  @Test func aNULInASecretIsRefusedForTheEnvironment() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "x\u{0}y")
    #expect(try vault("run", "a", "--", "true").status == 64)
    let encoded = try vault(
      "run", "--env", "A=secret://a?encoding=hex", "--", "sh", "-c", "echo $A")
    #expect(encoded.text == "780079\n")
  }

  @Test func aSecretThatNoEnvironmentHoldsIsNamedWithAWayOut() throws {
    let vault = try ThrowawayVault()
    let big = String(repeating: "x", count: 200_000)
    _ = try vault("set", "big", "--stdin", input: big)
    let refused = try vault("run", "big", "--", "true")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("BIG") && refused.errors.contains("--as-file big"))
    let file = try vault("run", "--as-file", "big", "--", "sh", "-c", "wc -c <\"$BIG_FILE\"")
    #expect(file.text.trimmingCharacters(in: .whitespaces) == "200000\n", "\(file.errors)")
    // Many that are small: the system says that they are too long together.
    for number in 0..<40 {
      _ = try vault("set", "many/v\(number)", "--stdin", input: String(big.prefix(120_000)))
    }
    let many = try vault("run", "many/", "--", "true")
    #expect(many.status == 126 && many.errors.contains("--as-file"), "\(many.errors)")
  }

  @Test func referencesOfOtherProgramsAreTold() throws {
    let vault = try ThrowawayVault()
    let file = "\(vault.home.path)/.env"
    try Data("A=op://vault/item/field\nB=https://x\n".utf8).write(to: URL(fileURLWithPath: file))
    let run = try vault("run", "--env-file", file, "--", "sh", "-c", "echo $A")
    #expect(run.status == 0 && run.text == "op://vault/item/field\n")
    #expect(run.errors.contains(".env:1 A: a reference of another program (op://…)"))
    #expect(!run.errors.contains("item/field") && !run.errors.contains(" B:"))
  }
}
