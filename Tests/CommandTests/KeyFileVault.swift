import Foundation
import TestSupport
import Testing

/// A vault that the command made, opened by a key file in the environment, without sessions.
struct KeyFileVault {
  let home: TemporaryHome
  let command: VaultProcess

  init() throws {
    home = try TemporaryHome()
    command = VaultProcess(
      home: home.path, environment: ["VAULT_KEY_FILE": "\(home.path)/vault.key"])
    let made = try command.run(["init", "--key-file", "\(home.path)/vault.key", "--no-session"])
    try #require(made.status == 0, "\(made.errors)")
  }

  /// The folder of the vault file and the store.
  var data: String { "\(home.path)/.local/share/vault" }

  @discardableResult
  func set(_ name: String, _ secret: String) throws -> VaultProcess.Result {
    try command.run(["set", name, "--stdin", "--no-session"], input: Data(secret.utf8))
  }

  func get(_ name: String) throws -> VaultProcess.Result {
    try command.run(["get", name, "--no-session"])
  }
}
