import Foundation
import TestSupport
import Testing

/// The first hour of seven people, who read nothing but what the terminal shows: typed in tmux, each
/// line led on by the one before (`Scripts/first_hours.py`).
struct FirstHourTests {
  private static let canPlay =
    (try? PythonScript.run(
      "/usr/bin/env", ["sh", "-c", "command -v tmux && command -v python3 && command -v git"]
    ).status) == 0

  @Test(
    .enabled(if: canPlay, "needs tmux, python3 and git"),
    arguments: ["desktop", "server", "job", "team", "comer", "author", "mac"])
  func nobodyMeetsADeadEnd(_ person: String) throws {
    // The README's programs, which an author begins with.
    let tools = URL(fileURLWithPath: KeyringSession.product("Credentials"))
      .deletingLastPathComponent().path
    let played = try PythonScript("first_hours").run([person, VaultProcess.path, tools])
    #expect(played.status == 0, "\(played.errors)")
  }
}
