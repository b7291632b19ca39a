import Foundation
import TestSupport
import Testing

/// What the programs themselves wrote: pass with gpg, KeePassXC's own database.
struct ImportFromProgramsTests {
  // MARK: pass

  private static let entries: [(name: String, text: String)] = [
    ("plain", "s3cr3t\n"), ("Web/日本語 (alt)", "p w\nuser: dävid\n"),
    ("Web/-dash & 'quote' \"x\"", "multi\nurl: https://x/y?z=1\nline: two\n\nlast line\n"),
    ("Bank/otp", "pw\notpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP&issuer=Bank\nlogin: me\n"),
    ("deep/er/and/deep.er", "x"), ("colon: name", "a: b\nnot a field\n"),
  ]

  private func passStore(_ vault: ThrowawayVault) throws {
    let made = try vault.shell(
      """
      mkdir -m 700 "$HOME/.gnupg" &&
      gpg -q --batch --passphrase '' --quick-generate-key tester@example.com future-default default never &&
      pass init tester@example.com >/dev/null
      """)
    try #require(made.status == 0, "\(made.errors)")
    for (name, text) in Self.entries {
      let result = try vault.shell(
        "pass insert --multiline \"$1\" >/dev/null", name, input: text)
      // pass takes a name with a dash in front for an option; inside a folder it does not.
      try #require(result.status == 0, "\(name): \(result.errors)")
    }
  }

