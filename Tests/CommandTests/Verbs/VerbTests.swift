import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

struct VerbTests {
  @Test(arguments: [["key", "add"], ["key", "rotate"]])
  func aKeyFileThatWasMadeForNothingGoesAgain(verb: [String]) throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.home.path)/new.key"
    // An older file in the vault's place: nothing is written over it.
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    try vault.set("x", "1")
    try before.write(to: URL(fileURLWithPath: vault.path))
    let failed = try vault.command.run(verb + ["--new-key-file", path])
    #expect(failed.status == 65, "\(failed.errors)")
    #expect(!FileManager.default.fileExists(atPath: path))
    // One that was there stays, and so does one that opens the vault.
    let kept = try KeyFile.create(path)
    #expect(try vault.command.run(verb + ["--new-key-file", path]).status == 65)
    #expect(try KeyFile.read(path)?.isEqual(to: kept) == true)
    let accepted = try vault.command.run(
      verb + ["--new-key-file", "\(path)2", "--accept-rollback"])
    #expect(accepted.status == 0, "\(accepted.errors)")
    #expect(FileManager.default.fileExists(atPath: "\(path)2"))
  }

  @Test func aSecretComesBackExactly() throws {
    let vault = try ThrowawayVault()
    for secret in [
      "s3cr3t", "", "a", "a\r\nb\r\n", "line\n", "\u{0}nul\u{0}",
      String(repeating: "x", count: 8193),
      String(repeating: "y", count: 1 << 20),
    ] {
      try vault.set("item", secret)
      #expect(try vault("get", "item").output == Data(secret.utf8))
    }
    let file = "\(vault.home.path)/in"
    let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try bytes.write(to: URL(fileURLWithPath: file))
    #expect(try vault("set", "item", "--file", file).status == 0)
    #expect(try vault("get", "item").output == bytes)
  }

  @Test func theNewlineOfASingleLineIsDroppedAndTold() throws {
    let vault = try ThrowawayVault()
    let dropped = try vault("set", "a", "--stdin", input: "one\n")
    #expect(dropped.errors.contains("--exact keeps it"))
    #expect(try vault("get", "a").text == "one")
    #expect(try vault("set", "a", "--stdin", "--exact", input: "one\n").errors == "")
    #expect(try vault("get", "a").text == "one\n")
    #expect(try vault("set", "a", "--stdin", input: "one\ntwo\n").errors == "")
    #expect(try vault("get", "a").text == "one\ntwo\n")
  }

  @Test func moreThanAMebibyteIsRefusedBeforeAnythingIsStored() throws {
    let vault = try ThrowawayVault()
    let result = try vault(
      "set", "a", "--stdin", input: String(repeating: "x", count: 1 << 20 + 1))
    #expect(result.status == 73)
    #expect(try vault("list").text == "")
  }

  @Test func aSecretOnTheLineIsRefusedAndNotRepeated() throws {
    let vault = try ThrowawayVault()
    for line in [
      ["set", "name", "canary-1"], ["set", "name", "--secret=canary-1"],
      ["--passphrase", "canary-1", "list"], ["set", "name", "--password", "canary-1"],
      ["get", "canary-1", "canary-1"], ["canary-1"], ["status", "canary-1"],
      ["list", "--expiring", "canary-1"], ["get", "x", "--version", "canary-1"],
      ["completions", "canary-1"], ["read", "canary-1"], ["run", "--env", "canary-1", "--", "x"],
    ] {
      let result = try vault.command.run(line)
      #expect(result.status == 64, "\(line)")
      #expect(!result.errors.contains("canary-1"), "\(line): \(result.errors)")
      #expect(result.errors.hasPrefix("vault: error: "), "\(line)")
      #expect(result.errors.contains("\nvault: hint: "), "\(line)")
    }
    #expect(try vault("list").text == "")
  }

  @Test func everyStatusIsWhatTheTableSays() throws {
    let vault = try ThrowawayVault()
    try vault.set("there", "x")
    #expect(try vault("get", "missing").status == 1)
    #expect(try vault("get", "there", "--field", "none").status == 1)
    #expect(try vault("get", "there", "--version", "9").status == 1)
    #expect(try vault("rename", "missing", "other").status == 1)
    #expect(try vault("get", "a//b").status == 64)
    #expect(try vault("remove", "missing").status == 1)
    #expect(try vault("key", "remove", "nothing").status == 1)
    #expect(try vault("init", "--key-file", "\(vault.home.path)/key").status == 73)
    #expect(try vault("get", "there", "--out", "\(vault.home.path)/none/folder/x").status == 73)
    #expect(try vault("set", "x", "--file", "\(vault.home.path)/none").status == 66)
    #expect(try vault("--passphrase", "env:NOT_THERE", "get", "there").status == 78)
    _ = try vault("lock")
    let locked = VaultProcess(home: vault.home.path)
    let refused = try locked.run(["get", "there"])
    #expect(refused.status == 77)
    #expect(!refused.errors.contains("there is no"))
    #expect(
      try locked.run(["--passphrase", "env:WRONG", "get", "there"], adding: ["WRONG": "wrong one"])
        .status == 77)
  }

  @Test func withoutAVaultNothingIsGuessed() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(
      home: home.path, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/no-bus"])
    for line in [
      ["get", "a"], ["list"], ["status"], ["set", "a", "--stdin"], ["run", "a", "--", "x"],
    ] {
      let result = try vault.run(line, input: Data("secret".utf8))
      #expect(result.status == 78, "\(line): \(result.errors)")
      #expect(result.errors.contains("vault init"), "\(line)")
    }
    #expect(try vault.run(["check"]).status == 78)
  }

  @Test func theFirstSetMakesTheVaultWhereASourceIsGiven() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let made = try vault.run(
      ["--passphrase", "env:PW", "--no-session", "set", "a", "--stdin"], input: Data("s".utf8),
      adding: ["PW": "correct horse battery"])
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("created "))
    let read = try vault.run(
      ["--passphrase", "env:PW", "get", "a"], adding: ["PW": "correct horse battery\n"])
    #expect(read.text == "s")
    let weak = try vault.run(
      ["--vault", "weak", "--passphrase", "env:PW", "init"], adding: ["PW": "short"])
    #expect(weak.status == 64)
  }

  @Test func anErrorIsAnObjectWhereJSONIsAskedFor() throws {
    struct Document: Decodable {
      struct Failure: Decodable { var code: String, message: String, hint: String?, status: Int }
      var schema: Int, error: Failure
    }
    let vault = try ThrowawayVault()
    let result = try vault("get", "missing", "--json")
    let document = try JSONDecoder().decode(Document.self, from: Data(result.errors.utf8))
    #expect(document.error.code == "item-not-found")
    #expect(document.error.status == 1)
    #expect(result.output.isEmpty)
  }

  @Test func everythingThatPrintsDataPrintsJSON() throws {
    let vault = try ThrowawayVault()
    try vault.set("work/a", "s3cr3t")
    for line in [
      ["list"], ["show", "work/a"], ["get", "work/a"], ["history", "work/a"], ["status"],
      ["key", "list"], ["check"], ["read", "secret://work/a"], ["rename", "work/a", "b"],
      ["copy", "b", "c"], ["remove", "c"], ["restore", "c"], ["unlock"], ["lock"],
    ] {
      let result = try vault.command.run(line + ["--json"])
      let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
      #expect(object?["schema"] as? Int == 1, "\(line): \(result.text) \(result.errors)")
    }
  }

  @Test func versionsAreKeptAndComeBack() throws {
    let vault = try ThrowawayVault()
    for secret in ["one", "two", "three"] { try vault.set("a", secret) }
    #expect(try vault("get", "a", "--version", "1").text == "one")
    #expect(try vault("history", "a").text.split(separator: "\n").count == 3)
    #expect(try vault("restore", "a", "--version", "2").status == 0)
    #expect(try vault("get", "a").text == "two")
    #expect(try vault("remove", "a").status == 0)
    #expect(try vault("list", "--trash").text == "a\n")
    #expect(try vault("restore", "a").status == 0)
    #expect(try vault("get", "a").text == "two")
    #expect(try vault("remove", "a", "--purge", "--yes").status == 0)
    #expect(try vault("list", "--trash").text == "")
    #expect(try vault("restore", "a").status == 1)
  }

  @Test func detailsAreKeptAndShown() throws {
    let vault = try ThrowawayVault()
    let set = try vault(
      "set", "work/mail", "--stdin", "--tag", "work", "--tag", "mail", "--note", "the office",
      "--attribute", "server=imap.example.com", "--kind", "internet-password", "--expires",
      "2030-01-31", input: "pw")
    #expect(set.status == 0, "\(set.errors)")
    #expect(try vault("set", "work/mail", "--stdin", "--field", "user", input: "me").status == 0)
    let shown = try vault("show", "work/mail").text
    for part in [
      "internet-password", "work", "the office", "server=imap.example.com", "2030-01-31T00:00:00Z",
      "user       me", "2 bytes, fingerprint ",
    ] { #expect(shown.contains(part), "\(part)") }
    #expect(!shown.contains("pw\n"))
    #expect(try vault("get", "work/mail", "--field", "user").text == "me")
    #expect(try vault("read", "secret://work/mail#user").text == "me")
    #expect(try vault("list", "--tag", "work").text == "work/mail\n")
    #expect(try vault("list", "--expired").text == "")
    #expect(try vault("list", "work/*").text == "work/mail\n")
    #expect(try vault("list", "--tree").text == "work/\n└── mail\n")
  }

  @Test func aFileForTheSecretIsPrivateAndWhole() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let path = "\(vault.home.path)/out"
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(try vault("get", "a", "--out", path).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(FileManager.default.contents(atPath: path) == Data("s3cr3t".utf8))
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)-link", withDestinationPath: path)
    #expect(try vault("get", "a", "--out", "\(path)-link").status == 73)
    #expect(try vault("get", "a", "--out", "/dev/full").status == 74)
    // What names a descriptor is no link of anybody's.
    #expect(try vault("get", "a", "--out", "/dev/stdout").text == "s3cr3t")
    let substituted = try vault.shell(
      "printf 1 >\"$3\"; VAULT_KEY_FILE=\"$1\" \"$2\" get a --no-session --out /dev/fd/9 9>>\"$3\"",
      vault.keyFile, VaultProcess.path, "\(path)-9")
    #expect(substituted.status == 0, "\(substituted.errors)")
    #expect(FileManager.default.contents(atPath: "\(path)-9") == Data("1s3cr3t".utf8))
    let reading = try vault.shell(
      "VAULT_KEY_FILE=\"$1\" \"$2\" get a --no-session --out /dev/fd/9 9<\"$3\"",
      vault.keyFile, VaultProcess.path, "\(path)-9")
    #expect(reading.status == 74, "\(reading.errors)")
    #expect(FileManager.default.contents(atPath: "\(path)-9") == Data("1s3cr3t".utf8))
    #expect(vault.home.names().filter { $0.hasPrefix(".vault-out") } == [])
  }

  @Test func aMisspeltVerbIsSuggested() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    #expect(try vault.run(["gte", "x"]).errors.contains("did you mean: vault get"))
    #expect(try vault.run(["lsit"]).errors.contains("did you mean: vault list"))
    #expect(try vault.run(["xyzzy"]).errors.contains("vault help all"))
  }

  @Test func withoutAHomeTheUserDatabaseIsAsked() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path, environment: ["HOME": ""])
    let result = try vault.run(["--home", "\(home.path)/v", "status"])
    #expect(result.status == 78)
  }

  @Test func preferencesAreWrittenAndRead() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    #expect(
      try vault.run(["defaults", "write", "com.example.tool", "theme", "-string", "dark"]).status
        == 0)
    #expect(try vault.run(["defaults", "read", "com.example.tool", "theme"]).text == "dark\n")
    #expect(try vault.run(["defaults", "read", "com.example.tool", "none"]).status == 1)
    #expect(
      try vault.run(["--home", "\(home.path)/other", "defaults", "domains"]).text == "\n")
  }

  @Test func helpNamesEveryVerbWithAnExample() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let all = try vault.run(["--help"])
    #expect(all.status == 0)
    #expect(all.errors.isEmpty)
    for verb in ["set", "get", "list", "run", "unlock", "key", "defaults", "completions"] {
      #expect(all.text.contains("\n  \(verb) "), "\(verb)")
      let help = try vault.run([verb, "--help"])
      #expect(help.status == 0, "\(verb)")
      #expect(help.text.contains("vault \(verb)"), "\(verb)")
    }
    #expect(try vault.run(["--version"]).text == "0.1.0\n")
  }

  @Test func userAddressTagAndNoteAreFoundBesideNames() throws {
    let vault = try ThrowawayVault()
    let rows = (0..<30).map { "Site,https://h\($0).example/x,u\($0)@mail.test,hidden\($0),n\n" }
    let table = "name,url,username,password,pin\n" + rows.joined()
    #expect(try vault("import", "csv", "-", input: table).status == 0)
    #expect(try vault("list", "H17.Example").text == "Site (u17@mail.test)\n")
    #expect(try vault("list", "mail.test").text.split(separator: "\n").count == 30)
    #expect(try vault("list", "h0.example", "--long").text.hasPrefix("Site "))
    #expect(try vault("list", "h29.example", "--json").text.contains("u29@mail.test"))
    _ = try vault("set", "Site", "--tag", "forge", "--note", "Blue door")
    for word in ["forge", "blue DOOR"] { #expect(try vault("list", word).text == "Site\n") }
    // Secrets and concealed fields are not looked into.
    for word in ["hidden3", "nothing", "h17*"] {
      let none = try vault("list", word, "--exit-code")
      #expect(none.status == 1 && none.text.isEmpty, "\(word)")
    }
    // A name that has the word comes first.
    try vault.set("forge", "x")
    #expect(try vault("list", "forge").text == "forge\nSite\n")
    _ = try vault("remove", "Site (u17@mail.test)")
    #expect(try vault("list", "h17.example").text.isEmpty)
  }
}
