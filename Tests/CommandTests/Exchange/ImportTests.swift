import Foundation
import TestSupport
import Testing

struct ImportTests {
  private func file(_ name: String, _ text: String, in vault: ThrowawayVault) throws -> String {
    let path = "\(vault.home.path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func field(_ vault: ThrowawayVault, _ name: String, _ field: String) throws -> String {
    try vault("get", name, "--field", field).text
  }

  @Test func aTableOfPasswordsIsImportedCompletely() throws {
    let vault = try ThrowawayVault()
    let path = try file(
      "1p.csv",
      """
      Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
      Git/Hub,https://github.com,david,"p,w""1",otpauth://totp/x?secret=AAAA,false,false,"a;b","two
      lines"
      Git/Hub,https://github.com,other,pw2,,false,false,,
      \u{1}odd\u{202E},,,pw3,,,,,
      short,row

      """, in: vault)
    let planned = try vault("import", "1password", path, "--dry-run")
    #expect(planned.status == 1)
    #expect(try vault("list").text.isEmpty)
    let done = try vault("import", "1password", path)
    #expect(done.status == 1)
    #expect(done.text == planned.text)
    #expect(!done.errors.contains("p,w"))
    #expect(done.errors.contains("skipped: row 5"))
    #expect(done.errors.contains("column Favorite: left out"))
    #expect(try vault("get", "Git-Hub").text == "p,w\"1")
    #expect(try field(vault, "Git-Hub", "user") == "david")
    #expect(try field(vault, "Git-Hub", "url") == "https://github.com")
    #expect(try field(vault, "Git-Hub", "otp") == "otpauth://totp/x?secret=AAAA")
    #expect(try field(vault, "Git-Hub", "notes") == "two\nlines")
    #expect(try vault("get", "Git-Hub", "--field", "Archived").status == 1)
    #expect(try vault("list", "--tag", "b").text == "Git-Hub\n")
    #expect(try vault("get", "Git-Hub (other)").text == "pw2")
    #expect(try vault("list").text.split(separator: "\n").count == 3)
  }

  @Test func existingItemsStayUnlessReplaceIsGiven() throws {
    let vault = try ThrowawayVault()
    let path = try file(
      "chrome.csv", "name,url,username,password,note\na,,u,1,\nb,,,2,\n", in: vault)
    // If this fails, the test prints the whole answer.
    func told(_ run: VaultProcess.Result) -> Comment {
      "status \(run.status), stdout '\(run.text)', stderr '\(run.errors)'"
    }
    func expect(_ line: String..., gives text: String) throws {
      let run = try vault.command.run(line)
      #expect(run.status == 0 && run.text == text, told(run))
    }
    let first = try vault("import", "chrome", path, "--prefix", "web/")
    #expect(first.status == 0, told(first))
    let again = try vault("import", "chrome", path, "--prefix", "web/")
    #expect(again.status == 0, told(again))
    #expect(again.text.split(separator: "\n").allSatisfy { $0.hasPrefix("same") }, told(again))
    try vault.set("web/a", "mine")
    let other = try vault("import", "chrome", path, "--prefix", "web/")
    #expect(other.status == 1, told(other))
    try expect("get", "web/a", gives: "mine")
    let replaced = try vault("import", "chrome", path, "--prefix", "web/", "--replace")
    #expect(replaced.status == 0, told(replaced))
    try expect("get", "web/a", gives: "1")
    try expect("get", "web/a", "--version", "2", gives: "mine")
    let history = try vault("history", "web/b")
    #expect(history.text.split(separator: "\n").count == 1, told(history))
  }

  @Test func firefoxHasNoTitles() throws {
    let vault = try ThrowawayVault()
    let path = try file(
      "firefox.csv",
      """
      "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
      "https://www.example.com","u","pw","realm","https://x","{1}","1","2","3"
      """, in: vault)
    #expect(try vault("import", "firefox", path).status == 0)
    #expect(try vault("get", "example.com").text == "pw")
    #expect(try field(vault, "example.com", "httpRealm") == "realm")
    #expect(try vault("import", "firefox", try file("x.csv", "a,b\n1,2\n", in: vault)).status == 65)
  }

