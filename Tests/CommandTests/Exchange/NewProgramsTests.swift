import Foundation
import TestSupport
import Testing

/// Imports and exports by the command where other programs take part: unzip, gpg, KeePassXC.
struct NewProgramsTests {
  private func write(_ name: String, _ text: String, in vault: ThrowawayVault) throws -> String {
    let path = "\(vault.home.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static let hasZip = HelperLinks.isInstalled("zip") && HelperLinks.isInstalled("unzip")

  // MARK: Archives

  private static let exportData = #"""
    {"accounts": [{"vaults": [{"attrs": {"name": "P"}, "items": [
      {"categoryUuid": "001", "details": {"loginFields": [
        {"value": "s3 cr\"t", "designation": "password", "fieldType": "P"}]},
       "overview": {"title": "Mail"}},
      {"categoryUuid": "006", "overview": {"title": "Doc"}, "details": {"documentAttributes":
        {"fileName": "a [1]*.bin", "documentId": "d2"}}}]}]}]}
    """#

  @Test(.enabled(if: hasZip, "zip and unzip are not installed"))
  func anArchiveOf1PasswordIsReadWithItsDocuments() throws {
    let vault = try ThrowawayVault()
    _ = try write("x/export.data", Self.exportData, in: vault)
    _ = try write("x/export.attributes", "{\"version\": 3}", in: vault)
    let document = try write("x/files/d2__a [1]*.bin", "", in: vault)
    let bytes = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try bytes.write(to: URL(fileURLWithPath: document))
    // For unzip, the name of the archive is a pattern, too: its neighbor must not be read.
    let made = try vault.shell(
      "cd \"$1/x\" && zip -qr '../-a[b]\\.1pux' . && cd .. && cp x/export.data -- -ab.1pux",
      vault.home.path)
    try #require(made.status == 0, "\(made.errors)")
    let done = try vault("import", "1pux", "\(vault.home.path)/-a[b]\\.1pux")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("get", "Mail").text == "s3 cr\"t")
    #expect(try vault("get", "Doc", "--field", "a [1]*.bin").output == bytes)
    // The word for the table reads the archive, too.
    let again = try vault("import", "1password", "\(vault.home.path)/-a[b]\\.1pux")
    #expect(again.status == 0 && again.errors.contains("2 unchanged"), "\(again.errors)")
  }

  @Test(.enabled(if: hasZip, "zip and unzip are not installed"))
  func archivesOfProtonPassAndDashlaneAreRead() throws {
    let vault = try ThrowawayVault()
    _ = try write(
      "p/Proton Pass/data.json",
      #"""
      {"vaults": {"A": {"name": "Personal", "items": [{"state": 1, "data": {"type": "login",
        "metadata": {"name": "Ünï", "note": ""}, "content": {"password": "pw", "itemUsername": "me"}}}]}}}
      """#, in: vault)
    _ = try write(
      "d/credentials.csv",
      "username,username2,username3,title,password,note,url,category,otpSecret\nme,,,Web,pw1,,,,\n",
      in: vault)
    _ = try write("d/securenotes.csv", "title,note\nDoor,1234\n", in: vault)
    _ = try write("d/personalInfo.csv", "type,first_name\nname,D\n", in: vault)
    _ = try write("e/data.pgp", "x", in: vault)
    let made = try vault.shell(
      "cd \"$1\" && for f in p d e; do (cd $f && zip -qr ../$f.zip .); done",
      vault.home.path)
    try #require(made.status == 0, "\(made.errors)")
    let proton = try vault("import", "proton", "\(vault.home.path)/p.zip")
    #expect(proton.status == 0, "\(proton.errors)")
    #expect(try vault("get", "Ünï").text == "pw")
    let dashlane = try vault("import", "dashlane", "\(vault.home.path)/d.zip")
    #expect(dashlane.status == 1)
    #expect(dashlane.errors.contains("skipped: personalInfo.csv: "), "\(dashlane.errors)")
    #expect(try vault("get", "Web").text == "pw1")
    #expect(try vault("get", "Door").text == "1234")
    let sealed = try vault("import", "protonpass", "\(vault.home.path)/e.zip", "--json")
    #expect(sealed.status == 65 && sealed.errors.contains("import-encrypted"))
    let other = try vault("import", "1pux", "\(vault.home.path)/p.zip")
    #expect(other.status == 65 && other.errors.contains("does not have export.data"))
    let broken = try write("b.zip", "PK\u{3}\u{4}broken", in: vault)
    #expect(try vault("import", "1pux", broken).status == 65)
  }

  // MARK: Tables

  @Test func aTableIsDescribedOnTheLine() throws {
    let vault = try ThrowawayVault()
    let path = try write("t.csv", "Titel;Kennwort\nä;\"x;y\"\n", in: vault)
    #expect(try vault("import", "csv", path).status == 65)
    #expect(try vault("import", "csv", path, "--columns", "name,secret=Nein").status == 64)
    #expect(try vault("import", "firefox", path, "--columns", "name,secret").status == 64)
    #expect(try vault("import", "csv", path, "--no-headings").status == 64)
    let done = try vault("import", "csv", path, "--columns", "secret=kennwort,name=Titel")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("get", "ä").text == "x;y")
    let plain = try vault(
      "import", "csv", "-", "--columns", "name,secret", "--no-headings", input: "b,2\n")
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(try vault("get", "b").text == "2")
  }

  // MARK: Known places

  @Test func aMissingPathSaysHowToExport() throws {
    let vault = try ThrowawayVault()
    for (format, words) in [
      ("firefox", "about:logins"), ("chrome", "chrome://"), ("bitwarden", "Export vault"),
      ("1password", "1PUX"), ("safari", "Export All Passwords"), ("lastpass", "LastPass"),
      ("keepass", "import keepassxc"),
    ] {
      let run = try vault("import", format)
      #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }
    for format in ["pass", "gopass"] {
      let run = try vault("import", format)
      #expect(run.status == 64 && run.errors.contains("/.password-store"), "\(run.errors)")
    }
    let typo = try vault("import", "gopas", "x")
    #expect(typo.status == 64 && typo.errors.contains("did you mean: gopass"), "\(typo.errors)")
  }

  @Test(.enabled(if: HelperLinks.isInstalled("gpg"), "gpg is not installed"))
  func theStoresOfPassAndGopassAreFound() throws {
    let vault = try ThrowawayVault()
    defer { _ = try? vault.shell("gpgconf --kill all") }
    let made = try vault.shell(
      """
      mkdir -m 700 "$HOME/.gnupg" &&
      gpg -q --batch --passphrase '' --quick-generate-key tester@example.com future-default default never &&
      put() { mkdir -p "$(dirname "$1")" && gpg -q --batch --trust-model always -e -r tester@example.com -o "$1"; } &&
      printf 'pw\\nuser: me\\n' | put "$HOME/.password-store/web/a.gpg" &&
      printf 'pw2\\nusername: you\\nPIN: 12\\nfree text\\n' | put "$HOME/.local/share/gopass/stores/root/b.gpg" &&
      touch "$HOME/.local/share/gopass/stores/root/c.age" &&
      printf 'pw3\\n' | put "$HOME/other/c.gpg"
      """)
    try #require(made.status == 0, "\(made.errors)")
    let pass = try vault("import", "pass")
    #expect(pass.status == 0, "\(pass.errors)")
    #expect(try vault("get", "web/a").text == "pw")
    let gopass = try vault("import", "gopass")
    #expect(gopass.status == 1 && gopass.errors.contains("c.age: only gopass"), "\(gopass.errors)")
    #expect(try vault("get", "b").text == "pw2")
    #expect(try vault.field("b", "user") == "you")
    #expect(try vault.field("b", "PIN") == "12")
    #expect(try vault.field("b", "notes") == "free text")
    let named = try vault.command.run(
      ["import", "pass"], adding: ["PASSWORD_STORE_DIR": "\(vault.home.path)/other"])
    #expect(named.status == 0, "\(named.errors)")
    #expect(try vault("get", "c").text == "pw3")
  }

  // MARK: Exports

  /// Secrets with everything that a format may stumble over.
  private static let awkward: [(name: String, secret: String)] = [
    ("plain", "s3cr3t"), ("web/a & <b>", "p<w> & \"q\" 'r' ]]>"), ("web/ünï 日本", "ä\u{1F511}"),
    ("lines", "one\ntwo\n\nthree\ttab"), ("blanks", "  x  "), ("deep/er/and/deep.er", "{REF"),
    ("empty", ""),
  ]

  private func fill(_ vault: ThrowawayVault) throws {
    for (name, secret) in Self.awkward { try vault.set(name, secret) }
    func field(_ name: String, _ field: String, _ value: String) throws {
      let run = try vault("set", name, "--field", field, "--stdin", "--exact", input: value)
      try #require(run.status == 0, "\(run.errors)")
    }
    try field("plain", "user", "dä<vid>")
    try field("plain", "url", "https://x/?a=1&b=2")
    try field("plain", "notes", "one\ntwo & \"three\"")
    try field("plain", "otp", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&period=30")
    try field("plain", "own field", "own & value")
    let tagged = try vault(
      "set", "plain", "--stdin", "--exact", "--tag", "forge", "--expires", "2100-01-01",
      input: "s3cr3t")
    try #require(tagged.status == 0, "\(tagged.errors)")
  }

  private func expectAll(_ vault: ThrowawayVault, below prefix: String = "") throws {
    for (name, secret) in Self.awkward where name != "empty" {
      #expect(try vault("get", prefix + name).output == Data(secret.utf8), "\(name)")
    }
    for (name, value) in [
      ("user", "dä<vid>"), ("url", "https://x/?a=1&b=2"), ("notes", "one\ntwo & \"three\""),
      ("own field", "own & value"),
    ] {
      #expect(try vault.field("\(prefix)plain", name) == value)
    }
    #expect(
      try vault.field("\(prefix)plain", "otp").hasPrefix(
        "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"))
  }

  @Test(
    .enabled(if: HelperLinks.isInstalled("keepassxc-cli"), "keepassxc-cli is not installed"))
  func keePassXCImportsAnExportAndGivesItBack() throws {
    let vault = try ThrowawayVault()
    try fill(vault)
    let binary = Data([0, 0xFF, 0x0A, 0x80])
    let set = try vault.command.run(["set", "bytes", "--stdin", "--exact"], input: binary)
    try #require(set.status == 0, "\(set.errors)")
    let xml = "\(vault.home.path)/out.xml"
    let exported = try vault("export", "keepassxc", "--yes", "--out", xml)
    try #require(exported.status == 0, "\(exported.errors)")
    let imported = try vault.shell(
      """
      cd "$1" && printf 'master\\nmaster\\n' | keepassxc-cli import -q -p out.xml db.kdbx &&
      printf 'master\\n' | keepassxc-cli show -q -s -a Password db.kdbx '/web/a & <b>' &&
      printf 'master\\n' | keepassxc-cli show -q -a UserName db.kdbx /plain &&
      printf 'master\\n' | keepassxc-cli attachment-export -q db.kdbx /bytes secret bytes.bin
      """, vault.home.path)
    try #require(imported.status == 0, "\(imported.errors)")
    #expect(imported.text == "p<w> & \"q\" 'r' ]]>\ndä<vid>\n")
    #expect(FileManager.default.contents(atPath: "\(vault.home.path)/bytes.bin") == binary)

    let back = try vault(
      "import", "keepassxc", "\(vault.home.path)/db.kdbx", "--prefix", "kp/", input: "master\n")
    try expectAll(vault, below: "kp/")
    #expect(try vault("list", "--tag", "forge").text.contains("kp/plain"))
    #expect(try vault("show", "kp/plain").text.contains("2100-01-01"))
    #expect(try vault("get", "kp/bytes").output == binary)
    // What a file begins with says what it is, not its name.
    let named = "\(vault.home.path)/passwords"
    try FileManager.default.copyItem(atPath: "\(vault.home.path)/db.kdbx", toPath: named)
    _ = try vault("import", "keepassxc", named, "--prefix", "named/", input: "master\n")
    #expect(try vault("get", "named/plain").text == vault("get", "kp/plain").text)
    let database = try #require(FileManager.default.contents(atPath: named))
    let piped = try vault.command.run(["import", "keepassxc", "-"], input: database)
    #expect(piped.status == 64 && piped.errors.contains("cannot come on stdin"), "\(piped.errors)")
    // Our own reading of the document keeps what KeePassXC's does not: carriage returns.
    try vault.set("returns", "a\r\nb\rc")
    let whole = "\(vault.home.path)/whole.xml"
    let again = try vault("export", "keepassxc", "returns", "--yes", "--out", whole)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try vault("import", "keepassxc", whole, "--prefix", "own/").status == 0)
    #expect(try vault("get", "own/returns").output == Data("a\r\nb\rc".utf8))
    // An entry without any text has nothing to import.
    #expect(back.errors.contains("skipped: empty: there is nothing in it"), "\(back.errors)")
  }

  /// The table and the document that KeePassXC exports, on stdin and under any name.
  @Test func whatKeePassXCExportsIsKnownByItsBeginning() throws {
    let vault = try ThrowawayVault()
    let table =
      "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\"\n"
      + "\"Root\",\"mail\",\"ann\",\"p<w>\",\"https://mail.example\",\"\"\n"
    let read = try vault("import", "keepassxc", "-", input: table)
    #expect(read.status == 0, "\(read.errors)")
    let name = try vault("list").text.trimmingCharacters(in: .newlines)
    #expect(try vault("get", name).text == "p<w>", "\(name)")
    let document =
      "\u{FEFF}<?xml version=\"1.0\"?><KeePassFile><Root><Group><Name>Root</Name><Entry>"
      + "<String><Key>Title</Key><Value>web</Value></String>"
      + "<String><Key>Password</Key><Value>xml</Value></String></Entry></Group></Root></KeePassFile>"
    let path = "\(vault.home.path)/export.csv.txt"
    try Data(document.utf8).write(to: URL(fileURLWithPath: path))
    let again = try vault("import", "keepassxc", path)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try vault("get", "web").text == "xml")
  }

  @Test func anExportForBitwardenIsReadAgain() throws {
    let vault = try ThrowawayVault()
    try fill(vault)
    let set = try vault.command.run(
      ["set", "bytes", "--stdin", "--exact"], input: Data([0xFF, 0xFE]))
    try #require(set.status == 0, "\(set.errors)")
    let json = "\(vault.home.path)/out.json"
    let exported = try vault("export", "bitwarden", "--yes", "--out", json)
    #expect(exported.status == 1 && exported.errors.contains("not exported: bytes"))
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: json)))
        as? [String: Any])
    #expect(document["encrypted"] as? Bool == false)
    let items = try #require(document["items"] as? [[String: Any]])
    let folders = try #require(document["folders"] as? [[String: String]])
    #expect(items.count == Self.awkward.count)
    #expect(Set(folders.compactMap { $0["name"] }) == ["web", "deep/er/and"])
    // The members that bitwarden.com's page on its JSON requires.
    for item in items {
      for member in ["id", "organizationId", "folderId", "type", "name", "notes", "login"] {
        #expect(item[member] != nil, "\(member)")
      }
      if let folder = item["folderId"] as? String {
        #expect(folders.contains { $0["id"] == folder })
      }
    }
    _ = try vault("import", "bitwarden", json, "--prefix", "bw/")
    try expectAll(vault, below: "bw/")
  }
}
