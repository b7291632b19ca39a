import Foundation
import TestSupport
import Testing

/// `vault run --mask` with real programs on a pseudo-terminal: Scripts/mask.py.
@Suite(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct MaskTests {
  @Test func aCommandKeepsItsTerminalAndShowsNoSecret() throws { try check("terminal") }
  @Test func fullScreenProgramsGitAndSSHShowNoSecret() throws { try check("programs") }
  @Test func aLongLogShowsNoSecretAtTheBordersOfItsPieces() throws { try check("log") }
  @Test func statusesAndSignalsAreThoseOfTheCommand() throws { try check("statuses") }
  @Test func aCommandIsStoppedContinuedAndEndedFromTheKeyboard() throws { try check("jobs") }
  @Test func aCommandSeesTheSizeOfTheWindow() throws { try check("window") }
  @Test func pipesAndFilesStayApart() throws { try check("streams") }

  @Test(.enabled(if: has("cc"), "needs a C compiler"))
  func whatCannotBeMaskedIsNotShown() throws { try check("lost") }

  @Test func nothingIsLeftOfWhatIsKilled() throws { try check("killed") }

  /// As a user who is not root, in a table of users that has them; to a server on loopback, too.
  @Test(
    .enabled(
      if: canBeUser, "needs root that may mount, setpriv, and pexpect of the system's python3"),
    arguments: ["terminal", "statuses", "streams"])
  func anOrdinaryUserHasItAll(name: String) throws { try checkAsUser(name) }

  @Test(
    .enabled(
      if: canBeUser && has("sshd") && has("ssh-keygen"),
      "needs what the test above needs, ssh-keygen, and sshd of openssh-server"))
  func sshToARealServerShowsNoSecret() throws { try checkAsUser("sshd") }

  /// Another user may not have the Python that root has.
  private static let canBeUser =
    geteuid() == 0 && PythonScript.mountsItsOwn && has("setpriv")
    && (try? PythonScript.run("/usr/bin/python3", ["-c", "import pexpect"]).status) == 0

  private static func has(_ program: String) -> Bool {
    let line = "PATH=$PATH:/usr/sbin:/sbin; command -v \(program)"
    return (try? PythonScript.run("/usr/bin/env", ["sh", "-c", line]).status) == 0
  }

  private func checkAsUser(_ name: String) throws {
    let home = try TemporaryHome()
    let lines = """
      PATH=$PATH:/usr/sbin:/sbin
      cp "$2" "$1/program"
      chown -R 65533:65533 "$1"
      sed "1i tester:NP:65533:65533::$1:/bin/sh" /etc/passwd >"$1/passwd"
      mount --bind "$1/passwd" /etc/passwd
      TEST_SSHD=$(command -v sshd || true) HOME=$1 exec setpriv --reuid 65533 --regid 65533 \
        --clear-groups /usr/bin/python3 "$3" "$4" "$1/program" "$1"
      """
    let result = try PythonScript.run(
      "/usr/bin/env",
      [
        "unshare", "--mount", "sh", "-euc", lines, "sh", home.path, VaultProcess.path,
        PythonScript.location("mask.py"), name,
      ])
    #expect(result.status == 0, "\(result.errors)")
  }

  private func check(_ name: String) throws {
    let home = try TemporaryHome()
    let result = try PythonScript("mask").run([name, VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
