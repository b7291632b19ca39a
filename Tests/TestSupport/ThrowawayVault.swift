import Foundation
package import VaultCredentials
package import VaultSealing
package import VaultStorage

/// A vault in a home of its own that a key file opens: through the library, and through the built
/// command, which finds it where a person's vault lies.
package struct ThrowawayVault: Sendable {
  /// The command failed where a test needs that it does not.
  package struct Refusal: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package let home: TemporaryHome
  /// What the key file holds.
  package let key: SecretBytes
  /// The unlocked vault, without keyring and session.
  package let open: UnlockedVault
  package var options: VaultOptions
  /// The built command, with the key file in its environment.
  package let command: VaultProcess

  /// Makes the vault, with its options changed.
  package init(_ change: (inout VaultOptions) -> Void = { _ in }) throws {
    home = try TemporaryHome()
    key = try KeyFile.create("\(home.path)/key")
    options = .alone
    change(&options)
    command = VaultProcess(home: home.path, environment: ["VAULT_KEY_FILE": "\(home.path)/key"])
    open = try LockedVault(location: Self.location(in: home), options: options)
      .blocking.create(slots: [.keyFile(key)])
  }

  private static func location(in home: TemporaryHome) throws -> StoreLocation {
    try StoreLocation { $0 == "HOME" ? home.path : nil }
  }

  /// The key file's path.
  package var keyFile: String { "\(home.path)/key" }

  /// The folder of the vault file and the store.
  package var data: String { "\(home.path)/.local/share/vault" }

  /// The folder of what this machine has seen of the vault.
  package var state: String { "\(home.path)/.local/state/vault" }

  /// The vault file.
  package var path: String { "\(data)/secrets.vault" }

  /// Both folders.
  package var location: StoreLocation { get throws { try Self.location(in: home) } }

  /// The vault, as another process finds it.
  package var locked: LockedVault {
    get throws { try LockedVault(location: location, options: options) }
  }

  /// The vault, opened again by its key.
  package func reopened() throws -> UnlockedVault {
    let key = key
    return try locked.blocking.unlock(with: [.key { key }])
  }

  /// Runs the command.
  @discardableResult
  package func callAsFunction(
    _ arguments: String..., input: String = ""
  ) throws -> VaultProcess.Result {
    try command.run(arguments, input: Data(input.utf8))
  }

  /// Stores a secret exactly, by the command.
  ///
  /// - Throws: ``Refusal`` unless the command succeeds.
  @discardableResult
  package func set(_ name: String, _ secret: String) throws -> VaultProcess.Result {
    let result = try self(
      "set", name, "--stdin", "--exact", "--allow-empty", "--no-session", input: secret)
    guard result.status == 0 else { throw Refusal(description: "set \(name): \(result.errors)") }
    return result
  }

  /// Runs `vault get`, without a session.
  package func get(_ name: String) throws -> VaultProcess.Result {
    try self("get", name, "--no-session")
  }

  /// What a field of an item holds, by the command.
  package func field(_ name: String, _ field: String) throws -> String {
    try self("get", name, "--field", field).text
  }

  /// Runs a script of the shell in the vault's home, for other programs.
  package func shell(
    _ script: String, _ arguments: String..., input: String = ""
  ) throws -> VaultProcess.Result {
    try VaultProcess(
      home: home.path, environment: ["QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8"],
      executable: "/bin/sh"
    ).run(["-c", script, "sh"] + arguments, input: Data(input.utf8))
  }
}

extension UnlockedVault {
  /// Adds a slot that a passphrase opens, at the least cost of one.
  ///
  /// With `vault key add`, it takes as long to make and to open as a test does for all else.
  package func addPassphrase(_ passphrase: String) throws {
    let bytes = try SecretBytes(copying: Array(passphrase.utf8))
    try blocking.addSlot(.passphrase(bytes, cost: .floor))
  }
}

extension VaultOptions {
  /// Neither keyring nor session: a vault opens by what a test gives it.
  package static var alone: VaultOptions {
    var options = VaultOptions()
    options.usesKeyring = false
    options.sessionSeconds = 0
    return options
  }
}
