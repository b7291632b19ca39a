import Foundation
import TestSupport
import Testing
import VaultCommand

/// `vault edit` with scripts and real editors, by Scripts/edit.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"), .serialized)
struct EditTests {
  @Test func aScriptMayDoWhatItLikesWithTheFile() throws { try check("script") }
  @Test func anotherChangeMeanwhileIsTold() throws { try check("two") }
  @Test func everyWayOutTakesTheFileAlong() throws { try check("signals") }

  @Test(.enabled(if: has("vim"), "vim is not installed"))
  func vimLeavesNothing() throws { try check("vim") }

  @Test(.enabled(if: has("nano"), "nano is not installed"))
  func nanoLeavesNothing() throws { try check("nano") }

  @Test(.enabled(if: PythonScript.mountsItsOwn, "no mounts of one's own are allowed"))
  func nothingIsWrittenToADisk() throws { try check("disk") }

  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("edit").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}

/// What an editor is started with.
struct EditorTests {
  private func editor(_ text: String, links: [String: String] = [:]) -> Editor {
    Editor(text) { links[$0] ?? $0 }
  }

  @Test func knownEditorsAreToldToKeepNothing() {
    let vim = editor("vim -u NONE")
    #expect(vim.command.prefix(6) == ["vim", "-u", "NONE", "-n", "-i", "NONE"])
    #expect(vim.command.contains { $0.contains("noundofile") } && vim.copies == .none)
    let alternative = editor("/usr/bin/editor", links: ["/usr/bin/editor": "/usr/bin/vim.tiny"])
    #expect(alternative.command.contains("-n") && alternative.name == "editor")
    #expect(editor("nano").command == ["nano", "--restricted"])
    #expect(editor("emacs -nw").command.prefix(3) == ["emacs", "-nw", "-Q"])
    #expect(editor("micro").command.contains("-saveundo"))
    #expect(editor("gvim").command.contains("-f"))
    #expect(editor("hx").command == ["hx"] && editor("hx").copies == .none)
  }

  @Test func whatCannotBeToldIsSaid() {
    #expect(editor("code").command == ["code", "--wait"])
    #expect(editor("code --wait").command == ["code", "--wait"])
    #expect(editor("code -w").copies == .kept)
    #expect(editor("kate").command == ["kate", "--block"])
    #expect(editor("/opt/my-editor").copies == .unknown)
    #expect(editor("vi").copies == .unknown)
  }

  @Test func aLineForTheShellGoesToOne() {
    let line = editor("vim -c 'set ai'")
    #expect(line.command.prefix(5) == ["/bin/sh", "-c", "vim -c 'set ai' \"$@\"", "vim", "-n"])
    #expect(editor("A=1 vim").command.contains("-n"))
  }
}
