import Testing
import VaultCredentials
import VaultExchange
import VaultOneTimeCodes
import VaultSealing

/// Files as people have them: from Windows, in HTML's words, of programs for codes.
struct SourceFormatTests {
  private func read(_ format: ImportFormat, _ text: String) throws -> ImportReading {
    try format.read(Array(text.utf8))
  }

  private func texts(_ item: ImportedItem) -> [String: String?] { item.fields.mapValues(\.text) }

  private func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
    let units = ("\u{FEFF}" + text).utf16
    return units.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? bytes : bytes.reversed()
    }
  }

  // MARK: Encodings

  @Test func byteOrderMarksAndUTF16AreRead() throws {
    let table = "name,username,password\r\nü,𝕌,p\"\"\r\n".replacing("\"\"", with: "")
    for isBig in [false, true] {
      let reading = try ImportFormat.csv.read(utf16(table, isBig: isBig))
      #expect(reading.items.map(\.name) == ["ü"] && texts(reading.items[0]) == ["user": "𝕌"])
      #expect(reading.notes.map(\.reason) == ["it is UTF-16, and was read as that"])
    }
    let json =
      "{\"encrypted\":false,\"items\":[{\"type\":1,\"name\":\"n\",\"login\":{\"password\":\"p\"}}]}"
    #expect(try ImportFormat.bitwarden.read(utf16(json)).items.map(\.main.text) == ["p"])
    #expect(try read(.bitwarden, "\u{FEFF}" + json).items.count == 1)
    #expect(try ImportFormat.dotenv.read(utf16("A=1\r\nB=2\r\n")).items.map(\.name) == ["A", "B"])
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0x61], "its UTF-16 is damaged"),
      ([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0], "damaged"),
      (Array("name,password\nM".utf8) + [0xFC] + Array("ller,1\n".utf8), "it is not UTF-8, line 2"),
    ] as [([UInt8], String)])
  func otherEncodingsAreRefusedWithAWayOut(bytes: [UInt8], reason: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try ImportFormat.csv.read(bytes) }
    #expect(error?.message.contains(reason) == true)
    if case .saveAsUTF8? = error?.remedy {} else { Issue.record("\(String(describing: error))") }
  }

  // MARK: Tables

  @Test(arguments: [ImportFormat.bitwarden, .csv])
  func bitwardenHasATable(format: ImportFormat) throws {
    let reading = try read(
      format,
      """
      folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
      Work/Web,1,login,x/y,n,"pin: 1
      city: New: York
      second line",0,"https://x.example/a,b,https://y.example",u,p,SEED
      ,,note,my note,secret text,,0,,,,
      """)
    #expect(reading.losses.isEmpty)
    #expect(reading.items.map(\.name) == ["Work/Web/x-y", "my note"])
    #expect(
      texts(reading.items[0]) == [
        "user": "u", "url": "https://x.example/a,b", "url~2": "https://y.example", "otp": "SEED",
        "notes": "n", "pin": "1", "city": "New: York\nsecond line",
      ])
    #expect(reading.items[1].kind == .note && reading.items[1].main.text == "secret text")
    #expect(reading.items[1].fields.isEmpty)
    let organization = try read(
      format,
      "collections,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
        + "Team,login,n,,,0,a.example,u,p,\n")
    #expect(organization.items.map(\.name) == ["Team/n"])
  }

  @Test func lastPassEntitiesAreReadWhereTheFileUsesThem() throws {
    let headings = "url,username,password,totp,extra,name,grouping,fav\n"
    let encoded = try read(
      .lastPass,
      headings
        + "https://e.example/?a=1&amp;b=2,u,G%W!7&amp;#&lt;&quot;&#39;&amp;amp;,,,A &amp; B,(none),0\n"
    )
    #expect(encoded.items[0].main.text == "G%W!7&#<\"'&amp;")
    #expect(encoded.items[0].name == "A & B")
    #expect(texts(encoded.items[0])["url"] == "https://e.example/?a=1&b=2")
    #expect(encoded.notes.contains { $0.reason.contains("&amp;") })
    // One bare character anywhere says that this file does not.
    for bare in ["https://e.example/?a=1&b=2", "https://e.example/<x>", "https://e.example/&nbsp;"]
    {
      // Value by value: an address with '&' says nothing of a password.
      let mixed = try read(
        .lastPass, headings + "\(bare),u,x&amp;y,,,n,,0\n,u,a&b&amp;c,,,m,,0\n,u,a&b,,,o,,0\n")
      #expect(mixed.items.map(\.main.text) == ["x&y", "a&b&amp;c", "a&b"])
      let told = mixed.notes.filter { $0.reason.contains("&amp;") }
      #expect(told.map(\.origin) == ["row 2", "row 3"])
    }
  }

  @Test func slashesAreFoldersWhereThePersonSaysWhatTheColumnsAre() throws {
    let table = "n,s\nwork/github,1\n/a//b/,2\nhttps://x.example/y,3\n"
    let described = try ImportFormat.read(
      table: Array(table.utf8), columns: TableColumns("name,secret"))
    #expect(described.items.map(\.name) == ["work/github", "/a//b/", "https:--x.example-y"])
    let plan = try ImportPlan(described, into: nil)
    #expect(plan.steps.map(\.name.text) == ["work/github", "a/b", "https:--x.example-y"])
    let usual = " Name , Password\nwork/github,1\n"
    #expect(try read(.csv, usual).items.map(\.name) == ["work/github"])
    #expect(try read(.chrome, usual).items.map(\.name) == ["work-github"])
  }

  @Test func spreadsheetsSaySoWhatTheyWrite() throws {
    let table = "title;password\nä;1\n"
    for text in ["sep=;\n\(table)", "\u{FEFF}sep=;\r\n\(table)", table] {
      let reading = try read(.csv, text)
      #expect(reading.items.map(\.name) == ["ä"] && reading.items[0].main.text == "1")
    }
    let units = Array(table.utf16)
    let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [little, big] {
      let reading = try ImportFormat.csv.read(bytes)
      #expect(reading.items.map(\.name) == ["ä"])
      #expect(reading.notes.contains { $0.reason.contains("UTF-16") })
    }
  }

  @Test func keeperHasATableWithoutHeadings() throws {
    let reading = try read(
      .keeper,
      """
      "Work\\Web","Git/Hub","me","p,w","https://g.example","n","","PIN","12","TFC:Keeper","otpauth://totp/x?secret=A"
      "","plain","","s"
      "x"
      """)
    #expect(reading.items.map(\.name) == ["Work/Web/Git-Hub", "plain"])
    #expect(
      texts(reading.items[0]) == [
        "user": "me", "url": "https://g.example", "notes": "n", "PIN": "12",
        "otp": "otpauth://totp/x?secret=A",
      ])
    #expect(reading.losses.map(\.origin) == ["row 3"])
    let headed = try read(
      .keeper,
      "Folder,Title,Login,Password,Website Address,Notes,Shared Folder,Custom Fields\n,t,u,p,,,,\n")
    #expect(headed.items.map(\.name) == ["t"])
  }

  @Test func keeperHasJSON() throws {
    let reading = try read(
      .keeper,
      #"""
      {"shared_folders":[],"records":[{"uid":"k1","title":"T","login":"me","password":"pw",
       "login_url":"https://k.example","notes":"n","$type":"login",
       "custom_fields":{"$oneTimeCode::1":"otpauth://totp/k?secret=A","PIN":"7",
        "$name::1":{"first":"A","last":"B"},"$phone:Home:1":["1","2"]},
       "folders":[{"folder":"Work\\Sub/x"}]}]}
      """#)
    #expect(reading.items.map(\.name) == ["Work/Sub-x/T"])
    #expect(reading.items[0].sourceID == "keeper:k1")
    #expect(
      texts(reading.items[0]) == [
        "user": "me", "url": "https://k.example", "notes": "n", "PIN": "7",
        "otp": "otpauth://totp/k?secret=A", "name first": "A", "name last": "B", "Home": "1",
        "Home~2": "2",
      ])
  }

  @Test(arguments: [ImportFormat.roboform, .csv])
  func roboFormHasFieldsInFurtherColumns(format: ImportFormat) throws {
    let reading = try read(
      format,
      """
      Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2
      Bank,https://b.example,https://b.example/*,me,"s,1",n,/Money/Home,"User,,user,txt,me","Pass,,pass,pwd,s,1","PIN,,pin,txt,'@42","TOTP KEY$,,,txt,JBSWY3DP","pw2$,,,pwd,second","a,b$,,,txt,x,y,z"
      Note,,,,,text,,
      At,,,'@me,''quoted
      """)
    #expect(reading.items.map(\.name) == ["Money/Home/Bank", "Note", "At"])
    #expect(reading.items[0].main.text == "s,1")
    #expect(
      texts(reading.items[0]) == [
        "user": "me", "url": "https://b.example", "notes": "n", "PIN": "@42", "otp": "JBSWY3DP",
        "pw2": "second", "a,b": "x,y,z",
      ])
    #expect(reading.items[1].kind == .note && reading.items[1].main.text == "text")
    #expect(reading.items[1].fields.isEmpty)
    #expect(reading.items[2].main.text == "'quoted")
    #expect(texts(reading.items[2]) == ["user": "@me"])
    #expect(reading.losses.isEmpty)
  }

  // MARK: JSON

  @Test func enpassHasTypedFields() throws {
    let reading = try read(
      .enpass,
      #"""
      {"folders":[{"title":"Work","uuid":"f1","parent_uuid":""},{"title":"a/b","uuid":"f2","parent_uuid":"f1"},
       {"title":"loop","uuid":"f3","parent_uuid":"f3"}],
       "items":[{"uuid":"e1","title":"Mail","note":"n","trashed":0,"folders":["f2"],"template_type":"login.default",
        "createdAt":1600000000,"fields":[
        {"type":"username","label":"User","value":"me","sensitive":0,"deleted":0},
        {"type":"password","label":"Password","value":"now","sensitive":1,"deleted":0,
         "history":[{"value":"old","updated_at":1610000000}]},
        {"type":"section","label":"More","value":"x"},{"type":"totp","label":"Code","value":"SEED"},
        {"type":"text","label":"PIN","value":"1","sensitive":1},{"type":"text","label":"Gone","value":"1","deleted":1},
        {"type":"url","label":"Website","value":"https://e.example"}]},
        {"uuid":"e2","title":"Note","note":"text","fields":[],"folders":["f3"]},
        {"uuid":"e3","title":"Bin","trashed":1}]}
      """#)
    #expect(reading.items.map(\.name) == ["Work/a-b/Mail", "loop/Note"])
    #expect(
      texts(reading.items[0]) == [
        "user": "me", "otp": "SEED", "PIN": "1", "url": "https://e.example", "notes": "n",
      ])
    #expect(reading.items[0].main.text == "now" && reading.items[0].sourceID == "enpass:e1")
    #expect(reading.items[0].earlier.map(\.main.text) == ["old"])
    #expect(reading.items[1].kind == .note && reading.items[1].main.text == "text")
    #expect(reading.losses.map(\.origin) == ["Bin"])
  }

  private static let aegis = #"""
    {"version":1,"header":{"slots":null,"params":null},"db":{"version":3,"groups":[{"uuid":"g","name":"Games"}],
     "entries":[{"type":"totp","uuid":"a1","name":"me","issuer":"A & B","note":"n","groups":["g"],
      "info":{"secret":"JBSWY3DPEHPK3PXP","algo":"SHA256","digits":8,"period":60}},
     {"type":"steam","uuid":"a2","name":"gamer","issuer":"Steam","info":{"secret":"JBSWY3DPEHPK3PXP","algo":"SHA1","digits":5,"period":30}},
     {"type":"hotp","uuid":"a3","name":"c","issuer":"","info":{"secret":"JBSWY3DPEHPK3PXP","algo":"SHA1","digits":6,"counter":7}},
     {"type":"totp","uuid":"a4","name":"none","issuer":"","info":{"secret":""}}]}}
    """#
  private static let twoFAS = #"""
    {"services":[{"name":"Shop","secret":"JBSW Y3DP EHPK 3PXP","otp":{"label":"Shop:me","account":"me","issuer":"Shop",
      "digits":6,"period":30,"algorithm":"SHA1","tokenType":"TOTP"},"groupId":"g"},
     {"name":"Steam","secret":"JBSWY3DPEHPK3PXP","otp":{"account":"gamer","tokenType":"STEAM","digits":5}}],
     "groups":[{"id":"g","name":"Home"}],"schemaVersion":4}
    """#
  private static let andOTP = #"""
    [{"secret":"JBSWY3DPEHPK3PXP","issuer":"X","label":"me","digits":6,"type":"TOTP","algorithm":"SHA512",
      "thumbnail":"Default","last_used":1,"period":30,"tags":["t"]},
     {"secret":"JBSWY3DPEHPK3PXP","issuer":"","label":"Steam","digits":5,"type":"STEAM","algorithm":"SHA1","tags":[]}]
    """#

  /// The code that an item makes at a moment.
  private func code(_ item: ImportedItem, at time: Int64 = 1_700_000_000) throws -> String? {
    let generator = try OneTimeGenerator(item.main)
    return generator.kind == .hotp
      ? try generator.code(count: generator.counter).text : try generator.code(at: time).text.text
  }

  @Test func authenticatorsAreRead() throws {
    let aegis = try read(.aegis, Self.aegis)
    #expect(aegis.items.map(\.name) == ["A & B/me", "Steam/gamer", "c"])
    #expect(aegis.items.map(\.tags) == [["Games"], [], []])
    #expect(aegis.items.map(\.sourceID) == ["aegis:a1", "aegis:a2", "aegis:a3"])
    #expect(
      aegis.items[0].main.text
        == "otpauth://totp/A%20%26%20B%3Ame?secret=JBSWY3DPEHPK3PXP&issuer=A%20%26%20B"
        + "&algorithm=SHA256&digits=8&period=60")
    #expect(aegis.losses.map(\.origin) == ["none"])
    let (twoFAS, andOTP) = (try read(.twoFAS, Self.twoFAS), try read(.andOTP, Self.andOTP))
    #expect(twoFAS.items.map(\.name) == ["Shop/me", "Steam/gamer"])
    #expect(andOTP.items.map(\.name) == ["X/me", "Steam"])
    #expect(twoFAS.items[0].tags == ["Home"] && andOTP.items[0].tags == ["t"])
    let steam = try [aegis.items[1], twoFAS.items[1], andOTP.items[1]].map { try code($0) }
    #expect(Set(steam).count == 1 && steam[0]?.utf8.count == 5)
    #expect(try code(aegis.items[0])?.utf8.count == 8)
    #expect(try code(aegis.items[2])?.utf8.count == 6)
  }

  @Test(arguments: [
    (ImportFormat.aegis, #"{"version":1,"header":{"slots":[]},"db":"c2VhbGVk"}"#),
    (.twoFAS, #"{"services":[],"servicesEncrypted":"a:b:c","schemaVersion":4}"#),
  ])
  func encryptedFilesOfAuthenticatorsAreTold(format: ImportFormat, text: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try read(format, text) }
    #expect(error?.code == .encrypted)
  }

  @Test(arguments: [
    ("aegis", SourceFormatTests.aegis), ("2fas", SourceFormatTests.twoFAS),
    ("andotp", SourceFormatTests.andOTP),
    ("bitwarden", #"{"encrypted":false,"folders":[],"items":[{"type":1,"name":"a"}]}"#),
    ("bitwarden", #"{"encrypted":true,"data":"2.x"}"#),
    ("enpass", #"{"folders":[],"items":[{"template_type":"login.default","title":"t"}]}"#),
    ("keeper", #"{"shared_folders":[],"records":[]}"#),
    ("protonpass", #"{"version":"1","userId":"u","encrypted":false,"vaults":{}}"#),
    ("1pux", #"{"accounts":[{"attrs":{},"vaults":[]}]}"#),
  ])
  func theJSONOfAnotherProgramIsNotTakenForNamesAndTexts(format: String, text: String) throws {
    let error = #expect(throws: ExchangeError.self) { _ = try read(.json, text) }
    if case .read(let known)? = error?.remedy {
      #expect(known.rawValue == format)
    } else {
      Issue.record("\(String(describing: error))")
    }
  }

  /// A seed of which no codes, or false ones, would be made is no item, and is named.
  @Test func codesThatCannotBeMadeAreLeftOutByName() throws {
    let seed = "JBSWY3DPEHPK3PXP"
    func aegis(_ type: String, _ more: String = "", algorithm: String = "SHA1") -> String {
      #"{"version":1,"header":{},"db":{"entries":[{"type":"\#(type)","name":"me","issuer":"X","#
        + #""info":{"secret":"\#(seed)","algo":"\#(algorithm)","digits":8,"#
        + #""period":30\#(more)}}]}}"#
    }
    for (format, text) in [
      (ImportFormat.aegis, aegis("yandex", #","pin":"1234""#)), (.aegis, aegis("motp")),
      (.aegis, aegis("totp", algorithm: "MD5")),
      (.andOTP, #"[{"secret":"\#(seed)","label":"me","type":"MOTP","digits":6}]"#),
      (.twoFAS, #"{"services":[{"name":"me","secret":"01891","otp":{"tokenType":"TOTP"}}]}"#),
      (.otpauth, "otpauth://totp/me?issuer=Q"),
      (.otpauth, "otpauth://totp/me?secret=\(seed)&algorithm=MD5"),
      (.otpauth, "otpauth://totp/me?secret=01891"),
    ] {
      let reading = try read(format, text)
      #expect(reading.items.isEmpty, "\(text)")
      #expect(reading.losses.contains { $0.origin.contains("me") }, "\(reading.losses)")
      #expect(!reading.losses.contains { $0.reason.contains(seed) || $0.reason.contains("01891") })
    }
  }

  // MARK: Steam

  @Test(arguments: [
    "steam://JBSWY3DPEHPK3PXP",
    "otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&period=30&digits=5&issuer=Steam&encoder=steam",
    "otpauth://totp/x?encoder=steam&secret=JBSWY3DPEHPK3PXP&digits=5",
    "otpauth://steam/Steam:me?secret=JBSWY3DPEHPK3PXP&issuer=Steam&algorithm=SHA1&digits=5&period=30",
    "otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&digits=5",
    "otpauth://STEAM/me?secret=JBSWY3DPEHPK3PXP",
  ])
  func steamIsWrittenInThreeWays(seed: String) throws {
    let generator = try OneTimeGenerator(SecretBytes(text: seed))
    let plain = try OneTimeGenerator(SecretBytes(text: "steam://JBSWY3DPEHPK3PXP"))
    #expect(generator.form == .steam)
    #expect(
      try generator.code(at: 1_700_000_000).text.text == plain.code(at: 1_700_000_000).text.text)
    #expect(try read(.otpauth, seed).items.count == 1)
  }

  @Test(arguments: [
    "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=5",
    "otpauth://hotp/Steam:x?secret=JBSWY3DPEHPK3PXP&digits=5",
    "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=x",
  ])
  func fiveDigitsOfSomebodyElseAreRefused(seed: String) throws {
    #expect(throws: OneTimeCodeError.self) { _ = try OneTimeGenerator(SecretBytes(text: seed)) }
  }

  // MARK: Password stores

  @Test func whatGopassWroteIsReadInAFolderOfPass() throws {
    let file = "GOPASS-SECRET-1.0\r\nPassword: pw\r\nUser: me\nLong: one\n\ttwo\n\nbody\n"
    for text in [file, file.replacing("\r\n", with: "\n")] {
      for item in [
        try PassImport.item("n", SecretBytes(text: text)),
        try GopassImport.item("n", SecretBytes(text: text)),
      ] {
        #expect(item.main.text == "pw")
        #expect(texts(item) == ["user": "me", "Long": "one two", "notes": "body"])
      }
    }
    #expect(try PassImport.item("n", SecretBytes(text: "GOPASS-SECRET-1.0x\n")).fields.isEmpty)
    // gopass shows the first password of several.
    let two = try GopassImport.item(
      "n", SecretBytes(text: "GOPASS-SECRET-1.0\nPassword: first\nPassword: second\n\nbody\n"))
    #expect(two.main.text == "first")
    #expect(texts(two).values.contains("second"), "\(texts(two))")
    // What begins so and is no text is a secret as a whole.
    let bytes = try SecretBytes(copying: Array("GOPASS-SECRET-1.0\n".utf8) + [0xFF])
    #expect(try PassImport.item("n", bytes).main.isEqual(to: bytes))
    #expect(try GopassImport.item("n", bytes).main.isEqual(to: bytes))
  }

  @Test func whatWindowsLeftInASecretIsTold() throws {
    let item = try PassImport.item("n", SecretBytes(text: "\u{FEFF}pw\r\nuser: me\r\n"))
    let plan = try ImportPlan(ImportReading(items: [item]), into: nil)
    #expect(plan.notes.map(\.reason).count == 2)
    #expect(plan.notes.contains { $0.reason.contains("carriage return") })
    let plain = try PassImport.item("n", SecretBytes(text: "pw\nuser: me\n"))
    #expect(try ImportPlan(ImportReading(items: [plain]), into: nil).notes.isEmpty)
  }

  @Test func keePassHistoryBecomesVersions() throws {
    func entry(_ password: String, _ icon: Int, _ day: Int, _ history: String = "") -> String {
      """
      <Entry><UUID>u=</UUID><IconID>\(icon)</IconID>
      <Times><LastModificationTime>2025-01-0\(day)T00:00:00Z</LastModificationTime></Times>
      <String><Key>Title</Key><Value>t</Value></String>
      <String><Key>Password</Key><Value>\(password)</Value></String>\(history)</Entry>
      """
    }
    let history = [entry("1", 0, 1), entry("1", 1, 2), entry("2", 1, 3), entry("3", 1, 4)].joined()
    let reading = try read(
      .keepassxc,
      "<KeePassFile><Root><Group>\(entry("3", 2, 5, "<History>\(history)</History>"))</Group></Root></KeePassFile>"
    )
    #expect(reading.losses.isEmpty)
    #expect(reading.items[0].sourceID == "keepass:u=")
    #expect(reading.items[0].earlier.map(\.main.text) == ["1", "2"])
  }
}
