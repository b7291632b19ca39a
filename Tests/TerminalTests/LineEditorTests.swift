import Testing
import VaultSealing
import VaultTerminal

struct LineEditorTests {
  @Test func editingKeysWorkOnWholeCharacters() throws {
    func typed(_ keys: [UInt8], _ room: Int = 8) throws -> (
      bytes: [UInt8], outcome: LineEditor.Outcome
    ) {
      var outcome = LineEditor.Outcome.more
      let secret = try SecretBytes(capacity: room) { room in
        var line = LineEditor()
        for key in keys where outcome == .more { outcome = line.take(key, into: &room) }
        return line.count
      }
      return (secret.withBytes { $0.array(0..<$0.byteCount) }, outcome)
    }
    #expect(try typed(Array("ab\u{7f}c\r".utf8)) == (Array("ac".utf8), .done))
    #expect(try typed(Array("é\u{7f}\u{7f}x\n".utf8)) == (Array("x".utf8), .done))
    #expect(try typed([0x04]) == ([], .cancelled))
    #expect(try typed(Array("a\u{4}".utf8)) == (Array("a".utf8), .done))
    #expect(try typed(Array("123456789".utf8)).outcome == .full)
    #expect(try typed(Array("a\u{1b}[3~b\u{1b}OAc\r".utf8)) == (Array("abc".utf8), .done))
    // A paste keeps its newlines, except for the one that ends a single line.
    func pasted(_ text: String) throws -> String {
      let keys = Array("\u{1b}[200~\(text)\u{1b}[201~\r".utf8)
      return String(decoding: try typed(keys, 64).bytes, as: UTF8.self)
    }
    for (text, kept) in [
      ("a\rb\r", "a\nb\n"), ("one\r", "one"), ("one", "one"), ("\r", ""), ("\r\r", "\n\n"),
      ("a\u{1b}[20b\u{4}", "a\u{1b}[20b\u{4}"), ("\u{1b}\u{1b}[201", "\u{1b}\u{1b}[201"),
    ] { #expect(try pasted(text) == kept) }
    #expect(try typed(Array("\u{1b}[200~a\rb".utf8), 64).outcome == .more)
    #expect(try typed(Array("\u{1b}[200~123456789".utf8)).outcome == .full)
  }

  @Test func anUnchangedPasteIsKnown() throws {
    func wasPasted(_ text: String) throws -> Bool {
      var line = LineEditor()
      _ = try SecretBytes(capacity: 64) { room in
        for key in text.utf8 { _ = line.take(key, into: &room) }
        return line.count
      }
      return line.wasPasted
    }
    let paste = "\u{1b}[200~token\u{1b}[201~"
    #expect(try wasPasted(paste + "\r"))
    #expect(try wasPasted("typed\u{15}" + paste + "\r"))
    for other in ["typed\r", paste + "x\r", "x" + paste, paste + "\u{7f}", paste + paste] {
      #expect(try !wasPasted(other), "\(other.debugDescription)")
    }
  }
}
