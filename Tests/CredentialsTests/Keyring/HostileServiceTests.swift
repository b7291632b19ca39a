import Foundation
import TestSupport
import Testing

/// A Secret Service that misbehaves gets no crash, no hang, and never another item's secret out of
/// us.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct HostileServiceTests {
  @Test(arguments: ProbedKeyring.Way.allCases)
  func theServiceOfTheTestsAnswersWhenItBehaves(_ way: ProbedKeyring.Way) throws {
    let keyring = try ProbedKeyring("ok")
    #expect(try keyring.secret("vault", "api-token", by: way).text == "right secret")
  }

  /// Without libsecret nothing is left that could have answered in its place.
  @Test func theDirectLookupNeedsNoLibrary() throws {
    let keyring = try ProbedKeyring("ok")
    let direct = try keyring.ask("--library", "none.so", "--direct", "secret", "vault", "api-token")
    #expect(direct.text == "right secret")
    let other = try keyring.ask("--library", "none.so", "secret", "vault", "api-token")
    #expect(other.text == "error library-missing")
  }

  @Test(
    arguments: [
      "dh-0", "dh-1", "dh-p-1", "dh-empty", "dh-huge", "dh-string", "iv-short", "iv-empty",
      "cipher-odd", "cipher-empty", "cipher-padding", "other-secret", "other-session", "no-item",
      "wrong-type",
    ], ProbedKeyring.Way.allCases)
  func anUnusableReplyIsSaidToBeOne(_ mode: String, _ way: ProbedKeyring.Way) throws {
    let run = try ProbedKeyring(KeyringSession.State(mode)).secret("vault", "api-token", by: way)
    #expect(run.text == "error unusable-reply")
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    #expect(run.duration < .seconds(3))
  }

  @Test(arguments: ProbedKeyring.Way.allCases)
  func aServiceThatDiesInTheMiddleIsGone(_ way: ProbedKeyring.Way) throws {
    let reading = try ProbedKeyring("die-getsecrets")
    #expect(try reading.secret("vault", "api-token", by: way).text == "error service-gone")
    let writing = try ProbedKeyring("die-create")
    let run = try writing.ask("create", "vault", "x", input: Data("x".utf8))
    #expect(run.text == "error service-gone")
  }

  @Test(arguments: ProbedKeyring.Way.allCases)
  func aSlowServiceIsWaitedFor(_ way: ProbedKeyring.Way) throws {
    let run = try ProbedKeyring("slow").secret("vault", "api-token", by: way)
    #expect(run.text == "right secret")
    #expect(run.duration >= .seconds(3))
  }

  @Test(arguments: ["search-ghosts", "other-item-searched"], ProbedKeyring.Way.allCases)
  func anItemThatIsNotThereOrNotOursIsMissing(_ mode: String, _ way: ProbedKeyring.Way) throws {
    let run = try ProbedKeyring(KeyringSession.State(mode)).secret("vault", "api-token", by: way)
    #expect(run.text == "error item-missing")
  }

  @Test(arguments: ProbedKeyring.Way.allCases)
  func aSecretThatWasNotAskedForIsLeftAside(_ way: ProbedKeyring.Way) throws {
    let run = try ProbedKeyring("extra-secret").secret("vault", "api-token", by: way)
    #expect(run.text == "right secret")
  }

  @Test func theKeyringsPasswordNeverGoesOverAPlainSession() throws {
    let keyring = try ProbedKeyring("plain-locked")
    let run = try keyring.ask("unlock-password", input: Data("login password".utf8))
    #expect(run.text == "error plain-session-only")
  }

  @Test func promptsThatAskNobodyMakeAndDeleteItems() throws {
    let keyring = try ProbedKeyring("prompting")
    let path = try keyring.ask("create", "vault", "x", input: Data("first".utf8)).text
    #expect(path.hasPrefix("/org/freedesktop/secrets/collection/main/"), "\(path)")
    #expect(try keyring.ask("secret", "vault", "x").text == "first")
    #expect(try keyring.ask("items").text.contains("username=x"))
    #expect(try keyring.ask("delete", path, "vault", "x").status == 0)
    #expect(try keyring.ask("items").text == "")
  }

  @Test func anItemThatCannotBeFoundAgainIsTakenBack() throws {
    let keyring = try ProbedKeyring("losing")
    let run = try keyring.ask("create", "vault", "x", input: Data("lost".utf8))
    #expect(run.text == "error item-missing")
    #expect(try keyring.ask("items").text == "")
  }

  @Test func aPlainSessionIsToldAndRefusedWhereEncryptionIsRequired() throws {
    let keyring = try ProbedKeyring("plain-only")
    #expect(try keyring.ask("probe").text.hasSuffix("encrypted false"))
    for way in ProbedKeyring.Way.allCases {
      #expect(try keyring.secret("vault", "api-token", by: way).text == "right secret")
    }
    let refused = try keyring.ask("--encrypted", "--direct", "secret", "vault", "api-token")
    #expect(refused.text == "error plain-session-only")
  }

  /// One session in 256 with KWallet: its keys are too short for it.
  @Test func aSessionThatWasRefusedIsAskedForWithAnotherKey() throws {
    let twice = try ProbedKeyring("session-refused-twice")
    #expect(try twice.secret("vault", "api-token", by: .library).text == "right secret")
    for way in ProbedKeyring.Way.allCases {
      let never = try ProbedKeyring("session-refused").secret("vault", "api-token", by: way)
      #expect(never.text == "error session-refused")
    }
  }

  /// Another one in 256: KWallet comes to another key than libsecret.
  @Test func aSecretThatTheSessionsKeyDoesNotOpenIsAskedForInAnotherOne() throws {
    let writing = try ProbedKeyring("session-differs")
    let path = try writing.ask("create", "vault", "x", input: Data("first".utf8))
    #expect(path.status == 0, "\(path.text)")
    #expect(try writing.ask("secret", "vault", "x").text == "first")
    for way in ProbedKeyring.Way.allCases {
      let seed = try TemporaryHome()
      let item = """
        {"attributes": {"service": "vault", "username": "y", "application": "vault"}, "secret": "kept"}
        """
      try Data("[\(item)]".utf8).write(to: URL(fileURLWithPath: "\(seed.path)/items.json"))
      let reading = try ProbedKeyring("session-differs", seed: seed.path)
      #expect(try reading.secret("vault", "y", by: way).text == "kept")
    }
  }

  /// The secrets as the service gives them in each mode.
  ///
  /// With types: the compiler takes 12 s to find them.
  private static let oddSecrets: [(mode: String, secret: Data)] = [
    ("secret-nul", Data([0x61, 0, 0x62] as [UInt8])),
    ("secret-nonutf8", Data([0xff, 0xfe, 0x80] as [UInt8])),
    ("secret-empty", Data()), ("secret-escape", Data("\u{1b}[2Jx".utf8)),
    ("secret-8mib", Data((0..<8 << 20).map { (at: Int) -> UInt8 in UInt8(at % 8192 * 7 % 251) })),
  ]

  @Test(arguments: oddSecrets, ProbedKeyring.Way.allCases)
  func oddSecretsComeWhole(
    _ odd: (mode: String, secret: Data), _ way: ProbedKeyring.Way
  ) throws {
    let (mode, secret) = odd
    let run = try ProbedKeyring(KeyringSession.State(mode)).secret("vault", "api-token", by: way)
    #expect(run.status == 0)
    #expect(run.output == secret)
  }

  @Test(arguments: [
    ("prompt-never", "error prompt-timed-out"), ("prompt-dismissed", "error prompt-dismissed"),
    ("prompt-lie", "error still-locked"), ("prompt-wrong-type", "error unusable-reply"),
    ("prompt-die", "error service-gone"), ("prompt-ok", ""),
  ]) func aPromptEndsOneWayOrAnother(_ mode: String, _ expected: String) throws {
    let run = try ProbedKeyring(KeyringSession.State(mode)).ask(
      "--prompt", "600", "unlock", adding: ["DISPLAY": ":99"])
    #expect(run.text == expected)
    #expect(run.duration < .seconds(3))
  }

  @Test func aPromptCanBeGivenUp() throws {
    let run = try ProbedKeyring("prompt-never").ask(
      "--prompt", "60000", "unlock-given-up", adding: ["DISPLAY": ":99"])
    #expect(run.text == "error prompt-given-up")
    #expect(run.duration < .seconds(3))
  }

  @Test func noPromptIsShownWithoutADisplayOrWithoutLeave() throws {
    let keyring = try ProbedKeyring("prompt-ok")
    #expect(
      try keyring.ask("--prompt", "5000", "unlock").text == "error locked-without-display")
    #expect(
      try keyring.ask("unlock", adding: ["DISPLAY": ":99"]).text == "error locked-with-display")
  }
}
