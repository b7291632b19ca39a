import Foundation
import TestSupport
import Testing

/// Picking items: on a real terminal, and in menu programs that stand in for those of a desktop, by
/// Scripts/pick.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct PickTests {
  @Test func theListNarrowsAsOneTypes() throws { try check("narrow") }
  @Test func whatElseIsKnownOfAnItemIsShownAndSearched() throws { try check("known") }
  @Test func aDumbTerminalHasANumberedList() throws { try check("dumb") }
  @Test func keysMoveTheSelection() throws { try check("keys") }
  @Test func theTerminalIsRestoredOnEveryWayOut() throws { try check("leaving") }
  @Test func windowsChangeAndNamesAreWide() throws { try check("windows") }
  @Test func tenThousandNamesAreSearchedAtOnce() throws { try check("many") }
  @Test func aKeyCopiesAndWithoutDecorationThereAreNumbers() throws { try check("copies") }
  @Test func aMenuProgramGetsTheNamesAndTheClipboardTheSecret() throws { try check("menu") }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("pick").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
