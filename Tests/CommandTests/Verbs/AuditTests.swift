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

  /// As another machine, an import or a program could have left it.
  @Test func anItemThatAsksForAVariableThatRunsCodeIsFound() throws {
    let vault = try ThrowawayVault()
    for (name, variable) in [("a", "BASH_ENV"), ("b", "API_KEY"), ("c", "LD_PRELOAD")] {
      try vault.set(name, "canary-9Zk!tYb4mN-\(name)")
      #expect(try vault("set", name, "--attribute", "variable=\(variable)").status == 0)
    }
    let found = try findings(vault, "--only", "vault").filter { $0.code == "steering-variable" }
    #expect(found.map(\.items) == [["a"], ["c"]])
    #expect(try vault("audit").text.contains("asks for the variable BASH_ENV"))
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

  // MARK: - Leaked passwords

  /// Upper-case SHA-1 digests of texts, as Python has them.
  private func digests(_ texts: [String]) throws -> [String] {
    let home = try TemporaryHome()
    let code = """
      import hashlib, sys
      for line in sys.stdin.read().splitlines(): print(hashlib.sha1(line.encode()).hexdigest().upper())
      """
    return try VaultProcess(home: home.path, executable: "/usr/bin/env")
      .run(["python3", "-c", code], input: Data(texts.joined(separator: "\n").utf8))
      .text.split(separator: "\n").map(String.init)
  }

  /// A list as the downloader makes it, with many others around what is searched.
  private func list(_ vault: ThrowawayVault) throws -> (lines: [String], path: String) {
    let leaked = ["monkey1": 980_209, "canary-9Zk!tYb4mN": 3]
    let words = (0..<300).map { "other \($0)" } + leaked.keys
    let lines = zip(try digests(words), words).map { "\($0):\(leaked[$1] ?? 1)" }.sorted()
    let path = "\(vault.home.path)/pwned.txt"
    try Data((lines.joined(separator: "\r\n") + "\r\n").utf8).write(
      to: URL(fileURLWithPath: path))
    return (lines, path)
  }

  @Test func leakedPasswordsAreFoundInAFileAndInAFolder() throws {
    let vault = try mixed()
    let (lines, path) = try list(vault)
    let found = try findings(vault, "--only", "breached", "--breaches", path)
    #expect(
      found.map(\.items) == [["good"], ["weak"]] && found.allSatisfy { $0.code == "breached" })
    let link = "\(vault.home.path)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try findings(vault, "--only", "breached", "--breaches", link).count == 2)
    let text = try vault("audit", "--breaches", path)
    #expect(text.text.contains("leaked: seen 980209 times") && !text.text.contains("monkey1"))
    // Without a newline at the end, and with others' ends of lines.
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    #expect(try findings(vault, "--only", "breached", "--breaches", path).count == 2)
    for line in [lines[0], lines[lines.count - 1]] {
      try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: path))
      #expect(try findings(vault, "--only", "breached", "--breaches", path).count <= 1)
    }
    // Of a folder only the files of the ranges are read.
    let folder = "\(vault.home.path)/ranges"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let missing = try vault("audit", "--breaches", folder)
    #expect(missing.status == 69 && missing.errors.contains(".txt is missing"), "\(missing.errors)")
    try rangesOfItems(vault, folder, lines)
    #expect(try findings(vault, "--only", "breached", "--breaches", folder).count == 2)
  }

  /// Writes the files of the ranges that the vault's passwords are in.
  private func rangesOfItems(_ vault: ThrowawayVault, _ folder: String, _ lines: [String]) throws {
    let words = [
      "canary-Xv7#qLw2pR", "canary-9Zk!tYb4mN", "monkey1", "canary-5Hj?dFs8wC", "canary-3Rg+xVn6zB",
    ]
    for digest in try digests(words) {
      let prefix = digest.prefix(5)
      let range = lines.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(5) }
      try Data(range.joined(separator: "\r\n").utf8).write(
        to: URL(fileURLWithPath: "\(folder)/\(prefix).txt"))
    }
  }

  @Test func aListThatIsNoneIsRefused() throws {
    let vault = try mixed()
    let (lines, path) = try list(vault)
    func audited(_ text: String) throws -> VaultProcess.Result {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try vault("audit", "--breaches", path)
    }
    for text in ["hello\n", String(repeating: "x", count: 4000), "\(lines[0].dropLast(3)):x\n"] {
      let result = try audited(text)
      #expect(result.status == 65 && result.errors.contains("not a list"), "\(result.errors)")
    }
    let shuffled = try audited((lines.reversed() + [""]).joined(separator: "\n"))
    #expect(shuffled.status == 65 && shuffled.errors.contains("not sorted"), "\(shuffled.errors)")
    #expect(try audited("").status == 0)
    #expect(try vault("audit", "--breaches", "\(path).none").status == 66)
    #expect(try vault("audit", "--only", "breached").status == 64)
    #expect(try vault("audit", "--breaches", "https://example.org/\"").status == 64)
  }

  private static let hasCurl: Bool = {
    (try? PythonScript.run("/usr/bin/env", ["curl", "--version"]).status) == 0
  }()

  /// An audit beside a service on loopback: the ranges asked for, the status, and what was written.
  private func beside(_ way: String, _ vault: ThrowawayVault) throws -> String {
    try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/env"
    ).run([
      "python3", PythonScript.location("leaked_passwords.py"), way, VaultProcess.path, "audit",
      "--only", "breached", "--breaches", "LIST",
    ]).text
  }

  @Test(.enabled(if: hasCurl, "curl is not installed")) func aServiceLearnsFiveDigitsOfEach() throws
  {
    let vault = try mixed()
    let lines = try beside("ranges", vault).split(separator: "\n").map(String.init)
    let asked = lines.filter { $0.hasPrefix("/range/") }
    #expect(asked.count == 5 && asked.allSatisfy { $0.utf8.count == 12 }, "\(lines)")
    #expect(lines.contains("0") && lines.contains { $0.contains("seen 980209 times") }, "\(lines)")
    let nonsense = try beside("nonsense", vault)
    #expect(nonsense.contains("\n65\n") && nonsense.contains("not a list"), "\(nonsense)")
    let refused = try beside("refuses", vault)
    #expect(refused.contains("\n69\n") && refused.contains("status 429"), "\(refused)")
    let away = try vault("audit", "--breaches", "http://127.0.0.1:9")
    #expect(away.status == 69 && away.errors.contains("cannot be asked"), "\(away.errors)")
  }
}
