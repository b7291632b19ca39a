import Foundation
import TestSupport
import Testing

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
  func theTerminalAroundTmuxReceivesTheSecret() throws { try check("tmux") }

  @Test(.enabled(if: has("screen"), "screen is not installed"))
  func theTerminalAroundScreenReceivesTheSecret() throws { try check("screen") }

  private static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("clipboard").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}

struct ClipboardLineTests {
  @Test func contradictoryOptionsAreRefused() throws {
    let vault = try ThrowawayVault()
    try vault.set("k", "s3cr3t")
    try vault.set("empty", "")
    let binary = try vault.command.run(["set", "bin", "--stdin"], input: Data([0xFF]))
    #expect(binary.status == 0)
    for (line, status) in [
      (["get", "k", "--clear-after", "5s"], 64), (["get", "k", "--clipboard", "x11"], 64),
      (["get", "k", "--copy", "--out", "f"], 64), (["get", "k", "-c", "--clear-after", "2h"], 64),
      (["get", "k", "-c", "--clipboard", "kde"], 64), (["get", "bin", "-c"], 64),
      (["get", "empty", "-c"], 1), (["get", "none", "-c"], 1),
      (["get", "k", "-c", "--clipboard", "wayland"], 69),
      (["settings", "clipboard", "61m"], 64), (["__clear-clipboard", "x11", "0", "m"], 64),
    ] {
      let result = try vault.command.run(line)
      #expect(result.status == Int32(status), "\(line): \(result.errors)")
      #expect(result.output.isEmpty && !result.errors.contains("s3cr3t"))
    }
    #expect(vault.home.names().contains("f") == false)
  }
}
