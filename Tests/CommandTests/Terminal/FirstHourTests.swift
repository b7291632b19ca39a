import TestSupport
import Testing

/// The first hour of six people, who read nothing but what the terminal shows: typed in tmux, each
/// line led on by the one before (`Scripts/first_hours.py`).
struct FirstHourTests {
  private static let canPlay =
    (try? PythonScript.run(
      "/usr/bin/env", ["sh", "-c", "command -v tmux && command -v python3 && command -v git"]
    ).status) == 0

  @Test(
    .enabled(if: canPlay, "needs tmux, python3 and git"),
    arguments: ["desktop", "server", "job", "team", "comer", "mac"])
  func nobodyMeetsADeadEnd(_ person: String) throws {
    let played = try PythonScript("first_hours").run([person, VaultProcess.path])
    #expect(played.status == 0, "\(played.errors)")
  }
}
