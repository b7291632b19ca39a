import TestSupport
import VaultCredentials
import VaultSealing

/// A vault in a home of its own, opened by a key file's bytes, without keyring and session.
struct ThrowawayVault {
  let home: TemporaryHome
  let key: SecretBytes
  let open: UnlockedVault
  var options: VaultOptions

  init(_ change: (inout VaultOptions) -> Void = { _ in }) throws {
    home = try TemporaryHome()
    key = try SecretBytes.random(count: 32)
    options = VaultOptions()
    options.usesKeyring = false
    options.sessionSeconds = 0
    change(&options)
    open = try LockedVault(location: home.location, options: options)
      .blocking.create(slots: [.keyFile(key)])
  }

  var locked: LockedVault {
    get throws { try LockedVault(location: home.location, options: options) }
  }

  func reopened() throws -> UnlockedVault {
    let key = key
    return try locked.blocking.unlock(with: [.key { key }])
  }

  var path: String { "\(home.path)/vault/secrets.vault" }
}

func name(_ text: String) throws -> ItemName { try ItemName(text) }

/// Runs `body` and answers the code it failed with; `nil` if it did not fail.
func code(_ body: () throws -> Void) -> CredentialError.Code? {
  do {
    try body()
    return nil
  } catch let error as CredentialError {
    return error.code
  } catch {
    return CredentialError.Code(rawValue: "other: \(error)")
  }
}
