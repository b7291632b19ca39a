package import VaultSealing

/// What a vault asks of a desktop keyring.
///
/// Two conform: ``Keyring`` speaks the Secret Service API on the session bus; `TestKeyring` of the
/// testing library is in any state that its user wants, without a bus.
package protocol DesktopKeyring: Sendable {
  /// Whether it may show a prompt of its own, and could.
  var canPrompt: Bool { get }

  /// Looks how it stands; never fails, never shows a prompt.
  func probe(openingSession: Bool) -> KeyringReport

  /// The items that carry every one of `attributes`; none to find all.
  func items(matching attributes: [String: String]) throws(KeyringError) -> KeyringMatches

  /// The secret of our one item of that identity.
  func secret(of identity: KeyringIdentity) throws(KeyringError) -> SecretBytes

  /// The secrets of several items, by their paths.
  func secrets(of paths: [String]) throws(KeyringError) -> [String: SecretBytes]

  /// Makes an item; answers its path.
  func create(
    _ identity: KeyringIdentity, label: String, secret: SecretBytes
  ) throws(KeyringError) -> String

  /// Gives an item another secret.
  func change(
    _ path: String, of identity: KeyringIdentity, to secret: SecretBytes
  ) throws(KeyringError)

  /// Deletes an item.
  func delete(_ path: String, of identity: KeyringIdentity) throws(KeyringError)

  /// Unlocks it by its own prompt, and the items of that identity where they are locked one by one.
  func unlock(
    cancellation: PromptCancellation?, for identity: KeyringIdentity?
  ) throws(KeyringError)

  /// Unlocks it with its own password, or where these items lie in another one, that one.
  func unlock(
    password: SecretBytes, for identities: [KeyringIdentity]
  ) throws(KeyringError) -> PasswordUnlock

  /// Whether there is something that ``unlock(password:for:)`` would unlock.
  func isLocked(for identities: [KeyringIdentity]) throws(KeyringError) -> Bool

  /// Whether a secret has gone over a connection that is not encrypted.
  var hasSentInClear: Bool { get }
}

extension Keyring: DesktopKeyring {
  package var canPrompt: Bool { options.canPrompt }
}

extension DesktopKeyring {
  /// Every item of every collection.
  package func allItems() throws(KeyringError) -> KeyringMatches { try items(matching: [:]) }

  /// Unlocks it by its own prompt.
  package func unlock(cancellation: PromptCancellation?) throws(KeyringError) {
    try unlock(cancellation: cancellation, for: nil)
  }
}
