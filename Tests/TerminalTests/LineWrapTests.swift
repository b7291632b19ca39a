import Testing
import VaultTerminal

struct LineWrapTests {
  /// What a label says goes on where it began; nothing is cut, and no word is broken that has room.
  @Test func whatALabelSaysHangsBelowItself() {
    #expect(LineWrap.hanging("a b", to: 40, after: 11) == "a b")
    #expect(LineWrap.hanging("one two three", to: nil, after: 11) == "one two three")
    #expect(
      LineWrap.hanging("a note that goes on for more than a line", to: 30, after: 11)
        == "a note that goes on\n           for more than a\n           line")
    // A path that has no room there gets a line of its own, and can be copied.
    let path = "/home/me/.local/share/vault"
    #expect(LineWrap.hanging(path, to: 30, after: 11) == "\n  \(path)")
    // One that is wider than the window is the terminal's affair.
    let long = String(repeating: "x", count: 50)
    #expect(LineWrap.hanging("a \(long)", to: 30, after: 11) == "a\n\(long)")
    // Next to a wide label there is no room to hang in.
    #expect(LineWrap.hanging("one two three", to: 20, after: 11) == "one two\n  three")
  }
}
