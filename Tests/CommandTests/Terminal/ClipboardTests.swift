import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultSealing

/// `get --copy` on real displays, terminals and multiplexers, by Scripts/clipboard.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct ClipboardTests {
  @Test(.enabled(if: has("Xvfb", "xclip", "xsel"), "Xvfb, xclip or xsel is not installed"))
  func anXServersClipboardIsClearedIfUnchanged() throws { try check("x11") }

  @Test(.enabled(if: has("Xvfb", "xsel"), "Xvfb or xsel is not installed"))
  func xselServesWhereXclipIsMissing() throws { try check("xsel") }

  @Test(
    .enabled(
      if: has("sway", "wl-copy", "setpriv") && PythonScript.mountsItsOwn,
      "sway or wl-clipboard is not installed, or no mounts of one's own are allowed"))
  func aCompositorsClipboardIsClearedAndNothingIsOnADisk() throws { try check("wayland") }

  @Test func aTerminalsClipboardIsEmptiedWhileItIsThere() throws { try check("terminal") }

  @Test(.enabled(if: has("tmux"), "tmux is not installed"))
  func theTerminalAroundTmuxGetsIt() throws { try check("tmux") }

  @Test(.enabled(if: has("screen"), "screen is not installed"))
  func theTerminalAroundScreenGetsIt() throws { try check("screen") }

  private static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("clipboard").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}

/// Which clipboard is meant, and what a terminal is sent.
struct ClipboardRouteTests {
  private func routes(
    _ variables: [String: String], without missing: Set<String> = [], hasTerminal: Bool = true
  ) -> [ClipboardRoute] {
    ClipboardRoute.candidates(
      variable: { variables[$0] }, hasProgram: { !missing.contains($0) }, hasTerminal: hasTerminal)
  }

  @Test func theDisplayWhereThePersonSitsComesFirst() {
    let desktop = ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", "TERM": "xterm"]
    #expect(routes(desktop) == [.wayland, .xclip, .xsel, .terminal])
    #expect(routes(desktop, without: ["wl-paste", "xclip"]) == [.xsel, .terminal])
    #expect(routes(desktop, hasTerminal: false) == [.wayland, .xclip, .xsel])
    // Over SSH a display of the machine itself is somebody else's.
    let remote = desktop.merging(["SSH_CONNECTION": "1 2 3 4"]) { $1 }
    #expect(routes(remote) == [.terminal])
    #expect(
      routes(remote.merging(["DISPLAY": "localhost:10.0"]) { $1 }) == [.xclip, .xsel, .terminal])
    #expect(routes(remote.merging(["TMUX": "/x,1,0", "STY": "1"]) { $1 }) == [.tmux])
    #expect(routes(["STY": "1.x", "TERM": "screen"]) == [.screen])
    for none in [["TERM": "linux"], ["TERM": "dumb"], [:]] { #expect(routes(none) == []) }
  }

  @Test func aMultiplexersWrappingIsTheOneItTakesOff() throws {
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
    #expect(throws: CommandError.self) {
      try TerminalClipboard.sequence(
        for: SecretBytes(copying: [UInt8](repeating: 0, count: longest + 1)), wrapping: .none)
    }
  }
}

struct ClipboardLineTests {
  @Test func aLineThatCannotBeMeantIsRefused() throws {
    let vault = try CommandVault()
    try vault.set("k", "s3cr3t")
    try vault.set("empty", "")
    let binary = try vault.vault.run(["set", "bin", "--stdin"], input: Data([0xFF]))
    #expect(binary.status == 0)
    for (line, status) in [
      (["get", "k", "--clear-after", "5s"], 64), (["get", "k", "--clipboard", "x11"], 64),
      (["get", "k", "--copy", "--out", "f"], 64), (["get", "k", "-c", "--clear-after", "2h"], 64),
      (["get", "k", "-c", "--clipboard", "kde"], 64), (["get", "bin", "-c"], 64),
      (["get", "empty", "-c"], 1), (["get", "none", "-c"], 1),
      (["get", "k", "-c", "--clipboard", "wayland"], 69),
      (["settings", "clipboard", "61m"], 64), (["__clear-clipboard", "x11", "0", "m"], 64),
    ] {
      let result = try vault.vault.run(line)
      #expect(result.status == Int32(status), "\(line): \(result.errors)")
      #expect(result.output.isEmpty && !result.errors.contains("s3cr3t"))
    }
    #expect(vault.home.names().contains("f") == false)
  }
}
