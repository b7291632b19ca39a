import Testing
import VaultCredentials
import VaultExchange
import VaultSealing

struct ImportFormatTests {
  private func read(_ format: ImportFormat, _ text: String) throws -> ImportReading {
    try format.read(Array(text.utf8))
  }

  @Test func aLoginOfBitwardenIsAnItemWithItsFields() throws {
    let reading = try read(
      .bitwarden,
      """
      {"encrypted": false, "folders": [{"id": "f", "name": "work"}], "items": [
        {"type": 1, "name": "git/hub", "folderId": "f", "notes": "n",
         "login": {"username": "me", "password": "s3cr3t", "uris": [{"uri": "https://a"}],
                   "totp": "GEZDGNBV"},
         "fields": [{"name": "pin", "value": "1"}, {"name": "pin", "value": "2"}]},
        {"type": 2, "name": "bin", "deletedDate": "2026-01-01"}
      ]}
      """)
    let item = try #require(reading.items.first)
    #expect(reading.items.count == 1)
    #expect(item.name == "work/git-hub")
    #expect(item.main.text == "s3cr3t")
    #expect(
      item.fields.mapValues(\.text) == [
        "user": "me", "url": "https://a", "otp": "GEZDGNBV", "notes": "n", "pin": "1",
        "pin~2": "2",
      ])
    #expect(reading.losses.map(\.origin) == ["bin"])
  }

  @Test func anEncryptedExportHasACodeOfItsOwn() throws {
    let error = #expect(throws: ExchangeError.self) {
      _ = try read(.bitwarden, #"{"encrypted": true}"#)
    }
    #expect(error?.code == .encrypted)
  }

  @Test(arguments: [
    (ImportFormat.bitwarden, "{}"), (.bitwarden, "["), (.json, "1"), (.chrome, ""),
    (.firefox, "url,username\n"), (.keepassxc, "<a/>"), (.keepassxc, "no"),
  ])
  func otherFilesAreUnreadable(format: ImportFormat, text: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try read(format, text) }
    #expect(error?.code == .unreadable)
  }

  @Test func aDotenvFileIsText() throws {
    #expect(throws: ExchangeError.self) { _ = try ImportFormat.dotenv.read([0xFF]) }
  }

  @Test func anErrorNamesTheLine() throws {
    let error = #expect(throws: ExchangeError.self) {
      _ = try read(.chrome, "name,url,username,password\na,b\nc\"d")
    }
    #expect(error?.line == 3)
    #expect(
      error?.message == "the file is not in this format: a quote inside a field, line 3")
  }

  @Test func rowsOfATableThatAreTooShortAreLosses() throws {
    let reading = try read(.firefox, "url,username,password\nhttps://www.a.b/c,me,pw\nx\n")
    #expect(reading.items.map(\.name) == ["a.b"])
    #expect(
      reading.losses.map { "\($0.origin): \($0.reason)" } == [
        "row 3: it has 1 field instead of 3"
      ])
  }

  private static let keePass = """
    <KeePassFile><Meta><Binaries><Binary ID="0" Compressed="True">AAEC</Binary></Binaries></Meta>
    <Root><Group><Name>Root</Name><Entry><UUID>AAAA</UUID>
    <String><Key>Title</Key><Value>mail</Value></String>
    <String><Key>Password</Key><Value>pw</Value></String>
    <Binary><Key>key.bin</Key><Value Ref="0"/></Binary>
    </Entry></Group></Root></KeePassFile>
    """

  @Test func aPackedAttachmentNeedsTheCallersHelp() throws {
    let without = try read(.keepassxc, Self.keePass)
    #expect(without.items.first?.fields.isEmpty == true)
    #expect(without.losses.map(\.reason) == ["the attachment key.bin"])
    let with = try ImportFormat.keepassxc.read(Array(Self.keePass.utf8)) { packed in
      #expect(packed.withBytes { $0.byteCount } == 3)
      return try SecretBytes(text: "plain")
    }
    #expect(with.items.first?.fields["key.bin"]?.text == "plain")
    #expect(with.losses.isEmpty)
  }
}
