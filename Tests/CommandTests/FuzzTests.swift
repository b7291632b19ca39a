import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCommandCore
import VaultCredentials
import VaultExchange
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// Whatever foreign bytes say: an answer or one of our errors, never a crash, a hang or another
/// status.
@Suite(.timeLimit(.minutes(10)))
struct FuzzTests {
  private static let inputs = 3000 * Mutations.rounds

  /// Runs a parser over inputs; an error must be one that has a code of its own.
  private func parse(
    _ mutations: Mutations, count: Int = inputs, _ parser: ([UInt8]) throws -> Void
  ) {
    var mutations = mutations
    for number in 0..<count {
      let input = mutations.input()
      do {
        try parser(input)
      } catch is CommandError, is TerminalError, is CredentialError, is StorageError,
        is SealingError
      {
      } catch is ExchangeError, is ProtocolError {
        continue
      } catch {
        Issue.record("input \(number) of seed \(Mutations.seed): \(error), \(input)")
        return
      }
    }
  }

  private static let exports: [(format: ImportFormat, texts: [String], words: [String])] = [
    (
      .onePassword,
      [
        "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nA,https://a,u,\"p,\"\"w\",,false,,\"a;b\",\"two\nlines\"\n",
        "\"url\",\"username\",\"password\",\"httpRealm\"\r\n\"https://www.example.com\",\"u\",\"pw\",\"r\"\r\n",
        "name,url,username,password,note\na,,u,1,\n",
      ], ["\"", ",", "\n", "\r\n", "\"\"", "password"]
    ),
    (
      .bitwarden,
      [
        #"{"encrypted":false,"folders":[{"id":"f","name":"W/eb"}],"items":[{"id":"1","folderId":"f","type":1,"name":"M","notes":"n","login":{"username":"u","password":"p","totp":"otpauth://x","uris":[{"uri":"https://a"}]},"fields":[{"name":"pin","value":"12","type":1}],"passwordHistory":[{}]},{"type":3,"name":"C","card":{"number":"4111","code":null}},{"type":5,"sshKey":{"privateKey":"K"}}]}"#
      ], ["{", "}", "[", "]", "null", "\"", ":", "\\u0000", "\\ud800", "1e400", "type"]
    ),
    (
      .json,
      [
        #"{"a": "1", "b": 2, "c": [true]}"#,
        #"{"schema":1,"items":[{"name":"n","secret":"s","encoding":"base64","kind":"token","tags":["t"],"attributes":{"k":"v"},"expires":"2100-01-01","fields":{"f":{"secret":"eA==","encoding":"base64"}}}]}"#,
      ], ["{", "}", "[", "]", "null", "\"", ":", "\\u0000", "-0", "0.1e-5"]
    ),
    (
      .lastPass,
      [
        "url,username,password,totp,extra,name,grouping,fav\nhttps://a,u,\"p,\"\"w\",,\"two\nlines\",G/H,W\\X,0\nhttp://sn,,,,n,N,,1\n"
      ], ["\"", ",", "\n", "\r\n", "http://sn", "\\"]
    ),
    (
      .dashlane,
      [
        "username,username2,title,password,note,url,category,otpSecret\nu,,t,p,n,https://a,c,A\n",
        "title,note\nt,\"a\nb\"\n",
      ], ["\"", ",", "\n", "note", "cc_number"]
    ),
    (
      .protonPass,
      [
        #"{"encrypted":false,"vaults":{"A":{"name":"P","items":[{"state":1,"aliasEmail":null,"data":{"type":"login","metadata":{"name":"L","note":"n"},"extraFields":[{"fieldName":"x","type":"totp","data":{"totpUri":"B"}}],"content":{"itemEmail":"a","password":"p","urls":["u"],"totpUri":"t","passkeys":[],"itemUsername":"m"}}},{"data":{"type":"identity","content":{"fullName":"D","extraSections":[{"sectionFields":[{"fieldName":"Q","data":{"content":"2"}}]}]}}}]}}}"#,
        "type,name,url,email,username,password,note,totp,vault\nlogin,M,,a,,p,n,,V\n",
      ], ["{", "}", "[", "]", "null", "\"", ":", "sectionFields", "2", "\\ud800"]
    ),
    (
      .onePUX,
      [
        #"{"accounts":[{"vaults":[{"attrs":{"name":"P"},"items":[{"item":{"categoryUuid":"001","details":{"loginFields":[{"value":"p","designation":"password","fieldType":"P"}],"sections":[{"fields":[{"title":"T","id":"x","value":{"concealed":"1"}},{"title":"D","value":{"date":1041422400}},{"value":{"monthYear":203105}},{"value":{"address":{"city":"C"}}},{"value":{"file":{"fileName":"f","documentId":"d"}}}]}]},"overview":{"title":"t","urls":[{"url":"u"}],"tags":["a"]}}}]}]}]}"#
      ], ["{", "}", "[", "]", "null", "\"", ":", "-9223372036854775808", "1e400", "date"]
    ),
    (
      .otpauth,
      [
        "otpauth://totp/A%20B:me?secret=JBSWY3DP&issuer=A\notpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZSABKAEwAhABGAEgACjr4JKK%2B%2F%2F%2F%2F%2F8B\n"
      ], ["otpauth://", "data=", "%", "=", "/", "?", "&", "\n"]
    ),
    (
      .dotenv, ["A=1\nexport B=\"x\\n y\"\n# c\nC='l\nm' # z\nD=$2a$10$x #\n", "=\n=x\nA\n"],
      ["=", "\"", "'", "\\", "#", " #", "export ", "\n"]
    ),
    (
      .keepassxc,
      [
        """
        <?xml version="1.0"?><KeePassFile><Meta><RecycleBinUUID>b</RecycleBinUUID><Binaries><Binary ID="0">eA==</Binary></Binaries></Meta>
        <Root><Group><UUID>r</UUID><Name>R</Name><Entry><Tags>x;y</Tags><Times><ExpiryTime>2100-01-01T00:00:00Z</ExpiryTime><Expires>True</Expires></Times>
        <String><Key>Title</Key><Value>T &amp; U</Value></String><String><Key>Password</Key><Value>p</Value></String>
        <Binary><Key>a</Key><Value Ref="0"/></Binary></Entry><Group><UUID>b</UUID><Name>n/m</Name></Group></Group></Root></KeePassFile>
        """
      ],
      [
        "<Group>", "</Group>", "<Entry>", "&lt;", "&#0;", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;",
        "<![CDATA[", "]]>", "Ref=\"0\"", "<Binary ",
      ]
    ),
  ]

