import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultStorage

/// The keyring asks on a display, and a person sits at the terminal: Scripts/keyring_prompt.py.
@Suite(
  .enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"),
  .enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
struct KeyringPromptTests {
  private static let canPrompt = [
    "/usr/libexec/gcr-prompter", "/usr/bin/Xvfb", "/usr/bin/xdotool",
    "/usr/share/dbus-1/services/org.gnome.keyring.SystemPrompter.service",
  ].allSatisfy { FileManager.default.fileExists(atPath: $0) }

  @Test func givenUpAtTheTerminalThePassphraseIsAskedFor() throws {
    try check("give-up", in: "prompt-never")
  }

  @Test func interruptedItEndsWithTheTerminalAsItWas() throws {
    try check("interrupted", in: "prompt-never")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/dash"), "no /bin/dash"))
  func stoppedAndContinuedItWaitsAgain() throws {
    try check("stopped", in: "prompt-never")
  }

  @Test func dismissedOnTheDisplayThePassphraseIsAskedFor() throws {
    try check("dismissed", in: "prompt-dismissed")
  }

  @Test func givenUpWithoutAnotherSlotIsSaid() throws {
    try check("nothing-else", in: "prompt-never", hasPassphrase: false)
  }

  @Test(.enabled(if: canPrompt, "needs gcr, xvfb and xdotool"))
  func aRealPromptIsGivenUpCancelledAndAnswered() throws {
    try check("prompter", in: "locked-prompter")
  }

  private func check(
    _ name: String, in state: KeyringSession.State, hasPassphrase: Bool = true
  ) throws {
    let vaults = try PreparedVaults.shared.get()
    let vault = try vaults.copy(hasKeyFile: hasPassphrase)
    let passphrase = "correct horse battery"
    if hasPassphrase {
      try LockedVault(location: StoreLocation(home: vault.path), options: .alone)
        .blocking.unlock(with: [.keyFile(vaults.keyFile)]).addPassphrase(passphrase)
    }
    let session = try KeyringSession(state, seed: vaults.seed)
    let number = try? String(contentsOfFile: "\(session.home)/display", encoding: .utf8)
    let display = number?.trimmingCharacters(in: .newlines) ?? "99"
    let run = try session.run(
      "/usr/bin/env",
      ["python3", PythonScript.location("keyring_prompt.py"), name, VaultProcess.path, passphrase],
      adding: ["VAULT_HOME": vault.path, "DISPLAY": ":\(display)"])
    #expect(run.status == 0, "\(run.errors)")
  }
}
