import Foundation
import TestSupport
import Testing

/// What a monitor and a playbook need: changes and warnings by code, times, dated backups.
struct MonitoringTests {
  private struct Status: Decodable {
    struct Warning: Decodable { let code: String }
    let version: String
    let modified: String?
    let lastBackup: String?
    let expiring: Int?
    let warnings: [Warning]
  }

  private func status(_ vault: ThrowawayVault, _ words: String...) throws -> Status {
    let run = try vault.command.run(["status", "--json"] + words)
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(Status.self, from: run.output)
  }

  @Test func statusWarnsByCodesAndKnowsItsTimes() throws {
    let vault = try ThrowawayVault()
    _ = try vault("set", "a", "--stdin", "--expires", "5d", input: "1")
    _ = try vault("set", "b", "--stdin", "--expires", "2001-01-01", input: "1")
    _ = try vault("set", "c", "--stdin", "--expires", "90d", input: "1")
    let before = try status(vault)
    #expect(before.warnings.map(\.code) == ["single-slot", "items-expired", "items-expiring"])
    #expect(before.expiring == 1 && before.lastBackup == nil && before.version.contains("."))
    #expect(before.modified?.hasSuffix("Z") == true)
    _ = try vault("key", "add", "--recovery", "--json")
    #expect(try vault("backup", "\(vault.home.path)/b.vault").status == 0)
    let after = try status(vault)
    #expect(after.lastBackup != nil)
    #expect(!after.warnings.map(\.code).contains("single-slot"))
    // Nobody needs the keyring here, so nothing is said of it.
    #expect(try !vault("status").errors.contains("session bus"))
    #expect(try vault("status").text.contains("1 expired, 1 expiring"))
  }

  @Test func anEqualSecretMakesNoVersion() throws {
    let vault = try ThrowawayVault()
    func set(_ text: String, _ words: String...) throws -> (isChanged: Bool, version: Int) {
      let run = try vault.command.run(
        ["set", "db", "--stdin", "--json"] + words, input: Data(text.utf8))
      #expect(run.status == 0, "\(run.errors)")
      let object = try JSONSerialization.jsonObject(with: run.output) as? [String: Any]
      let document = try #require(object)
      return (
        try #require(document["isChanged"] as? Bool), try #require(document["version"] as? Int)
      )
    }
    #expect(try set("one", "--tag", "prod") == (true, 1))
    let file = "\(vault.home.path)/.local/share/vault/secrets.vault"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(try set("one", "--tag", "prod") == (false, 1))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    #expect(try set("one", "--tag", "new") == (true, 1))
    #expect(try set("two", "--tag", "new") == (true, 2))
    #expect(try set("two", "--field", "user") == (true, 3))
    #expect(try set("two", "--field", "user") == (false, 3))
    #expect(try vault("history", "db").text.split(separator: "\n").count == 3)
  }

  @Test func initIfMissingSucceedsWithTheSameKeyOnly() throws {
    let vault = try ThrowawayVault()
    let key = "\(vault.home.path)/key"
    #expect(try vault("init", "--key-file", key).status == 73)
    let again = try vault("init", "--key-file", key, "--if-missing", "--json")
    #expect(again.status == 0 && again.text.contains("\"isNew\": false"), "\(again.errors)")
    #expect(again.errors.contains("already"))
    let other = try vault("--vault", "v", "init", "--key-file", "\(key)2", "--if-missing", "--json")
    #expect(other.status == 0 && other.text.contains("\"isNew\": true"), "\(other.errors)")
    #expect(try vault("init", "--key-file", "\(key)2", "--if-missing").status == 77)
  }

