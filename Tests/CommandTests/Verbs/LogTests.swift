import Foundation
import TestSupport
import Testing

/// `vault log`, and what every use of a secret leaves in it.
struct LogTests {
  private struct Use: Decodable, Equatable {
    struct Program: Decodable, Equatable {
      let pid: Int
      let path: String?
      let base64: String?
    }
    let number: Int
    let id: String?
    let name: String?
    let field: String?
    let verb: String
    let isAllowed: Bool
    let reason: String?
    let programs: [Program]
    let currentName: String?
  }

  private struct Log: Decodable {
    let records: [Use]
  }

  private struct Report: Decodable {
    struct Problem: Decodable {
      let code: String
    }
    let isTampered: Bool
    let records: Int
    let tornBytes: Int
    let problems: [Problem]
    let isOn: Bool
  }

  private static func log(_ vault: ThrowawayVault, _ more: [String] = []) throws -> [Use] {
    let result = try vault.command.run(["log", "--json"] + more)
    try #require(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Log.self, from: result.output).records
  }

  private static func verify(_ vault: ThrowawayVault) throws -> (Report, Int32) {
    let result = try vault("log", "verify", "--json")
    return (try JSONDecoder().decode(Report.self, from: result.output), result.status)
  }

  private static func folder(_ vault: ThrowawayVault) -> String {
    "\(vault.home.path)/.local/state/vault"
  }