  @Test(arguments: exports.indices)
  func exportsOfOtherPrograms(number: Int) {
    let (format, texts, words) = Self.exports[number]
    parse(Mutations("import \(format.rawValue)", texts: texts, words: words)) { bytes in
      _ = try format.read(bytes).items.count
    }
  }

  @Test func anXMLDocumentOfAHundredThousandLevels() {
    for text in ["<a>", "<Group><Entry>", "<KeePassFile><Root>"] {
      let deep = Array(String(repeating: text, count: 100_000).utf8)
      #expect(throws: ExchangeError.self) { _ = try ImportFormat.keepassxc.read(deep) }
    }
    for text in ["[", "{\"a\":", "[{\"a\":"] {
      let deep = Array(String(repeating: text, count: 100_000).utf8)
      for format in [ImportFormat.json, .bitwarden, .onePUX, .protonPass] {
        #expect(throws: ExchangeError.self) { _ = try format.read(deep) }
      }
    }
  }

  @Test func whatGitSays() {
    let texts = [
      "capability[]=authtype\ncapability[]=state\nprotocol=https\nhost=example.com:8080\npath=a.git\nwwwauth[]=Basic realm=\"x\"\nstate[]=vault:1\n\n",
      "protocol=https\nhost=h\nusername=u\npassword=p\npassword_expiry_utc=99\noauth_refresh_token=r\nephemeral=1\n",
    ]
    let words = [
      "=", "\n", "\n\n", "[]=", "host=", "protocol=", "url=https://a:b@c/d", "password=",
    ]
    parse(Mutations("git", texts: texts, words: words)) { bytes in
      let description = try GitDescription(SecretBytes(copying: bytes))
      _ = description["host"]
      for text in description.texts.values { #expect(!text.contains("\n")) }
    }
  }

  @Test func configurationsOfOtherPrograms() throws {
    let registry = try DockerRegistry("ghcr.io")
    let texts = [
      "{\n\t\"auths\": {\"https://index.docker.io/v1/\": {}},\n\t\"credHelpers\": {\n\t\t\"ghcr.io\": \"vault\",\n\t\t\"x\": \"y\"\n\t},\n\t\"credsStore\": \"vault\"\n}\n",
      "{\"credHelpers\":{}}", "{}",
    ]
    let words = [
      "{", "}", "\"credHelpers\"", "\"credsStore\"", ":", ",", "\"vault\"", "\\\"", "[", "]",
    ]
    parse(Mutations("docker's configuration", texts: texts, words: words)) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let added = try registry.added(to: text) {
        #expect(try registry.added(to: added) == nil)
        #expect(try registry.removed(from: added) != nil)
      }
      _ = try registry.removed(from: text)
      if let added = try DockerConfiguration.added(to: text) {
        #expect(try DockerConfiguration.added(to: added) == nil)
      }
      _ = try DockerConfiguration.removed(from: text)
    }
    let block = MarkedBlock(title: "connect x", section: "[default]", settings: ["k = v"])
    let lines = [
      "[default]\nregion = x\n# >>> vault connect x\nk = v\n# <<< vault connect x\n[a]\nk=1\n"
    ]
    parse(Mutations("sections", texts: lines, words: ["[", "]", "\n", "# <<< vault connect x"])) {
      let text = String(decoding: $0, as: UTF8.self)
      _ = try block.added(to: text)
      _ = try block.removed(from: text)
    }
  }