  /// pass does not list names with a dot in front, and opens them all the same.
  @Test(
    .enabled(
      if: HelperLinks.isInstalled("pass") && HelperLinks.isInstalled("gpg"),
      "pass or gpg is not installed"))
  func hiddenEntriesOfPassAreImported() throws {
    let vault = try ThrowawayVault()
    defer { _ = try? vault.shell("gpgconf --kill all") }
    let made = try vault.shell(
      """
      mkdir -m 700 "$HOME/.gnupg" &&
      gpg -q --batch --passphrase '' --quick-generate-key tester@example.com future-default default never &&
      pass init tester@example.com >/dev/null && pass git init >/dev/null 2>&1
      for name in work/a .netrc .private/b; do
        echo "of $name" | pass insert --multiline "$name" >/dev/null || exit 1
      done
      mkdir "$HOME/.password-store/.stversions" &&
      cp "$HOME/.password-store/work/a.gpg" "$HOME/.password-store/.stversions/a~2026.gpg"
      """)
    try #require(made.status == 0, "\(made.errors)")
    let done = try vault("import", "pass", "\(vault.home.path)/.password-store")
    #expect(done.status == 0, "\(done.errors)")
    let names = try vault("list", "--no-tree").text.split(separator: "\n").sorted()
    #expect(names == [".netrc", ".private/b", "work/a"])
    #expect(try vault("get", ".netrc").text == "of .netrc")
  }

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("pass") && HelperLinks.isInstalled("gpg"),
      "pass or gpg is not installed"))
  func aStoreOfPassIsImportedAndPassReadsAnExport() throws {
    let vault = try ThrowawayVault()
    defer { _ = try? vault.shell("gpgconf --kill all") }
    try passStore(vault)
    let done = try vault("import", "pass", "\(vault.home.path)/.password-store")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("get", "plain").text == "s3cr3t")
    #expect(try vault("get", "Web/日本語 (alt)").text == "p w")
    #expect(try vault.field("Web/日本語 (alt)", "user") == "dävid")
    let odd = "Web/-dash & 'quote' \"x\""
    #expect(try vault("get", odd).text == "multi")
    #expect(try vault.field(odd, "url") == "https://x/y?z=1")
    #expect(try vault.field(odd, "notes") == "line: two\n\nlast line")
    #expect(
      try vault.field("Bank/otp", "otp")
        == "otpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP&issuer=Bank")
    #expect(try vault.field("Bank/otp", "user") == "me")
    #expect(try vault("get", "deep/er/and/deep.er").text == "x")
    #expect(try vault("get", "colon: name").text == "a: b")
    #expect(try vault("list").text.split(separator: "\n").count == Self.entries.count)
    let again = try vault("import", "pass", "\(vault.home.path)/.password-store")
    #expect(again.status == 0 && again.errors.contains("\(Self.entries.count) unchanged"))

    // Back into a folder of pass's own, and read by it.
    let other = "\(vault.home.path)/other"
    _ = try vault.shell(
      "PASSWORD_STORE_DIR=\"$1\" pass init tester@example.com >/dev/null", other)
    #expect(try vault("export", "pass", "--out", other).status == 0)
    for (name, text) in Self.entries {
      let shown = try vault.shell("PASSWORD_STORE_DIR=\"$1\" pass show \"$2\"", other, name)
      #expect(shown.status == 0, "\(shown.errors)")
      #expect(
        shown.text.split(separator: "\n").first == text.split(separator: "\n").first, "\(name)")
    }
    let otp = try vault.shell("PASSWORD_STORE_DIR=\"$1\" pass show Bank/otp", other)
    #expect(otp.text.contains("\notpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP&issuer=Bank\n"))
  }

  // MARK: KeePassXC

  private static let document = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <KeePassFile><Meta><Generator>KeePassXC</Generator><RecycleBinEnabled>False</RecycleBinEnabled></Meta>
    <Root><Group><UUID>cwrRvRclSiuNTIfGuVaWmg==</UUID><Name>Root</Name>
    <Group><UUID>BD8EzoYcSgSByI93qI0j/A==</UUID><Name>Web &amp; Co</Name>
    <Entry><UUID>AGP1b1TnT/2GRzUpp2MsRA==</UUID><Tags>forge;work</Tags>
    <Times><Expires>True</Expires><ExpiryTime>2100-01-01T00:00:00Z</ExpiryTime></Times>
    <String><Key>Title</Key><Value>Ünïcode / "quote" 日本</Value></String>
    <String><Key>UserName</Key><Value>dävid</Value></String>
    <String><Key>Password</Key><Value ProtectInMemory="True">p&lt;w&gt; &amp; ü</Value></String>
    <String><Key>URL</Key><Value>https://x</Value></String>
    <String><Key>Notes</Key><Value>one
    two</Value></String>
    <String><Key>otp</Key><Value ProtectInMemory="True">otpauth://totp/x:y?secret=JBSWY3DPEHPK3PXP&amp;period=30&amp;digits=6</Value></String>
    <String><Key>Own field</Key><Value>own</Value></String>
    </Entry></Group></Group></Root></KeePassFile>
    """

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("keepassxc-cli"),
      "keepassxc-cli is not installed: KeePassXC's own database is not tried"))
  func aDatabaseOfKeePassXCIsImportedWithAttachmentsAndCodes() throws {
    let vault = try ThrowawayVault()
    let folder = vault.home.path
    try Data(Self.document.utf8).write(to: URL(fileURLWithPath: "\(folder)/in.xml"))
    let attachment = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try attachment.write(to: URL(fileURLWithPath: "\(folder)/scan.bin"))
    let made = try vault.shell(
      """
      cd "$1" && printf 'master\\nmaster\\n' | keepassxc-cli import -q -p in.xml db.kdbx &&
      printf 'master\\n' | keepassxc-cli ls -q -R -f db.kdbx
      """, folder)
    try #require(made.status == 0, "\(made.errors)")
    let entry = "Web & Co/Ünïcode / \"quote\" 日本"
    let attached = try vault.shell(
      "cd \"$1\" && printf 'master\\n' | keepassxc-cli attachment-import -q db.kdbx \"$2\" scan.bin scan.bin",
      folder, "Web & Co/Plain")
    // A title with a slash cannot be named on keepassxc-cli's line: the attachment is another
    // entry's.
    #expect(attached.status != 0)
    let added = try vault.shell(
      """
      cd "$1" && printf 'master\\nplain\\n' | keepassxc-cli add -q -p db.kdbx "Web & Co/Plain" &&
      printf 'master\\n' | keepassxc-cli attachment-import -q db.kdbx "Web & Co/Plain" scan.bin scan.bin
      """, folder)
    try #require(added.status == 0, "\(added.errors)")
    #expect(made.text.contains(entry))

    let done = try vault("import", "keepassxc", "\(folder)/db.kdbx", input: "master\n")
    let name = "Web & Co/Ünïcode - \"quote\" 日本"
    #expect(try vault("get", name).text == "p<w> & ü", "\(done.text) \(done.errors)")
    #expect(try vault.field(name, "user") == "dävid")
    #expect(try vault.field(name, "notes") == "one\ntwo")
    #expect(try vault.field(name, "Own field") == "own")
    #expect(try vault.field(name, "otp").hasPrefix("otpauth://totp/x:y?secret=JBSWY3DPEHPK3PXP"))
    #expect(try vault("show", name).text.contains("2100-01-01"))
    #expect(try vault("list", "--tag", "forge").text == "\(name)\n")
    #expect(try vault("get", "Web & Co/Plain").text == "plain")
    #expect(
      try vault("get", "Web & Co/Plain", "--field", "scan.bin").output == attachment)
    // The entry's state before it got the attachment is its first version.
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("history", "Web & Co/Plain").text.split(separator: "\n").count == 2)
    #expect(try vault("import", "keepassxc", "\(folder)/db.kdbx", input: "wrong\n").status == 77)
  }

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("keepassxc-cli"),
      "keepassxc-cli is not installed: KeePassXC's own database is not tried"))
  func aKeyFileOpensADatabaseWithAndWithoutPassword() throws {
    let vault = try ThrowawayVault()
    let folder = vault.home.path
    let made = try vault.shell(
      """
      cd "$1" && head -c 64 /dev/urandom >db.key &&
      printf 'master\\nmaster\\n' | keepassxc-cli db-create -q -p --set-key-file db.key both.kdbx &&
      printf 'master\\none\\n' | keepassxc-cli add -q -k db.key -p both.kdbx first &&
      keepassxc-cli db-create -q --set-key-file db.key key.kdbx </dev/null &&
      printf 'two\\n' | keepassxc-cli add -q -k db.key --no-password -p key.kdbx second
      """, folder)
    try #require(made.status == 0, "\(made.errors)")
    let refused = try vault("import", "keepassxc", "\(folder)/both.kdbx", input: "master\n")
    #expect(refused.status == 77 && refused.errors.contains("--kdbx-key-file"))
    #expect(
      try vault(
        "import", "keepassxc", "\(folder)/both.kdbx", "--kdbx-key-file", "\(folder)/db.key",
        input: "master\n"
      ).status == 0)
    #expect(try vault("get", "first").text == "one")
    #expect(
      try vault(
        "import", "keepassxc", "\(folder)/key.kdbx", "--kdbx-key-file", "\(folder)/db.key",
        "--kdbx-no-password"
      ).status == 0)
    #expect(try vault("get", "second").text == "two")
    #expect(try vault("import", "json", "-", "--kdbx-no-password", input: "{}").status == 64)
  }

  // MARK: Any file

  @Test func anImportIsUndoneInOneStep() throws {
    let vault = try ThrowawayVault()
    try vault.set("mine", "kept")
    try vault.set("both", "before")
    let items = (0..<2500).map { "\"item\($0)\": \"secret \($0)\"" }.joined(separator: ",")
    let text = "{\"both\": \"after\", \(items)}"
    let done = try vault("import", "json", "-", "--replace", input: text)
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("list").text.split(separator: "\n").count == 2502)
    let undone = try vault("undo")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try vault("list").text == "both\nmine\n")
    #expect(try vault("get", "both").text == "before")
    #expect(try vault("undo").status == 0)
    #expect(try vault("list").text.split(separator: "\n").count == 2502)
    #expect(try vault("get", "item2499").text == "secret 2499")
    #expect(try vault("get", "both").text == "after")
    #expect(try vault("check").status == 0)
    // A small change afterwards is what is taken back next, and nothing of the large one.
    try vault.set("mine", "changed")
    #expect(try vault("undo").status == 0)
    #expect(try vault("get", "mine").text == "kept")
    #expect(try vault("list").text.split(separator: "\n").count == 2502)
  }

  @Test func anItemThatIsTwiceInAFileIsStoredOnceAndReported() throws {
    let vault = try ThrowawayVault()
    let text = "name,url,username,password,note\na,,u,1,\na,,u,1,\na,,u,2,\na,,u,1,\n"
    let done = try vault("import", "chrome", "-", input: text)
    #expect(done.status == 0, "\(done.errors)")
    let actions = done.text.split(separator: "\n").map { $0.split(separator: " ").prefix(2) }
    #expect(actions == [["new", "a"], ["twice", "a"], ["new", "a~2"], ["twice", "a"]])
    #expect(done.errors.contains("imported 2 (") && done.errors.contains("2 twice in the file"))
    #expect(try vault("list").text == "a\na~2\n")
    #expect(
      try vault("import", "chrome", "-", input: text).errors.contains("imported 0 (2 unchanged"))
  }
}
