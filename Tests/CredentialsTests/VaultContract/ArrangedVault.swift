import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// What opens a vault, and whether its keyring carries copies.
struct Arrangement: Sendable, CustomTestStringConvertible {
  enum Opening: String, Sendable, CaseIterable {
    case keyFile, passphrase, recoveryCode, keyring, inMemory
  }

  let opening: Opening
  let isPublishing: Bool

  var testDescription: String { "\(opening)\(isPublishing ? ", with copies" : "")" }

  static let all = Opening.allCases.flatMap { opening in
    [false, true].map { Arrangement(opening: opening, isPublishing: $0) }
  }
}

/// A vault in one ``Arrangement``, open, with a keyring of the test's own.
///
/// Nothing but the library's public API is used on it.
struct ArrangedVault {
  let keyring = TestKeyring()
  let open: UnlockedVault.Blocking
  private let id: String
  private let locked: LockedVault
  private let source: KeySource
  /// What the files go with.
  private let owner: any Sendable

  init(_ arrangement: Arrangement) throws {
    let home = try TemporaryHome()
    var options = VaultOptions()
    options.use(keyring)
    options.sessionSeconds = 0
    let key = try SecretBytes.random(count: 32)
    var owner: any Sendable = home
    var vault = try LockedVault(location: home.location, options: options)
    let locked = vault.blocking
    switch arrangement.opening {
    case .inMemory:
      let memory = try InMemoryVault(options: options)
      owner = memory
      vault = memory.vault
      source = memory.source
    case .keyring:
      _ = try locked.create(slots: [.keyring()])
      source = .keyring
    case .keyFile:
      _ = try locked.create(slots: [.keyFile(key)])
      source = .key { key }
    case .recoveryCode:
      let (slot, code) = try NewKeySlot.recovery()
      _ = try locked.create(slots: [slot, .keyFile(key)])
      source = .recoveryCode { code.bytes }
    case .passphrase:
      let passphrase = try SecretBytes(copying: Array("correct horse battery".utf8))
      _ = try locked.create(slots: [.passphrase(passphrase, cost: .floor)])
      source = .passphrase { passphrase }
    }
    self.owner = owner
    self.locked = vault
    let unlocked = try vault.blocking.unlock(with: [source])
    id = unlocked.id
    open = unlocked.blocking
    try open.setPublishing(arrangement.isPublishing)
  }

  /// The same vault, opened anew from its file.
  func reopened() throws -> UnlockedVault.Blocking {
    try locked.blocking.unlock(with: [source]).blocking
  }

  /// The names in the keyring with what their copies hold.
  var copies: [String: String] {
    var copies: [String: String] = [:]
    for attributes in keyring.attributes {
      guard let service = attributes["service"], let name = attributes["username"],
        service == "vault:\(id.prefix(8))"
      else { continue }
      copies[name] = keyring.secret(service: service, username: name)?.text
    }
    return copies
  }
}
