import Foundation
import TestSupport
import Testing

/// `vault mcp`, by a client of our own over pipes, which is honest and hostile in turns.
///
/// The client is `Scripts/agent_client.py`. Each test searches all that the server has ever written
/// for the values, in several encodings.
@Suite(.enabled(if: PythonScript.hasPython, "needs python3"))
struct MCPTests {
  private static let hasPackage: Bool =
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import mcp.client.stdio"]).status)
    == 0

  private func run(_ test: String) throws {
    let home = try TemporaryHome()
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let run = try VaultProcess(
      home: home.path,
      environment: [
        "VAULT_KEY_FILE": "\(home.path)/key", "XDG_RUNTIME_DIR": "\(home.path)/run",
        "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
      ], executable: "/usr/bin/env"
    ).run(
      [
        "python3", PythonScript.location("agent_client.py"), test, VaultProcess.path, home.path,
      ])
    #expect(run.status == 0, "\(test): \(run.errors)")
  }

  /// JSON-RPC 2.0 and MCP: what is asked, asked wrongly, too early, twice, or not at all.
  @Test(arguments: ["protocol", "versions"])
  func theProtocolIsSpoken(test: String) throws { try run(test) }

  /// Bytes that are no UTF-8, lines that are too long, one byte at a time, thousands at once.
  @Test func garbageIsAnsweredAndEndsNothing() throws { try run("garbage") }

  /// No note, no line break, nothing that is not let out, and no word that tells that it is there.
  @Test func namesAreDataAndNarrowed() throws { try run("names") }

  @Test func manyItemsAreListedInParts() throws { try run("many") }

  /// Where no long mapping is to be had any more.
  @Test(.enabled(if: HelperLinks.isInstalled("cc"), "needs a C compiler"))
  func outputThatCannotBeMaskedIsNotGiven() throws { try run("lost") }

  /// In encodings, in pieces, cut off, by another process, and secrets that came in another way.
  @Test func noValueIsInAnyOutput() throws { try run("masks") }

  @Test func commandsRunAsRunRunsThem() throws { try run("commands") }

  /// Behind a session, a parent that has gone, and an ignored signal; whatever ends the server.
  @Test func nothingIsLeftBehind() throws { try run("leftovers") }

  @Test func whatIsCancelledEnds() throws { try run("cancels") }

  @Test func aClientHearsOfACallThatTakesLonger() throws { try run("progress") }

  /// To allow holds for a command as it was shown; to refuse, for the item.
  @Test(arguments: ["answers", "refusals", "unasked"])
  func answersHoldForWhatWasAsked(test: String) throws { try run(test) }

  @Test func aFloodIsOneQuestionAndLimited() throws { try run("flood") }

  /// A command and a reason that look like parts of the question.
  @Test func nothingInAQuestionLooksLikeItsEnd() throws { try run("escapes") }

  @Test func aLockedVaultSaysWhatToType() throws { try run("locked") }

  @Test(.enabled(if: PythonScript.hasPexpect, "needs python3 with pexpect"))
  func aTerminalOutsideOfTheClientAnswers() throws { try run("terminal") }

  @Test func linesThatCannotServeAreRefused() throws { try run("refused_lines") }

  @Test(.enabled(if: hasPackage, "needs the package mcp of Python"))
  func theClientOfOthersIsServed() throws { try run("sdk") }
}
