/// What making a vault, publishing, the status, a check and an audit say of a keyring without a
/// password that keeps something of a vault.
package struct ClearKeyring {
  /// What is wrong, one sentence.
  package let message: String
  /// What to do about it.
  package let hint: String
  /// The same, for a program that has a line for it.
  package let remedies: [Remedy]

  /// The warning's code; it is never renamed.
  package static let code = "keyring-in-clear"

  /// Says what such a keyring has; `nil` where it has nothing of the vault.
  ///
  /// - Parameters:
  ///   - opensVault: Whether it opens the vault.
  ///   - hasCopies: Whether it gets copies of items.
  package init?(opensVault: Bool, hasCopies: Bool) {
    let kept = [
      opensVault ? "what opens this vault" : nil, hasCopies ? "the copies of its items" : nil,
    ].compactMap(\.self)
    guard !kept.isEmpty else { return nil }
    let verb = hasCopies ? "are" : "is"
    message =
      "the desktop keyring has no password: \(kept.joined(separator: ", and ")) \(verb) kept on this "
      + "disk in clear"
    hint =
      "give the keyring a password (Seahorse: Passwords and Keys)"
      + (opensVault ? ", or open the vault by a passphrase" : "")
    remedies = opensVault ? [] : [.stopPublishing]
  }
}

extension VaultSnapshot {
  /// Whether items get copies in the keyring, or some have one.
  package var hasCopies: Bool {
    index.isPublishing || index.items.contains { $0.trashed == 0 && $0.copy != .none }
  }
}
