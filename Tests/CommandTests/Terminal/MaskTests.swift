import Foundation
import TestSupport
import Testing

/// `vault run --mask` with real programs on a pseudo-terminal: Scripts/mask.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct MaskTests {
  @Test func aCommandKeepsItsTerminalAndShowsNoSecret() throws { try check("terminal") }
  @Test func fullScreenProgramsGitAndSSHShowNoSecret() throws { try check("programs") }
  @Test func aLongLogShowsNoSecretAtTheBordersOfItsPieces() throws { try check("log") }
  @Test func statusesAndSignalsAreThoseOfTheCommand() throws { try check("statuses") }
  @Test func aCommandIsStoppedContinuedAndEndedFromTheKeyboard() throws { try check("jobs") }
  @Test func aCommandSeesTheSizeOfTheWindow() throws { try check("window") }
  @Test func pipesAndFilesStayApart() throws { try check("streams") }
  @Test func nothingIsLeftOfWhatIsKilled() throws { try check("killed") }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("mask").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
