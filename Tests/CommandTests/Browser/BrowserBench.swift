import Foundation
import TestSupport

/// A vault, and a person who answers what is in a file.
struct BrowserBench {
  /// Whether Debian's Firefox and its package of the extension are there.
  static let hasFirefox =
    HelperLinks.isInstalled("firefox-esr")
    && FileManager.default.fileExists(
      atPath: "/usr/share/webext/keepassxc-browser/manifest.json")

  let vault: ThrowawayVault
  var home: String { vault.home.path }

  init() throws {
    vault = try ThrowawayVault()
    try FileManager.default.createDirectory(
      atPath: "\(home)/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    // Written as a whole, so that no answer is read in part.
    try """
    #!/bin/sh
    echo "$1" >>~/questions
    while [ "$(cat ~/answer 2>/dev/null)" = wait ]; do sleep 0.05; done
    cat ~/answer
    """.write(toFile: "\(home)/ask", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: "\(home)/ask")
  }

  static var helper: String {
    URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent()
      .appendingPathComponent("vault-helper").path
  }

  var variables: [String: String] {
    [
      "XDG_RUNTIME_DIR": "\(home)/run", "VAULT": VaultProcess.path, "HELPER": Self.helper,
      "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "VAULT_ASKPASS": "\(home)/ask",
      "SSH_ASKPASS_REQUIRE": "never", "TMPDIR": "/tmp",
    ]
  }

  /// Runs a line of the shell.
  func shell(_ script: String, adding more: [String: String] = [:]) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home, environment: vault.command.environment, executable: "/bin/sh"
    ).run(["-c", script], adding: variables.merging(more) { $1 })
  }

  /// Runs a script of Python with a test's name.
  func python(
    _ script: String, _ test: String, adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try shell("exec python3 '\(PythonScript.location(script))' \(test)", adding: more)
  }
}
