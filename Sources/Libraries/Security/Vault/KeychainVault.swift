import Foundation
import Synchronization
package import VaultCredentials
package import VaultStorage

/// The vault that the calls on items mean, and what opens it.
///
/// The command decides the same: `VAULT_HOME` and `VAULT_NAME` say which vault, the sources of
/// `KeySource.standard` open it.
package struct KeychainVault: Sendable {
  let location: StoreLocation
  let name: String?
  let sources: [KeySource]
  private let options: VaultOptions
  /// What an open vault may be kept for; `nil` where it may not be kept.
  private let identity: Identity?
  /// The name of the program, which new items have.
  let application: String

  /// Another vault than the environment names: for tests, which share a process.
  @TaskLocal package static var current: KeychainVault?

  /// A vault for tests; one that a passphrase or key file opened is kept open if that is wanted.
  package init(
    location: StoreLocation, sources: [KeySource], application: String, options: VaultOptions,
    keepsOpen: Bool = false
  ) {
    self.location = location
    self.sources = sources
    self.application = application
    self.options = options
    name = nil
    identity = keepsOpen ? Identity(location: location, name: nil, keys: []) : nil
  }

  /// The vault that the environment names.
  init() throws {
    let home = Self.variable("VAULT_HOME")
    location = try home.map { StoreLocation(home: $0) } ?? StoreLocation()
    name = Self.variable("VAULT_NAME")
    sources = KeySource.standard
    var options = VaultOptions()
    options.origin = .program
    options.allowsKeyringPrompt =
      Self.variable("DISPLAY") != nil || Self.variable("WAYLAND_DISPLAY") != nil
    self.options = options
    application = Self.applicationName
    identity = Identity(location: location, name: name, keys: Self.keyVariables.map(Self.variable))
  }

  private static let keyVariables = [
    "VAULT_KEY_FILE", "VAULT_PASSPHRASE_FILE", "VAULT_PASSPHRASE", "CREDENTIALS_DIRECTORY",
  ]

  private static func variable(_ name: String) -> String? {
    StoreLocation.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The program's id, as app data has it.
  private static var applicationName: String {
    for variable in ["G_APPLICATION_ID", "FLATPAK_ID", "SNAP_NAME"] {
      if let id = self.variable(variable) { return id }
    }
    return Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  }

  // MARK: - Opening

  /// Opens the vault for a question.
  ///
  /// - Throws: `CredentialError`; ``Refusal`` of ``errSecItemNotFound`` where there is no vault yet
  ///   and the first change would make one.
  func open(mayPrompt: Bool) throws -> UnlockedVault {
    if let known = Self.kept(identity) { return known }
    let locked = try locked(mayPrompt: mayPrompt)
    guard try locked.blocking.exists() else {
      throw Refusal(
        locked.blocking.canCreate(with: sources) ? errSecItemNotFound : errSecNotAvailable)
    }
    return try keep(locked.blocking.unlock(with: sources))
  }

  /// Opens the vault for a change; makes it first where that needs no decision.
  func openOrMake(mayPrompt: Bool) throws -> UnlockedVault {
    if let known = Self.kept(identity) { return known }
    return try keep(locked(mayPrompt: mayPrompt).blocking.unlockOrCreate(with: sources))
  }

  private func locked(mayPrompt: Bool) throws -> LockedVault {
    var options = options
    if !mayPrompt { options.allowsKeyringPrompt = false }
    return try LockedVault(location: location, name: name, options: options)
  }

  // MARK: - Keeping it open

  /// What says that an open vault is still the one that is meant, and would open again.
  private struct Identity: Equatable, Sendable {
    let location: StoreLocation
    let name: String?
    let keys: [String?]
  }

  private static let opened = Mutex<(identity: Identity, vault: UnlockedVault)?>(nil)

  private static func kept(_ identity: Identity?) -> UnlockedVault? {
    opened.withLock { opened in
      guard let identity, let known = opened, known.identity == identity else { return nil }
      return known.vault
    }
  }

  /// Keeps a vault open that a passphrase or key file of the environment has opened: deriving the
  /// key takes a tenth of a second and more.
  ///
  /// One that the session or the keyring has opened is opened each time anew, so that locking it
  /// locks it for this program, too.
  private func keep(_ vault: UnlockedVault) -> UnlockedVault {
    guard let identity, [.passphrase, .keyFile].contains(vault.openedBy.source) else {
      return vault
    }
    Self.opened.withLock { $0 = (identity, vault) }
    return vault
  }

  /// Forgets an open vault: its key was rotated, or another one lies in its place.
  ///
  /// - Returns: Whether there was one.
  static func forget() -> Bool {
    opened.withLock { opened in
      defer { opened = nil }
      return opened != nil
    }
  }
}