  @Test func allTypesOfBitwardenAreImported() throws {
    let vault = try ThrowawayVault()
    let path = try file(
      "bw.json",
      #"""
      {"encrypted": false, "folders": [{"id": "f", "name": "Work/Web"}], "items": [
       {"id":"1","folderId":"f","type":1,"name":"Mail","notes":"n1","favorite":false,
        "login":{"username":"u","password":"p\"w","totp":"otpauth://x","uris":[{"uri":"https://a"},{"uri":"https://b"}],
         "fido2Credentials":[{"credentialId":"c"}]},
        "fields":[{"name":"pin","value":"12","type":1},{"name":"pin","value":"34","type":0}],
        "passwordHistory":[{"password":"old"}],"attachments":[{"fileName":"scan.pdf"}]},
       {"id":"2","type":2,"name":"Note","notes":"two\nlines","secureNote":{"type":0}},
       {"id":"3","type":3,"name":"Card","card":{"number":"4111","code":"123","brand":null}},
       {"id":"4","type":4,"name":"Me","identity":{"firstName":"D","email":"d@example.com"}},
       {"id":"5","type":5,"name":"Key","sshKey":{"privateKey":"PRIVATE","publicKey":"ssh-ed25519 A"}},
       {"id":"6","type":1,"name":"Gone","deletedDate":"2026-01-01T00:00:00Z","login":{"password":"x"}}
      ]}
      """#, in: vault)
    let done = try vault("import", "bitwarden", path)
    #expect(done.status == 1)
    for lost in [
      "1 passkey", "scan.pdf", "Gone: it is in Bitwarden's trash",
    ] {
      #expect(done.errors.contains(lost), "\(lost): \(done.errors)")
    }
    #expect(try vault("get", "Work/Web/Mail").text == "p\"w")
    #expect(try vault("get", "Work/Web/Mail", "--version", "1").text == "old")
    #expect(try field(vault, "Work/Web/Mail", "url~2") == "https://b")
    #expect(try field(vault, "Work/Web/Mail", "pin~2") == "34")
    #expect(try vault("get", "Note").text == "two\nlines")
    #expect(try vault("get", "Card").text == "4111")
    #expect(try field(vault, "Card", "code") == "123")
    #expect(try field(vault, "Me", "email") == "d@example.com")
    #expect(try vault("get", "Key").text == "PRIVATE")
    let sealed = try file("sealed.json", #"{"encrypted": true, "data": "2.x"}"#, in: vault)
    #expect(try vault("import", "bitwarden", sealed).status == 65)
  }

  @Test func keePassXMLIsImportedCompletely() throws {
    let vault = try ThrowawayVault()
    let path = try file(
      "kp.xml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <KeePassFile><Meta><RecycleBinEnabled>True</RecycleBinEnabled><RecycleBinUUID>bin=</RecycleBinUUID></Meta>
      <Root><Group><UUID>r</UUID><Name>Root</Name>
      <Group><UUID>g</UUID><Name>a/b</Name><Entry><UUID>e</UUID><Tags>x;y</Tags>
      <Times><ExpiryTime>2100-01-01T00:00:00Z</ExpiryTime><Expires>True</Expires></Times>
      <String><Key>Title</Key><Value>T &amp; Ü</Value></String>
      <String><Key>Password</Key><Value ProtectInMemory="True">p&lt;w
      2</Value></String>
      <String><Key>UserName</Key><Value>u</Value></String>
      <String><Key>otp</Key><Value>otpauth://totp/x</Value></String>
      <String><Key>Own</Key><Value>v</Value></String>
      <Binary><Key>scan.png</Key><Value Ref="0"/></Binary>
      <History><Entry/><Entry/></History></Entry></Group>
      <Group><UUID>bin=</UUID><Name>Recycle Bin</Name><Entry><UUID>z</UUID></Entry></Group>
      </Group></Root></KeePassFile>
      """, in: vault)
    let done = try vault("import", "keepassxc", path)
    #expect(done.status == 1)
    for lost in ["scan.png", "1 removed entry"] {
      #expect(done.errors.contains(lost), "\(lost): \(done.errors)")
    }
    let name = "a-b/T & Ü"
    #expect(try vault("get", name).text == "p<w\n2")
    #expect(try field(vault, name, "user") == "u")
    #expect(try field(vault, name, "otp") == "otpauth://totp/x")
    #expect(try field(vault, name, "Own") == "v")
    #expect(try vault("show", name).text.contains("2100"))
    #expect(
      try vault("import", "keepassxc", try file("y.xml", "<a><b></a>", in: vault)).status == 65)
  }

  @Test func aDotenvFileAndAnObjectOfTexts() throws {
    let vault = try ThrowawayVault()
    #expect(
      try vault("import", "dotenv", try file(".env", "A=1\nB=\"x y\"\n", in: vault)).status == 0)
    #expect(try vault("get", "B").text == "x y")
    #expect(try vault("import", "json", "-", input: #"{"C": "3", "D": [1]}"#).status == 1)
    #expect(try vault("get", "C").text == "3")
    #expect(try vault("import", "json", "-", input: "{").status == 65)
    #expect(try vault("import", "other", "-").status == 64)
  }

  @Test func anExportCanBeImported() throws {
    let vault = try ThrowawayVault()
    try vault.set("work/token", "a\nb\"c$d\\e")
    try vault.set("bytes", "x\u{0}y")
    _ = try vault("set", "work/token", "--field", "user", "--stdin", input: "david")
    _ = try vault(
      "set", "work/token", "--field", "pin", "--stdin", "--note", "n", "--tag", "t",
      "--attribute", "server=s", "--expires", "2100-01-01", input: "1")
    #expect(try vault("export", "json").status == 64)
    let out = "\(vault.home.path)/out.json"
    #expect(try vault("export", "json", "--yes", "--out", out).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let other = try ThrowawayVault()
    #expect(try other("import", "json", out).status == 0)
    #expect(try other("get", "work/token").text == "a\nb\"c$d\\e")
    #expect(try other("get", "bytes").text == "x\u{0}y")
    #expect(try field(other, "work/token", "user") == "david")
    let shown = try other("show", "work/token").text
    for word in ["2100", "server", "t", "n"] { #expect(shown.contains(word)) }
    #expect(try vault("export", "dotenv", "--yes").status == 64)
    let dotenv = try vault("export", "dotenv", "work/*", "--yes", "--prefix-names")
    #expect(dotenv.text == "WORK_TOKEN='a\nb\"c$d\\e'\n")
    #expect(try other("import", "dotenv", "-", input: dotenv.text).status == 0)
    #expect(try other("get", "WORK_TOKEN").text == "a\nb\"c$d\\e")
  }

  @Test(.enabled(if: HelperLinks.isInstalled("gpg"), "gpg is not installed"))
  func aFolderOfPassIsReadAndWritten() throws {
    let vault = try ThrowawayVault()
    let store = "\(vault.home.path)/store"
    let script = """
      mkdir -m 700 "$HOME/.gnupg" && mkdir -p "$1/a b" && echo tester@example.com >"$1/.gpg-id" &&
      gpg -q --batch --passphrase '' --quick-generate-key tester@example.com future-default default never &&
      put() { gpg -q --batch --trust-model always -e -r tester@example.com -o "$1"; } &&
      printf 'p w\\nuser: david\\nurl: https://x\\notpauth://totp/x?secret=A\\nfree: text\\n\\nend\\n' |
        put "$1/a b/ü.gpg" && printf 'only' | put "$1/one.gpg" && echo x >"$1/README" &&
      echo broken >"$1/broken.gpg"
      """
    let shell = VaultProcess(home: vault.home.path, executable: "/bin/sh")
    let made = try shell.run(["-c", script, "sh", store])
    defer { _ = try? shell.run(["-c", "gpgconf --kill all"]) }
    try #require(made.status == 0, "\(made.errors)")
    let done = try vault("import", "pass", store)
    #expect(done.status == 1)
    #expect(done.errors.contains("skipped: README"))
    #expect(done.errors.contains("skipped: broken.gpg"))
    #expect(try vault("get", "a b/ü").text == "p w")
    #expect(try field(vault, "a b/ü", "user") == "david")
    #expect(try field(vault, "a b/ü", "otp") == "otpauth://totp/x?secret=A")
    #expect(try field(vault, "a b/ü", "notes") == "free: text\n\nend")
    #expect(try vault("get", "one").text == "only")
    let out = "\(vault.home.path)/out"
    _ = try shell.run(["-c", "mkdir \"$1\" && cp \"$2/.gpg-id\" \"$1\"", "sh", out, store])
    let exported = try vault("export", "pass", "--out", out)
    #expect(exported.status == 0, "\(exported.errors)")
    let read = try shell.run(["-c", "gpg -q -d \"$1\"", "sh", "\(out)/a b/ü.gpg"])
    #expect(
      read.text
        == "p w\nuser: david\nurl: https://x\notpauth://totp/x?secret=A\nfree: text\n\nend\n")
    #expect(try vault("export", "pass", "--out", out).status == 73)
  }

  /// A file of references has no secrets: none becomes one.
  @Test(arguments: [[], ["--replace"]]) func referencesAreNoSecrets(options: [String]) throws {
    let vault = try ThrowawayVault()
    try vault.set("A_TOKEN", "real")
    let path = try file(".env.vault", "A_TOKEN=secret://A_TOKEN\nPORT=80\n", in: vault)
    let read = try vault.command.run(["import", "dotenv", path, "--yes"] + options)
    #expect(read.status == 1, "\(read.errors)")
    #expect(read.errors.contains("skipped: A_TOKEN: it is a reference"), "\(read.errors)")
    #expect(try vault("get", "A_TOKEN").text == "real")
    #expect(try vault("get", "PORT").text == "80")
  }
}
