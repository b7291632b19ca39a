import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// What the command writes for others to read, with values that try to be more than values.
struct CommandQuotingTests {
  private static let evil = "hello'\u{301}; touch PWNED; echo '\u{301}"

  @Test func anExportedScriptRunsNoValue() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let values: [String: Any] = [
      "greeting": Self.evil, Self.evil: "key", "list": [Self.evil, "two\n\nlines\r\nthree"],
    ]
    let list = try PropertyListSerialization.data(
      fromPropertyList: values, format: .xml, options: 0)
    try list.write(to: URL(fileURLWithPath: "\(home.path)/theme.plist"))
    #expect(try vault.run(["defaults", "import", "com.example.theme", "theme.plist"]).status == 0)
    let script = try vault.run([
      "defaults", "export", "com.example.theme", "-", "--format", "script",
    ])
    // In another home, by the command itself.
    let other = try TemporaryHome()
    let shell = VaultProcess(home: other.path, executable: "/bin/sh")
    let run = try shell.run([
      "-c", "defaults() { \"\(VaultProcess.path)\" defaults \"$@\"; }\n\(script.text)",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(!other.names().contains("PWNED"))
    let reader = VaultProcess(home: other.path)
    let read = try reader.run(["defaults", "read", "com.example.theme", "greeting"])
    #expect(read.output == Data((Self.evil + "\n").utf8))
    let whole = try reader.run(["defaults", "export", "com.example.theme", "-"])
    #expect(try vault.run(["defaults", "export", "com.example.theme", "-"]).output == whole.output)
  }

  /// A store that another program wrote: its cells and its metadata are what it likes.
  private func store(_ home: TemporaryHome, table: String? = nil) throws -> String {
    let path = "\(home.path)/evil.store"
    let file = DataStoreFile(path: path)
    let entity = StoredEntity("Trip", attributes: [StoredAttribute("name", .string)])
    let (connection, metadata) = try file.open(
      orCreate: DataStoreMetadata(
        application: "a", schema: StoredSchema(version: StoredVersion(1, 0, 0), entities: [entity]))
    )
    defer { connection.close() }
    try connection.execute(
      "INSERT INTO Trip(name) VALUES (?), (?)",
      [.text("x\"\u{301},evil\r\nrow"), .text("\u{1B}[2Jesc")])
    _ = metadata
    return path
  }

  @Test func aCellOfCSVStaysACell() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let path = try store(home)
    let read = try vault.run(["data", "fetch", path, "Trip", "--csv"])
    #expect(
      read.text == "_id,name\r\n1,\"x\"\"\u{301},evil\r\nrow\"\r\n2,\u{1B}[2Jesc\r\n",
      "\(read.errors)")
  }

  @Test(.enabled(if: HelperLinks.isInstalled("script"), "script(1) is not installed"))
  func aTerminalGetsCSVWithoutControlCharacters() throws {
    let home = try TemporaryHome()
    let path = try store(home)
    let shell = VaultProcess(home: home.path, executable: "/bin/sh")
    let read = try shell.run([
      "-c", "script -qc '\"\(VaultProcess.path)\" data fetch \"\(path)\" Trip --csv' /dev/null",
    ])
    #expect(read.text.contains("\\u{1b}[2Jesc"))
    #expect(!read.text.contains("\u{1B}[2J"))
  }

  /// A pipe may lead to a terminal, as that of a pager: what describes an item acts on none.
  @Test func whatDescribesAnItemActsOnNoTerminal() throws {
    let vault = try ThrowawayVault()
    try vault.set("db", "1")
    let set = try vault(
      "set", "db", "--note", "one\u{1B}[2J\ntwo", "--attribute", "url=\u{1B}]52;c;ZQ==\u{7}")
    #expect(set.status == 0, "\(set.errors)")
    for words in [["show", "db"], ["list", "--long"], ["list", "ZQ"]] {
      let run = try vault.command.run(words)
      #expect(run.status == 0 && !run.text.contains("\u{1B}"), "\(words) \(run.errors)")
    }
    let page = try vault("show", "db").text
    #expect(page.contains("one\\u{1b}[2J\n") && page.contains("two\n"), "\(page)")
    #expect(page.contains("url=\\u{1b}]52;c;ZQ==\\u{7}"), "\(page)")
  }

  @Test func columnsWithoutChecksDoNotBreakJSON() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let path = "\(home.path)/free.store"
    let notes = StoredAttribute("notes", .json)
    let schema = StoredSchema(
      version: StoredVersion(1, 0, 0), entities: [StoredEntity("Trip", attributes: [notes])])
    let (connection, _) = try DataStoreFile(path: path).open(
      orCreate: DataStoreMetadata(application: "a", schema: schema))
    try connection.executeScript(
      """
      DROP TABLE Trip; CREATE TABLE Trip(_id, notes);
      INSERT INTO Trip VALUES ('1, "injected": true', 'null}, {"injected": true'),
        (2, '{"a": 1.10, "b": ["\u{1B}"]}'), (3, '[1,\n2]');
      """)
    connection.close()
    let read = try vault.run(["data", "fetch", path, "Trip", "--json"])
    let object = try JSONSerialization.jsonObject(with: read.output) as? [String: Any]
    let rows = try #require(object?["rows"] as? [[String: Any]], "\(read.text) \(read.errors)")
    #expect(rows.count == 3 && rows.allSatisfy { $0.count == 2 })
    #expect(!read.text.contains("\u{1B}"))
  }

  @Test func wordsThatAreNotUTF8AreRefused() throws {
    let vault = try ThrowawayVault()
    let shell = VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": "\(vault.home.path)/key"],
      executable: "/bin/sh")
    for line in [
      "printf x | V set \"$(printf 'b\\377x')\" --stdin", "V get \"$(printf 'n\\350')\"",
      "printf x | V set n --stdin --tag \"$(printf '\\376')\"",
      "printf x | V credential keyring set svc \"$(printf 'u\\351')\"",
      "V credential keyring get svc \"$(printf 'u\\350')\"",
      "V set -- \"$(printf 'b\\377')\" --generate", "V defaults write a b \"$(printf '\\377')\"",
    ] {
      let done = try shell.run(["-c", "V() { \"\(VaultProcess.path)\" \"$@\"; }; \(line)"])
      #expect(done.status == 64, "\(line): \(done.errors)")
      #expect(done.errors.contains("not valid UTF-8"))
    }
    #expect(try vault("list").text.isEmpty)
    // What follows -- is another program's.
    try vault.set("a", "s")
    let run = try shell.run([
      "-c", "\"\(VaultProcess.path)\" run a -- printf %s \"$(printf 'caf\\351.txt')\"",
    ])
    #expect(run.output == Data([0x63, 0x61, 0x66, 0xE9] + Array(".txt".utf8)), "\(run.errors)")
  }

  @Test func namesThatAShellWouldPrintToTheTerminalAreNotOffered() throws {
    let vault = try ThrowawayVault()
    try vault.set("TAG\u{202E}gat", "x")
    try vault.set("TAG plain", "x")
    let offered = try vault("__complete", "2", "vault", "get", "TAG").text
    #expect(!offered.contains("\u{202E}"))
  }
}
