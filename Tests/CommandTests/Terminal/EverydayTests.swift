import Foundation
import TestSupport
import Testing

/// What a person types every day, on a pseudo-terminal: Scripts/everyday.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct EverydayTests {
  @Test func aListHasHeadingsAndTimesAndTellsThatNothingIsFound() throws { try check("listing") }
  @Test func aLongListGoesThroughThePager() throws { try check("paging") }
  @Test func aFolderNeedsAYesAndIsOneChange() throws { try check("folders") }
  @Test func aLineSaysWhatWasDone() throws { try check("confirmations") }
  @Test func theCommandAloneIsOneScreenWithTheState() throws { try check("alone") }
  @Test func aFileOfReferencesIsReplacedAfterAYes() throws { try check("replacing") }

  @Test func aPersonIsAskedWhichVariablesAreSecrets() throws { try check("choosing") }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("everyday").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
