import Foundation
import TestSupport
import Testing

/// A vault in a home of its own that a key file opens, through the built command.
struct CommandVault {
  let home: TemporaryHome
  let vault: VaultProcess

  init() throws {
    home = try TemporaryHome()
    vault = VaultProcess(
      home: home.path, environment: ["VAULT_KEY_FILE": "\(home.path)/key"])
    let made = try vault.run(["init", "--key-file", "\(home.path)/key"])
    try #require(made.status == 0, "\(made.errors)")
  }

  @discardableResult
  func callAsFunction(_ arguments: String..., input: String = "") throws -> VaultProcess.Result {
    try vault.run(arguments, input: Data(input.utf8))
  }

  func set(_ name: String, _ secret: String) throws {
    let result = try self("set", name, "--stdin", "--exact", "--allow-empty", input: secret)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// What a field of an item holds.
  func field(_ name: String, _ field: String) throws -> String {
    try self("get", name, "--field", field).text
  }

  /// Runs a script of the shell in the vault's home, for other programs.
  func shell(
    _ script: String, _ arguments: String..., input: String = ""
  ) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home.path, environment: ["QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8"],
      executable: "/bin/sh"
    ).run(["-c", script, "sh"] + arguments, input: Data(input.utf8))
  }
}
