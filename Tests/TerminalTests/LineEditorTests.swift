import Testing
import VaultSealing
import VaultTerminal

struct LineEditorTests {
  @Test func editingKeysWorkOnWholeCharacters() throws {
    func typed(_ keys: [UInt8]) throws -> (bytes: [UInt8], outcome: LineEditor.Outcome) {
      var outcome = LineEditor.Outcome.more
      let secret = try SecretBytes(capacity: 8) { room in
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
  }
}
