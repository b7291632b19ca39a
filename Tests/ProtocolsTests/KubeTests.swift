import Foundation
import Testing
import VaultCredentials
import VaultProtocols
import VaultSealing

/// The users of a kubeconfig file: keys with their certificates, the program that gives credentials,
/// and its answers.
struct KubeTests {
  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  private static let key = "-----BEGIN EC PRIVATE KEY-----\nc4n4ry\n-----END EC PRIVATE KEY-----\n"
  private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

  private static let file = """
    apiVersion: v1
    kind: Config
    users:
    - name: kind
      user:
        client-certificate-data: \(base64(certificate))
        client-key-data: \(base64(key))
    - name: prod
      user:
        token: abc
    current-context: kind

    """

  private let command = ["/usr/bin/vault", "--vault", "work", "credential", "kubectl", "kind"]

  @Test func aKeyGoesWithItsCertificateAndComesBackWithIt() throws {
    let secrets = try ClearTextProgram.kube.secrets(in: Self.file)
    let kind = try #require(secrets.first { $0.entry == "kind" })
    #expect(kind.main.text == Self.key)
    #expect(kind.fields.mapValues(\.text) == ["client-certificate": Self.certificate])
    let rest = try #require(try ClearTextProgram.kube.removing([kind], from: Self.file))
    #expect(rest.contains("- name: kind\n  user: {}\n- name: prod\n"))
    let value = ClearTextValue(
      entry: "kind", main: Self.key, fields: ["client-certificate": Self.certificate],
      attributes: [:])
    #expect(try ClearTextProgram.kube.adding(value, to: rest) == Self.file)
  }

  /// A token and a key beside each other are one item.
  @Test func aTokenBesideAKeyIsTheSecret() throws {
    let both = Self.file.replacing(
      "    client-key-data", with: "    token: t1\n    client-key-data")
    let kind = try #require(try ClearTextProgram.kube.secrets(in: both).first)
    #expect(kind.main.text == "t1")
    #expect(kind.fields["client-key"]?.text == Self.key)
    let rest = try #require(try ClearTextProgram.kube.removing([kind], from: both))
    #expect(!rest.contains("t1") && !rest.contains("client-"))
    let value = ClearTextValue(
      entry: "kind", main: "t1", fields: kind.fields.compactMapValues(\.text), attributes: [:])
    let again = try ClearTextProgram.kube.secrets(in: ClearTextProgram.kube.adding(value, to: rest))
    #expect(again.first?.fields.mapValues(\.text) == kind.fields.mapValues(\.text))
  }

  /// A certificate without its key, and a key that is no text, are left where they are, and said.
  @Test(arguments: ["client-key-data: !!", "client-key-data: /w=="])
  func whatIsHalfStays(_ line: String) throws {
    let text = Self.file.replacing("client-key-data: \(Self.base64(Self.key))", with: line)
    #expect(try ClearTextProgram.kube.secrets(in: text).map(\.entry) == ["prod"])
    #expect(try ClearTextProgram.kube.doubtfulLines(in: text) == [7])
  }

  @Test func theProgramIsAddedOnceAndTakenOutAgain() throws {
    let added = try #require(
      try KubeConfiguration.added("kind", command: command, to: Self.file))
    #expect(added.text.contains("  command: /usr/bin/vault\n"), "\(added.text)")
    #expect(try KubeConfiguration.added("kind", command: command, to: added.text) == nil)
    let moved = ["/opt/vault", "credential", "kubectl", "kind"]
    let other = try #require(try KubeConfiguration.added("kind", command: moved, to: added.text))
    #expect(!other.text.contains("/usr/bin") && !other.text.contains("work"))
    for user in ["kind", nil] {
      let removed = try #require(KubeConfiguration.removed(user, from: other.text))
      #expect(removed.text == Self.file && removed.users == ["kind"])
    }
    #expect(KubeConfiguration.removed("prod", from: other.text) == nil)
  }

  @Test func anotherProgramIsNotReplaced() throws {
    let text = Self.file.replacing(
      "    token: abc\n", with: "    exec:\n      command: aws\n      args:\n      - eks\n")
    let error = #expect(throws: ProtocolError.self) {
      try KubeConfiguration.added("prod", command: command, to: text)
    }
    #expect(error?.code == .connectedOtherwise)
    #expect(KubeConfiguration.removed(nil, from: text) == nil)
    #expect(throws: ProtocolError.self) {
      try KubeConfiguration.added("nobody", command: command, to: text)
    }
  }

  /// Words that YAML could read as something else are quoted, and read again.
  @Test(arguments: ["a b", "yes", "1", "it's", "a: b", "#x", "ü", "-", "{x}", "*", "a:"])
  func wordsStayTheirOwn(_ word: String) throws {
    let line = ["/v", "--vault", word, "credential", "kubectl", "kind"]
    let added = try #require(try KubeConfiguration.added("kind", command: line, to: Self.file))
    #expect(try KubeConfiguration.added("kind", command: line, to: added.text) == nil)
    #expect(KubeConfiguration.removed(nil, from: added.text)?.text == Self.file)
  }

  /// What kubectl takes before a program, or a program of somebody else's, stays, and is said.
  @Test(arguments: [
    "client-certificate: /c", "tokenFile: /t", "username: u", "token: two",
    "exec:\n      command: aws",
  ])
  func aTokenBesideWhatWinsStays(_ line: String) throws {
    let text = "users:\n- name: x\n  user:\n    \(line)\n    token: one\n"
    #expect(try ClearTextProgram.kube.secrets(in: text).isEmpty)
    #expect(try !ClearTextProgram.kube.doubtfulLines(in: text).isEmpty)
    #expect(KubeConfiguration.settingsThatWin(of: "x", in: text).contains("token"))
  }

  /// A user is made only where no other form of the file may have it.
  @Test(arguments: [
    "{\"users\": [{\"name\": \"a\"}]}\n", "users: [{name: a, user: {}}]\n",
    "users:\n- {name: a, user: {}}\n", "users:\n- name: a\n  user: {token: x}\n",
    "---\nkind: Config\n",
  ])
  func aFileInAnotherFormGetsNoUser(_ text: String) throws {
    let value = ClearTextValue(entry: "a", main: "T", fields: [:], attributes: [:])
    let error = #expect(throws: ProtocolError.self) {
      try ClearTextProgram.kube.adding(value, to: text)
    }
    #expect(error?.code == .configurationUnreadable)
  }

  /// A comment behind `user:`, a user that looks like an option, one that was renamed.
  @Test func theUsersOwnWordsDoNotMatter() throws {
    let text = "users:\n- name: --json\n  user: # mine\n    token: T\n"
    #expect(try ClearTextProgram.kube.secrets(in: text).map(\.entry) == ["--json"])
    let line = ["/v"] + KubeConfiguration.words(for: "--json")
    let added = try #require(try KubeConfiguration.added("--json", command: line, to: text))
    #expect(added.text.contains("- '--'\n"), "\(added.text)")
    let renamed = added.text.replacing("- name: --json", with: "- name: other")
    #expect(KubeConfiguration.removed(nil, from: renamed)?.users == ["other"])
    for nothing in ["null", "~"] {
      let text = "users:\n- name: x\n  user:\n    token: \(nothing)\n"
      #expect(try ClearTextProgram.kube.secrets(in: text).isEmpty)
    }
  }
}
