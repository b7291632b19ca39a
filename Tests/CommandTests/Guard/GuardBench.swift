import Foundation
import TestSupport

/// A home with a vault and a project, and what runs in the project behind the wall.
struct GuardBench {
  /// Whether walls can be built here, and this system has a Python of its own to look around with.
  static let canBuild: Bool = {
    let line = [
      "--unshare-user", "--unshare-pid", "--unshare-cgroup", "--ro-bind", "/", "/", "--proc",
      "/proc", "/bin/true",
    ]
    return (try? PythonScript.run("/usr/bin/bwrap", line).status) == 0
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  }()

  let vault: ThrowawayVault
  var home: String { vault.home.path }
  var project: String { "\(home)/project" }

  init() throws {
    vault = try ThrowawayVault()
    for (folder, mode) in [("project", 0o755), ("run", 0o700), (".ssh", 0o700), ("other", 0o755)] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: mode])
    }
    try "the key".write(toFile: "\(home)/.ssh/id", atomically: true, encoding: .utf8)
    for (place, host) in [("a", "good.example"), ("b", "bad.example")] {
      let stored = try vault(
        "credential", "git", "--no-session", "store",
        input: "protocol=https\nhost=\(host)\nusername=me\npassword=secret-\(place)\n\n")
      guard stored.status == 0 else { throw ThrowawayVault.Refusal(description: stored.errors) }
    }
  }

  /// Runs a line of the shell in the project, outside.
  func shell(_ script: String, adding more: [String: String] = [:]) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home, environment: vault.command.environment, executable: "/bin/sh"
    ).run(
      ["-c", "cd '\(project)' && \(script)"],
      adding: [
        "XDG_RUNTIME_DIR": "\(home)/run", "VAULT": VaultProcess.path, "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
      ].merging(more) { $1 })
  }

  /// Runs a line of the shell behind the wall.
  func inside(
    _ options: String = "", _ script: String, adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try shell(
      "exec \"$VAULT\" guard \(options) -- /bin/sh -c \"$SCRIPT\" sh",
      adding: ["SCRIPT": script].merging(more) { $1 })
  }

  /// Runs lines of Python behind the wall.
  func python(
    _ options: String = "", _ script: String, adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try script.write(toFile: "\(project)/script.py", atomically: true, encoding: .utf8)
    return try inside(options, "exec /usr/bin/python3 script.py", adding: more)
  }

  /// Whether no socket is left.
  func isClean() throws -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    while Date() < deadline {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(home)/run")
      if !names.contains(where: { $0.hasPrefix("vault-guard") }) { return true }
      usleep(20_000)
    }
    return false
  }
}
