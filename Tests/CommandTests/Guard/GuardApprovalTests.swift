import Foundation
import TestSupport
import Testing

/// `vault guard --confirm` and `vault approve`: nothing is used that a person has not allowed.
@Suite(
  .enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"),
  .enabled(if: PythonScript.hasPexpect, "needs python3 with pexpect"))
struct GuardApprovalTests {
  private func run(_ test: String, adding more: [String: String] = [:]) throws -> GuardBench {
    let bench = try GuardBench()
    let run = try bench.shell(
      "exec python3 '\(PythonScript.location("approve.py"))' \(test) \"$VAULT\" \"$PWD\" ~",
      adding: more)
    #expect(run.status == 0, "\(test): \(run.errors)")
    return bench
  }

  /// Which item, by which programs, where: and only once.
  @Test func aQuestionIsShownAndItsAnswerIsForOnce() throws { _ = try run("once") }

  /// What a program says of itself is bounded, and nothing in it acts on the terminal.
  @Test func aReasonIsShownAndNotBelieved() throws { _ = try run("reason") }

  @Test func anAnswerThatIsKeptIsListedAndForgotten() throws { _ = try run("kept") }

  /// A "no" in other words, and a key that sends a sequence, allow nothing.
  @Test func onlyAWholeWordIsAnAnswer() throws { _ = try run("words") }

  /// An answer is for the requests that were shown, and for what was shown of them.
  @Test(arguments: ["front", "rest", "left"])
  func anAnswerIsForWhatWasShown(test: String) throws { _ = try run(test) }

  @Test func askingAndLeavingLeavesTimeForANo() throws { _ = try run("again") }

  /// Who was not asked has not refused.
  @Test func aProgramThatFailsIsNobodysRefusal() throws { _ = try run("broken") }

  @Test func neverHoldsForTheLine() throws { _ = try run("never") }

  @Test func aFloodIsOneQuestionAndLimited() throws { _ = try run("flood") }

  @Test(arguments: ["nobody", "late"])
  func silenceIsARefusal(test: String) throws { _ = try run(test) }

  @Test func whoDiesLeavesTheQuestionToTheNextWay() throws {
    let bench = try GuardBench()
    let askpass = "\(bench.home)/other/ask"
    try "#!/bin/sh\necho \"$1\" >> '\(bench.home)/questions'\necho once\n".write(
      toFile: askpass, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: askpass)
    let run = try bench.shell(
      "exec python3 '\(PythonScript.location("approve.py"))' dies \"$VAULT\" \"$PWD\" ~",
      adding: ["TEST_ASKPASS": askpass])
    #expect(run.status == 0, "\(run.errors)")
  }

  /// The helper is killed with a question open, and another one asks: the terminal that watches shows it.
  @Test func whoWatchesGoesOnWithTheNextHelper() throws { _ = try run("returns") }

  /// Twelve questions, one program at a time.
  @Test func aProgramThatAsksIsOneAtATime() throws { _ = try run("askers") }

  /// The first answer counts, and the other one sees it.
  @Test func twoMayWatch() throws { _ = try run("two") }

  /// Return alone, and what was typed before, is no yes.
  @Test func aPersonInAHurryAllowsNothing() throws { _ = try run("hurried") }

  @Test func anAnswerNeedsATerminal() throws { _ = try run("terminal") }

  @Test func aHostileProgramInsideReachesNoQuestion() throws { _ = try run("inside") }

  @Test(
    .enabled(
      if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
      "needs root and setpriv"))
  func anotherUserIsNotLetIn() throws { _ = try run("user") }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func theCommandDoesNotAnswerForItself() throws { _ = try run("itself") }

  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func theAgentOfSSHAsksInTheSamePlace() throws { _ = try run("faces") }

  /// A program that the command could replace asks nobody.
  @Test func theProgramThatAsksLiesOutside() throws {
    let bench = try GuardBench()
    for program in ["\(bench.project)/ask", "ask", "\(bench.home)/other/link/ask"] {
      let run = try bench.shell(
        """
        printf '#!/bin/sh\necho once\n' >ask; chmod +x ask; ln -sfn "$PWD" ../other/link
        exec "$VAULT" guard --only 'git/*' --confirm -- echo ran
        """, adding: ["VAULT_ASKPASS": program])
      #expect(run.status == 64 && run.text.isEmpty, "\(program): \(run.errors)")
      #expect(run.errors.contains("hint: name one"), "\(run.errors)")
    }
  }

  @Test(.enabled(if: HelperLinks.isInstalled("dbus-daemon"), "dbus-daemon is not installed"))
  func aButtonOfANotificationIsAnAnswer() throws { _ = try run("notice") }

  @Test(.enabled(if: HelperLinks.isInstalled("dbus-daemon"), "dbus-daemon is not installed"))
  func eightNotificationsAreShownAtOnce() throws { _ = try run("ways") }

  @Test func theTerminalOfTheCommandIsNoPlaceToAnswer() throws { _ = try run("same") }
}
