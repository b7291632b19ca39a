import Testing
import VaultCredentials
import VaultExchange
import VaultSealing

/// Files of other programs, in the layouts that they document.
struct ProgramFormatTests {
  private func read(_ format: ImportFormat, _ text: String) throws -> ImportReading {
    try format.read(Array(text.utf8))
  }

  private func texts(_ item: ImportedItem) -> [String: String?] {
    item.fields.mapValues(\.text)
  }

  // MARK: Tables

  @Test func lastPassHasFoldersAndNotes() throws {
    let reading = try read(
      .lastPass,
      "\u{FEFF}url,username,password,totp,extra,name,grouping,fav\r\n"
        + "https://a.example,dävid,\"p,w\"\"x\",JBSWY3DP,\"two\r\nlines\",Git/Hub,Work\\Web,1\r\n"
        + "http://sn,,,,\"NoteType:Server\nHostname:h\",My note,,0\r\n"
        + "https://b.example,,,,,,,0\r\nshort,row\r\n")
    #expect(reading.items.map(\.name) == ["Work/Web/Git-Hub", "My note", "b.example"])
    #expect(reading.items[0].main.text == "p,w\"x")
    #expect(
      texts(reading.items[0]) == [
        "user": "dävid", "url": "https://a.example", "otp": "JBSWY3DP", "notes": "two\r\nlines",
      ])
    #expect(reading.items[1].kind == .note)
    #expect(reading.items[1].main.text == "NoteType:Server\nHostname:h")
    #expect(reading.items[1].fields.isEmpty)
    #expect(
      reading.losses.map { "\($0.origin): \($0.reason)" } == [
        "row 5: it has 2 fields instead of 8"
      ])
    #expect(reading.notes.map(\.origin) == ["column fav"])
  }

  @Test func dashlaneHasATableForEachKind() throws {
    let logins = try read(
      .dashlane,
      """
      username,username2,username3,title,password,note,url,category,otpSecret
      me,other,,Mail,pw,n,https://m.example,Work,JBSWY3DP
      """)
    #expect(logins.items.map(\.name) == ["Work/Mail"])
    #expect(
      texts(logins.items[0]) == [
        "user": "me", "username2": "other", "url": "https://m.example", "otp": "JBSWY3DP",
        "notes": "n",
      ])
    let notes = try read(.dashlane, "title,note\nDoor,\"1234\nleft\"\n")
    #expect(notes.items[0].kind == .note && notes.items[0].main.text == "1234\nleft")
    let cards = try read(
      .dashlane, "type,account_name,cc_number,code,expiration_month\ncredit_card,Visa,4111,123,5\n")
    #expect(cards.items[0].name == "Visa" && cards.items[0].main.text == "4111")
    #expect(
      texts(cards.items[0]) == ["type": "credit_card", "code": "123", "expiration_month": "5"])
    let error = #expect(throws: ExchangeError.self) {
      _ = try read(.dashlane, "type,first_name\nx,y\n")
    }
    #expect(error?.code == .unreadable)
  }

  @Test func applePasswordsHasOneTable() throws {
    let reading = try read(
      .apple,
      """
      Title,URL,Username,Password,Notes,OTPAuth
      a.example (me),https://a.example/,me,p w,,otpauth://totp/a?secret=JBSWY3DP
      """)
    #expect(reading.items[0].name == "a.example (me)" && reading.items[0].main.text == "p w")
    #expect(texts(reading.items[0])["otp"] == "otpauth://totp/a?secret=JBSWY3DP")
  }

  // MARK: Described tables

  private func table(
    _ text: String, _ columns: String, hasHeadings: Bool = true
  ) throws -> ImportReading {
    try ImportFormat.read(
      table: Array(text.utf8), columns: TableColumns(columns, hasHeadings: hasHeadings))
  }

  @Test func columnsAreDescribedByTheirPlace() throws {
    let reading = try table("A,B,C,D,E\nn,u,me,s,more\n", "name,url,user,secret")
    #expect(reading.items[0].name == "n" && reading.items[0].main.text == "s")
    #expect(texts(reading.items[0]) == ["user": "me", "url": "u", "E": "more"])
  }

  @Test func columnsAreDescribedByHeadingOrNumber() throws {
    let reading = try table(
      "Titel;Kennwort;Login;Konto\nä;\"x;y\";me;7\n", "name=titel,secret=2,iban=KONTO,-=3")
    #expect(reading.items[0].name == "ä" && reading.items[0].main.text == "x;y")
    #expect(texts(reading.items[0]) == ["iban": "7"])
  }

  @Test func aTableNeedsNoHeadings() throws {
    let reading = try table("n\ts\tmore\nn2\ts2\t\n", "name,secret", hasHeadings: false)
    #expect(reading.items.map(\.main.text) == ["s", "s2"])
    #expect(texts(reading.items[0]) == ["column-3": "more"])
    #expect(reading.items[1].origin == "row 2")
  }

  @Test(arguments: [
    "name,url", "secret,,url", "secret=9", "secret=Nope", "secret=0", "secret=", "secret,name=1",
    "a\nb", "\"", "",
  ])
  func columnsThatCannotBeUsedAreRefused(columns: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try table("A,B\n1,2\n", columns) }
    #expect(error?.code == .invalidRequest)
  }

  @Test func aHeadingCannotBeNamedWhereThereIsNone() throws {
    let error = #expect(throws: ExchangeError.self) {
      _ = try table("1,2\n", "name,secret=Kennwort", hasHeadings: false)
    }
    #expect(error?.code == .invalidRequest)
  }

  // MARK: 1PUX

  private static let onePUX = #"""
    {"accounts": [{"attrs": {"name": "Wendy"}, "vaults": [
      {"attrs": {"name": "Personal"}, "items": [
        {"uuid": "a", "state": "active", "categoryUuid": "001",
         "details": {"loginFields": [
            {"value": "me", "name": "username", "fieldType": "T", "designation": "username"},
            {"value": "p\"w\n2", "name": "password", "fieldType": "P", "designation": "password"},
            {"value": "Sign in", "name": "go", "fieldType": "B"},
            {"value": "x", "name": "pin", "fieldType": "T"}],
          "notesPlain": "n\nm", "sections": [{"title": "S", "fields": [
            {"title": "PIN", "id": "1", "value": {"concealed": "12345"}},
            {"title": "one-time password", "id": "2", "value": {"totp": "otpauth://totp/x?secret=A"}},
            {"title": "mail", "id": "3", "value": {"email": {"email_address": "a@b", "provider": null}}},
            {"title": "born", "id": "4", "value": {"date": 1041422400}},
            {"title": "until", "id": "5", "value": {"monthYear": 203105}},
            {"title": "home", "id": "6", "value": {"address": {"street": "S 1", "city": "C", "zip": "9", "state": "", "country": "de"}}},
            {"title": "", "id": "none", "value": {"string": ""}},
            {"title": "scan", "id": "7", "value": {"file": {"fileName": "s.pdf", "documentId": "d1"}}},
            {"title": "odd", "id": "8", "value": {"hologram": {"x": 1}}}]}],
          "passwordHistory": [{"value": "old", "time": 1}]},
         "overview": {"title": "Drop/box", "url": "https://d.example", "urls": [
            {"label": "", "url": "https://d.example"}, {"label": "", "url": "https://e.example"}],
          "tags": ["t1", "t2"]}},
        {"state": "archived", "categoryUuid": "003", "details": {"notesPlain": "ünï"},
         "overview": {"title": "Note"}},
        {"trashed": true, "overview": {"title": "Gone"}, "details": {}}]},
      {"attrs": {"name": "Work/2"}, "items": [
        {"item": {"categoryUuid": "114", "overview": {"title": "key"}, "details": {"sections": [{"fields": [
            {"title": "private key", "id": "private_key", "value": {"sshKey": {"privateKey": "PRIVATE",
             "metadata": {"publicKey": "ssh-ed25519 A"}}}}]}]}}},
        {"categoryUuid": "112", "overview": {"title": "API"}, "details": {"sections": [{"fields": [
            {"title": "user name", "id": "username", "value": {"string": "bot"}},
            {"title": "credential", "id": "credential", "value": {"concealed": "tok"}}]}]}},
        {"categoryUuid": "006", "overview": {"title": "Doc"}, "details": {"documentAttributes":
            {"fileName": "a b.bin", "documentId": "d2", "decryptedSize": 3}}}]},
      {"attrs": {"name": "Empty"}, "items": []}]}]}
    """#

  @Test func anArchiveOf1PasswordKeepsItsFields() throws {
    var asked: [String] = []
    let reading = try ImportFormat.onePUX.read(Array(Self.onePUX.utf8)) { _ in
      nil
    } attachment: { path in
      asked.append(path)
      return path.hasPrefix("files/d2__") ? try SecretBytes(copying: [0, 1, 2]) : nil
    }
    #expect(
      reading.items.map(\.name) == [
        "Personal/Drop-box", "Personal/Note", "Work-2/key", "Work-2/API", "Work-2/Doc",
      ])
    let login = reading.items[0]
    #expect(login.main.text == "p\"w\n2" && login.tags == ["t1", "t2"])
    #expect(
      texts(login) == [
        "user": "me", "pin": "x", "PIN": "12345", "otp": "otpauth://totp/x?secret=A",
        "mail": "a@b", "born": "2003-01-01", "until": "2031-05", "home": "S 1\nC\n9\nde",
        "notes": "n\nm", "url": "https://d.example", "url~2": "https://e.example",
      ])
    #expect(login.openFields["PIN"] == false && login.openFields["born"] == true)
    #expect(reading.items[1].kind == .note && reading.items[1].main.text == "ünï")
    #expect(reading.items[1].tags == ["archived"])
    #expect(reading.items[2].kind == .certificate && reading.items[2].main.text == "PRIVATE")
    #expect(reading.items[3].main.text == "tok" && texts(reading.items[3]) == ["user name": "bot"])
    #expect(reading.items[4].fields["a b.bin"]?.count == 3)
    #expect(asked == ["files/d1__s.pdf", "files/d2__a b.bin"])
    #expect(
      reading.losses.map { "\($0.origin): \($0.reason)" } == [
        "Drop/box: the document s.pdf", "Drop/box: odd: a value of the kind 'hologram'",
        "Gone: it is in 1Password's trash",
      ])
  }

  // MARK: Proton Pass

  private static let proton = #"""
    {"version": "1.21.2", "userId": "u", "encrypted": false, "vaults": {
      "A": {"name": "Personal", "description": "", "display": {"color": 0, "icon": 0}, "items": [
        {"itemId": "1", "data": {"metadata": {"name": "Login", "note": "n", "itemUuid": "e"},
          "extraFields": [{"fieldName": "plain", "type": "text", "data": {"content": "c"}},
            {"fieldName": "second", "type": "totp", "data": {"totpUri": "BBBB"}}],
          "type": "login", "content": {"itemEmail": "a@b", "password": "p\\\"w", "urls": ["https://a", "https://b"],
            "totpUri": "otpauth://totp/x?secret=AAAA", "passkeys": [{}], "itemUsername": "me"}},
         "state": 1, "aliasEmail": null},
        {"data": {"metadata": {"name": "Old", "note": ""}, "type": "login",
          "content": {"username": "me2", "password": "", "urls": []}}, "state": 1},
        {"data": {"metadata": {"name": "Note", "note": "ünï\ntwo"}, "type": "note", "content": {}}, "state": 1},
        {"data": {"metadata": {"name": "Card", "note": ""}, "type": "creditCard", "content":
          {"cardholderName": "D", "cardType": 0, "number": "4111", "verificationNumber": "333",
           "expirationDate": "2031-01", "pin": "12"}}, "state": 1},
        {"data": {"metadata": {"name": "Bin", "note": ""}, "type": "note", "content": {}}, "state": 2}]},
      "B": {"name": "Wo/rk", "items": [
        {"data": {"metadata": {"name": "Me", "note": ""}, "type": "identity", "content": {"fullName": "D E",
          "birthdate": "", "extraPersonalDetails": [{"fieldName": "P", "type": "text", "data": {"content": "1"}}],
          "extraSections": [{"sectionName": "S", "sectionFields": [{"fieldName": "Q", "type": "hidden", "data": {"content": "2"}}]}]}},
         "state": 1},
        {"data": {"metadata": {"name": "Alias", "note": ""}, "type": "alias", "content": {}}, "state": 1,
         "aliasEmail": "x@passinbox.com"}]}}}
    """#

  @Test func protonPassKeepsItsFields() throws {
    let reading = try read(.protonPass, Self.proton)
    #expect(
      reading.items.map(\.name) == [
        "Personal/Login", "Personal/Old", "Personal/Note", "Personal/Card", "Wo-rk/Me",
        "Wo-rk/Alias",
      ])
    #expect(reading.items[0].main.text == "p\\\"w")
    #expect(
      texts(reading.items[0]) == [
        "user": "me", "email": "a@b", "otp": "otpauth://totp/x?secret=AAAA", "url": "https://a",
        "url~2": "https://b", "notes": "n", "plain": "c", "second": "BBBB",
      ])
    #expect(texts(reading.items[1]) == ["user": "me2"])
    #expect(reading.items[2].kind == .note && reading.items[2].main.text == "ünï\ntwo")
    #expect(reading.items[3].main.text == "4111")
    #expect(
      texts(reading.items[3]) == [
        "cardholderName": "D", "verificationNumber": "333", "expirationDate": "2031-01",
        "pin": "12",
      ])
    #expect(texts(reading.items[4]) == ["fullName": "D E", "P": "1", "Q": "2"])
    #expect(reading.items[4].openFields["P"] == true && reading.items[4].openFields["Q"] == false)
    #expect(texts(reading.items[5]) == ["email": "x@passinbox.com"])
    #expect(
      reading.losses.map { "\($0.origin): \($0.reason)" } == [
        "Login: 1 passkey", "Bin: it is in Proton Pass's trash",
      ])
  }

  @Test func protonPassWritesATable() throws {
    let reading = try read(
      .protonPass,
      "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault\n"
        + "login,Mail,https://m,a@b,,pw,\"n\n2\",,1,2,Personal\n")
    #expect(reading.items[0].name == "Personal/Mail" && reading.items[0].main.text == "pw")
    #expect(texts(reading.items[0]) == ["url": "https://m", "email": "a@b", "notes": "n\n2"])
  }

  @Test(arguments: ["-----BEGIN PGP MESSAGE-----\nx", #"{"encrypted": true}"#])
  func anEncryptedExportOfProtonPassIsRefused(text: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try read(.protonPass, text) }
    #expect(error?.code == .encrypted)
  }

  @Test(arguments: [ImportFormat.onePUX, .protonPass])
  func otherDocumentsAreUnreadable(format: ImportFormat) throws {
    for text in ["{}", "[", "[]", "{\"accounts\": 1, \"vaults\": 2}"] {
      let error = #expect(throws: ExchangeError.self) { _ = try read(format, text) }
      #expect(error?.code == .unreadable)
    }
  }

  // MARK: One-time codes

  /// The payload of two codes, made by hand after the published schema: a TOTP with an issuer, and
  /// a HOTP with SHA-256, 8 digits and the counter 5.
  private static let migration =
    "otpauth-migration://offline?data="
    + "Ci8KCkhlbGxvId6tvu8SEWFsaWNlQGV4YW1wbGUuY29tGghFeDphLyBzaCABKAEwAg"
    + "oSCgMBAgMSA2JvYiACKAIwATgFEAEYAiAAKAc%3D"

  @Test func googleAuthenticatorsCodesBecomeAddresses() throws {
    let reading = try read(.otpauth, "# codes\n\(Self.migration)\n")
    #expect(reading.items.map(\.name) == ["Ex:a- sh/alice@example.com", "bob"])
    #expect(reading.items.allSatisfy { $0.kind == .otp })
    #expect(
      reading.items.map(\.main.text) == [
        "otpauth://totp/Ex%3Aa%2F%20sh%3Aalice%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Ex%3Aa%2F%20sh",
        "otpauth://hotp/bob?secret=AEBAG&algorithm=SHA256&digits=8&counter=5",
      ])
    #expect(reading.losses.map(\.origin) == ["QR code 2 of 2"])
  }

  @Test func addressesOfAnyAuthenticatorAreTakenAsTheyAre() throws {
    let address = "otpauth://totp/Big%20Bank:me%2B1?secret=JBSWY3DP&issuer=Big%20Bank"
    let reading = try read(
      .otpauth,
      "\u{FEFF}\(address)\r\n\r\nnonsense\notpauth://totp/?issuer=Only&secret=JBSWY3DP\n"
        + "otpauth-migration://offline?data=%%%\notpauth-migration://offline?data=CgI%3D\n")
    #expect(reading.items.map(\.name) == ["Big Bank/me+1", "Only"])
    #expect(reading.items[0].main.text == address)
    #expect(reading.losses.map(\.origin) == ["line 3", "line 5", "line 6"])
    #expect(throws: ExchangeError.self) { _ = try read(.otpauth, "\n# none\n") }
  }

  // MARK: gopass

  private func gopass(_ text: String) throws -> ImportedItem {
    try GopassImport.item("a/b", SecretBytes(text: text))
  }

  @Test func aFileOfGopassHasKeysAndABody() throws {
    let item = try gopass(
      "p:w\nusername: dävid\nurl: https://x\nPIN: 1: 2\ntwo words\n\notpauth://totp/x?secret=A\nempty:\n"
    )
    #expect(item.main.text == "p:w")
    #expect(
      texts(item) == [
        "user": "dävid", "url": "https://x", "PIN": "1: 2", "otp": "otpauth://totp/x?secret=A",
        "notes": "two words\n\nempty:",
      ])
    #expect(texts(try gopass("only")) == [:])
    #expect(try gopass("").main.count == 0)
  }

  @Test func aDocumentBehindDashesIsFieldsOrNotes() throws {
    let plain = try gopass("pw\n---\nuser: me\nnote: 'it''s'\n")
    #expect(texts(plain) == ["notes": "user: me\nnote: 'it''s'"])
    let simple = try gopass("pw\n---\nlogin: me\nport: 8080\nquoted: \"a: b\"\n")
    #expect(texts(simple) == ["user": "me", "port": "8080", "quoted": "a: b"])
    let nested = try gopass("pw\n---\nhosts:\n  - a\n  - b\n")
    #expect(texts(nested) == ["notes": "hosts:\n  - a\n  - b"])
  }

  @Test func theHeadersOfGopass110AreFields() throws {
    let item = try gopass("GOPASS-SECRET-1.0\nPassword: pw\nUser: me\n\nbody\nmore\n")
    #expect(item.main.text == "pw")
    #expect(texts(item) == ["user": "me", "notes": "body\nmore"])
  }

  @Test func aKeyInAFileOfGopassStaysWhole() throws {
    let key = "-----BEGIN KEY-----\nuser: no\n-----END KEY-----\n"
    let item = try gopass(key)
    #expect(item.main.text == key && item.kind == .certificate && item.fields.isEmpty)
    let bytes = try GopassImport.item("b", SecretBytes(copying: [0xFF, 0x0A]))
    #expect(bytes.main.count == 2)
  }
}
