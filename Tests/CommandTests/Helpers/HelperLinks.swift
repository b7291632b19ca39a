import Foundation
import TestSupport
import Testing

/// A vault that a key file opens, and a folder of links by which other programs call the command.
struct HelperLinks {
  let vault: ThrowawayVault
  /// The folder with the links, first in PATH.
  let folder: String

  init() throws {
    vault = try ThrowawayVault()
    folder = "\(vault.home.path)/links"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    for name in [
      "vault", "git-credential-vault", "docker-credential-vault", "vault-askpass", "keyring",
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: VaultProcess.path)
    }
  }

  var home: String { vault.home.path }

  /// Calls a link as another program does.
  func call(
    _ name: String, _ arguments: [String] = [], input: String = "",
    adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home, environment: vault.command.environment.merging(path) { $1 },
      executable: "\(folder)/\(name)"
    ).run(arguments, input: Data(input.utf8), adding: more)
  }

  /// Runs another program that finds the links and the vault.
  func run(
    _ program: String, _ arguments: [String], input: String = "",
    adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home, environment: vault.command.environment.merging(path) { $1 },
      executable: "/usr/bin/env"
    ).run([program] + arguments, input: Data(input.utf8), adding: more)
  }

  /// Ends the session; with these variables the vault is there and cannot be opened.
  func locked() throws -> [String: String] {
    try #require(try vault("lock").status == 0)
    return ["VAULT_KEY_FILE": ""]
  }

  private var path: [String: String] {
    ["PATH": "\(folder):/usr/local/bin:/usr/bin:/bin"]
  }

  /// Whether a program is installed where tests look for it.
  static func isInstalled(_ name: String) -> Bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}
