import Foundation
import TestSupport
import Testing

/// The command on a real pseudo-terminal, driven by Scripts/terminal.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct TerminalTests {
  @Test func theFirstSetAsksTwiceAndShowsNothing() throws { try check("first-set") }
  @Test func whatIsTypedBetweenTwoPromptsIsNeverShown() throws { try check("ahead") }
  @Test func thePassphraseIsAskedForWhileStdinCarriesTheSecret() throws { try check("stdin") }
  @Test func aPasteIsTakenWholeOrRefused() throws { try check("paste") }
  @Test func givingUpAtTheRecoveryCodeIsToldTruly() throws { try check("code") }
  @Test func whoNamesASourceIsAskedNothing() throws { try check("unasked") }
  @Test func aForgottenPassphrasePointsAtTheRecoveryCode() throws { try check("forgotten") }
  @Test func longLinesAreBrokenAtBlanks() throws { try check("wrapped") }
  @Test func aPurgeIsConfirmed() throws { try check("purge") }
  @Test func editingKeysWorkAndALongTokenIsNotCut() throws { try check("editing") }
  @Test func echoIsRestoredAfterEveryFatalSignal() throws { try check("signals") }
  @Test func theFirstProcessOfAContainerEndsBySignals() throws { try check("first-process") }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/dash"), "no /bin/dash"))
  func aStoppedPromptRestoresTheTerminalAndContinues() throws { try check("stop") }

  @Test func controlCharactersInNamesAndSecretsAreEscaped() throws { try check("screen") }

  @Test func aSingleSlotIsPointedOutAtEveryTenthSecret() throws { try check("reminder") }

  @Test func namesAreATreeOnATerminalAndLinesInAPipe() throws { try look("tree") }
  @Test func colorFollowsTheOptionsAndTheTerminal() throws { try look("colour") }
  @Test func aNarrowWindowCutsNamesBetweenCharacters() throws { try look("narrow") }
  @Test func namesAndWordsStayWholeInANarrowWindow() throws { try look("words") }
  @Test func columnsAreLeftOutRatherThanPartsOfNames() throws { try look("columns") }
  @Test func foldersThatHoldOneFolderShareALine() throws { try look("joined") }
  @Test func progressIsShownAndRemoved() throws { try look("progress") }
  @Test func anInterruptedImportLeavesTheVaultAsItWas() throws { try look("interrupted") }

  private func check(_ name: String) throws { try run(name, of: "terminal") }

  private func look(_ name: String) throws { try run(name, of: "look") }

  private func run(_ name: String, of script: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript(script).run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
