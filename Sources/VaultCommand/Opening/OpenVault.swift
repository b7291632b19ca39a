import VaultCredentials

extension VaultSettings {
  /// Opens the vault, and tells what a person should hear of it, also after a failure.
  func withVault<Result>(
    named name: String? = nil, _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = try locked(named: name)
    return try Self.tellingNotices(
      of: try vault.blocking.unlock(with: Doors(settings: self, vault: vault).sources()), body)
  }

  /// Opens the vault for a change, and makes it first where that needs no decision.
  func withVaultMade<Result>(
    _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = try locked()
    guard try vault.blocking.exists() else {
      let open = try VaultMaking(settings: self, vault: vault).makeForFirstSecret()
      return try Self.tellingNotices(of: open, body)
    }
    return try withVault(body)
  }

  static func tellingNotices<Result>(
    of open: UnlockedVault, _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = open.blocking
    defer {
      for notice in vault.takeNotices() { StandardError.note(notice.message, hint: notice.hint) }
    }
    return try body(vault)
  }
}
