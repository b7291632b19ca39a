import Foundation
import TestSupport
import Testing

/// The built command under the names of macOS's tools, and in real editors: Scripts/plists.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct PlistLinkTests {
  @Test func theNameOfALinkDecides() throws { try check("links") }
  @Test func plistBuddyAsksForCommands() throws { try check("buddy") }

  @Test(.enabled(if: has("vim"), "vim is not installed"))
  func aDomainIsEditedInVim() throws { try check("vim") }

  @Test(.enabled(if: has("nano"), "nano is not installed"))
  func aDomainIsEditedInNano() throws { try check("nano") }

  @Test(.enabled(if: has("ed"), "ed is not installed"))
  func aDomainIsEditedInEd() throws { try check("ed") }

  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("plists").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
