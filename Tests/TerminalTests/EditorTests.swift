import Testing
import VaultTerminal

/// The command line of an editor.
struct EditorTests {
  private func editor(_ text: String, links: [String: String] = [:]) -> Editor {
    Editor(text) { links[$0] ?? $0 }
  }

  @Test func knownEditorsGetOptionsToKeepNoCopies() {
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

  @Test func editorsThatKeepCopiesAreKnownAsSuch() {
    #expect(editor("code").command == ["code", "--wait"])
    #expect(editor("code --wait").command == ["code", "--wait"])
    #expect(editor("code -w").copies == .kept)
    #expect(editor("kate").command == ["kate", "--block"])
    #expect(editor("/opt/my-editor").copies == .unknown)
    #expect(editor("vi").copies == .unknown)
  }

  @Test func aCommandWithShellSyntaxGoesToAShell() {
    let line = editor("vim -c 'set ai'")
    #expect(line.command.prefix(5) == ["/bin/sh", "-c", "vim -c 'set ai' \"$@\"", "vim", "-n"])
    #expect(editor("A=1 vim").command.contains("-n"))
  }
}