  private static func file(_ vault: ThrowawayVault, _ ending: String = ".uses") throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder(vault))
    return "\(folder(vault))/\(try #require(names.first { $0.hasSuffix(ending) }))"
  }

  /// Lines that give a secret away, with the verb and field that are recorded.
  static let uses: [(line: [String], verb: String, field: String?)] = [
    (["get", "db"], "get", nil),
    (["get", "db", "--field", "user"], "get", "user"),
    (["get", "--field=user", "db"], "get", "user"),
    (["get", "secret://db#user"], "get", "user"),
    // What only the parser reads.
    (["get", "db", "--color", "never", "--field", "user"], "get", "user"),
    (["run", "db", "--", "true"], "run", nil),
    (["run", "--env", "A=secret://db#user", "--", "true"], "run", "user"),
    (["run", "--fd", "db", "--", "true"], "run", nil),
    (["read", "secret://db#user"], "read", "user"),
    (["read", "secret://db?attribute=otp#otp"], "read", "otp"),
    (["inject", "--in", "template"], "inject", nil),
    (["otp", "db"], "otp", "otp"),
    (["show", "db", "--reveal"], "show", "*"),
    (["export", "json", "db", "--yes"], "export", "*"),
    (["credential", "keyring", "get", "vault", "db"], "keyring", nil),
    (["credential", "askpass", "[sudo] password for me: "], "askpass", nil),
  ]

  @Test func everyUseIsRecordedWithItsVerbAndField() throws {
    let vault = try ThrowawayVault()
    let canary = "canary-5e1f"
    try vault.set("db", canary)
    try vault.set("sudo/me", canary)
    for (field, value) in [
      ("user", canary), ("otp", "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
    ] {
      let result = try vault("set", "db", "--field", field, "--stdin", input: value)
      try #require(result.status == 0, "\(result.errors)")
    }
    try Data("a={{ secret://db }}\nb=secret://db\n".utf8).write(
      to: URL(fileURLWithPath: "\(vault.home.path)/template"))
    #expect(try Self.log(vault).isEmpty)
    for use in Self.uses {
      let before = try Self.log(vault).count
      let result = try vault.command.run(
        use.line, adding: ["VAULT_REASON": "the \(before)th\ntime"])
      #expect(result.status == 0, "\(use.line): \(result.errors)")
      let records = try Self.log(vault)
      #expect(records.count == before + 1, "\(use.line)")
      #expect(records.first?.verb == use.verb, "\(use.line)")
      #expect(records.first?.reason == "the \(before)th time", "\(use.line)")
      #expect(records.first?.field == use.field, "\(use.line)")
      #expect(["db", "sudo/me"].contains(records.first?.name), "\(use.line)")
      #expect(records.first?.isAllowed == true)
      #expect(records.first?.programs.first?.pid == Int(getpid()), "\(use.line)")
    }
    // What gives no secret away leaves nothing.
    let count = try Self.log(vault).count
    for line in [
      ["list"], ["show", "db"], ["run", "-n", "db"], ["history", "db"], ["audit"], ["check"],
      ["read", "secret://db?attribute=fingerprint"], ["read", "secret://none?default=x"],
      ["read", "secret://db?default=x#none"], ["get", "none"], ["get", "db", "--field", "none"],
      ["credential", "git", "capability"],
    ] {
      _ = try vault.command.run(line)
      #expect(try Self.log(vault).count == count, "\(line)")
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.file(vault)))
    for word in [canary, Data(canary.utf8).base64EncodedString(), "GEZDGNBV", "sudo/me"] {
      #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
    }
    #expect(try Self.verify(vault).0.records == count)
  }

  @Test func gitAndDockerAreNamed() throws {
    let vault = try ThrowawayVault()
    let description = "protocol=https\nhost=example.com\nusername=me\n"
    try #require(
      vault("credential", "git", "store", input: description + "password=pw\n\n").status == 0)
    let answer = try vault("credential", "git", "get", input: description + "\n")
    #expect(answer.text.contains("password=pw"))
    try #require(
      vault(
        "credential", "docker", "store",
        input: #"{"ServerURL":"https://r.io","Username":"u","Secret":"pw"}"#
      ).status == 0)
    #expect(try vault("credential", "docker", "get", input: "https://r.io").text.contains("pw"))
    #expect(try Self.log(vault).map(\.verb) == ["docker", "git"])
  }

  /// The clipboard and the menu, whose programs are replaced; the editor; the line that AWS's tools
  /// run.
  @Test func theClipboardTheMenuTheEditorAndAWSAreNamed() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    try #require(
      vault(
        "set", "aws/work", "--stdin", "--attribute", "access-key-id=AKIAEXAMPLE", input: "k"
      ).status == 0)
    let bin = "\(vault.home.path)/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    for (name, lines) in [("wl-copy", "cat >/dev/null; exit 1"), ("wl-paste", "exit 1")] {
      try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(fileURLWithPath: "\(bin)/\(name)"))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: "\(bin)/\(name)")
    }
    let variables = [
      "WAYLAND_DISPLAY": "none", "PATH": "\(bin):/usr/bin:/bin", "EDITOR": "true",
    ]
    for (line, verb, name) in [
      (["get", "db", "--copy"], "copy", "db"),
      (["menu", "--program", "grep db"], "menu", "db"),
      (["edit", "db"], "edit", "db"),
    ] {
      let result = try vault.command.run(line, adding: variables)
      // The display takes nothing; the use is recorded before it is asked.
      #expect(result.status == (verb == "edit" ? 0 : 69), "\(line): \(result.errors)")
      let record = try Self.log(vault).first
      #expect(record?.verb == verb && record?.name == name, "\(line)")
      #expect(record?.isAllowed == true)
    }
    let count = try Self.log(vault).count
    #expect(count == 3)
    try #require(vault("connect", "aws", "work").status == 0)
    let configuration = try String(
      contentsOfFile: "\(vault.home.path)/.aws/config", encoding: .utf8)
    let line = try #require(
      configuration.split(separator: "\n").first { $0.hasPrefix("credential_process") })
    let command = try #require(line.split(separator: "=", maxSplits: 1).last)
    let answer = try VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": vault.keyFile],
      executable: "/bin/sh"
    ).run(["-c", String(command)])
    #expect(answer.text.contains("AKIAEXAMPLE"), "\(answer.errors)")
    let records = try Self.log(vault)
    #expect(records.count == count + 1)
    #expect(records.first?.verb == "aws" && records.first?.name == "aws/work")
  }

  @Test func twoProcessesAtOnceKeepOneChain() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    let loop =
      "i=0; while [ $i -lt 200 ]; do \"$1\" get db --no-session || exit 1; i=$((i+1)); done"
    let shell = VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": "\(vault.home.path)/key"],
      executable: "/bin/sh")
    let running = try (0..<2).map { _ in try shell.start(["-c", loop, "sh", VaultProcess.path]) }
    for process in running {
      let result = process.finish()
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text == String(repeating: "s3cr3t", count: 200))
    }
    let (report, status) = try Self.verify(vault)
    #expect(status == 0)
    #expect(report.records == 400)
    #expect(report.problems.isEmpty)
    #expect(try Self.log(vault).map(\.number) == Array((1...400).reversed()))
  }

  @Test func commandsThatAreKilledLeaveALogThatVerifies() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    for step in 0..<40 {
      let running = try vault.command.start(["get", "db", "--no-session"])
      // Another moment each time: whatever it hits, the log must hold.
      usleep(UInt32(step * 700))
      kill(running.pid, SIGKILL)
      _ = running.finish()
    }
    let (report, status) = try Self.verify(vault)
    #expect(status == 0)
    #expect(!report.isTampered, "\(report.problems.map(\.code))")
    #expect(try vault("get", "db").text == "s3cr3t")
    let (after, _) = try Self.verify(vault)
    #expect(after.records == report.records + 1)
    #expect(after.tornBytes == 0)
  }

  @Test func whatWasCutOffIsToldWithAStatus() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    for _ in 0..<3 { try vault("get", "db") }
    #expect(try vault("log", "verify").text.hasPrefix("3 uses verified"))
    let file = try Self.file(vault)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.truncate(atOffset: UInt64(bytes.count - 5))
    try handle.close()
    let result = try vault("log", "verify")
    #expect(result.status == 65)
    #expect(result.text.contains("record 3 is missing at the end"))
    let (report, status) = try Self.verify(vault)
    #expect(status == 65)
    #expect(report.problems.map(\.code) == ["cut-off"])
  }

  @Test func aLogThatCannotBeWrittenKeepsNobodyFromASecret() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    try vault("get", "db")
    let file = try Self.file(vault)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    // What is gone at the next start of the machine, as a user has it and cron does not.
    let runtime = "\(vault.home.path)/run"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    func run(_ words: String...) throws -> VaultProcess.Result {
      try vault.command.run(words, adding: ["XDG_RUNTIME_DIR": runtime])
    }
    let first = try run("get", "db")
    #expect(first.status == 0)
    #expect(first.text == "s3cr3t")
    #expect(first.errors.contains("cannot be recorded"))
    #expect(first.errors.contains("vault settings log off"))
    // Once, also where the kernel forgets it.
    let others = try (0..<3).map { _ in try run("get", "db") }
    #expect(others.allSatisfy { $0.status == 0 && $0.text == "s3cr3t" && $0.errors.isEmpty })
    let marks = try FileManager.default.contentsOfDirectory(atPath: runtime)
    #expect(marks.count == 1 && marks[0].hasPrefix("vault-told-"), "\(marks)")
    #expect(try run("run", "db", "--", "true").status == 0)
  }

  @Test func removedAndRenamedItemsAreFoundByEveryName() throws {
    let vault = try ThrowawayVault()
    try vault.set("old", "1")
    try vault("get", "old")
    try #require(vault("mv", "old", "new").status == 0)
    try vault("get", "new")
    #expect(try Self.log(vault, ["old"]).map(\.name) == ["old"])
    #expect(try Self.log(vault, ["new"]).map(\.name) == ["new", "old"])
    #expect(try vault("log", "new").text.contains("old (now new)"))
    try #require(vault("rm", "new", "--purge", "--yes").status == 0)
    #expect(try Self.log(vault, ["new"]).map(\.name) == ["new"])
    #expect(try vault("log", "old").text.contains("old (removed)"))
    let none = try vault("log", "none")
    #expect(none.status == 1)
  }

  @Test func aProgramIsFoundByNameAndPathWhateverItsBytes() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    // A copy of the shell under a name that is no UTF-8; it must not replace itself by the command.
    let script = #"""
      name="$(printf 'odd-\377-name')"; cp "$(command -v dash || command -v sh)" "$HOME/$name"
      "$HOME/$name" -c '"$1" get db; true' sh "$1"
      """#
    let result = try VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": "\(vault.home.path)/key"],
      executable: "/bin/sh"
    ).run(["-c", script, "sh", VaultProcess.path])
    #expect(result.text == "s3cr3t", "\(result.errors)")
    let use = try #require(try Self.log(vault).first)
    let program = try #require(use.programs.first)
    #expect(program.path?.hasSuffix(#"/odd-\xff-name"#) == true, "\(use.programs)")
    let bytes = try #require(program.base64.flatMap { Data(base64Encoded: $0) })
    #expect(bytes.suffix(10) == Data([0x6F, 0x64, 0x64, 0x2D, 0xFF]) + Data("-name".utf8))
    #expect(try Self.log(vault, ["--by", #"odd-\xff-name"#]).count == 1)
    #expect(try Self.log(vault, ["--by", "nobody"]).isEmpty)
    #expect(try Self.log(vault, ["--since", "1h"]).count == 1)
    #expect(try Self.log(vault, ["--since", "2999-01-01"]).isEmpty)
    #expect(try vault("log", "--since", "soon").status == 64)
  }

  @Test func theLogIsSwitchedOffAndOn() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    #expect(try vault("settings", "log").text == "log  on\n")
    try #require(vault("settings", "log", "off").status == 0)
    try vault("get", "db")
    #expect(try vault("settings", "log").text == "log  off\n")
    #expect(try Self.log(vault).map(\.verb) == ["log-off"])
    #expect(try !Self.verify(vault).0.isOn)
    try #require(vault("settings", "log", "on").status == 0)
    try vault("get", "db")
    #expect(try Self.log(vault).map(\.verb) == ["get", "log-on", "log-off"])
    #expect(try vault("settings", "log", "perhaps").status == 64)
  }

  @Test func unusedItemsAndTheLastUseAreShown() throws {
    let vault = try ThrowawayVault()
    try vault.set("used", "1")
    try vault.set("unused", "2")
    let missing = try vault("list", "--unused", "0s")
    #expect(missing.text == "unused\nused\n")
    #expect(missing.errors.contains("there is no log of uses yet"))
    try vault("get", "used")
    #expect(try vault("show", "used").text.contains("last used"))
    #expect(try !vault("show", "unused").text.contains("last used"))
    let shown = try JSONSerialization.jsonObject(with: vault("show", "used", "--json").output)
    let use = (shown as? [String: Any])?["lastUse"] as? [String: Any]
    #expect(use?["verb"] as? String == "get")
    // Nothing is as old as this.
    let young = try vault("list", "--unused", "1d")
    #expect(young.text.isEmpty)
    #expect(young.errors.contains("the log of uses begins at"))
    #expect(try vault("list", "--unused", "soon").status == 64)
  }

  /// Whether another implementation of the encryption is there.
  static let hasPyNaCl: Bool =
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import nacl.bindings"]).status) == 0

  @Test(.enabled(if: hasPyNaCl, "PyNaCl is not installed (pip install pynacl)"))
  func anotherImplementationReadsTheLog() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "s3cr3t")
    try #require(vault("set", "db", "--field", "user", "--stdin", input: "me").status == 0)
    for line in [["get", "db"], ["get", "db", "-f", "user"], ["show", "db", "--reveal"]] {
      try #require(vault.command.run(line).status == 0)
    }
    let output = "\(vault.home.path)/read.json"
    let result = try PythonScript.run(
      "/usr/bin/env",
      [
        "sh", "-c", "python3 \"$1\" \"$2\" \"$3\" \"$4\" \"$5\" > \"$6\"", "sh",
        PythonScript.location("read_usage_log.py"),
        "\(vault.home.path)/.local/share/vault/secrets.vault", "\(vault.home.path)/key",
        Self.file(vault), Self.file(vault, ".uses-head"), output,
      ])
    try #require(result.status == 0, "\(result.errors)")
    struct Read: Decodable, Equatable {
      let number: Int
      let id: String
      let name: String
      let field: String?
      let verb: String
    }
    let read = try JSONDecoder().decode(
      [Read].self, from: Data(contentsOf: URL(fileURLWithPath: output)))
    let ours = try Self.log(vault).reversed().map {
      Read(
        number: $0.number, id: $0.id ?? "", name: $0.name ?? "", field: $0.field, verb: $0.verb)
    }
    #expect(read == ours)
    #expect(read.count == 3)
  }
}
