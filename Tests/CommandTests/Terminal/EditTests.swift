import Foundation
import TestSupport
import Testing

/// `vault edit` with scripts and real editors, by Scripts/edit.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"), .serialized)
struct EditTests {
  @Test func aScriptMayReplaceOrRemoveTheFile() throws { try check("script") }
  @Test func aConcurrentChangeIsReported() throws { try check("two") }
  @Test func allFieldsAreOneText() throws { try check("all") }
  @Test func theFileIsRemovedOnEveryWayOut() throws { try check("signals") }

  @Test(.enabled(if: has("vim"), "vim is not installed"))
  func vimLeavesNothing() throws { try check("vim") }

  @Test(.enabled(if: has("nano"), "nano is not installed"))
  func nanoLeavesNothing() throws { try check("nano") }

  @Test(.enabled(if: PythonScript.mountsItsOwn, "no mounts of one's own are allowed"))
  func nothingIsWrittenToADisk() throws {
    // The script lays another folder over /dev/shm, where TMPDIR may be.
    try check("disk", in: "/tmp")
  }

  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  private func check(_ name: String, in parent: String? = nil) throws {
    let home = try TemporaryHome(in: parent)
    let result = try PythonScript("edit").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
