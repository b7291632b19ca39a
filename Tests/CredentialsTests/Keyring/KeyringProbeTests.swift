import Foundation
import TestSupport
import Testing

/// Every state that a desktop's keyring can be in is told apart, and in time.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct KeyringProbeTests {
  struct Expectation: CustomStringConvertible, Sendable {
    let state: KeyringSession.State
    let probe: String
    let read: String
    let write: String
    var limit = Duration.seconds(3)
    var description: String { state.name }
  }

  static let quick: [Expectation] = [
    Expectation(state: .noBus, probe: "no-bus", read: "no-bus", write: "no-bus"),
    Expectation(state: .deadBus, probe: "dead-bus", read: "dead-bus", write: "dead-bus"),
    Expectation(
      state: .noProvider, probe: "no-provider", read: "no-provider", write: "no-provider"),
    Expectation(
      state: "cannot-start", probe: "activation-failed", read: "activation-failed",
      write: "activation-failed"),
    Expectation(
      state: .noKeyring, probe: "no-collection", read: "no-collection", write: "no-collection"),
    Expectation(
      state: .locked, probe: "locked-without-display", read: "item-locked",
      write: "locked-without-display"),
    Expectation(
      state: .coldLocked, probe: "locked-without-display", read: "item-locked",
      write: "locked-without-display"),
  ]

  @Test(arguments: quick) func aStateIsToldAtOnce(_ expected: Expectation) throws {
    let keyring = try ProbedKeyring(expected.state)
    let probe = try keyring.ask("probe")
    #expect(probe.text.hasPrefix("state \(expected.probe)\n"))
    let read = try keyring.ask("secret", "vault", "api-token")
    #expect(read.text == "error \(expected.read)")
    let write = try keyring.ask("create", "vault", "other", input: Data("x".utf8))
    #expect(write.text == "error \(expected.write)")
    for run in [probe, read, write] {
      #expect(run.duration < .seconds(3))
      #expect(run.errors.isEmpty)
    }
  }

  @Test(arguments: [
    (KeyringSession.State.mute, "not-answering"), (.sleepy, "activation-timed-out"),
    ("hang-getsecrets", "not-answering"), ("hang-create", "not-answering"),
  ]) func whatHangsIsGivenUpAfterFiveSeconds(
    _ state: KeyringSession.State, _ code: String
  ) throws {
    let keyring = try ProbedKeyring(state)
    let run =
      state == "hang-create"
      ? try keyring.ask("create", "vault", "x", input: Data("x".utf8))
      : try keyring.ask("secret", "vault", "api-token")
    #expect(run.text == "error \(code)")
    #expect(run.duration >= .seconds(5) && run.duration < .seconds(6))
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: ["probe", "create", "items", "lock", "unlock", "unlock-password"])
  func noCallOnAMuteServiceOutlivesItsDeadline(_ call: String) throws {
    let keyring = try ProbedKeyring(.mute)
    let run = try keyring.ask("--timeout", "700", call, "vault", "x")
    #expect(run.text.contains("not-answering"))
    #expect(run.duration < .seconds(2))
  }

  @Test func aMissingLibraryIsAState() throws {
    let keyring = try ProbedKeyring(.noBus)
    let run = try keyring.ask("--library", "libnowhere.so.0", "secret", "vault", "x")
    #expect(run.text == "error library-missing")
  }

  @Test func aBusIsNeverStarted() throws {
    let keyring = try ProbedKeyring(.noBus)
    let run = try keyring.ask(
      "probe", adding: ["DBUS_SESSION_BUS_ADDRESS": "autolaunch:", "DISPLAY": ":99"])
    #expect(run.text.hasPrefix("state no-bus\n"))
    #expect(run.errors.isEmpty)
  }

  @Test func missingAndLockedAreToldApart() throws {
    for state in [KeyringSession.State.locked, .coldLocked] {
      let keyring = try ProbedKeyring(state)
      #expect(try keyring.ask("secret", "vault", "api-token").text == "error item-locked")
      #expect(try keyring.ask("secret", "vault", "nothing").text == "error item-missing")
    }
  }

  @Test func theOwnerAndTheSessionAreNamed() throws {
    let probe = try ProbedKeyring(.unlocked).ask("probe")
    #expect(probe.text == "state unlocked\nowner gnome-keyring-daemon\nencrypted true")
  }
}