  @Test func aFolderOfBackupsKeepsTheNewestOfEachVault() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    _ = try vault("--vault", "work", "init", "--key-file", "\(vault.home.path)/key")
    let folder = "\(vault.home.path)/backups"
    #expect(try vault("backup", "\(vault.home.path)/single.vault", "--keep", "2").status == 64)
    #expect(try vault("backup", "\(folder)/", "--keep", "0").status == 64)
    #expect(try vault("--vault", "work", "backup", "\(folder)/").status == 0)
    let first = try vault("backup", folder)
    #expect(first.status == 0, "\(first.errors)")
    let mine = try #require(names(folder).first { $0.hasPrefix("vault-") })
    #expect(first.errors.contains(" \(folder)/\(mine) holds 1 item "), "\(first.errors)")
    #expect(mine.wholeMatch(of: /vault-[0-9a-f]{8}-\d{8}T\d{6}Z\.vault/) != nil)
    let stem = mine.prefix("vault-e7241a1a-".count)
    // Older ones, one of which is no backup.
    for year in 2001...2004 {
      let old = "\(folder)/\(stem)\(year)0101T000000Z.vault"
      try FileManager.default.copyItem(atPath: "\(folder)/\(mine)", toPath: old)
    }
    try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(stem)20020101T000000Z.vault"))
    let late = "\(stem)20990101T000000Z.vault"
    try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(late)"))
    let kept = try vault("backup", folder, "--keep", "2", "--json")
    #expect(kept.status == 0, "\(kept.errors)")
    let left = try names(folder)
    #expect(left.count { $0.hasPrefix("work-") } == 1)
    #expect(left.contains("\(stem)20020101T000000Z.vault"))
    #expect(!left.contains("\(stem)20010101T000000Z.vault"))
    #expect(!left.contains("\(stem)20030101T000000Z.vault"))
    #expect(left.contains(mine))
    // Those that are none are not counted: two are left beside them.
    #expect(left.contains(late))
    #expect(left.count { $0.hasPrefix(stem) } == 4)
    #expect(kept.text.contains("20010101T000000Z"))
    #expect(try vault("check", "\(folder)/\(mine)").status == 0)
    // The newest one is restored; with those of several vaults of this name, nobody guesses.
    let back = try vault("init", "--home", "\(vault.home.path)/back", "--from", folder)
    let newest = try #require(left.filter { $0.hasPrefix("vault-") && $0 != late }.max())
    #expect(back.status == 0 && back.errors.contains("from \(folder)/\(newest);"), "\(back.errors)")
    let none = try vault(
      "init", "--home", "\(vault.home.path)/none", "--vault", "other", "--from", "\(folder)/")
    #expect(none.status == 66 && none.errors.contains("no backup of the vault 'other'"))
    try FileManager.default.copyItem(
      atPath: "\(folder)/\(mine)", toPath: "\(folder)/vault-00000000-20300101T000000Z.vault")
    let unclear = try vault("init", "--home", "\(vault.home.path)/none", "--from", folder)
    #expect(unclear.status == 64 && unclear.errors.contains("backups of 2 vaults"))
  }

  /// Of a file that cannot be read, nobody can tell whether it is the newest backup.
  @Test(arguments: ["nowhere", "itself"])
  func aBackupThatCannotBeReadIsNotPassedOver(target: String) throws {
    let vault = try ThrowawayVault()
    let folder = "\(vault.home.path)/backups"
    #expect(try vault("backup", "\(folder)/").status == 0)
    let mine = try #require(names(folder).first)
    let stem = mine.prefix("vault-e7241a1a-".count)
    func link(_ year: Int) throws {
      let path = "\(folder)/\(stem)\(year)0101T000000Z.vault"
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: target == "itself" ? path : "\(folder)/nowhere/file")
    }
    // An older one is no obstacle to restoring.
    try link(2001)
    let restored = try vault("init", "--home", "\(vault.home.path)/a", "--from", folder)
    #expect(restored.status == 0, "\(restored.errors)")
    let pruned = try vault("backup", folder, "--keep", "1")
    #expect(pruned.status == 74 && pruned.errors.contains("no old one is removed"))
    #expect(try names(folder).contains(mine))
    try link(2098)
    let refused = try vault("init", "--home", "\(vault.home.path)/b", "--from", folder)
    #expect(refused.status != 0 && refused.errors.contains("\(stem)2098"), "\(refused.errors)")
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  @Test func thePassphraseMayBeInTheEnvironment() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(
      home: home.path,
      environment: [
        "VAULT_PASSPHRASE": "correct horse battery",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/no-bus",
      ])
    let made = try vault.run(["set", "a", "--stdin", "--no-session"], input: Data("s".utf8))
    #expect(made.status == 0, "\(made.errors)")
    #expect(try vault.run(["get", "a", "--no-session"]).text == "s")
    let status = try vault.run(["status", "--json", "--no-session"])
    #expect(status.text.contains("environment-passphrase"))
    let child = try vault.run(["run", "a", "--no-session", "--", "/usr/bin/env"])
    #expect(child.text.contains("A=s") && !child.text.contains("VAULT_PASSPHRASE"))
    let wrong = try vault.run(
      ["get", "a", "--no-session"], adding: ["VAULT_PASSPHRASE": "wrong one"])
    #expect(wrong.status == 77 && !wrong.errors.contains("wrong one"), "\(wrong.errors)")
    // A source that was named comes before it.
    let named = try vault.run(
      ["get", "a", "--no-session", "--passphrase", "env:P"],
      adding: ["VAULT_PASSPHRASE": "wrong one", "P": "correct horse battery"])
    #expect(named.text == "s", "\(named.errors)")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/jq"), "jq is not installed")
  )
  func theRecipesOfThePageRun() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    let page = try DocumentationPage("monitoring.md").text
    let recipes = page.matches(of: /```sh\n([^`]+)```/).prefix(2)
      .map { String($0.output.1) }
    #expect(recipes.count == 2)
    let bin = "\(vault.home.path)/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(bin)/vault", withDestinationPath: VaultProcess.path)
    let shell = VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh")
    let more = ["PATH": "\(bin):/usr/bin:/bin"]
    #expect(try shell.run(["-c", recipes[0]], adding: more).status == 0)
    let metrics = try String(contentsOfFile: "\(vault.home.path)/vault.prom", encoding: .utf8)
    #expect(metrics.contains("vault_warnings 1\n") && metrics.contains("vault_items_expired 0"))
    let check = try shell.run(["-c", recipes[1]], adding: more)
    #expect(check.status == 1 && check.text == "VAULT WARNING: single-slot\n", "\(check.text)")
    _ = try vault("lock")
    let locked = try shell.run(
      ["-c", recipes[1]],
      adding: more.merging(["VAULT_KEY_FILE": "\(vault.home.path)/nowhere"]) { $1 })
    #expect(locked.status == 2 && locked.text.hasPrefix("VAULT CRITICAL"), "\(locked.text)")
  }
}
