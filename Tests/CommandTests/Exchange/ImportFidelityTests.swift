import Foundation
import TestSupport
import Testing

/// Values are never changed in silence, and reports say what was done.
struct ImportFidelityTests {
  private func field(_ vault: ThrowawayVault, _ name: String, _ field: String) throws -> String {
    try vault("get", name, "--field", field).text
  }

  @Test func numbersOfJSONStayAsTheyWereWritten() throws {
    let vault = try ThrowawayVault()
    let numbers = [
      "card": "12345678901234567890", "pin": "1.10", "v": "1e2", "zero": "0.0000001", "minus": "-0",
      "big": "4111111111111111",
    ]
    let text = "{\(numbers.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
    #expect(try vault("import", "json", "-", input: text).status == 0)
    for (name, digits) in numbers { #expect(try vault("get", name).text == digits) }
    for wrong in [
      "{\"a\": 01}", "{\"a\": 1.}", "{\"a\": +1}", "{\"a\": .5}", "{\"a\": \"\\ud800\"}",
    ] {
      #expect(try vault("import", "json", "-", input: wrong).status == 65, "\(wrong)")
    }
  }

  @Test func repeatedMembersAreReported() throws {
    let vault = try ThrowawayVault()
    let done = try vault(
      "import", "json", "-",
      input: #"{"k":"first","k":"second","\u00e9":"composed","e\u0301":"decomposed"}"#)
    #expect(done.status == 1)
    #expect(done.errors.contains("skipped: k: a second member"))
    #expect(done.errors.contains("2 skipped"))
    #expect(try vault("get", "k").text == "first")
    #expect(try vault("get", "é").text == "composed")
    let bitwarden =
      #"{"items": [{"type": 1, "name": "b", "login": {"password": "1", "password": "2"}}]}"#
    let other = try vault("import", "bitwarden", "-", input: bitwarden)
    #expect(other.status == 1 && other.errors.contains("items[1].login.password"))
  }

  @Test func anEmptySecretIsASecret() throws {
    let vault = try ThrowawayVault()
    let done = try vault("import", "dotenv", "-", input: "EMPTY=\"\"\nBARE=\nA=1\n")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("list").text == "A\nBARE\nEMPTY\n")
    #expect(try vault("get", "EMPTY").text.isEmpty)
    let back = try ThrowawayVault()
    let document = try vault("export", "json", "--yes").text
    #expect(try back("import", "json", "-", input: document).status == 0)
    #expect(try back("list").text == "A\nBARE\nEMPTY\n")
  }

  @Test func housekeepingColumnsAreNotesAndNotLosses() throws {
    let vault = try ThrowawayVault()
    let done = try vault(
      "import", "firefox", "-",
      input: """
        "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
        "https://www.example.com","u","pw","realm","https://x","{1}","1","2","3"
        """)
    #expect(done.status == 0, "\(done.errors)")
    #expect(!done.errors.contains("skipped: "))
    for column in ["guid", "timeCreated", "timeLastUsed", "timePasswordChanged"] {
      #expect(done.errors.contains("column \(column): left out"))
    }
    #expect(done.text == "new  example.com  formActionOrigin, httpRealm, url, user\n")
    let json = try vault("import", "firefox", "-", "--json", input: "url,password,guid\nx,1,2\n")
      .text
    #expect(json.contains("\"notTaken\": []") && json.contains("column guid"))
    let group = try vault(
      "import", "keepassxc", "-", "--dry-run",
      input: "<KeePassFile><Root><Group></Group></Root></KeePassFile>")
    #expect(group.status == 0, "\(group.errors)")
  }

  @Test func referencesBetweenKeePassEntriesAreResolvedOrReported() throws {
    let vault = try ThrowawayVault()
    func entry(_ id: String, _ title: String, _ password: String, _ user: String = "") -> String {
      """
      <Entry><UUID>\(id)</UUID><String><Key>Title</Key><Value>\(title)</Value></String>
      <String><Key>Password</Key><Value>\(password)</Value></String>
      <String><Key>UserName</Key><Value>\(user)</Value></String></Entry>
      """
    }
    // 00112233445566778899AABBCCDDEEFF, and with another first byte.
    let document = """
      <KeePassFile><Root><Group><Name>Root</Name>
      \(entry("ABEiM0RVZneImaq7zN3u/w==", "one", "s3cret", "me"))
      \(entry("EBEiM0RVZneImaq7zN3u/w==", "two", "{REF:P@I:00112233445566778899AABBCCDDEEFF}", "x-{ref:u@i:00112233445566778899aabbccddeeff}"))
      \(entry("IBEiM0RVZneImaq7zN3u/w==", "three", "{REF:P@I:10112233445566778899AABBCCDDEEFF}"))
      \(entry("MBEiM0RVZneImaq7zN3u/w==", "gone", "{REF:P@I:FF112233445566778899AABBCCDDEEFF}", "u"))
      \(entry("QBEiM0RVZneImaq7zN3u/w==", "circle", "{REF:P@I:40112233445566778899AABBCCDDEEFF}", "u"))
      \(entry("UBEiM0RVZneImaq7zN3u/w==", "title", "{REF:P@T:one}", "u"))
      </Group></Root></KeePassFile>
      """
    let done = try vault("import", "keepassxc", "-", input: document)
    #expect(done.status == 1)
    #expect(try vault("get", "two").text == "s3cret")
    #expect(try field(vault, "two", "user") == "x-me")
    #expect(try vault("get", "three").text == "s3cret")
    #expect(done.errors.contains("gone: Password: it refers to an entry that does not exist"))
    #expect(
      done.errors.contains(
        "circle: Password: it refers to another entry, and that one on, more than 8 times"))
    #expect(done.errors.contains("title: Password: it refers to another entry by something other"))
    #expect(try vault("get", "gone").text.isEmpty)
    let table = "Title,Username,Password\ntable,u,{REF:P@I:00112233445566778899AABBCCDDEEFF}\n"
    let row = try vault("import", "1password", "-", input: table)
    #expect(row.status == 1 && row.errors.contains("row 2: Password: it refers to another entry"))
    #expect(try vault("get", "table").text.isEmpty)
    #expect(!done.errors.contains("s3cret"))
  }

