import Foundation
import TestSupport
import Testing

/// What the command says and how it ends where only the keyring opens the vault.
struct KeyringAdviceTests {
  private static let programs = [
    "dbus-run-session", "dbus-send", "gnome-keyring-daemon", "setsid", "python3",
  ]
  private static let isRunnable = programs.allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test(.enabled(if: isRunnable, "gnome-keyring or dbus is not installed"))
  func everyStateHasItsStatusAndAdviceInTime() throws {
    let home = try TemporaryHome()
    // A test runner's threads block signals; a bus that inherits that does not end.
    let unblocked =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); "
      + "os.execvp(sys.argv[1], sys.argv[1:])"
    let result = try PythonScript.run(
      "/usr/bin/env",
      [
        "python3", "-c", unblocked, "dbus-run-session", "--",
        PythonScript.location("keyring.sh"), VaultProcess.path, home.path,
      ])
    #expect(result.status == 0, "\(result.errors)")
  }
}
