import Testing
import VaultProtocols
import VaultSealing

/// The secrets that programs keep in clear: found, taken out, and put back, and nothing else changes.
struct ClearTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let program: ClearTextProgram
    let text: String
    /// The entries, with their secrets.
    let found: [String: String]
    /// What the file is without them; `nil` if it goes.
    let rest: String?

    init(_ program: ClearTextProgram, _ text: String, _ found: [String: String], rest: String?) {
      (self.program, self.text, self.found, self.rest) = (program, text, found, rest)
    }

    var testDescription: String { "\(program.rawValue) \(text.prefix(30))" }
  }

  static let cases: [Case] = [
    Case(
      .aws,
      "# mine\n[default]\naws_access_key_id = AKIA1\naws_secret_access_key = a/b+c=\nregion = eu\n\n"
        + "[work]\naws_access_key_id=AKIA2\naws_secret_access_key=two\naws_session_token=tok\n",
      ["default": "a/b+c=", "work": "two"], rest: "# mine\n[default]\nregion = eu\n\n"),
    Case(
      .aws, "[profile work]\naws_access_key_id = AKIA3\naws_secret_access_key = three\n",
      ["profile work": "three"], rest: nil),
    Case(.aws, "[sso]\nsso_session = x\n", [:], rest: "[sso]\nsso_session = x\n"),
    Case(
      .git,
      "https://ann:p%40ss%3Aw@github.com\nhttp://bob:x@git.example.org:8443/team/r.git\nnonsense\n",
      ["https://ann@github.com": "p@ss:w", "http://bob@git.example.org:8443/team/r.git": "x"],
      rest: "nonsense\n"),
    Case(
      .git, "https://github.com\nhttps://ann@github.com\n", [:],
      rest: "https://github.com\nhttps://ann@github.com\n"),
    Case(
      .docker,
      #"{"auths":{"ghcr.io":{"auth":"YW5uOnA6dw=="},"empty":{}},"HttpHeaders":{"a":"b"}}"#,
      ["ghcr.io": "p:w"],
      rest: """
        {
          "auths": {
            "ghcr.io": {},
            "empty": {}
          },
          "HttpHeaders": {
            "a": "b"
          }
        }

        """),
    Case(
      .docker, #"{"auths":{"r":{"auth":"PHRva2VuPjo=","identitytoken":"jwt.jwt"}}}"#,
      ["r": "jwt.jwt"], rest: "{\n  \"auths\": {\n    \"r\": {}\n  }\n}\n"),
    Case(
      .pypi, "[a]\npassword = first\n [b]\npassword: second\n", ["b": "second"],
      rest: "[a]\npassword = first\n [b]\n"),
    Case(
      .podman, #"{"auths":{"quay.io":{"auth":"YW5uOnA6dw=="},"ghcr.io":{"identitytoken":"jwt"}}}"#,
      ["quay.io": "p:w", "ghcr.io": "jwt"], rest: "{\n  \"auths\": {}\n}\n"),
    Case(
      .podman,
      #"{"auths":{"quay.io":{"auth":"YTpi"},"quay.io/team":{"auth":"YTpj"},"h:5":{"auth":"YTpk"}}}"#,
      ["h:5": "d"],
      rest: """
        {
          "auths": {
            "quay.io": {
              "auth": "YTpi"
            },
            "quay.io/team": {
              "auth": "YTpj"
            }
          }
        }

        """),
    Case(
      .netrc,
      "# mine\nmachine a.example login ann password s3\nmachine b.example\n  login bob\n  password \"q \\\"x\\\"\"\n"
        + "macdef init\npassword none\n\ndefault login anonymous password me@\n",
      ["a.example ann": "s3", "b.example bob": "q \"x\"", "(default) anonymous": "me@"],
      rest: "# mine\n\n"),
    Case(
      .npm,
      "registry=https://r/\n//registry.npmjs.org/:_authToken=npm_1\n//x.example/p/:_password=\"cHc=\"\n//y/:_authToken=${Y}\n",
      ["//registry.npmjs.org/:_authToken": "npm_1", "//x.example/p/:_password": "cHc="],
      rest:
        "registry=https://r/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n"
        + "//x.example/p/:_password=${NPM_PASSWORD_X_EXAMPLE_P}\n//y/:_authToken=${Y}\n"),
    Case(
      .pypi,
      "[distutils]\nindex-servers = pypi\n\n[pypi]\nusername = __token__\npassword = pypi-1\n",
      ["pypi": "pypi-1"],
      rest: "[distutils]\nindex-servers = pypi\n\n[pypi]\nusername = __token__\n"),
    Case(
      .cargo, "[registry]\ntoken = \"one\"\n\n[registries.mine]\ntoken = 'two'\n",
      ["registry": "one", "registries.mine": "two"], rest: nil),
    // Only what cargo writes.
    Case(
      .cargo, "[registry]\ntoken = \"a\\u0041\"\n", [:], rest: "[registry]\ntoken = \"a\\u0041\"\n"),
    Case(
      .gh,
      "github.com:\n    user: ann\n    oauth_token: gho_1\n    git_protocol: https\nghe.example:\n    oauth_token: gho_2\n    user: bob\n",
      ["github.com": "gho_1", "ghe.example": "gho_2"],
      rest: "github.com:\n    user: ann\n    git_protocol: https\nghe.example:\n    user: bob\n"),
    Case(
      .gh, "github.com:\n    users:\n        ann:\n            oauth_token: gho_3\n    user: ann\n",
      ["github.com ann": "gho_3"], rest: "github.com:\n    users:\n        ann:\n    user: ann\n"),
    Case(
      .postgres, "# c\nh:5432:db:ann:p\\:w\\\\\n*:*:*:bob:x\n",
      ["h:5432:db:ann": "p:w\\", "*:*:*:bob": "x"], rest: "# c\n"),
    Case(
      .kube,
      "apiVersion: v1\nkind: Config\nusers:\n- name: prod\n  user:\n    token: ey.J\n"
        + "- name: 'a b'\n  user:\n    as: me\n    token: \"two\"\n- name: c\n  user:\n"
        + "    exec:\n      args:\n      - x\n      command: aws\ncurrent-context: prod\n",
      ["prod": "ey.J", "a b": "two"],
      rest: "apiVersion: v1\nkind: Config\nusers:\n- name: prod\n  user: {}\n"
        + "- name: 'a b'\n  user:\n    as: me\n- name: c\n  user:\n"
        + "    exec:\n      args:\n      - x\n      command: aws\ncurrent-context: prod\n"),
    Case(
      .kube, "users:\n  - user:\n      token: t\n    name: x\npreferences: {}\n", ["x": "t"],
      rest: "users:\n  - user: {}\n    name: x\npreferences: {}\n"),
    // What kubectl does not write is not understood, and stays.
    Case(
      .kube, "users:\n- name: x\n  user: {token: t}\n- {name: y, user: {token: u}}\n", [:],
      rest: nil),
  ]

  private func texts(_ secrets: [ClearTextSecret]) -> [String: String] {
    Dictionary(secrets.map { ($0.entry, $0.main.text ?? "?") }) { one, _ in one }
  }

  @Test(arguments: cases.filter(\.found.isEmpty))
  func whatIsNoneIsLeftAlone(_ one: Case) throws {
    #expect(try one.program.secrets(in: one.text).isEmpty)
  }

  @Test(arguments: cases.filter { !$0.found.isEmpty })
  func theyAreFoundTakenOutAndPutBack(_ one: Case) throws {
    let secrets = try one.program.secrets(in: one.text)
    #expect(texts(secrets) == one.found)
    let rest = try one.program.removing(secrets, from: one.text)
    #expect(rest == one.rest)
    for secret in secrets { #expect(rest?.contains(secret.main.text ?? "?") != true) }
    // Back, also where the file has gone.
    for beginning in [rest ?? "", ""] {
      var text = beginning
      for secret in secrets {
        let value = ClearTextValue(
          entry: secret.entry, main: secret.main.text ?? "", fields: [:],
          attributes: [
            "access-key-id": "AKIA", "account": one.text.contains("PHRva") ? "<token>" : "ann",
          ])
        text = try one.program.adding(value, to: text)
        #expect(try one.program.adding(value, to: text) == text)
      }
      #expect(texts(try one.program.secrets(in: text)) == one.found)
    }
  }

  /// A comment behind an entry stays when the entry goes, and what git does not read is no entry.
  @Test func commentsAreToldAndStay() throws {
    let netrc =
      "machine a.example login u password p1 # was OLD\nmachine b.example login v password q\n"
    #expect(ClearTextProgram.netrc.commentsWithSecrets(in: netrc) == [1])
    let quoted = "machine a.example login u password \"p#1\"\n"
    #expect(ClearTextProgram.netrc.commentsWithSecrets(in: quoted).isEmpty)
    let git = "https://u:pw@git.example\n#https://w:OLD@c.example\n"
    let secrets = try ClearTextProgram.git.secrets(in: git)
    #expect(secrets.map(\.main.text) == ["pw"])
    #expect(ClearTextProgram.git.commentsWithSecrets(in: git) == [2])
    #expect(
      try ClearTextProgram.git.removing(secrets, from: git) == "#https://w:OLD@c.example\n")
  }

  /// As editors and other systems leave files.
  @Test(arguments: cases.filter { !$0.found.isEmpty && ![.docker, .podman].contains($0.program) })
  func lineEndsAndAMissingLastOneDoNotMatter(_ one: Case) throws {
    let last = String(one.text.dropLast())
    #expect(texts(try one.program.secrets(in: last)) == one.found)
    #expect(
      try one.program.removing(one.program.secrets(in: last), from: last)?.contains("s3") != true)
    if one.program != .netrc || !one.text.contains("macdef") {
      let windows = one.text.split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\r\n")
      #expect(texts(try one.program.secrets(in: windows)) == one.found)
    }
  }

  /// Any text comes back as itself, or is refused.
  @Test(arguments: ClearTextProgram.allCases)
  func secretsOfAllKindsComeBack(_ program: ClearTextProgram) throws {
    let entry =
      switch program {
      case .aws, .pypi: "work"
      case .git: "https://ann@h.example"
      case .docker, .podman: "ghcr.io"
      case .netrc: "h.example ann"
      case .npm: "//r.example/:_authToken"
      case .cargo: "registry"
      case .gh: "github.com"
      case .postgres: "h:1:d:ann"
      case .kube: "prod"
      }
    for secret in [
      "plain", "p@ss:w/rd", "a=b=c", "with blank", "ümläut-🔑", "back\\slash", "quote\"d", "#hash",
      "%25", "tail\\",
    ] {
      let value = ClearTextValue(
        entry: entry, main: secret, fields: [:],
        attributes: ["access-key-id": "AKIA", "account": "ann"])
      do {
        let text = try program.adding(value, to: "")
        let found = try texts(program.secrets(in: text))[entry]
        #expect(found == secret, "\(text)")
      } catch let error as ProtocolError {
        #expect(error.code == .configurationUnreadable)
        #expect(program == .cargo)
      }
    }
  }

  /// As npm's own reader and YAML have them: quotes and comments are no part of a secret, and what
  /// needs more than that is left where it is, and said.
  @Test(
    arguments: [
      (ClearTextProgram.npm, "//a/:_authToken='one'\n", "one"),
      (.npm, "//a/:_authToken=\"one\"\n", "one"),
      (.npm, "//a/:_authToken = one\n", "one"), (.npm, "//a/:_authToken = one ; comment\n", nil),
      (.npm, "//a/:_authToken=one#x\n", nil), (.npm, "//a/:_authToken=\"\\u0065\"\n", nil),
      (.npm, "//a/:_authToken=one\\;x\n", nil), (.npm, "//a/:_authToken=one-${X}\n", nil),
      (.gh, "h:\n    oauth_token: one # laptop\n", "one"),
      (.gh, "h:\n    oauth_token: 'one'\n", "one"), (.gh, "h:\n    oauth_token: \"one\"\n", "one"),
      (.gh, "h:\n    oauth_token: 'o''ne' # x\n", "o'ne"),
      (.gh, "h:\n    oauth_token: \"o\\u006ee\"\n", nil), (.gh, "h:\n    oauth_token: |-\n", nil),
      (.kube, "users:\n- name: h # x\n  user:\n    token: one # laptop\n", "one"),
    ] as [(ClearTextProgram, String, String?)])
  func aValueIsWhatItsProgramReads(
    _ program: ClearTextProgram, _ text: String, _ value: String?
  ) throws {
    #expect(try program.secrets(in: text).map { $0.main.text } == (value.map { [$0] } ?? []))
    #expect(try (program.doubtfulLines(in: text).isEmpty) == (value != nil), "\(text)")
  }

  /// What a variable is given goes to no other registry.
  @Test func aVariableThatAnotherLineTakesIsNotUsed() throws {
    let text = "//p.example/:_authToken=${NPM_TOKEN}\n//registry.npmjs.org/:_authToken=npm_1\n"
    let secrets = try ClearTextProgram.npm.secrets(in: text)
    let rest = try #require(try ClearTextProgram.npm.removing(secrets, from: text))
    #expect(
      rest
        == "//p.example/:_authToken=${NPM_TOKEN}\n"
        + "//registry.npmjs.org/:_authToken=${NPM_TOKEN_REGISTRY_NPMJS_ORG}\n")
    let value = ClearTextValue(
      entry: secrets[0].entry, main: "npm_1", fields: [:], attributes: [:])
    #expect(try ClearTextProgram.npm.adding(value, to: rest) == text)
    // Of three that look alike as a variable each has its own.
    let alike =
      "//r/a-b/:_authToken=T1\n//r/a/b/:_authToken=T2\n//r/a_b/:_authToken=${NPM_TOKEN_R_A_B?}\n"
    let two = try ClearTextProgram.npm.secrets(in: alike)
    let moved = try #require(try ClearTextProgram.npm.removing(two, from: alike))
    #expect(moved.contains("//r/a-b/:_authToken=${NPM_TOKEN_R_A_B_2}\n"))
    #expect(moved.contains("//r/a/b/:_authToken=${NPM_TOKEN_R_A_B_3}\n"))
  }

  @Test func filesThatAreNoneOfTheirProgramAreLeftAlone() throws {
    for program in ClearTextProgram.allCases {
      for text in ["", "\n", "hello\nworld\n", "<xml/>", "key: value\n", "= = =\n:::::\n[[[[\n"] {
        do {
          #expect(try program.secrets(in: text).isEmpty, "\(program) \(text)")
        } catch let error as ProtocolError {
          #expect([.docker, .podman].contains(program) && error.code == .configurationUnreadable)
        }
      }
    }
  }

  /// Where a file has two secrets for one entry, nothing of it is lost: it stays as it is.
  @Test(arguments: [
    (ClearTextProgram.git, "https://a:one@h\nhttps://a:two@h\n"),
    (.netrc, "machine h login a password one\nmachine h login a password two\n"),
    (.postgres, "h:1:d:u:one\nh:1:d:u:two\n"),
    (.docker, #"{"auths":{"h":{"auth":"YTpvbmU="},"h":{"auth":"YTp0d28="}}}"#),
    (.podman, #"{"auths":{"h":{"auth":"YTpvbmU="},"h":{"auth":"YTp0d28="}}}"#),
    (.npm, "//h/:_authToken=one\n//h/:_authToken=two\n"),
    (.aws, "[d]\naws_access_key_id=A\naws_secret_access_key=one\n[d]\naws_secret_access_key=two\n"),
    (.pypi, "[p]\npassword=one\npassword=two\n"),
    (.cargo, "[registry]\ntoken=\"one\"\ntoken=\"two\"\n"),
    (.kube, "users:\n- name: a\n  user:\n    token: one\n- name: a\n  user:\n    token: two\n"),
  ])
  func whatIsThereTwiceIsNotLost(_ program: ClearTextProgram, _ text: String) throws {
    let error = #expect(throws: ProtocolError.self) { try program.secrets(in: text) }
    #expect(error?.code == .configurationUnreadable)
    // The same one twice is one, and goes as one.
    let same = text.replacing("two", with: "one").replacing("YTp0d28=", with: "YTpvbmU=")
    if ![.aws, .pypi, .cargo, .kube].contains(program) {
      let secrets = try program.secrets(in: same)
      #expect(secrets.compactMap(\.main.text) == ["one"])
      #expect(try !(program.removing(secrets, from: same) ?? "").contains("one"))
    }
  }

  /// A value that would be more than one line, or another entry, is refused.
  @Test(arguments: ClearTextProgram.allCases.filter { ![.docker, .podman].contains($0) })
  func whatIsNoLineIsNotWritten(_ program: ClearTextProgram) throws {
    for (entry, main, token) in [
      ("work", "a\nb", nil), ("work\n[other]", "a", nil), ("work", "a", "t\nregion = x"),
    ] as [(String, String, String?)] where token == nil || program == .aws {
      let value = ClearTextValue(
        entry: entry, main: main, fields: token.map { ["session-token": $0] } ?? [:],
        attributes: ["access-key-id": "A"])
      #expect(throws: ProtocolError.self) { try program.adding(value, to: "") }
    }
  }
}