  @Test func anItemBeyondALimitIsReportedAndTheRestIsImported() throws {
    let vault = try ThrowawayVault()
    let fields = (0..<65_535).map { "{\"name\": \"c\($0)\", \"value\": \"v\"}" }
    let items = [
      "{\"type\": 1, \"name\": \"many\", \"fields\": [\(fields.joined(separator: ","))]}",
      "{\"type\": 1, \"name\": \"fine\", \"login\": {\"password\": \"p\"}}",
    ]
    let done = try vault(
      "import", "bitwarden", "-", input: "{\"items\": [\(items.joined(separator: ","))]}")
    #expect(done.status == 1, "\(done.errors)")
    #expect(done.errors.contains("skipped: many: it has more than 1,000 fields"))
    #expect(try vault("list").text == "fine\n")
    let tags = (0..<65_536).map { "t\($0)" }.joined(separator: ",")
    let table =
      "Title,Password,Tags\nmany,p,\"\(tags)\"\nok,p,\"a,\(String(repeating: "x", count: 300))\"\n"
    let other = try vault("import", "1password", "-", input: table)
    #expect(other.status == 1, "\(other.errors)")
    #expect(other.errors.contains("it has more than 256 tags"))
    #expect(other.errors.contains("a tag that is longer than 255 bytes"))
    #expect(try vault("list", "--tag", "a").text == "ok\n")
    #expect(try vault("check").status == 0)
  }

  @Test func controlCharactersInTagsAndFieldNamesAreRemovedAndReported() throws {
    let vault = try ThrowawayVault()
    let done = try vault(
      "import", "json", "-",
      input: """
        {"schema": 1, "items": [{"name": "n", "secret": "x", "tags": ["a\\u001b[2Jb", "c\\r\\nd"],
        "fields": {"f\\u001b": {"secret": "1"}}}]}
        """)
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.errors.contains("a tag is written 'a [2Jb'"))
    #expect(done.errors.contains("a field is named 'f_'"))
    for line in [["--tag", "a\u{1B}b"], ["--field", "f\r\nx"], ["--attribute", "k\u{1B}=v"]] {
      let refused = try vault.command.run(["set", "n", "--stdin"] + line, input: Data("x".utf8))
      #expect(refused.status == 64, "\(line): \(refused.status) \(refused.errors)")
      #expect(!refused.errors.contains("\u{1B}"))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func thousandsOfOneNameTakeNoLongerThanOfMany() throws {
    let vault = try ThrowawayVault()
    func seconds(_ body: () throws -> Void) throws -> Double {
      let clock = ContinuousClock()
      let start = clock.now
      try body()
      return (clock.now - start) / .seconds(1)
    }
    func items(_ name: (Int) -> String) -> String {
      let items = (0..<20_000).map {
        "{\"name\": \"\(name($0))\", \"encoding\": \"utf-8\", \"secret\": \"s\($0)\"}"
      }
      return "{\"schema\": 1, \"items\": [\(items.joined(separator: ","))]}"
    }
    let (one, many) = (items { _ in "same" }, items { "n\($0)" })
    func statusOfDryRun(_ text: String) throws -> Int32 {
      try vault("import", "json", "-", "--dry-run", input: text).status
    }
    let plain = try seconds { try #require(try statusOfDryRun(many) == 0) }
    // Where every name is tried again for every item it takes more than two minutes.
    let same = try seconds { try #require(try statusOfDryRun(one) == 0) }
    #expect(same < plain * 8 + 5)
  }

  @Test func aChangedNameIsReported() throws {
    let vault = try ThrowawayVault()
    let done = try vault(
      "import", "json", "-", input: #"{"a\tb": "1", " c ": "2", "e\u0301": "3"}"#)
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.errors.contains("it is named 'a b'"))
    #expect(done.errors.contains("it is named 'é'"))
    #expect(try vault("get", " c ").text == "2")
  }

  @Test func aBackupTakesThePlaceOfABackupAloneAndSaysSo() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    let path = "\(vault.home.path)/b.backup"
    #expect(try !vault("backup", path).errors.contains("replaced"))
    let again = try vault("backup", path)
    #expect(
      again.status == 0 && again.errors.contains("replaced an older backup"))
    try Data("a letter".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try vault("backup", path).status == 73)
    #expect(FileManager.default.contents(atPath: path) == Data("a letter".utf8))
  }
}