  @Test func references() {
    let texts = [
      "secret://work/github?attribute=expiry&encoding=base64&default=a%20b#user",
      "secret://@work/a%2Fb#f", "postgres://me:secret://db#password@host/x?secret://y",
      "A=secret://b",
    ]
    let words = [
      "secret://", "%", "%zz", "%ff", "?", "&", "#", "@", "=", "encoding=hex", "default=",
    ]
    parse(Mutations("references", texts: texts, words: words)) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = try? SecretReference(text)
      _ = try ReferenceText.parts(of: text)
      _ = try RunVariable.all(names: [], assignments: [text])
    }
    parse(Mutations("names", texts: texts, words: words)) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = try SecretReference(nameOrReference: text)
      _ = try RunVariable.all(names: [text], assignments: [])
    }
  }

  @Test func widthsOfAnyText() {
    var mutations = Mutations("texts", texts: ["日本語/鍵 👩‍👩‍👧 e\u{301} 🇩🇪", "plain"])
    for _ in 0..<Self.inputs {
      let text = Sanitizer.visible(mutations.text())
      let columns = Int.random(in: 0...40, using: &mutations)
      #expect(DisplayWidth.of(DisplayWidth.cut(text, to: columns)) <= columns)
      _ = Suggestion.nearest(to: text, among: ["plain", text, ""])
    }
  }

  // MARK: The built command

  /// Statuses that Documentation/statuses.md has; a signal or a trap is none of them.
  private static let statuses: Set<Int32> = [0, 1, 64, 65, 69, 73, 74, 75, 77, 78]

  @Test(arguments: [
    "git get", "git store", "git erase", "docker get", "docker store", "docker erase",
    "import json -", "import bitwarden -", "import 1password -", "import dotenv -",
    "import keepassxc -", "defaults import d -", "run --env-file", "check",
  ])
  func theCommandEndsAsDocumented(line: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    let texts: [String] =
      switch line.split(separator: " ").first {
      case "git": ["protocol=https\nhost=h\nusername=u\npassword=p\n\n"]
      case "docker":
        line.hasSuffix("store")
          ? [#"{"ServerURL":"https://x/v1/","Username":"u","Secret":"s"}"#] : ["https://x/v1/\n"]
      case "defaults":
        [
          "<plist version=\"1.0\"><dict><key>k</key><array><integer>1</integer><data>eA==</data></array></dict></plist>",
          "{ k = (1, \"a\\U0041\", <0fbd>); }",
        ]
      case "run": ["A=secret://a\nB=\"x secret://a?encoding=hex y\"\n"]
      default: Self.exports.first { line.contains($0.format.rawValue) }?.texts ?? ["x"]
      }
    var corpus = texts.map { Array($0.utf8) }
    let backup = "\(vault.home.path)/backup"
    if line == "check" {
      #expect(try vault("backup", backup).status == 0)
      corpus = [try [UInt8](Data(contentsOf: URL(fileURLWithPath: backup)))]
    }
    var mutations = Mutations(line, corpus: corpus)
    for number in 0..<(24 * Mutations.rounds) {
      let input = Data(mutations.input())
      let file = "\(vault.home.path)/input"
      try input.write(to: URL(fileURLWithPath: file))
      var words = line.split(separator: " ").map(String.init)
      if words[0] == "git" || words[0] == "docker" { words.insert("credential", at: 0) }
      if words[0] == "run" { words += [file, "--", "true"] }
      if words[0] == "check" { words.append(file) }
      let result = try vault.command.run(words, input: input)
      let isDocumented =
        Self.statuses.contains(result.status) || words[0] == "defaults" && result.status == 255
      #expect(
        isDocumented && !result.errors.contains("Fatal error"),
        "input \(number) of seed \(Mutations.seed): \(result.status) \(result.errors)")
      if result.status != 0, words[0] != "defaults", !line.hasPrefix("docker"),
        result.output.isEmpty
      {
        #expect(result.errors.contains("vault: "), "\(line), input \(number): not a word")
      }
    }
    #expect(try vault("get", "a").text == "1")
  }
}
