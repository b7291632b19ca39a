import Foundation
import TestSupport
import Testing

/// `--json`, verb by verb: every document says its version, and Documentation/json.md names its
/// members.
struct JSONFormTests {
  /// A line for each verb that takes `--json`, in an order in which they can be run in one home.
  private static let lines: [(path: String, words: [String], input: String)] = [
    ("init", ["--key-file", "HOME/key", "--no-recovery"], ""),
    ("set", ["a/token", "--stdin", "--tag", "t", "--expires", "2100-01-01"], "one"),
    ("set", ["a/token", "--stdin"], "two"),
    ("set", ["b", "--stdin"], "b"),
    ("get", ["a/token"], ""),
    ("edit", ["a/token"], ""),
    ("read", ["secret://a/token"], ""),
    ("inject", ["--dry-run"], "{{ secret://a/token }}"),
    ("generate", ["--count", "2"], ""),
    ("set", ["a/made", "--generate", "--show"], ""),
    ("set", ["a/code", "--otp", "--stdin"], "GEZDGNBVGY3TQOJQ"),
    ("otp", ["a/code"], ""),
    ("audit", [], ""),
    ("menu", ["--program", "head -n1"], ""),
    ("list", ["--tree"], ""),
    ("show", ["a/token"], ""),
    ("history", ["a/token"], ""),
    ("rename", ["b", "c"], ""),
    ("copy", ["c", "d"], ""),
    ("remove", ["d"], ""),
    ("restore", ["d"], ""),
    ("undo", [], ""),
    ("settings", ["session", "1h"], ""),
    ("status", [], ""),
    ("upgrade", [], ""),
    ("check", [], ""),
    ("backup", ["HOME/backup.vault"], ""),
    ("merge", ["HOME/backup.vault"], ""),
    ("sync init", ["HOME/space"], ""),
    ("sync invite", [], ""),
    ("sync now", [], ""),
    ("sync rotate", [], ""),
    ("sync move", ["HOME/space"], ""),
    ("sync resolve", ["a/token"], ""),
    ("sync add", ["com.example.tool"], ""),
    ("sync drop", ["com.example.tool"], ""),
    ("sync status", [], ""),
    ("sync schema", ["postgresql"], ""),
    ("sync auto", ["on"], ""),
    ("sync subscription create", ["shops"], ""),
    ("sync mirror", ["HOME/www"], ""),
    ("sync subscription list", [], ""),
    ("sync devices", [], ""),
    ("sync subscription remove", ["shops"], ""),
    ("sync log", [], ""),
    ("sync role", ["nobody", "reader"], ""),
    ("sync admit", ["nobody"], ""),
    ("sync remove", ["nobody"], ""),
    ("ssh keygen", ["key"], ""),
    ("ssh import", ["other", "-"], "no key"),
    ("ssh-agent", ["--", "true"], ""),
    ("guard", ["--net", "none", "--", "true"], ""),
    ("approve", ["--list"], ""),
    ("mcp", [], ""),
    ("browser list", [], ""),
    ("browser remove", ["browser/none"], ""),
    ("ssh public", [], ""),
    ("sync leave", [], ""),
    // It ends only where there is no space.
    ("sync watch", [], ""),
    ("sync join", ["HOME/space", "--stdin"], "no code"),
    ("check", ["HOME/backup.vault"], ""),
    ("check", ["--salvage"], ""),
    ("key list", [], ""),
    ("key add", ["--new-key-file", "HOME/key2", "--label", "second"], ""),
    ("key remove", ["second"], ""),
    ("key add", ["--new-passphrase", "file:HOME/words"], ""),
    ("key change-passphrase", ["--new-passphrase", "file:HOME/words"], ""),
    ("key upgrade", ["--passphrase", "file:HOME/words"], ""),
    ("key rotate", ["--new-key-file", "HOME/key"], ""),
    ("keyring status", [], ""),
    ("keyring unlock", ["--passphrase", "file:HOME/words"], ""),
    ("keyring sync", [], ""),
    ("keyring publish", ["off"], ""),
    ("keyring list", [], ""),
    ("keyring adopt", ["1"], ""),
    ("keyring serve", ["--", "true"], ""),
    ("redact", [], "text"),
    ("unlock", [], ""),
    ("lock", [], ""),
    ("connect", ["git"], ""),
    ("disconnect", ["git"], ""),
    ("import", ["json", "-"], #"{"e": "1"}"#),
    ("export", ["json", "--yes"], ""),
    ("run", ["a/token", "--", "true"], ""),
    ("credential", ["git", "capability"], ""),
    ("data stores", [], ""),
    ("data schema", ["com.example.trips"], ""),
    ("data fetch", ["com.example.trips", "Trip"], ""),
    ("data count", ["com.example.trips", "Trip"], ""),
    ("data export", ["com.example.trips"], ""),
    ("data check", ["com.example.trips"], ""),
    ("log", [], ""),
    ("data backup", ["com.example.trips", "HOME/copy.store"], ""),
    ("data history", ["com.example.trips"], ""),
    ("data vacuum", ["com.example.trips"], ""),
    ("data conflicts", ["com.example.trips"], ""),
    ("data restore", ["com.example.trips", "1"], ""),
    ("data migrate", ["com.example.trips", "--to", "com.example.trips", "--dry-run"], ""),
    ("data import", ["HOME/Mac.store", "--dry-run"], ""),
  ]

  /// Verbs that have nothing to print, or print another program's form.
  private static let without: Set<String> = [
    "run", "redact", "keyring serve", "ssh-agent", "guard", "mcp", "credential", "key remove",
    "key change-passphrase", "key upgrade", "sync leave",
  ]

  @Test func everyDocumentSaysItsVersionAndIsDocumented() throws {
    let data = try DataStoreHome()
    let home = data.home.path
    let vault = VaultProcess(
      home: home,
      environment: [
        "VAULT_KEY_FILE": "\(home)/key", "GIT_CONFIG_NOSYSTEM": "1", "EDITOR": "true",
        "XDG_RUNTIME_DIR": "\(home)/run",
      ])
    try FileManager.default.createDirectory(
      atPath: "\(home)/run", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try MacStoreFile.make(at: "\(home)/Mac.store")
    _ = try data.home.privateFile("words", "correct horse battery staple")
    try FileManager.default.createDirectory(
      atPath: "\(home)/space", withIntermediateDirectories: false)
    let rows = try DocumentationPage("json.md").entries(below: "Members of each verb")
    for line in Self.lines {
      let path = line.path.split(separator: " ").map(String.init)
      let words = line.words.map { $0.replacing("HOME", with: home) }
      let result = try vault.run(path + ["--json"] + words, input: Data(line.input.utf8))
      if Self.without.contains(line.path), result.status == 0 { continue }
      let isError = result.status != 0 && result.output.isEmpty
      let text = isError ? Data(result.errors.utf8) : result.output
      let object = try? JSONSerialization.jsonObject(with: text) as? [String: Any]
      let document = try #require(object, "\(line.path): \(result.text) \(result.errors)")
      #expect(document["schema"] as? Int == 1, "\(line.path)")
      if isError {
        let error = try #require(document["error"] as? [String: Any], "\(line.path)")
        #expect(error["status"] as? Int == Int(result.status))
        #expect(error["code"] is String && error["message"] is String)
        // There is neither a keyring nor a clipboard; redacted text is no JSON. The tests' folder
        // holds this command, and is no folder for a wall.
        #expect(
          line.path.hasPrefix("keyring")
            || [
              "menu", "redact", "guard", "sync join", "sync role", "sync admit", "sync remove",
              "sync resolve", "sync watch", "ssh import", "browser remove", "data conflicts",
              "data restore",
            ].contains(line.path),
          "\(line.path): \(result.errors)")
        continue
      }
      let described = rows.filter { row in
        DocumentationPage.codes(row[0]).contains {
          $0 == line.path || $0.hasPrefix("\(line.path) ")
        }
      }
      // "the same members": those of the row before.
      let members = described.flatMap { row in
        let before = rows.firstIndex(of: row).flatMap { $0 > 0 ? rows[$0 - 1] : nil }
        return DocumentationPage.codes(row[1])
          + (row[1].contains("the same members") ? DocumentationPage.codes(before?[1] ?? "") : [])
      }
      for member in document.keys where member != "schema" {
        #expect(members.contains(member), "\(line.path): '\(member)' is not in json.md")
      }
    }
  }

  @Test func everyVerbWithJSONIsTried() throws {
    let there = try CommandGrammarDump().leaves
      .filter { $0.verb.longOptions.contains("--json") }.map(\.path)
    let tried = Set(Self.lines.map(\.path))
    #expect(Set(there).subtracting(tried) == [], "no line for these")
    #expect(tried.subtracting(there) == [], "these are gone")
  }
}
