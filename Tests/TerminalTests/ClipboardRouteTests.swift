import Testing
import VaultSealing
import VaultTerminal

/// The choice of a clipboard, and the sequences for terminals.
struct ClipboardRouteTests {
  private func routes(
    _ variables: [String: String], without missing: Set<String> = [], hasTerminal: Bool = true
  ) -> [ClipboardRoute] {
    ClipboardRoute.candidates(
      variable: { variables[$0] }, hasProgram: { !missing.contains($0) }, hasTerminal: hasTerminal)
  }

  @Test func theDisplayInFrontOfThePersonComesFirst() {
    let desktop = ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", "TERM": "xterm"]
    #expect(routes(desktop) == [.wayland, .xclip, .xsel, .terminal])
    #expect(routes(desktop, without: ["wl-paste", "xclip"]) == [.xsel, .terminal])
    #expect(routes(desktop, hasTerminal: false) == [.wayland, .xclip, .xsel])
    // Over SSH, a display of the machine itself is somebody else's.
    let remote = desktop.merging(["SSH_CONNECTION": "1 2 3 4"]) { $1 }
    #expect(routes(remote) == [.terminal])
    #expect(
      routes(remote.merging(["DISPLAY": "localhost:10.0"]) { $1 }) == [.xclip, .xsel, .terminal])
    #expect(routes(remote.merging(["TMUX": "/x,1,0", "STY": "1"]) { $1 }) == [.tmux])
    #expect(routes(["STY": "1.x", "TERM": "screen"]) == [.screen])
    for none in [["TERM": "linux"], ["TERM": "dumb"], [:]] { #expect(routes(none) == []) }
  }

  @Test func theSequenceIsWrappedAsTheMultiplexerExpects() throws {
    let secret = try SecretBytes(copying: Array("ab".utf8))
    func text(_ bytes: SecretBytes) -> String? { bytes.withBytes { $0.text(0..<$0.byteCount) } }
    let plain = "\u{1B}]52;c;YWI=\u{7}"
    #expect(text(try TerminalClipboard.sequence(for: secret, wrapping: .none)) == plain)
    #expect(
      text(try TerminalClipboard.sequence(for: secret, wrapping: .tmux))
        == "\u{1B}Ptmux;\u{1B}\(plain)\u{1B}\\")
    #expect(
      text(try TerminalClipboard.emptying(wrapping: .screen)) == "\u{1B}P\u{1B}]52;c;\u{7}\u{1B}\\")
    let long = try SecretBytes(copying: [UInt8](repeating: 0x61, count: 3000))
    let wrapped = try #require(text(TerminalClipboard.sequence(for: long, wrapping: .screen)))
    let pieces = wrapped.split(separator: "\u{1B}\\").map { $0.dropFirst(2) }
    #expect(pieces.allSatisfy { $0.utf8.count <= 768 })
    let whole = try TerminalClipboard.sequence(for: long, wrapping: .none)
    #expect(pieces.joined() == text(whole))
    let longest = TerminalClipboard.maximumLength
    let most = try SecretBytes(copying: [UInt8](repeating: 0x61, count: longest))
    #expect(try TerminalClipboard.sequence(for: most, wrapping: .none).count == 100_000)
    #expect(throws: TerminalError.self) {
      try TerminalClipboard.sequence(
        for: SecretBytes(copying: [UInt8](repeating: 0, count: longest + 1)), wrapping: .none)
    }
  }
}
