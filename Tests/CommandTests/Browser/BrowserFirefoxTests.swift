import Foundation
import TestSupport
import Testing

/// A real Firefox with the real KeePassXC-Browser of Debian, without a display.
@Suite(
  .enabled(
    if: BrowserBench.hasFirefox, "firefox-esr and webext-keepassxc-browser are not installed"),
  .enabled(if: PythonScript.hasPython, "needs python3"), .serialized)
struct BrowserFirefoxTests {
  private func run(_ test: String) throws {
    let bench = try BrowserBench()
    let run = try bench.python("browser_firefox.py", test)
    let log = (try? String(contentsOfFile: "\(bench.home)/profile.log", encoding: .utf8)) ?? ""
    #expect(run.status == 0, "\(test): \(run.errors) \(log.suffix(2000))")
  }

  /// The form of the item's site, and none of another host, in a page or in a frame; a one-time code.
  @Test func aRealFirefoxFillsAForm() throws { try run("fill") }

  /// A new login, another password, what was refused; a generated password, folders.
  @Test func aRealFirefoxSavesALogin() throws { try run("store") }

  @Test func aRealFirefoxLogsInByHTTPAuthentication() throws { try run("authentication") }

  /// A lock is known at once, from either side, and so is the next session.
  @Test(.enabled(if: KernelKeys.areAvailable, Comment(rawValue: KernelKeys.missing)))
  func aRealFirefoxHearsOfALock() throws { try run("lock") }
}
